// Closes a month's journal: posts what findings kept back, adds the entries that have no line, and
// proves that the wallet's account goes from the balance recorded at the month's start to the one
// recorded at its end.

import type { Amount } from '../../domain/amount.ts';
import { invariant } from '../../domain/invariant.ts';
import { isAdjustment, isDirection, isEntryKind } from '../../domain/ledger-entry.ts';
import { heldIn, journalTerms } from '../books-before.ts';
import { plus, sumOf } from '../exact.ts';
import {
  type AccountRole,
  type AccountTotals,
  type BooksBefore,
  type HeldAccount,
  isSuspense,
  type JournalControls,
  type JournalEntry,
  type JournalSection,
  type SuspenseRoot,
  walletRules,
} from '../journal.ts';
import type { Drift } from '../opening.ts';
import type { CommissionRow } from '../section-commissions.ts';
import {
  addLine,
  addTaxes,
  addTotals,
  controlLine,
  entryOfLine,
  factsIn,
  type JournalBook,
  type KeptLine,
  keyOf,
  postingOf,
  withheldIn,
} from './book.ts';
import { bookRows } from './books.ts';
import { type BookMonth, bookedSection, conversions, lastDayOf } from './conversion.ts';
import { followPiece, lettered } from './letters.ts';
import { bookLinks, type LinkBooking } from './link-entries.ts';
import {
  controlCutOff,
  controlEntry,
  controlPassedOver,
  controlsOf,
  debitsFirst,
  headOf,
  invoiceEntries,
  type MadeEntry,
  makeEntry,
  roundingEntry,
  taxIn,
  taxRows,
} from './make-entry.ts';
import {
  addNamed,
  joinAccounts,
  joinPlaces,
  linePlace,
  namedRows,
  type Place,
  setApart,
  suspendedIn,
} from './named-places.ts';
import {
  type Against,
  factsOfNote,
  inSuspense,
  NO_FACTS,
  type PostedNote,
  postingsOf,
} from './postings.ts';
import { rootNaming, type SuspenseCase, shortOf } from './suspense-plan.ts';
import { ageSuspense, carriedInto, openingsOf, transitEntries, type YearClose } from './year.ts';

export interface JournalClose {
  /** As recorded at the month's start and at its end. */
  readonly opening: Amount;
  readonly closing: Amount;
  /** What the wallet's sub-accounts held at the start, by their number. */
  readonly wallets: Readonly<Record<string, Amount>>;
  /**
   * What lines dated after the month's end add to its closing, less what such lines had added to
   * its opening.
   */
  readonly ahead: Amount;
  /** No line lies before the period, or it is a year, whose accounts are opened anew. */
  readonly postsOpening: boolean;
  /** Of the months before and of the month, as far as they are kept one by one. */
  readonly driftsBefore: readonly Drift[];
  readonly drifts: readonly Drift[];
  /**
   * What the month before has left in the books; null: nothing that is known was issued, or it is
   * no month.
   */
  readonly before: BooksBefore | null;
  /** Σ of the items that are in suspense; null: drifts are too many to be kept one by one. */
  readonly suspended: Amount | null;
  readonly commissions: readonly CommissionRow[];
  readonly notes: ReadonlyMap<string, PostedNote>;
  /** Of the period, ascending, and its first and last day. */
  readonly months: readonly BookMonth[];
  readonly firstDay: string;
  readonly lastDay: string;
  readonly links: LinkBooking;
  /** Of an instant outside the month, its first or last day. */
  readonly driftDay: (drift: Drift) => string;
  /** True: it succeeded in the month, also where a line had to say so. */
  readonly isCounted: (note: PostedNote, reference: string) => boolean;
  readonly hash: (text: string) => string;
  /** Null: it is no year. */
  readonly year: YearClose | null;
}

/** Call once, when every line has passed. */
export function journalSection(book: JournalBook, close: JournalClose): JournalSection {
  const { settings } = book.maker;
  const { days, links, others, carried } = closingEntries(book, close);
  const accounts = accountsOf(book, close, carried);
  const debit = sumOf(accounts, (account) => account.debit);
  const credit = sumOf(accounts, (account) => account.credit);
  invariant(debit === credit, 'a journal balances');
  const ofLines = [book.first, ...days, book.last].filter((entry) => entry !== null);
  const numbers = ofLines.flatMap(({ number, journal }) => (journal === undefined ? number : []));
  if (settings.entries === 'day') numbers.sort(compare);
  const named = namedRows(book.named);
  return {
    code: settings.code,
    label: settings.label,
    entries: settings.entries,
    opening: close.postsOpening ? 'posted' : settings.opening,
    ...bookedSection(book, carried),
    ...(links.length + close.links.money.payments.length === 0 ? {} : { links: settings.links }),
    entryCount: book.entryCount,
    firstNumber: numbers[0] ?? null,
    lastNumber: numbers.at(-1) ?? null,
    lines: book.lines,
    others: others.map((entry) => (mayBeCleared(entry) ? lettered(book.pieces, entry) : entry)),
    accounts,
    debit,
    credit,
    wallet: walletOf(book, close),
    ...(carried === undefined ? {} : { carried }),
    ...(book.open === null ? {} : { suspense: ageSuspense(book.open, settings, close.lastDay) }),
    taxes: taxRows(book.taxes.values()),
    controls: {
      ...controlsOf(book.controls, close.commissions),
      suspended: suspenseControl(suspendedIn(book.named, named), close.suspended),
    },
    named: close.year === null ? named : [],
    terms: journalTerms(settings),
    ...(close.before === null ? {} : { goesOnFrom: close.before }),
  };
}

interface ClosingEntries {
  /** Entries of a day, and of payouts by link; both are among `others`. */
  readonly days: readonly JournalEntry[];
  readonly links: readonly JournalEntry[];
  /** Every entry that is not of one line, by date and number. */
  readonly others: readonly JournalEntry[];
  readonly carried: JournalSection['carried'];
}

/** Counts them as it makes them. */
function closingEntries(book: JournalBook, close: JournalClose): ClosingEntries {
  const { maker } = book;
  const { settings } = maker;
  const drifts = close.drifts.map((drift) => driftEntry(book, drift, close));
  const suspense = [...book.plan.operations].flatMap(([reference, one]) =>
    postCase(book, close, { reference, ...one }),
  );
  takeEarlier(book, close);
  const links = bookLinks(book, close.links, close.months);
  for (const { reference, note, against, isHere } of book.undated)
    controlEntry(book.controls, against, { isHere, isCounted: close.isCounted(note, reference) });
  const days = [...book.byDay.values()].map(({ head, rows }) => ({
    ...head,
    rows: bookRows(settings.books, debitsFirst([...rows.values()]), head.date),
  }));
  const transits = close.year === null ? [] : transitEntries(book, close.year, close);
  const joining = joinMonths(book, close);
  const others = [
    ...days,
    ...drifts,
    ...suspense,
    ...links,
    ...transits,
    ...joining,
    ...roundings(book, close),
  ];
  for (const entry of others) {
    addTotals(book, entry);
    if (mayBeCleared(entry)) followPiece(book.pieces, entry);
  }
  const post = (entry: JournalEntry): void => {
    others.push(entry);
    addTotals(book, entry);
  };
  invoiceEntries(maker, book.withheld, close.months).forEach(post);
  // First the lines that are dated after an end and stand before it; drifts beyond those that are
  // kept are what is left.
  for (const source of ['ahead', 'rest'] as const) sumEntry(book, close, source).forEach(post);
  const carried = close.year === null ? undefined : carriedInto(settings, close.year, close);
  conversions(book, close.months, heldOf(book, close, carried)).forEach(post);
  others.sort((a, b) => compare(a.date, b.date) || compare(a.number, b.number));
  return { days, links, others, carried };
}

function walletOf(book: JournalBook, { opening, closing }: JournalClose): JournalSection['wallet'] {
  const own = [...book.accounts.values()].filter(({ role }) => role === 'wallet');
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

function mayBeCleared({ source }: JournalEntry): boolean {
  return source === 'drift' || source === 'suspense' || source === 'joining';
}

/**
 * The wallet's own account is always there. In a month it and what payments by link leave owed have
 * an opening; in a year each account has its own.
 */
function accountsOf(
  book: JournalBook,
  close: JournalClose,
  carried: JournalSection['carried'],
): readonly AccountTotals[] {
  const { number: account, label } = book.maker.settings.accounts.wallet;
  const held = heldOf(book, close, carried);
  const begun = new Map(
    [{ role: 'wallet' as const, account, label, balance: 0 }, ...held].map((one) => [
      one.account,
      one,
    ]),
  );
  const accounts = new Map(
    [...begun.values()].map((one) => [one.account, { ...one, debit: 0, credit: 0 }]),
  );
  return [...new Map([...accounts, ...book.accounts]).values()]
    .map(({ role, account: number, label: name, debit, credit }): AccountTotals => {
      const isUnknown = close.year === null && role !== 'wallet' && !begun.has(number);
      const before = isUnknown ? null : (begun.get(number)?.balance ?? 0);
      const balance = plus(before ?? 0, plus(debit, -credit));
      return { role, account: number, label: name, opening: before, debit, credit, balance };
    })
    .sort((a, b) => compare(a.account, b.account));
}

/**
 * What the accounts of the month before have left there, where that is what they held together;
 * else what they hold by today's rules.
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

function heldNow(book: JournalBook, close: JournalClose): readonly HeldAccount[] {
  return [...walletsHeld(book, close), ...linksHeld(book, close)];
}

function heldOf(
  book: JournalBook,
  close: JournalClose,
  carried: JournalSection['carried'],
): readonly HeldAccount[] {
  return close.year === null ? heldInBooks(book, close) : openingsOf(carried);
}

/**
 * What the service owes of payments by link has an opening where there is any, or where it moves.
 */
function linksHeld(
  { maker, accounts }: JournalBook,
  { links: { account } }: JournalClose,
): readonly HeldAccount[] {
  const { number, label } = maker.settings.accounts.linkReceivable;
  if (account === null || (account.opening === 0 && !accounts.has(number))) return [];
  return [{ role: 'linkReceivable', account: number, label, balance: account.opening }];
}

/** The wallet's own account has what its sub-accounts leave of the opening. */
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

/** Against suspense, at the line where the recorded balance does not follow. */
function driftEntry(book: JournalBook, drift: Drift, close: JournalClose): JournalEntry {
  const { sequence, amount } = drift;
  const root = book.plan.drifts.get(sequence);
  const date = close.driftDay(drift);
  const own = headOf(book.maker, 'drift', { date, name: `${String(sequence).padStart(6, '0')}-E` });
  const head = { ...own, piece: root?.piece ?? `LINE-${sequence}`, sequence };
  const against: Against = root === undefined ? inSuspense(amount) : [[root.role, -amount]];
  const { entry } = makeEntry(book.maker, head, { effect: amount, against, facts: NO_FACTS });
  if (root !== undefined) {
    const place: Place = { operation: null, line: null, drift: sequence, root };
    const isBefore = close.driftsBefore.includes(drift);
    addNamed(book.named, place, isBefore ? 'before' : 'here', entry);
    const plain = makeEntry(book.maker, head, {
      effect: amount,
      against: inSuspense(amount),
      facts: NO_FACTS,
    });
    if (isBefore) addNamed(book.named, place, 'plain', plain.entry);
  }
  return entry;
}

/** Posts the lines of an operation that a finding names, and what it lacks. */
function postCase(
  book: JournalBook,
  close: JournalClose,
  one: SuspenseCase & { readonly reference: string },
): readonly JournalEntry[] {
  const kept = book.keptBack.get(one.reference) ?? [];
  const note = close.notes.get(one.reference) ?? null;
  const { start, end } = book.bounds;
  const plain = kept.map(({ line }) => strayOr(book, line, note));
  const judged = sumOf(kept.filter(isJudged(book)), ({ line }) => line.effect);
  const allocated = allocate(plain, one, { operation: note, judged });
  kept.forEach(({ line, here }, i) => {
    const against = allocated.lines[i]!;
    book.allocated.set(keyOf(line.entry), against);
    controlLine(book, against, { reference: one.reference, note, isHere: here !== null });
    if (here !== null) addLine(book, { line, note, here });
    else takeElsewhere(book, { line, note }, plain[i]!);
    // It stays in suspense until a person says what it is for.
    const isTaken = here !== null || line.entry.createdAt < start;
    if (isTaken && isAdjustment(line.entry.kind))
      setApart(book.named, linePlace(line, one.root), line.effect);
  });
  if (note !== null && close.isCounted(note, one.reference))
    controlPassedOver(book.controls, allocated.passedOver);
  const at = book.instantOf(one);
  const isHere = at !== null && at >= start && at < end;
  if (isHere) book.controls.fees.priced = plus(book.controls.fees.priced, allocated.priced);
  if (at === null || allocated.own.length === 0) return [];
  const place: Place = { operation: one.reference, line: null, drift: null, root: one.root };
  const own = { reference: one.reference, root: one.root, note, against: allocated.own };
  controlLine(book, own.against, { reference: one.reference, note, isHere });
  if (at >= end) {
    setApart(book.named, place, suspendedBy(own.against));
    return [];
  }
  const made = ownEntry(book, close, { ...own, date: book.localDay(at) });
  addNamed(book.named, place, isHere ? 'here' : 'before', made.entry);
  if (!isHere) return [];
  addTaxes(book, made, made.entry.operator);
  return [made.entry];
}

/**
 * A line of another month: the months before have booked it, or it is on its way. `plain`: what it
 * would post if no finding named it.
 */
function takeElsewhere(
  book: JournalBook,
  { line, note }: Pick<KeptLine, 'line' | 'note'>,
  plain: Against,
): void {
  const root = rootNaming(book.plan, line.entry);
  if (root === null) return;
  const place = linePlace(line, root);
  const at = line.entry.createdAt;
  if (at >= book.bounds.start)
    setApart(book.named, place, suspendedBy(postingOf(book, line, note).against));
  else {
    const day = book.localDay(at);
    const { entry } = entryOfLine(book, line, note, { number: '', day });
    addNamed(book.named, place, 'before', entry);
    const { entry: unnamed } = makeEntry(book.maker, entry, {
      effect: line.effect,
      against: plain,
      facts: factsIn(book, line, note),
    });
    addNamed(book.named, place, 'plain', unnamed);
  }
}

function suspendedBy(against: Against): Amount {
  return sumOf(against, ([role, amount]) => (isSuspense(role) ? amount : 0));
}

/**
 * Lines of the months before that findings name, or named, outside the operations that are kept
 * back; and the drifts of those months.
 */
function takeEarlier(book: JournalBook, close: JournalClose): void {
  for (const one of book.earlier) {
    const { line, note } = one;
    takeElsewhere(
      book,
      one,
      postingsOf({ ...line, operation: note }, withheldIn(book, line, note)),
    );
  }
  for (const drift of close.driftsBefore) driftEntry(book, drift, close);
}

/**
 * On the first day, what the books have of the months before otherwise than the findings and the
 * settings of today say.
 */
function joinMonths(book: JournalBook, close: JournalClose): readonly JournalEntry[] {
  const { before, firstDay: date, hash } = close;
  if (before === null || close.year !== null) return [];
  const { maker } = book;
  const entries = joinPlaces(book.named, before, { maker, date, hash });
  for (const { rows } of entries) {
    const against = rows.map(
      ({ role, debit, credit }) => [role === 'feeTax' ? 'fees' : role, debit - credit] as const,
    );
    controlCutOff(book.controls, against, 1);
  }
  return [...joinAccounts(heldNow(book, close), heldIn(before), { maker, date }), ...entries];
}

/** Null stated: it cannot be said. */
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

function strayOr(book: JournalBook, line: KeptLine['line'], note: PostedNote | null): Against {
  if (book.plan.strays.has(line.entry.sequence)) return postingOf(book, line, note).against;
  return postingsOf({ ...line, operation: note }, withheldIn(book, line, note));
}

/**
 * The audit judges an operation by its lines of known kinds that move the balance as their kind
 * does.
 */
function isJudged({ plan }: JournalBook): (kept: KeptLine) => boolean {
  return ({ line: { entry } }) =>
    isEntryKind(entry.kind) &&
    isDirection(entry.direction) &&
    !entry.kind.startsWith('ADJUSTMENT_') &&
    !plan.strays.has(entry.sequence);
}

interface OwnEntry {
  readonly reference: string;
  readonly root: SuspenseRoot;
  readonly note: PostedNote | null;
  readonly against: Against;
  readonly date: string;
}

/** Without a line: between suspense and the account that lacks it. */
function ownEntry(book: JournalBook, close: JournalClose, own: OwnEntry): MadeEntry {
  const { reference, root, note, against, date } = own;
  const name =
    root.piece === reference ? root.fingerprint : close.hash(`${root.fingerprint} ${reference}`);
  const facts = { ...NO_FACTS, reference, ...factsOfNote(note, book.shown) };
  const bare = headOf(book.maker, 'suspense', { date, name: `S-${shortOf(name)}` });
  const head = {
    ...bare,
    piece: reference,
    operationReference: reference,
    operator: facts.operator,
  };
  return makeEntry(book.maker, head, { effect: 0, against, facts });
}

/** One for each operator and tax whose month, rounded once, is not the sum of its entries. */
function roundings(book: JournalBook, { months }: JournalClose): readonly JournalEntry[] {
  return [...book.taxes.values()].flatMap(({ operator, tax, month, whole, stated }) => {
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

/** To the recorded balance, in one sum; none where it is 0. */
function sumEntry(
  book: JournalBook,
  { opening, closing, ahead, lastDay }: JournalClose,
  source: 'ahead' | 'rest',
): readonly JournalEntry[] {
  const own = [...book.accounts.values()].filter(({ role }) => role === 'wallet');
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

// Posts the lines of an operation that a finding names: what its state and figures ask for goes to
// the accounts of collections, payouts and commissions, in the order of the lines; what is beyond
// goes to suspense, and what is lacking is owed by it.

interface Allocated {
  /** For each line, in their order. */
  readonly lines: readonly Against[];
  /** Lacks a line: an entry of its own. Empty when nothing is lacking. */
  readonly own: Against;
  /** Of commissions, what the price asks for beyond what the operation states. */
  readonly priced: Amount;
  /**
   * What was to be posted and undone, by role, and is in no line either way: nothing is left of it
   * to post. Positive.
   */
  readonly passedOver: ReadonlyMap<AccountRole, Amount>;
}

/** What may still be posted, by role: debits and credits. */
type Budget = Map<AccountRole, { debit: Amount; credit: Amount }>;

/**
 * `lines`: as they would be posted otherwise; `judged`: Σ effects of those that the operation is
 * judged by.
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

/** An unknown operation requires nothing. */
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
  // A fee that no price gives is required otherwise than it is stated.
  const priced = Math.max(-fees, stated - required);
  budget.set('fees', { debit: plus(fees, priced), credit: undoneFee });
  return { budget, priced };
}

/** How much of the amount may be posted to the role, signed. */
function takeFrom(budget: Budget, role: AccountRole, amount: Amount): Amount {
  const left = budget.get(role);
  if (left === undefined) return 0;
  const side = amount > 0 ? 'debit' : 'credit';
  const taken = Math.min(Math.abs(amount), left[side]);
  left[side] -= taken;
  return amount > 0 ? taken : -taken;
}
