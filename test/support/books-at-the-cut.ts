// Books of a simulated shop with faults, moved on the calendar so that October ends before, within
// or after the rows that the faults touch; and the same books as they were when October ended. The
// latter are made by other code than the engine's: sound operations as the simulation had them by
// then, operations that a fault has changed by what they say of themselves, and the lines that had
// been posted or were on their way.
//
// Ends are left out at which the rows before them do not say how the books stood: where one of the
// last two lines has an impossible date, where two lines on either side of the end have one number,
// and where a line that stands in another's place lies out of step across the end.

import { DAY, HOUR, type Instant, MINUTE, SECOND } from '../../src/core/domain/instant.ts';
import type { LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import type { Operation } from '../../src/core/domain/operation.ts';
import { MISPLACED_LINE_FAULTS } from '../../src/sandbox/faults/named/lines.ts';
import { plantFaults } from '../../src/sandbox/faults/port/planting.ts';
import {
  type Books,
  type Expected,
  type Fault,
  type MerchantPlan,
  ORDINARY_TRAFFIC,
  planMerchant,
  totalsOf,
} from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES } from '../../src/sandbox/model/policy.ts';
import { drawFrom, drawInteger, type Random, seedRandom } from '../../src/sandbox/model/random.ts';
import type { ServedOperation } from '../../src/sandbox/model/served.ts';
import { type DecodedBooks, decodeBooks } from './sandbox-books.ts';
import { simulateBooks } from './simulate-books.ts';
import { END, READ_AT } from './straddling-books.ts';

interface Shop {
  readonly plan: MerchantPlan;
  readonly seed: string;
  readonly sound: Books;
  readonly decoded: DecodedBooks;
}

/** Opens a shop. Every second one holds the fees of its cash-outs. */
export function openShop(name: string, nth: number): Shop {
  const seed = `${name}/${nth}`;
  const policies = LAWFUL_POLICIES.filter(
    ({ holdAmount }) => (holdAmount === 'NET') === (nth % 2 === 0),
  );
  const random = seedRandom(seed);
  const plan = planMerchant({
    reference: 'A_CHEVAL',
    policy: drawFrom(random, policies),
    traffic: {
      ...ORDINARY_TRAFFIC,
      operationsPerDay: 5,
      cashoutShare: 0.4,
      reversalRate: 0.12,
      sequenceGapRate: drawFrom(random, [0, 0, 0.05]),
      paymentsPerDay: 0,
    },
  });
  const sound = simulateBooks(plan, { seed, until: plan.opensAt + 40 * DAY });
  return { plan, seed, sound, decoded: decodeBooks(sound) };
}

export const SIDES = ['before', 'astride', 'after'] as const;
/** On which side of the end of October the rows lie that the fault touches. */
export type Side = (typeof SIDES)[number];

/**
 * Returns the instants of all rows that the faults have changed or that their places name,
 * ascending; empty if they are in no row.
 */
function instantsOf(
  { decoded: sound }: Pick<Shop, 'decoded'>,
  planted: DecodedBooks,
  expected: readonly Expected[],
): readonly Instant[] {
  const [linesBefore, linesAfter] = [linesByWords(sound), linesByWords(planted)];
  const lines = [...differing(linesBefore, linesAfter), ...differing(linesAfter, linesBefore)];
  const places = new Set(expected.flatMap(({ sequence }) => sequence ?? []));
  lines.push(...planted.entries.filter(({ sequence }) => places.has(sequence)));
  const [before, after] = [operationsByWords(sound), operationsByWords(planted)];
  const changed = [...differing(before, after), ...differing(after, before)];
  const named = new Set([
    ...expected.flatMap(({ operationReference }) => operationReference ?? []),
    ...lines.flatMap(({ operationReference }) => operationReference ?? []),
    ...changed.map(({ reference }) => reference),
  ]);
  const operations = [...sound.operations, ...planted.operations].filter(({ reference }) =>
    named.has(reference),
  );
  const ofThem = [...sound.entries, ...planted.entries].filter((line) =>
    named.has(line.operationReference ?? ''),
  );
  const instants = [
    ...[...lines, ...ofThem].map(({ createdAt }) => createdAt),
    ...operations.flatMap(({ createdAt, updatedAt, completedAt }) => [
      createdAt,
      updatedAt,
      completedAt ?? updatedAt,
    ]),
  ];
  const known = instants.filter((at) => at >= sound.profile.createdAt && at <= sound.asOf);
  return [...new Set(known)].sort((a, b) => a - b);
}

function differing<Row>(
  some: ReadonlyMap<string, Row>,
  others: ReadonlyMap<string, Row>,
): readonly Row[] {
  return [...some].flatMap(([words, row]) => (others.has(words) ? [] : [row]));
}

/**
 * Returns the lines by all that they say except their number and figures, and by how the figures
 * move.
 */
function linesByWords({ entries }: DecodedBooks): ReadonlyMap<string, LedgerEntry> {
  let last = { sequence: 0, balanceAfter: 0, reservedAfter: 0 };
  return new Map(
    inSequence(entries).map((entry) => {
      const { sequence, balanceAfter, reservedAfter, ...words } = entry;
      const moved = [
        sequence - last.sequence,
        balanceAfter - last.balanceAfter,
        reservedAfter - last.reservedAfter,
      ];
      last = entry;
      return [JSON.stringify([words, moved]), entry];
    }),
  );
}

function operationsByWords({ operations }: DecodedBooks): ReadonlyMap<string, Operation> {
  return new Map(operations.map((one) => [JSON.stringify(one), one]));
}

function inSequence(entries: readonly LedgerEntry[]): readonly LedgerEntry[] {
  return entries.toSorted((a, b) => a.sequence - b.sequence);
}

const FAR = [SECOND, 2 * MINUTE, 3 * HOUR, 2 * DAY] as const;

/** Draws an end of the month that has these instants on `side` of it; `null`: none has. */
function drawEnd(random: Random, instants: readonly Instant[], side: Side): Instant | null {
  const [first, last] = [instants[0], instants.at(-1)];
  if (first === undefined || last === undefined) return null;
  if (side === 'before') return last + drawFrom(random, [1, ...FAR]);
  if (side === 'after') return first - drawFrom(random, [0, ...FAR]);
  const within = instants.slice(0, -1);
  if (within.length === 0) return null;
  const i = drawInteger(random, { from: 0, to: within.length - 1 });
  return drawFrom(random, [within[i]! + 1, instants[i + 1]!]);
}

/**
 * Returns the books with their instant `end` moved to the end of October, as they are read in
 * December.
 */
function moveTo(end: Instant, books: DecodedBooks): DecodedBooks {
  const by = END - end;
  const moved = (at: Instant | null): Instant | null => (at === null ? null : at + by);
  return {
    ...books,
    asOf: Math.max(READ_AT, books.asOf + by),
    profile: { ...books.profile, createdAt: books.profile.createdAt + by },
    wallet: { ...books.wallet, updatedAt: books.wallet.updatedAt + by },
    entries: books.entries.map((entry) => ({ ...entry, createdAt: entry.createdAt + by })),
    operations: books.operations.map((operation) => ({
      ...operation,
      createdAt: operation.createdAt + by,
      updatedAt: operation.updatedAt + by,
      completedAt: moved(operation.completedAt),
      expiresAt: moved(operation.expiresAt),
    })),
    notifications: books.notifications.map(({ notification, content }) => {
      const { operation } = notification;
      const of = operation && {
        ...operation,
        createdAt: moved(operation.createdAt),
        updatedAt: moved(operation.updatedAt),
      };
      const at = { at: notification.at + by, createdAt: notification.createdAt + by };
      return { notification: { ...notification, ...at, operation: of }, content };
    }),
  };
}

const TOLERANCE = 5 * MINUTE;
/** Milliseconds after its date within which the simulation posts a line. */
const SPREAD = 2 * SECOND;

interface BooksThen {
  readonly books: DecodedBooks;
  /**
   * Whether a line that is left out has a lower number than one that is there: the recorded figures
   * then contain its move too early.
   */
  readonly isOutOfStep: boolean;
}

export interface CutCase {
  /** The books as they are read in December. */
  readonly books: DecodedBooks;
  /** The books as they were when October ended. */
  readonly cut: DecodedBooks;
  /** Returns the books without the faults, as they were when October ended. */
  readonly soundCut: () => DecodedBooks;
  /** As in `BooksThen`. */
  readonly isOutOfStep: boolean;
  readonly expected: readonly Expected[];
}

const ATTEMPTS = 30;
const MISPLACED: ReadonlySet<string> = new Set(MISPLACED_LINE_FAULTS.map(({ name }) => name));

/**
 * Plants the faults in one of the shops, with the end of October on `side` of the rows that they
 * touch; `null`: no shop offered a place.
 */
export function drawCase(
  shops: readonly Shop[],
  {
    faults,
    side,
    seed,
  }: { readonly faults: readonly Fault[]; readonly side: Side; readonly seed: string },
): CutCase | null {
  const random = seedRandom(seed);
  // Faults that give lines other dates are planted last, because the lines of another fault would
  // find their places by these dates.
  const inPlace = faults.toSorted((a, b) => Number(isMisdated(a)) - Number(isMisdated(b)));
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const shop = drawFrom(random, shops);
    const planted = plantIn(shop, inPlace, `${seed}/${attempt}`);
    if (planted === null) continue;
    const books = decodeBooks(planted.books);
    const instants = instantsOf(shop, books, planted.expected);
    const end = instants.length === 0 ? endWithin(random, shop) : drawEnd(random, instants, side);
    const one = end === null ? null : caseAt(end, shop, books);
    // A line that stands in the place of another one explains figures on both sides of the end.
    const isParted = one?.isOutOfStep === true && faults.some(({ name }) => MISPLACED.has(name));
    if (one !== null && !isParted) return { ...one, expected: planted.expected };
  }
  return null;
}

/** Draws a case of sound books, with the end of October within one of their operations. */
export function drawSound(shops: readonly Shop[], seed: string): CutCase {
  const random = seedRandom(seed);
  for (;;) {
    const shop = drawFrom(random, shops);
    const end = endWithin(random, shop);
    const one = end === null ? null : caseAt(end, shop, shop.decoded);
    if (one !== null) return { ...one, expected: [] };
  }
}

function isMisdated({ name }: Fault): boolean {
  return MISPLACED.has(name) || name.startsWith('ENTRY_TIME_IMPOSSIBLE');
}

/** Draws an end within the life of one of the shop's operations. */
function endWithin(random: Random, shop: Shop): Instant | null {
  const { reference: operationReference } = drawFrom(random, shop.decoded.operations.slice(2, -2));
  return drawEnd(
    random,
    instantsOf(shop, shop.decoded, [{ kind: '', sequence: null, operationReference }]),
    'astride',
  );
}

function plantIn(
  shop: Shop,
  faults: readonly Fault[],
  seed: string,
): ReturnType<typeof plantFaults> | null {
  try {
    return plantFaults(shop.sound, { faults, seed });
  } catch (failure) {
    if (failure instanceof RangeError) return null;
    throw failure;
  }
}

function caseAt(end: Instant, shop: Shop, books: DecodedBooks): Omit<CutCase, 'expected'> | null {
  const then = cutAt(end, shop, books);
  if (then === null || then.books.entries.length + then.books.operations.length === 0) return null;
  const soundCut = (): DecodedBooks => moveTo(end, cutAt(end, shop, shop.decoded)!.books);
  return {
    books: moveTo(end, books),
    cut: moveTo(end, then.books),
    soundCut,
    isOutOfStep: then.isOutOfStep,
  };
}

/**
 * Returns the books as they were at `end`; `null`: the rows before it do not say how they were,
 * without rows that came later.
 */
function cutAt(end: Instant, shop: Shop, books: DecodedBooks): BooksThen | null {
  const dates = datesOf(books);
  if (areParted(dates, end)) return null;
  const before = books.entries.filter((line) => dates.get(line)! < end);
  const lines = Map.groupBy(before, (line) => line.operationReference);
  const asServed = soundThen(end, shop);
  const sound = new Map(shop.decoded.operations.map((one) => [one.reference, JSON.stringify(one)]));
  const datesOfSound = new Map(shop.decoded.entries.map(({ id, createdAt }) => [id, createdAt]));
  const operations = books.operations.flatMap((operation): readonly Operation[] => {
    const { reference } = operation;
    const own = lines.get(reference) ?? [];
    const isSound =
      JSON.stringify(operation) === sound.get(reference) &&
      own.every((line) => datesOfSound.get(line.id) === dates.get(line));
    const then = (isSound ? asServed.get(reference) : null) ?? operationThen(end, operation, own);
    if (then === null) return [];
    return [operation.status === 'CREATED' ? then : asSubmitted(end, then)];
  });
  const known = new Map(operations.map((one) => [one.reference, one]));
  const isThere = (line: LedgerEntry): boolean =>
    dates.get(line)! < end ||
    comes(line, known.get(line.operationReference ?? ''), dates.get(line)!);
  // Only later lines show that the date of one of the last lines is impossible, or on which side of
  // the end a last step is.
  const last = inSequence(books.entries.filter(isThere)).slice(-2);
  if (last.some((line) => dates.get(line) !== line.createdAt)) return null;
  const entries = withoutOthers(books.entries, isThere);
  const head = inSequence(entries).at(-1);
  const [balance, reserved] = [head?.balanceAfter ?? 0, head?.reservedAfter ?? 0];
  const totals = totalsOf(operations as unknown as readonly ServedOperation[], shop.plan.policy);
  const figures = { balance, reserved, available: balance - reserved, ...totals };
  const wallet = { ...books.wallet, ...figures, updatedAt: head?.createdAt ?? end };
  // An adjustment is notified within the hour.
  const notifiedUntil = (type: string): Instant => (type === 'wallet.adjusted' ? end + HOUR : end);
  const notifications = books.notifications.filter(
    ({ notification: { type, createdAt } }) => createdAt < notifiedUntil(type),
  );
  const headOfMonth = Math.max(...before.map(({ sequence }) => sequence));
  const isOutOfStep = books.entries.some((line) => !isThere(line) && line.sequence <= headOfMonth);
  return { books: { ...books, wallet, entries, operations, notifications }, isOutOfStep };
}

/**
 * Returns the sound operations as the simulation had them. Where a line is dated earlier than it
 * was posted, its operation is taken as that line has it.
 */
function soundThen(end: Instant, { plan, seed, decoded }: Shop): ReadonlyMap<string, Operation> {
  const at = (until: Instant): DecodedBooks =>
    decodeBooks(simulateBooks(plan, { seed, until: Math.min(until, decoded.asOf) }));
  const [then, soon] = [at(end - 1), at(end + SPREAD)];
  const posted = new Set(then.entries.map(({ id }) => id));
  const early = soon.entries.filter(({ id, createdAt }) => createdAt < end && !posted.has(id));
  const ofEarly = new Set(early.map(({ operationReference }) => operationReference));
  return new Map([
    ...then.operations.map((one) => [one.reference, one] as const),
    ...soon.operations.flatMap((one) =>
      ofEarly.has(one.reference) ? [[one.reference, one] as const] : [],
    ),
  ]);
}

const SETTLES = ['CASHIN_CREDIT', 'CASHIN_FEE', 'CASHOUT_DEBIT', 'CASHOUT_FEE', 'CASHOUT_RELEASE'];
const REVERSES = ['REVERSAL_DEBIT', 'REVERSAL_CREDIT'];

/**
 * Returns an operation as it was, by what it says of itself and what its lines before the end show;
 * `null`: it was not there.
 */
function operationThen(
  end: Instant,
  operation: Operation,
  lines: readonly LedgerEntry[],
): Operation | null {
  const { status, createdAt, updatedAt, completedAt } = operation;
  if (createdAt >= end)
    return lines.length === 0 ? null : { ...openFrom(operation), status: 'CREATED' };
  if (['CREATED', 'PENDING', 'AWAITING_PAYER'].includes(status)) return operation;
  const hasCome = (at: Instant, kinds: readonly string[]): boolean =>
    at < end || (at < end + TOLERANCE && lines.some(({ kind }) => kinds.includes(kind)));
  const endedAt = completedAt ?? updatedAt;
  if (!hasCome(endedAt, SETTLES)) return openFrom(operation);
  if (status !== 'REVERSED' || hasCome(updatedAt, REVERSES)) return operation;
  return { ...operation, status: 'SUCCEEDED', updatedAt: endedAt };
}

function openFrom(operation: Operation): Operation {
  const { createdAt: updatedAt } = operation;
  return {
    ...operation,
    status: 'PENDING',
    updatedAt,
    completedAt: null,
    failureCode: null,
    requiresPayerAction: false,
  };
}

/**
 * Returns an open operation as CREATED in its first minutes, else as PENDING. No row of December
 * says whether it had been submitted by then.
 */
function asSubmitted(end: Instant, operation: Operation): Operation {
  const { status, createdAt } = operation;
  if (status !== 'CREATED' && status !== 'PENDING') return operation;
  return { ...operation, status: createdAt >= end - TOLERANCE ? 'CREATED' : 'PENDING' };
}

/** Whether a line came within a day of the event that asks for it, and that event had happened. */
function comes({ kind }: LedgerEntry, then: Operation | undefined, at: Instant): boolean {
  if (then === undefined || then.completedAt === null) return false;
  if (REVERSES.includes(kind)) return then.status === 'REVERSED' && at - then.updatedAt <= DAY;
  return SETTLES.includes(kind) && at - then.completedAt <= DAY;
}

/**
 * Returns the instant at which each line counts. A line that is more than a day apart from the
 * lines around it counts at the instant of the line before.
 */
function datesOf({ entries, profile, asOf }: DecodedBooks): ReadonlyMap<LedgerEntry, Instant> {
  const dates = new Map<LedgerEntry, Instant>();
  const lines = inSequence(entries);
  let last: Instant | null = null;
  for (const [i, line] of lines.entries()) {
    const { createdAt } = line;
    const next = lines.slice(i + 1, i + 5).map((one) => one.createdAt);
    const isOut = createdAt < profile.createdAt || createdAt > asOf;
    const isLate =
      next.filter((later) => later >= profile.createdAt && later < createdAt - DAY).length >= 2;
    const isEarly = last !== null && createdAt < last - DAY;
    const at: Instant = isOut || isLate || isEarly ? (last ?? next[0] ?? createdAt) : createdAt;
    dates.set(line, at);
    last = at;
  }
  return dates;
}

/**
 * Whether two lines of one number lie on either side of the end, where the later line decides what
 * the earlier one is.
 */
function areParted(dates: ReadonlyMap<LedgerEntry, Instant>, end: Instant): boolean {
  const lines = [...dates];
  return lines.some(([{ sequence }, at], i) => {
    const [twin, twinAt] = lines[i - 1] ?? [];
    return (
      twin?.sequence === sequence && twinAt! < end !== at < end && Math.abs(twinAt! - at) > SPREAD
    );
  });
}

/**
 * Returns the lines that were there. A line that is left out leaves its number free, and its move
 * is in no later figure.
 */
function withoutOthers(
  all: readonly LedgerEntry[],
  isThere: (line: LedgerEntry) => boolean,
): readonly LedgerEntry[] {
  let [balance, reserved] = [0, 0];
  let last = { balanceAfter: 0, reservedAfter: 0 };
  return inSequence(all).flatMap((line) => {
    const move = [
      line.balanceAfter - last.balanceAfter,
      line.reservedAfter - last.reservedAfter,
    ] as const;
    last = line;
    if (!isThere(line)) return [];
    balance += move[0];
    reserved += move[1];
    return [{ ...line, balanceAfter: balance, reservedAfter: reserved }];
  });
}
