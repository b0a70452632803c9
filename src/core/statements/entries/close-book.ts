// Closes a month's journal: posts what findings kept back, adds the entries that have no line, and
// proves that the wallet's account goes from the balance recorded at the month's start to the
// balance recorded at its end.

import type { Amount } from '../../domain/amount.ts';
import type { Instant } from '../../domain/instant.ts';
import { invariant } from '../../domain/invariant.ts';
import { isAdjustment, isDirection, isEntryKind } from '../../domain/ledger-entry.ts';
import { valueIn } from '../../domain/value-in.ts';
import { heldIn, journalTerms } from '../books-before.ts';
import { plus, sumOf } from '../exact.ts';
import {
  type AccountRole,
  type AccountTotals,
  type BooksBefore,
  type HeldAccount,
  type JournalControls,
  type JournalEntry,
  type JournalSection,
  type NamedPlace,
  walletRules,
} from '../journal.ts';
import type { Drift } from '../opening.ts';
import type { CommissionRow } from '../section-commissions.ts';
import { type JournalBook, type KeptLine, keyOf, postingOf, postLine } from './book.ts';
import { bookRows, dayBefore } from './books.ts';
import { type BookMonth, bookedSection, conversions, lastDayOf, worthOf } from './conversion.ts';
import { bookLinks, type LinkBooking } from './link-entries.ts';
import {
  debitsFirst,
  type EntryMaker,
  headOf,
  invoiceEntries,
  makeEntry,
  roundingEntry,
  sided,
  taxIn,
} from './make-entry.ts';
import {
  addBalance,
  type Balances,
  controlPassedOver,
  controlsOf,
  dayEntries,
  isNamedSource,
  lettered,
  type NamedPlaces,
  NEVER,
  NO_PLACE,
  namedAt,
  namedRows,
  type Place,
  type Posting,
  placeKey,
  postEntry,
  setApart,
  suspendedIn,
  taxRows,
} from './post-entry.ts';
import { type Against, factsOfNote, inSuspense, NO_FACTS, type PostedNote } from './postings.ts';
import { type SuspenseCase, shortOf } from './suspense-plan.ts';
import { ageSuspense, carriedInto, openingsOf, transitPostings, type YearClose } from './year.ts';

export interface JournalClose {
  /** Balance recorded at the month's start. */
  readonly opening: Amount;
  /** Balance recorded at the month's end. */
  readonly closing: Amount;
  /** What the wallet's sub-accounts held at the start, by their number. */
  readonly wallets: Readonly<Record<string, Amount>>;
  /**
   * Effect of lines dated after the month's end that its closing balance includes, less the effect
   * of such lines in its opening balance.
   */
  readonly ahead: Amount;
  /**
   * True when no line lies before the period. True also for a year, because a year's accounts are
   * opened anew.
   */
  readonly postsOpening: boolean;
  /** Drifts of earlier months, as far as they are kept one by one (`Drifts.rows`). */
  readonly driftsBefore: readonly Drift[];
  /** Drifts of the month, as far as they are kept one by one. */
  readonly drifts: readonly Drift[];
  /**
   * What the issued month before has left in the books. `null` when no such month is known, or the
   * period is not a month.
   */
  readonly before: BooksBefore | null;
  /**
   * Sum of the items that are in suspense. `null` when there are too many drifts to keep them one
   * by one.
   */
  readonly suspended: Amount | null;
  readonly commissions: readonly CommissionRow[];
  readonly notes: ReadonlyMap<string, PostedNote>;
  /** Months of the period, ascending. */
  readonly months: readonly BookMonth[];
  /** First day of the period, `YYYY-MM-DD`. */
  readonly firstDay: string;
  /** Last day of the period, `YYYY-MM-DD`. */
  readonly lastDay: string;
  readonly links: LinkBooking;
  /**
   * Returns the day on which a drift is posted, `YYYY-MM-DD`. For a drift dated outside its month
   * it is the month's first or last day.
   */
  readonly driftDay: (drift: Drift) => string;
  /**
   * Returns whether the operation succeeded in the month, also where only the date of its line says
   * when it succeeded.
   */
  readonly isCounted: (note: PostedNote, reference: string) => boolean;
  readonly hash: (text: string) => string;
  /** `null` when the period is not a year. */
  readonly year: YearClose | null;
}

/**
 * Posts what is left and returns the journal. Must be called once, after every line has been taken.
 */
export function journalSection(book: JournalBook, close: JournalClose): JournalSection {
  const { sums, maker } = book;
  const { settings } = maker;
  const { days, others, hasLinks } = postOthers(book, close);
  const carried = close.year === null ? undefined : carriedInto(settings, close.year, close);
  const held = close.year === null ? heldInBooks(book, close) : openingsOf(carried);
  const worth = worthAtStart(settings, close, { held, carried });
  for (const entry of conversions(sums, close.months, { held, worth })) {
    postEntry(sums, { entry });
    others.push(entry);
  }
  others.sort((a, b) => compare(a.date, b.date) || compare(a.number, b.number));
  const { totals } = sums;
  const accounts = accountsOf(book, close, held);
  const debit = sumOf(accounts, (account) => account.debit);
  const credit = sumOf(accounts, (account) => account.credit);
  invariant(debit === credit, 'a journal balances');
  const ofLines = [totals.first, ...days, totals.last].filter((entry) => entry !== null);
  const numbers = ofLines.flatMap(({ number, journal }) => (journal === undefined ? number : []));
  if (settings.entries === 'day') numbers.sort(compare);
  const named = namedRows(sums.named);
  return {
    code: settings.code,
    label: settings.label,
    entries: settings.entries,
    opening: close.postsOpening ? 'posted' : settings.opening,
    ...bookedSection(sums, accounts, worth),
    ...(hasLinks ? { links: settings.links } : {}),
    entryCount: totals.entryCount,
    firstNumber: numbers[0] ?? null,
    lastNumber: numbers.at(-1) ?? null,
    lines: totals.lines,
    others: others.map((entry) => (isNamedSource(entry) ? lettered(sums, entry) : entry)),
    accounts,
    debit,
    credit,
    wallet: walletOf(book, close),
    ...(carried === undefined ? {} : { carried }),
    ...(totals.open === null
      ? {}
      : { suspense: ageSuspense(totals.open, settings, close.lastDay) }),
    taxes: taxRows(sums.taxes),
    controls: {
      ...controlsOf(sums.controls, close.commissions, close.isCounted),
      suspended: suspenseControl(suspendedIn(sums.named, named), close.suspended),
    },
    named: close.year === null ? named : [],
    terms: journalTerms(settings),
    ...(close.before === null ? {} : { goesOnFrom: close.before }),
  };
}

interface Others {
  /** The entries of days, which are in `others` too. */
  readonly days: readonly JournalEntry[];
  /** Entries that belong to neither one line nor one payment. */
  readonly others: JournalEntry[];
  readonly hasLinks: boolean;
}

/** Posts what was kept back, and all entries without a line except the conversions. */
function postOthers(book: JournalBook, close: JournalClose): Others {
  const { maker, sums } = book;
  const others: JournalEntry[] = [];
  const post = (posting: Posting): void => {
    postEntry(sums, posting);
    if (posting.when === undefined) others.push(posting.entry);
  };
  const decided: Posting[] = [];
  // A place is registered when its posting is decided, because places keep that order. The entries
  // are posted later, after those of days.
  const decide = (posting: Posting): void => {
    if (posting.place !== undefined) namedAt(sums.named, posting.place);
    decided.push(posting);
  };
  for (const drift of close.drifts) driftPostings(book, drift, close).forEach(decide);
  for (const [reference, one] of book.plan.operations)
    postCase(book, close, { reference, ...one }).forEach(decide);
  for (const { isControlled, ...kept } of book.earlier) postLine(book, kept, { isControlled });
  for (const drift of close.driftsBefore) driftPostings(book, drift, close).forEach(post);
  const links = bookLinks(book, close.links, close.months);
  const days = dayEntries(sums);
  for (const entry of days) post({ entry });
  decided.forEach(post);
  links.forEach(post);
  if (close.year !== null) transitPostings(book, close.year, close).forEach(post);
  joiningPostings(book, close).forEach(post);
  for (const entry of roundings(book, close)) post({ entry });
  for (const entry of invoiceEntries(maker, sums.taxes.withheld, close.months)) post({ entry });
  // `ahead` must come first: it posts the lines that are dated after an end and stand before it.
  // `rest` then posts all that is left, which is the drifts beyond those kept one by one.
  for (const source of ['ahead', 'rest'] as const)
    for (const entry of sumEntry(book, close, source)) post({ entry });
  return { days, others, hasLinks: links.length + close.links.money.payments.length > 0 };
}

function walletOf(book: JournalBook, { opening, closing }: JournalClose): JournalSection['wallet'] {
  const own = [...book.sums.totals.accounts.values()].filter(({ role }) => role === 'wallet');
  const debit = sumOf(own, (account) => account.debit);
  const credit = sumOf(own, (account) => account.credit);
  invariant(
    plus(opening, plus(debit, -credit)) === closing,
    "the wallet's account equals the recorded balance",
  );
  return {
    account: book.maker.settings.accounts.wallet.number,
    opening,
    debit,
    credit,
    closing,
    isInCredit: closing < 0,
    daysInCredit: [...book.daysInCredit].sort(compare),
  };
}

/**
 * Returns the totals of the accounts, by number; the wallet's own account is always among them. In
 * a month only held accounts have an opening: the wallet's, and what the service owes for payments
 * by link. In a year each account has one.
 */
function accountsOf(
  book: JournalBook,
  close: JournalClose,
  held: readonly HeldAccount[],
): readonly AccountTotals[] {
  const { number: account, label } = book.maker.settings.accounts.wallet;
  const begun = new Map(
    [{ role: 'wallet' as const, account, label, balance: 0 }, ...held].map((one) => [
      one.account,
      one,
    ]),
  );
  const accounts = new Map(
    [...begun.values()].map((one) => [one.account, { ...one, debit: 0, credit: 0 }]),
  );
  return [...new Map([...accounts, ...book.sums.totals.accounts]).values()]
    .map(({ role, account: number, label: name, debit, credit }): AccountTotals => {
      const isUnknown = close.year === null && role !== 'wallet' && !begun.has(number);
      const before = isUnknown ? null : (begun.get(number)?.balance ?? 0);
      const balance = plus(before ?? 0, plus(debit, -credit));
      return { role, account: number, label: name, opening: before, debit, credit, balance };
    })
    .sort((a, b) => compare(a.account, b.account));
}

/**
 * Returns the held accounts with their opening balances. A role keeps the accounts of the month
 * before when those hold the same sum as today's; otherwise it has the accounts that today's rules
 * give it.
 */
function heldInBooks(book: JournalBook, close: JournalClose): readonly HeldAccount[] {
  const now = heldNow(book, close);
  const before = close.before === null ? [] : heldIn(close.before);
  const sumOfRole = (held: readonly HeldAccount[], role: AccountRole) =>
    sumOf(held, (one) => (one.role === role ? one.balance : 0));
  const joins = (role: AccountRole): boolean =>
    before.some((one) => one.role === role) && sumOfRole(before, role) === sumOfRole(now, role);
  return [...now.filter(({ role }) => !joins(role)), ...before.filter(({ role }) => joins(role))];
}

/**
 * Returns the opening amounts of the held accounts in the books' currency, by account number. A
 * year takes them from its opening entry. A month takes what the issued months have posted, or else
 * converts the balances at the rate of the day before.
 */
function worthAtStart(
  { books }: Pick<EntryMaker['settings'], 'books'>,
  { before, firstDay, year }: JournalClose,
  {
    held,
    carried,
  }: {
    readonly held: readonly HeldAccount[];
    readonly carried: JournalSection['carried'] | undefined;
  },
): ReadonlyMap<string, Amount> {
  if (books === undefined) return new Map();
  if (year !== null) {
    const rows = Map.groupBy(carried?.entry.rows ?? [], ({ account }) => account);
    return new Map(
      [...rows].map(([account, own]) => [account, sumOf(own, (row) => row.booked ?? 0)]),
    );
  }
  if (before?.books === undefined || before.terms.currency !== books.currency)
    return worthOf(books, held, dayBefore(firstDay));
  const own = new Set(heldIn(before).map(({ account }) => account));
  const left = before.books.accounts.filter(({ account }) => own.has(account));
  return new Map(
    left.map(({ account, opening, debit, credit }) => [
      account,
      plus(opening ?? 0, plus(debit, -credit)),
    ]),
  );
}

function heldNow(book: JournalBook, close: JournalClose): readonly HeldAccount[] {
  return [...walletsHeld(book, close), ...linksHeld(book, close)];
}

/**
 * Returns the account of what the service owes for payments by link, if it has an opening balance
 * or an entry moves it.
 */
function linksHeld(
  { maker, sums: { totals } }: JournalBook,
  { links: { account } }: JournalClose,
): readonly HeldAccount[] {
  const { number, label } = maker.settings.accounts.linkReceivable;
  if (account === null || (account.opening === 0 && !totals.accounts.has(number))) return [];
  return [{ role: 'linkReceivable', account: number, label, balance: account.opening }];
}

/**
 * Returns the wallet's accounts with their opening balances. The wallet's own account has what
 * remains of the recorded opening when the sub-accounts are taken off.
 */
function walletsHeld(
  { maker: { settings } }: JournalBook,
  { opening, wallets }: JournalClose,
): readonly HeldAccount[] {
  const { number, label } = settings.accounts.wallet;
  const own = walletRules(settings).map(({ account }) => account!);
  const held = Object.entries(wallets).filter(([, balance]) => balance !== 0);
  const rest = plus(opening, -sumOf(held, ([, balance]) => balance));
  return [[number, rest] as const, ...held].map(([account, balance]) => {
    const known = own.find((one) => one.number === account)?.label ?? label;
    return { role: 'wallet', account, label: account === number ? label : known, balance };
  });
}

/**
 * Posts a drift against suspense, under the line at which the recorded balance does not follow. A
 * drift of an earlier month that a finding names is posted a second time as it would be without the
 * finding (`plain`).
 */
function driftPostings(
  { maker, plan }: JournalBook,
  drift: Drift,
  close: JournalClose,
): readonly Posting[] {
  const { sequence, amount } = drift;
  const root = plan.drifts.get(sequence);
  const date = close.driftDay(drift);
  const own = headOf(maker, 'drift', { date, name: `${String(sequence).padStart(6, '0')}-E` });
  const head = { ...own, piece: root?.piece ?? `LINE-${sequence}`, sequence };
  const made = (against: Against) =>
    makeEntry(maker, head, { effect: amount, against, facts: NO_FACTS });
  const when = close.driftsBefore.includes(drift) ? ('before' as const) : undefined;
  if (root === undefined) return [{ ...made(inSuspense(amount)), when }];
  const place = { ...NO_PLACE, drift: sequence, root };
  const posting = { ...made([[root.role, -amount]]), when, place };
  return when === undefined
    ? [posting]
    : [posting, { ...made(inSuspense(amount)), when: 'plain', place }];
}

/**
 * Decides what the lines of an operation that a finding names post, and posts them. Returns an
 * entry for what the operation lacks, because no line has that.
 */
function postCase(
  book: JournalBook,
  close: JournalClose,
  one: SuspenseCase & { readonly reference: string },
): readonly Posting[] {
  const { sums } = book;
  const kept = book.keptBack.get(one.reference) ?? [];
  const note = close.notes.get(one.reference) ?? null;
  const { start, end } = book.bounds;
  const plain = kept.map(({ line }) => postingOf(book, line, note).against);
  const judged = sumOf(kept.filter(isJudged(book)), ({ line }) => line.effect);
  const allocated = allocate(plain, one, { operation: note, judged });
  kept.forEach(({ line, here }, i) => {
    book.allocated.set(keyOf(line.entry), allocated.lines[i]!);
    postLine(book, { line, note, here }, { plain: plain[i] });
    // An adjustment stays in suspense until a person says what it is for.
    const isTaken = here !== null || line.entry.createdAt < start;
    if (isTaken && isAdjustment(line.entry.kind))
      setApart(sums.named, { ...NO_PLACE, line: line.entry.sequence, root: one.root }, line.effect);
  });
  if (note !== null && close.isCounted(note, one.reference))
    controlPassedOver(sums.controls, allocated.passedOver);
  const at = book.instantOf(one);
  if (at !== null && at >= start && at < end)
    sums.controls.fees.priced = plus(sums.controls.fees.priced, allocated.priced);
  if (at === null || allocated.own.length === 0) return [];
  return [ownPosting(book, close, { ...one, note, against: allocated.own, at })];
}

/**
 * `stated` is `null` when the sum of the items is not known. The control then has nothing to
 * compare, and leaves nothing unexplained.
 */
function suspenseControl(
  { posted, apart }: ReturnType<typeof suspendedIn>,
  stated: Amount | null,
): JournalControls['suspended'] {
  const otherMonth = stated === null ? 0 : apart;
  const known = stated ?? posted;
  return {
    posted,
    stated: known,
    otherMonth,
    undone: 0,
    priced: 0,
    rest: plus(posted, -plus(known, otherMonth)),
  };
}

/**
 * Returns a test for the lines by which the audit judges their operation. Their kind and direction
 * are known, they are no adjustments, and no finding says that they belong to no operation.
 */
function isJudged({ plan }: JournalBook): (kept: KeptLine) => boolean {
  return ({ line: { entry } }) =>
    isEntryKind(entry.kind) &&
    isDirection(entry.direction) &&
    !entry.kind.startsWith('ADJUSTMENT_') &&
    !plan.strays.has(entry.sequence);
}

/** Makes an entry without a line, between suspense and the accounts that lack the amount. */
function ownPosting(
  { maker, bounds, shown, localDay }: JournalBook,
  close: JournalClose,
  {
    reference,
    root,
    note,
    against,
    at,
  }: Pick<SuspenseCase, 'root'> & {
    readonly reference: string;
    readonly note: PostedNote | null;
    readonly against: Against;
    readonly at: Instant;
  },
): Posting {
  const name =
    root.piece === reference ? root.fingerprint : close.hash(`${root.fingerprint} ${reference}`);
  const facts = { ...NO_FACTS, reference, ...factsOfNote(note, shown) };
  const bare = headOf(maker, 'suspense', { date: localDay(at), name: `S-${shortOf(name)}` });
  const head = {
    ...bare,
    piece: reference,
    operationReference: reference,
    operator: facts.operator,
  };
  return {
    ...makeEntry(maker, head, { effect: 0, against, facts }),
    when: at < bounds.start ? 'before' : at < bounds.end ? undefined : 'ahead',
    place: { ...NO_PLACE, operation: reference, root },
    control: { against, reference, note },
  };
}

/**
 * Makes the entries that take over, on the first day, what the books have of earlier months
 * otherwise than today's findings and settings say.
 */
function joiningPostings(book: JournalBook, close: JournalClose): readonly Posting[] {
  const { before, firstDay: date, hash } = close;
  if (before === null || close.year !== null) return [];
  const { maker, sums } = book;
  const accounts = joinAccounts(heldNow(book, close), heldIn(before), { maker, date });
  const places = joinPlaces(sums.named, before, { maker, date, hash });
  return [
    ...accounts.map((entry) => ({ entry })),
    ...places.map((entry) => {
      const against = entry.rows.map(
        ({ role, debit, credit }) => [role === 'feeTax' ? 'fees' : role, debit - credit] as const,
      );
      return { entry, control: { against, cutOff: 1 as const } };
    }),
  ];
}

/**
 * Makes one entry for each piece, on the first day: what today's findings make of the earlier
 * months, less what those months have booked. The entry takes the rates of the earliest entry that
 * it replaces.
 */
function joinPlaces(
  places: NamedPlaces,
  { named }: Pick<BooksBefore, 'named'>,
  {
    maker,
    date,
    hash,
  }: { readonly maker: EntryMaker; readonly date: string; readonly hash: (text: string) => string },
): readonly JournalEntry[] {
  const pieces = new Map<string, { readonly left: Balances; ratesOf: string }>();
  const issued = new Map(named.map((one) => [placeKey(one), one]));
  for (const one of named) namedAt(places, placeOf(one));
  for (const [key, { place, before, plain, ratesOf }] of places) {
    const known = issued.get(key);
    const piece = valueIn(pieces, place.root.piece, () => ({ left: new Map(), ratesOf: NEVER }));
    for (const row of before.values()) addBalance(piece.left, row, row.balance);
    for (const row of known?.rows ?? plain.values()) addBalance(piece.left, row, -row.balance);
    for (const day of [ratesOf, known?.ratesOf ?? NEVER])
      if (day < piece.ratesOf) piece.ratesOf = day;
  }
  return [...pieces].flatMap(([piece, { left, ratesOf }]): readonly JournalEntry[] => {
    const rows = [...left.values()].filter(({ balance }) => balance !== 0);
    // Rows that do not balance mean that the books have other lines than were stated. The months
    // before must then be revised first, and the controls say so.
    if (rows.length === 0 || sumOf(rows, ({ balance }) => balance) !== 0) return [];
    const head = headOf(maker, 'joining', { date, name: `J-${hash(piece).slice(0, 8)}` });
    const made = debitsFirst(rows.map(({ balance, ...party }) => sided(party, balance)));
    return [{ ...head, piece, ratesOf, rows: bookRows(maker.settings.books, made, ratesOf) }];
  });
}

function placeOf({ rows: _, ratesOf: _day, ...place }: NamedPlace): Place {
  return place;
}

/**
 * Moves, on the first day, the balance of each held role from the accounts that had it to the
 * accounts that have it now.
 */
function joinAccounts(
  now: readonly HeldAccount[],
  held: readonly HeldAccount[],
  { maker, date }: { readonly maker: EntryMaker; readonly date: string },
): readonly JournalEntry[] {
  const rows = [...now, ...held.map((one) => ({ ...one, balance: -one.balance }))];
  const moved = [...Map.groupBy(rows, ({ role }) => role).values()]
    .filter((ofRole) => sumOf(ofRole, ({ balance }) => balance) === 0)
    .flatMap((ofRole) => [...Map.groupBy(ofRole, ({ account }) => account).values()])
    .map((ofAccount) => ({ ...ofAccount[0]!, balance: sumOf(ofAccount, ({ balance }) => balance) }))
    .filter(({ balance }) => balance !== 0);
  if (moved.length === 0) return [];
  const head = headOf(maker, 'joining', { date, name: 'J' });
  const made = moved.map(({ role, account, label: accountLabel, balance }) =>
    sided({ role, account, accountLabel, auxiliary: null }, balance),
  );
  return [{ ...head, rows: bookRows(maker.settings.books, debitsFirst(made), date) }];
}

/**
 * Makes one entry for each operator, tax and month where the tax of the whole month, rounded once,
 * differs from the sum that its entries state.
 */
function roundings(book: JournalBook, { months }: JournalClose): readonly JournalEntry[] {
  return [...book.sums.taxes.sums.values()].flatMap(({ operator, tax, month, whole, stated }) => {
    const difference = plus(taxIn(whole, tax.bps), -stated);
    if (difference === 0 || !tax.isRecoverable) return [];
    const rank = book.maker.settings.taxes.indexOf(tax) + 1;
    const name = [`T${rank}`, ...(operator === null ? [] : [operator])].join('-');
    const head = {
      ...headOf(book.maker, 'rounding', { date: lastDayOf(months, month), name }),
      operator,
    };
    return [roundingEntry(book.maker, head, { tax, difference, facts: { ...NO_FACTS, operator } })];
  });
}

/**
 * Makes one entry that brings the wallet's account towards the recorded balance; none where its
 * amount is 0.
 */
function sumEntry(
  book: JournalBook,
  { opening, closing, ahead, lastDay }: JournalClose,
  source: 'ahead' | 'rest',
): readonly JournalEntry[] {
  const own = [...book.sums.totals.accounts.values()].filter(({ role }) => role === 'wallet');
  const left = plus(plus(closing, -opening), -sumOf(own, ({ debit, credit }) => debit - credit));
  const effect = source === 'ahead' ? ahead : left;
  if (effect === 0) return [];
  const head = headOf(book.maker, source, { date: lastDay, name: source === 'ahead' ? 'C' : 'R' });
  return [
    makeEntry(book.maker, head, { effect, against: inSuspense(effect), facts: NO_FACTS }).entry,
  ];
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

// Posts the lines of an operation that a finding names. What the operation's state and figures ask
// for goes to the accounts of collections, payouts and commissions, in the order of the lines. An
// amount beyond that goes to suspense, and an amount that is lacking is taken from suspense.

interface Allocated {
  /** What each line posts, in the order of the lines. */
  readonly lines: readonly Against[];
  /**
   * What no line posts although the operation asks for it; it becomes an entry of its own. Empty
   * when nothing is lacking.
   */
  readonly own: Against;
  /** Commission that the price asks for beyond what the operation states; signed. */
  readonly priced: Amount;
  /**
   * What the operation asks to be posted and undone again, by role, and no line does either:
   * nothing has to be posted for it. Positive.
   */
  readonly passedOver: ReadonlyMap<AccountRole, Amount>;
}

/** What may still be posted to each role: debits and credits, both positive. */
type Budget = Map<AccountRole, { debit: Amount; credit: Amount }>;

/**
 * Allocates an operation's lines to accounts. `lines` holds what each line would post without the
 * finding. `judged` is the sum of the effects of the lines by which the audit judges the operation.
 */
function allocate(
  lines: readonly Against[],
  { root, off }: SuspenseCase,
  about: {
    readonly operation: Pick<PostedNote, 'type' | 'amount' | 'fees' | 'status'> | null;
    readonly judged: Amount;
  },
): Allocated {
  const required = plus(about.judged, -off);
  const { budget, priced } = budgetOf(about.operation, required);
  const posted = lines.map((against) => {
    let rest = 0;
    const kept = against.flatMap(([role, amount]): Against => {
      const taken = takeFrom(budget, role, amount);
      rest = plus(rest, amount - taken);
      return taken === 0 ? [] : [[role, taken]];
    });
    return rest === 0 ? kept : [...kept, [root.role, rest] as const];
  });
  const lacking = [...budget].flatMap(([role, { debit, credit }]): Against => {
    const left = plus(debit, -credit);
    return left === 0 ? [] : [[role, left]];
  });
  const owed = sumOf(lacking, ([, amount]) => amount);
  const passedOver = new Map(
    [...budget].map(([role, { debit, credit }]) => [role, Math.min(debit, credit)]),
  );
  return {
    lines: posted,
    own: owed === 0 ? lacking : [...lacking, [root.role, -owed]],
    priced,
    passedOver,
  };
}

/**
 * Returns what the operation asks to be posted. An operation that is unknown or did not succeed
 * asks for nothing. `required` is the effect on the balance that the audit requires.
 */
function budgetOf(
  operation: Pick<PostedNote, 'type' | 'amount' | 'fees' | 'status'> | null,
  required: Amount,
): { readonly budget: Budget; readonly priced: Amount } {
  const budget: Budget = new Map();
  if (operation === null || !(operation.status === 'SUCCEEDED' || operation.status === 'REVERSED'))
    return { budget, priced: 0 };
  const { type, amount, fees, status } = operation;
  const isReversed = status === 'REVERSED';
  const keepsFee = isReversed && fees > 0 && required === -fees;
  const undone = isReversed ? amount : 0;
  if (type === 'CASHIN') budget.set('customers', { debit: undone, credit: amount });
  else budget.set('suppliers', { debit: amount, credit: undone });
  const undoneFee = isReversed && !keepsFee ? fees : 0;
  const stated =
    type === 'CASHIN' ? amount - undone - fees + undoneFee : -(amount - undone + fees - undoneFee);
  // Where no known price gives the fee that the operation states, the audit requires another fee.
  // `priced` is the difference.
  const priced = Math.max(-fees, stated - required);
  budget.set('fees', { debit: plus(fees, priced), credit: undoneFee });
  return { budget, priced };
}

/**
 * Takes as much of `amount` from the role's budget as is left there, and returns it. Both are
 * signed.
 */
function takeFrom(budget: Budget, role: AccountRole, amount: Amount): Amount {
  const left = budget.get(role);
  if (left === undefined) return 0;
  const side = amount > 0 ? 'debit' : 'credit';
  const taken = Math.min(Math.abs(amount), left[side]);
  left[side] -= taken;
  return amount > 0 ? taken : -taken;
}
