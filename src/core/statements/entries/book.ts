// Gathers a month's journal while the ledger's lines pass: what each line posts, what is kept back
// until all lines of an operation that findings name have been seen, and what is posted by day.
// `close-book.ts` closes it.

import type { Amount } from '../../domain/amount.ts';
import { BITS, includes, type Standing } from '../../domain/assumptions.ts';
import type { Instant } from '../../domain/instant.ts';
import { isAdjustment, type LedgerEntry } from '../../domain/ledger-entry.ts';
import type { Bounds } from '../../domain/period.ts';
import { valueIn } from '../../domain/value-in.ts';
import type { JournalSettings } from '../journal.ts';
import type { VisitedLine } from '../line-replay.ts';
import {
  type EntryMaker,
  type MadeEntry,
  makeEntry,
  openEntries,
  ownNumber,
  ratesDiffer,
} from './make-entry.ts';
import { beginSums, type JournalSums, type Posting, postEntry } from './post-entry.ts';
import {
  type Against,
  factsOf,
  type PostedNote,
  type PostingFacts,
  postingsOf,
} from './postings.ts';
import { rootNaming, type SuspensePlan } from './suspense-plan.ts';

export interface JournalBook {
  readonly maker: EntryMaker;
  readonly plan: SuspensePlan;
  readonly creditsAreNet: boolean;
  /** Returns a text as documents show it, with phone numbers masked where they are. */
  readonly shown: (text: string) => string;
  readonly bounds: Bounds;
  /** Returns the day of any instant, `YYYY-MM-DD`, in the zone of the period. */
  readonly localDay: (at: Instant) => string;
  /**
   * Returns the date of the line, or else of the operation's last move; `null` when neither is
   * known.
   */
  readonly instantOf: (place: {
    readonly sequence: number | null;
    readonly reference: string;
  }) => Instant | null;
  /**
   * Collections that are credited net and in parts: maps the operation to the sequence of the first
   * part, which bears the commission.
   */
  readonly bearers: Map<string, number>;
  /** Maps lines that findings name and that came late to their own dates, by sequence. */
  readonly ownDates: Map<number, Instant>;
  /** Maps each operation that may be undone to the first line that moved its money. */
  readonly charged: Map<string, { readonly sequence: number; readonly at: Instant }>;
  readonly numbering: Numbering;
  /** Maps each operation that findings name to its lines, of all months. */
  readonly keptBack: Map<string, KeptLine[]>;
  /**
   * Lines of other months that a finding names, or named when the month before was stated, while no
   * finding names their operation. `isControlled` says whether the controls count the line.
   */
  readonly earlier: (KeptLine & { readonly isControlled: boolean })[];
  /** What the lines that were kept back post, by `keyOf`. `close-book.ts` fills it. */
  readonly allocated: Map<string, Against>;
  /** Days on which a line left the recorded balance below 0. */
  readonly daysInCredit: Set<string>;
  readonly sums: JournalSums;
}

export type BookLine = Pick<VisitedLine, 'entry' | 'effect' | 'dated'>;

export interface KeptLine {
  readonly line: BookLine;
  readonly note: PostedNote | null;
  /** `null` when the line is of another month. */
  readonly here: EntryPlace | null;
}

export interface EntryPlace {
  readonly number: string;
  /** `YYYY-MM-DD`. */
  readonly day: string;
}

/**
 * Counts lines that share a sequence, which follow each other. From the second one on, the place is
 * added to the entry's number: `…-000812-2`.
 */
export interface Numbering {
  sequence: number | null;
  place: number;
}

export function beginNumbering(): Numbering {
  return { sequence: null, place: 0 };
}

export function nextNumber(
  numbering: Numbering,
  maker: EntryMaker,
  { sequence, day }: { readonly sequence: number; readonly day: string },
): string {
  numbering.place = numbering.sequence === sequence ? numbering.place + 1 : 1;
  numbering.sequence = sequence;
  const shared = numbering.place < 2 ? '' : `-${numbering.place}`;
  return ownNumber(maker, { day, name: `${String(sequence).padStart(6, '0')}${shared}` });
}

export function beginJournal(
  settings: JournalSettings,
  month: Pick<EntryMaker, 'monthOf' | 'country'> & { readonly standing: Standing },
  {
    isCounted,
    open,
    ...also
  }: Pick<JournalBook, 'plan' | 'shown' | 'bounds' | 'localDay' | 'instantOf'> &
    Parameters<typeof beginSums>[1],
): JournalBook {
  const maker = openEntries(settings, month);
  return {
    maker,
    ...also,
    creditsAreNet: !includes(month.standing.cashinCredit, BITS.cashinCredit.GROSS_AND_FEE),
    bearers: new Map(),
    ownDates: new Map(),
    charged: new Map(),
    numbering: beginNumbering(),
    keptBack: new Map(),
    earlier: [],
    allocated: new Map(),
    daysInCredit: new Set(),
    sums: beginSums(maker, { isCounted, open }),
  };
}

/**
 * Returns whether lines of other months may have to be posted in this one, because their operation
 * belongs to this one.
 */
export function mayPostElsewhere(book: JournalBook, note: PostedNote): boolean {
  return note.settlesByLine || book.sums.controls.isCounted(note);
}

/** Must be called with every line, by sequence. `day` is `null` for a line of another month. */
export function takeJournalLine(
  book: JournalBook,
  line: BookLine,
  note: PostedNote | null,
  day: string | null,
): void {
  const { entry, effect } = line;
  if (day !== null && entry.balanceAfter < 0) book.daysInCredit.add(day);
  if (effect === 0) return;
  noteCharged(book, line, note);
  const here =
    day === null
      ? null
      : { number: nextNumber(book.numbering, book.maker, { sequence: entry.sequence, day }), day };
  if (note !== null && isPart(book, line, note))
    valueIn(book.bearers, entry.operationReference!, () => entry.sequence);
  const reference = entry.operationReference;
  if (
    reference !== null &&
    book.plan.operations.has(reference) &&
    !book.plan.settling.has(entry.sequence)
  ) {
    const kept: KeptLine = { line, note, here };
    valueIn(book.keptBack, reference, () => []).push(kept);
    return;
  }
  const isPosted = here !== null || (note !== null && mayPostElsewhere(book, note));
  if (here === null && rootNaming(book.plan, entry) !== null)
    book.earlier.push({ line, note, here, isControlled: isPosted });
  else if (isPosted) postLine(book, { line, note, here });
}

/**
 * Posts a line as the month's findings make it. A line of an earlier month that findings name is
 * posted a second time as it would be without findings: as `plain` if given, else by its kind.
 */
export function postLine(
  book: JournalBook,
  { line, note, here }: KeptLine,
  {
    isControlled = true,
    plain,
  }: { readonly isControlled?: boolean; readonly plain?: Against | undefined } = {},
): void {
  const { bounds, maker, plan, sums, localDay } = book;
  const { createdAt: at, sequence, operationReference: reference } = line.entry;
  const made = entryOfLine(book, line, note, here ?? { number: '', day: localDay(at) });
  const elsewhere = at < bounds.start ? 'before' : 'ahead';
  const root = rootNaming(plan, line.entry);
  const posting: Posting = {
    ...made,
    when: here === null ? elsewhere : undefined,
    place: root === null ? undefined : { line: sequence, operation: null, drift: null, root },
  };
  const control = isControlled ? { against: made.against, reference, note } : undefined;
  postEntry(sums, { ...posting, control });
  if (posting.when !== 'before' || root === null) return;
  const { entry } = makeEntry(maker, made.entry, {
    effect: line.effect,
    against: plain ?? plainPosting(book, line, note),
    facts: factsIn(book, line, note),
  });
  postEntry(sums, { ...posting, entry, when: 'plain' });
}

/**
 * Returns whether the line credits, net of a commission, only a part of what the operation asks
 * for.
 */
function isPart(
  { creditsAreNet }: JournalBook,
  { entry, effect }: BookLine,
  { amount, fees }: PostedNote,
): boolean {
  return (
    creditsAreNet &&
    entry.kind === 'CASHIN_CREDIT' &&
    effect > 0 &&
    fees !== 0 &&
    effect !== amount - fees
  );
}

/**
 * Returns the commission that a collection is posted net of; 0 for any other line. When a
 * collection is credited in parts, the first part bears all of it.
 */
export function withheldIn(book: JournalBook, line: BookLine, note: PostedNote | null): Amount {
  const { entry, effect } = line;
  if (note === null || !book.creditsAreNet || entry.kind !== 'CASHIN_CREDIT' || effect <= 0)
    return 0;
  const isBearer =
    !isPart(book, line, note) || book.bearers.get(entry.operationReference!) === entry.sequence;
  return isBearer ? note.fees : 0;
}

function noteCharged(
  { plan, charged }: JournalBook,
  line: BookLine,
  note: PostedNote | null,
): void {
  const { kind, sequence, operationReference, createdAt } = line.entry;
  const mayBeUndone =
    note !== null && (note.status === 'REVERSED' || plan.operations.has(operationReference!));
  if (mayBeUndone && /^CASH(?:IN|OUT)_(?:CREDIT|DEBIT|FEE)$/.test(kind))
    valueIn(charged, operationReference!, () => ({ sequence, at: line.dated ?? createdAt }));
}

/**
 * Returns the day whose rates an entry takes; `null` when that is the entry's own date. A reversal
 * takes the day on which the operation was charged, a line that puts a fault right the day of the
 * fault, and a line that came late its own date.
 */
function ratesDayOf(
  book: JournalBook,
  { entry, dated }: BookLine,
  note: PostedNote | null,
): Instant | null {
  const { sequence, operationReference, kind } = entry;
  const root = book.plan.settling.get(sequence);
  if (root !== undefined && (root.sequence ?? 0) < sequence)
    return (
      book.ownDates.get(root.sequence ?? -1) ??
      book.instantOf({ sequence: root.sequence, reference: root.piece })
    );
  if (!kind.startsWith('REVERSAL_')) return dated ?? null;
  const charged = book.charged.get(operationReference ?? '');
  return charged !== undefined && charged.sequence < sequence
    ? charged.at
    : (note?.succeededAt ?? dated ?? null);
}

/**
 * Returns what a line posts against the wallet's account, and under which piece. `isNamed` is true
 * when a finding names the line.
 */
export function postingOf(
  book: JournalBook,
  line: BookLine,
  note: PostedNote | null,
): { readonly against: Against; readonly piece: string; readonly isNamed: boolean } {
  const { plan, allocated } = book;
  const { entry, effect } = line;
  const piece = entry.operationReference ?? `LINE-${entry.sequence}`;
  const settled = plan.settling.get(entry.sequence);
  if (settled !== undefined)
    return { against: [[settled.role, -effect]], piece: settled.piece, isNamed: true };
  const known = allocated.get(keyOf(entry));
  if (known !== undefined) return { against: known, piece, isNamed: true };
  const stray = plan.strays.get(entry.sequence);
  if (stray !== undefined) return { against: [[stray.role, -effect]], piece, isNamed: true };
  return { against: plainPosting(book, line, note), piece, isNamed: false };
}

/** Returns what a line posts by its kind and its operation alone, as if no finding named it. */
function plainPosting(book: JournalBook, line: BookLine, note: PostedNote | null): Against {
  return postingsOf({ ...line, operation: note }, withheldIn(book, line, note));
}

export function keyOf({ sequence, id }: Pick<LedgerEntry, 'sequence' | 'id'>): string {
  return `${sequence}:${id}`;
}

/**
 * Makes the entry of a line, both in the pass that counts and in the pass that writes. With entries
 * by day (`isOfDay`), the number and the piece are those of the day, and the rows are the line's
 * own.
 */
export function entryOfLine(
  book: JournalBook,
  line: BookLine,
  note: PostedNote | null,
  { number, day }: EntryPlace,
): MadeEntry & Required<Pick<Posting, 'isOfDay' | 'mayBeCleared'>> & { readonly against: Against } {
  const { entry, effect } = line;
  const { maker } = book;
  const { against, piece, isNamed } = postingOf(book, line, note);
  const operator = note?.group.operator ?? null;
  const at = ratesDayOf(book, line, note);
  const ratesOf = at === null ? day : book.localDay(at);
  const hasOwn = ratesDiffer(maker, [ratesOf, day], note?.group.country ?? null);
  const isOfDay =
    !hasOwn &&
    maker.settings.entries === 'day' &&
    note !== null &&
    !isNamed &&
    /^CASH(?:IN|OUT)_/.test(entry.kind);
  const ofDay = isOfDay ? ownNumber(maker, { day, name: `${day.slice(8)}-${operator}` }) : null;
  const { sequence, operationReference } = entry;
  const source = isOfDay ? 'day' : 'line';
  const of = { sequence, operationReference, operator };
  const head = {
    number: ofDay ?? number,
    date: day,
    piece: ofDay ?? piece,
    source,
    ...(hasOwn ? { ratesOf } : {}),
    ...of,
  } as const;
  const facts = factsIn(book, line, note, isNamed);
  const made = makeEntry(maker, head, { effect, against, facts });
  const mayBeCleared = !isOfDay && (isNamed || note?.status === 'REVERSED');
  return { ...made, against, isOfDay, mayBeCleared };
}

/** Returns what rules may ask about the line. `isNamed` is true when a finding names it. */
function factsIn(
  { maker, shown }: JournalBook,
  { entry }: BookLine,
  note: PostedNote | null,
  isNamed = false,
): PostingFacts {
  const known = factsOf(maker.settings, entry, { note, shown });
  return { ...known, mayBeExplained: !isNamed && isAdjustment(entry.kind) };
}
