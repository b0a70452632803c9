// Makes the cases of a seed one after another: damaged ledgers with the truth about them, and
// lawful ones. A case is left out where the damage means nothing, or where another reading of the
// documents explains it as well.

import type { Books, Expected, Fault } from '../../src/sandbox/model/plan.ts';
import { FEE_ROUNDINGS } from '../../src/sandbox/model/policy.ts';
import { feeOf } from '../../src/sandbox/model/postings.ts';
import { drawFrom, seedRandom } from '../../src/sandbox/model/random.ts';
import type { Case, Group, Truth } from './case.ts';
import { writeBooks } from './csv.ts';
import { drawLedger, drawNights, type Size } from './draw-ledger.ts';
import { PLANTED } from './faults.ts';
import { TAMPERINGS } from './history.ts';
import { senseOf } from './lawful.ts';
import { ODDITIES } from './oddities.ts';
import { requiredBy } from './required.ts';
import { UNRESOLVABLE } from './unresolvable.ts';

export interface Wish {
  readonly seed: string;
  /** Cases of each single fault. */
  readonly perFault: number;
  /** Cases of two faults at once, and as many of five. */
  readonly crowded: number;
  /** Clean ledgers. */
  readonly clean: number;
  /** Cases of each oddity, and of each way in which books cannot be told. */
  readonly perOddity: number;
  /** Single faults among 10,000 lines, and a fifth as many among 100,000. */
  readonly long: number;
  /** Cases of each fault of history, and twice as many in which nothing was altered. */
  readonly history: number;
}

export function* makeCases(wish: Wish): Generator<Case> {
  yield* cleanCases(wish);
  yield* oddCases(wish);
  yield* unresolvableCases(wish);
  yield* faultCases(wish);
  yield* crowdedCases(wish, 'two', 2);
  yield* crowdedCases(wish, 'five', 5);
  yield* sparseCases(wish, 'long', wish.long);
  yield* sparseCases(wish, 'vast', Math.ceil(wish.long / 5));
  yield* historyCases(wish);
}

/** Returns the size of the ledger with this number: one in five is tiny. */
function sizeOf(number: number): Size {
  return number % 5 === 4 ? 'tiny' : 'short';
}

function* cleanCases({ seed, clean }: Wish): Generator<Case> {
  for (let number = 0; number < clean; number += 1) {
    const books = drawLedger({ seed: `${seed}/clean`, number, size: sizeOf(number) });
    assertLawful(books, `clean ledger ${number} of ${seed}`);
    yield caseOf(books, {
      name: `clean-${number}`,
      group: 'clean',
      truths: [],
      about: 'clean',
      due: requiredBy(books),
    });
  }
}

function assertLawful(books: Books, name: string): void {
  const { sense, offences } = senseOf(books);
  if (sense !== 'lawful')
    throw new Error(`${name} is not lawful: ${offences.slice(0, 3).join(', ')}`);
}

function* oddCases({ seed, perOddity }: Wish): Generator<Case> {
  for (const { name: about, alterPlan, change, isBeyondRules, isDueAsBefore } of ODDITIES) {
    let made = 0;
    for (let number = 0; made < perOddity && number < perOddity * TRIES; number += 1) {
      const sound = drawLedger({ seed: `${seed}/odd`, number, size: 'short', alterPlan });
      const books =
        change === undefined ? sound : change(sound, seedRandom(`${seed}/${number}/${about}`));
      if (books === null) continue;
      if (isBeyondRules !== true) assertLawful(books, `${about}, ledger ${number} of ${seed}`);
      const due = requiredBy(isDueAsBefore === true ? sound : books);
      yield caseOf(books, {
        name: `odd-${fileName(about)}-${number}`,
        group: 'oddity',
        truths: [],
        about,
        due,
      });
      made += 1;
    }
  }
}

function* unresolvableCases({ seed, perOddity }: Wish): Generator<Case> {
  for (const { name: about, hide } of UNRESOLVABLE) {
    for (let number = 0; number < perOddity; number += 1) {
      const books = drawLedger({ seed: `${seed}/hidden`, number, size: sizeOf(number) });
      const files = hide(books, seedRandom(`${seed}/${number}/${about}`));
      if (files === null) continue;
      const name = `unresolvable-${fileName(about)}-${number}`;
      yield {
        ...caseOf(books, { name, group: 'unresolvable', truths: [], about, due: null }),
        nights: [files],
      };
    }
  }
}

/**
 * So many ledgers are tried for each case that is wanted, because not every ledger offers a place
 * for every fault.
 */
const TRIES = 14;

function* faultCases({ seed, perFault }: Wish): Generator<Case> {
  const missing = new Map(PLANTED.map((fault) => [fault, perFault]));
  for (let number = 0; missing.size > 0 && number < perFault * TRIES; number += 1) {
    const books = drawLedger({ seed, number, size: sizeOf(number) });
    for (const [fault, count] of missing) {
      const name = `${fileName(fault.name)}-${number}`;
      const made = plantAll(books, {
        faults: [fault],
        seed: `${seed}/${number}`,
        name,
        group: 'fault',
      });
      if (made === null) continue;
      if (count === 1) missing.delete(fault);
      else missing.set(fault, count - 1);
      yield made;
    }
  }
}

/**
 * Faults that are planted alone. Those that concern all operations, the wallet as a whole, or the
 * time before all others would hide others or be hidden by them. The figures of a line out of its
 * place would follow those of later damage.
 */
const ALONE =
  /^(OPERATED_WHILE_BLOCKED|DAILY_|TOTAL_|WALLET_|OPEN_HOLDS|OPENING_|REVERSAL_BEFORE|(BALANCE|AVAILABLE)_NEGATIVE|HOLD_EXCEEDS_AVAILABLE.fees)|(first|last) line|(moved|taken|exchanged)$/;
const TOGETHER = PLANTED.filter(({ name }) => !ALONE.test(name));

/**
 * Faults that are planted before all others, because a figure that is too low only because of
 * another fault follows from that fault.
 */
const FOR_WANT = /^(HOLD_EXCEEDS_AVAILABLE|RESERVED_NEGATIVE)/;

/**
 * Yields cases of several faults at once, drawn from all, each in operations and lines of its own.
 */
function* crowdedCases(
  { seed, crowded }: Wish,
  group: 'two' | 'five',
  count: number,
): Generator<Case> {
  let made = 0;
  for (let number = 0; made < crowded && number < crowded * TRIES; number += 1) {
    const random = seedRandom(`${seed}/${group}/${number}`);
    const books = drawLedger({ seed: `${seed}/${group}`, number, size: 'short' });
    const drawn = Array.from({ length: count }, () => drawFrom(random, TOGETHER));
    const faults = [
      ...drawn.filter(({ name }) => FOR_WANT.test(name)),
      ...drawn.filter(({ name }) => !FOR_WANT.test(name)),
    ];
    const one = plantAll(books, {
      faults,
      seed: `${seed}/${group}/${number}`,
      name: `${group}-${number}`,
      group,
    });
    if (one === null) continue;
    made += 1;
    yield one;
  }
}

/** Yields cases of one fault in a long ledger. Each ledger is used for ten faults. */
function* sparseCases({ seed }: Wish, group: 'long' | 'vast', count: number): Generator<Case> {
  let made = 0;
  for (let ledger = 0; made < count && ledger < count; ledger += 1) {
    const books = drawLedger({ seed: `${seed}/${group}`, number: ledger, size: group });
    for (let number = 0; made < count && number < 10; number += 1) {
      const random = seedRandom(`${seed}/${group}/${ledger}/${number}`);
      const wish = {
        seed: `${seed}/${ledger}/${number}`,
        name: `${group}-${ledger}-${number}`,
        group,
      } as const;
      const one = plantAll(books, { ...wish, faults: [drawFrom(random, PLANTED)] });
      if (one === null) continue;
      made += 1;
      yield one;
    }
  }
}

/**
 * Yields cases of three readings of one merchant, of which the first is sound. Each of the later
 * two is lawful by itself.
 */
function* historyCases({ seed, history }: Wish): Generator<Case> {
  for (let number = 0; number < 2 * history; number += 1) {
    const nights = drawNights({ seed: `${seed}/quiet`, number });
    const about = 'three readings, nothing altered';
    const parts = {
      name: `quiet-${number}`,
      group: 'oddity',
      truths: [],
      about,
      due: requiredBy(nights.at(-1)!),
    } as const;
    yield { ...caseOf(nights.at(-1)!, parts), nights: nights.map(writeBooks) };
  }
  for (const { name: fault, find, tamper } of TAMPERINGS) {
    let made = 0;
    for (let number = 0; made < history && number < history * TRIES; number += 1) {
      const [first, ...later] = drawNights({ seed: `${seed}/history`, number });
      const place = find(first!, seedRandom(`${seed}/${number}/${fault}/place`));
      if (place === null) continue;
      const changed = later.map((books) =>
        tamper(books, place, seedRandom(`${seed}/${number}/${fault}`)),
      );
      const { books, sequence, operationReference } = changed.at(-1)!;
      if (changed.some((one) => senseOf(one.books).sense !== 'lawful')) continue;
      const name = `${fileName(fault)}-${number}`;
      const [kind] = fault.split('/') as [string];
      const truths = [
        { kind, fault, sequence: String(sequence ?? ''), reference: operationReference ?? '' },
      ];
      const one = caseOf(books, { name, group: 'history', truths, about: '', due: null });
      yield {
        ...one,
        nights: [writeBooks(first!), ...changed.map((later) => writeBooks(later.books))],
      };
      made += 1;
    }
  }
}

interface Planting {
  readonly faults: readonly Fault[];
  readonly seed: string;
  readonly name: string;
  readonly group: Group;
}

interface Planted {
  readonly fault: Fault;
  readonly expected: Expected;
  readonly entryId: string | null;
}

/**
 * Plants faults in sound books. Returns `null` where a fault finds no place, where the damage means
 * nothing or can be read otherwise, or where two faults meet.
 */
function plantAll(sound: Books, { faults, seed, name, group }: Planting): Case | null {
  let books = sound;
  let due = requiredBy(sound);
  let isRestated = false;
  const isServed = (reference: string | null) =>
    books.operations.some((one) => one.reference === reference);
  const planted: (Planted & { readonly wasServed: boolean })[] = [];
  for (const [i, fault] of faults.entries()) {
    const one = fault.plant(books, seedRandom(`${seed}/${i}/${fault.name}`));
    if (one === null || !hasPlace(one.expected)) return null;
    const [before, after] = [
      requiredBy(books),
      requiredBy(DUE_AS_BEFORE.test(fault.name) ? books : one.books),
    ];
    due = {
      balance: due.balance + after.balance - before.balance,
      reserved: due.reserved + after.reserved - before.reserved,
    };
    isRestated ||= !isEqual(before, after);
    books = one.books;
    const line = books.entries.findLast(({ sequence }) => sequence === one.expected.sequence);
    const wasServed = isServed(one.expected.operationReference);
    planted.push({ fault, expected: one.expected, entryId: line?.id ?? null, wasServed });
  }
  // Drop the case if a later fault gave an operation another reference.
  if (
    planted.some(({ wasServed, expected }) => wasServed && !isServed(expected.operationReference))
  )
    return null;
  const { sense, tied } = senseOf(books);
  if (sense !== 'determinable') return null;
  const required = tied.map((policy) => requiredBy({ ...books, policy }));
  const isOneDue = required.every((one) => isEqual(one, required[0]!));
  const truths = planted.map(({ fault, expected, entryId }) =>
    truthOf(fault, { expected, entryId, books }),
  );
  // Readings that differ in what is due may also differ in which reversal is the one too many.
  if (!isOneDue && truths.some(({ kind }) => kind === 'REVERSAL_EXCESSIVE')) return null;
  if (truths.length > 1 && (!areApart(truths) || !addUp({ sound, books, planted, seed })))
    return null;
  if (!truths.every((truth) => stillWants(truth, books)) || truths.filter(isUncovered).length > 1)
    return null;
  // Money that only the state of an operation makes due may have been counted as available.
  if (truths.length > 1 && isRestated && truths.some(isUncovered)) return null;
  const isAsked = isOneDue && !truths.some((truth) => isPriceOpen(truth, books));
  return caseOf(books, { name, group, truths, about: '', due: isAsked ? due : null });
}

/**
 * Whether the price allows several fees: the roundings that fit the other operations best give
 * different ones, and the documents leave the rounding open.
 */
function isPriceOpen(
  { fault, reference }: Truth,
  { operations, merchant: { pricing } }: Books,
): boolean {
  if (fault !== 'FEE_NOT_AS_PRICED') return false;
  const [operation] = operations.filter((one) => one.reference === reference);
  const fits = FEE_ROUNDINGS.map((rounding) => ({
    due: feeOf(operation!, { pricing, rounding }),
    others: operations.filter(
      (one) => one !== operation && one.fees === feeOf(one, { pricing, rounding }),
    ).length,
  }));
  const most = Math.max(...fits.map(({ others }) => others));
  return new Set(fits.flatMap(({ due, others }) => (others === most ? due : []))).size > 1;
}

function isEqual(one: ReturnType<typeof requiredBy>, other: typeof one): boolean {
  return one.balance === other.balance && one.reserved === other.reserved;
}

/**
 * Whether the fault has one place. Two ways of counting a day may cross the ceiling with two
 * cash-outs: then no single place is right.
 */
function hasPlace({ kind, operationReference }: Expected): boolean {
  return kind !== 'DAILY_CASHOUT_LIMIT_EXCEEDED' || operationReference !== null;
}

/**
 * Faults that leave what is due as it was, because the rows that are left do not tell: a commission
 * beside the price, lines that were not delivered or are there twice.
 */
const DUE_AS_BEFORE = /^(FEE_NOT_AS_PRICED|LINES_MISSING|SEQUENCE_DUPLICATE)/;

/** Returns the truth about a planted fault. Its line may have another number by now. */
function truthOf(
  { name }: Fault,
  place: { readonly expected: Expected; readonly entryId: string | null; readonly books: Books },
): Truth {
  const { expected, entryId, books } = place;
  const line = entryId === null ? undefined : books.entries.findLast(({ id }) => id === entryId);
  const sequence = line === undefined ? expected.sequence : line.sequence;
  return {
    kind: expected.kind,
    fault: name,
    sequence: String(sequence ?? ''),
    reference: expected.operationReference ?? '',
  };
}

/** Whether no two faults are in one operation, and none within three lines of another. */
function areApart(truths: readonly Truth[]): boolean {
  return truths.every((one, i) =>
    truths.slice(i + 1).every((other) => {
      const isSame = one.reference !== '' && one.reference === other.reference;
      const isNear =
        one.sequence !== '' &&
        other.sequence !== '' &&
        Math.abs(Number(one.sequence) - Number(other.sequence)) <= 3;
      return !isSame && !isNear;
    }),
  );
}

/**
 * Whether each fault is a fault also when it is alone in the sound books, and no other fault adds
 * or takes away a line of its operation.
 */
function addUp(of: {
  readonly sound: Books;
  readonly books: Books;
  readonly planted: readonly { readonly fault: Fault; readonly expected: Expected }[];
  readonly seed: string;
}): boolean {
  const count = ({ entries }: Books, reference: string): number =>
    entries.filter(({ operationReference }) => operationReference === reference).length;
  return of.planted.every(({ fault, expected: { operationReference } }, i) => {
    const alone = fault.plant(of.sound, seedRandom(`${of.seed}/${i}/${fault.name}`));
    if (alone === null || senseOf(alone.books).sense !== 'determinable') return false;
    const own = alone.expected.operationReference;
    if (own !== operationReference) return false;
    return own === null || count(alone.books, own) === count(of.books, own);
  });
}

/**
 * Whether the fault is a hold that is not covered. Two of these depend on each other: had the first
 * been refused, the second might have been covered.
 */
function isUncovered({ kind }: Truth): boolean {
  return kind === 'HOLD_EXCEEDS_AVAILABLE';
}

/** Whether the line still goes too far, because what other faults add later may cover it. */
function stillWants({ kind, fault, sequence }: Truth, { entries }: Books): boolean {
  const at = entries.findIndex((line) => String(line.sequence) === sequence);
  if (kind === 'RESERVED_NEGATIVE')
    return entries[at]!.reservedAfter < 0 && entries[at - 1]!.reservedAfter >= 0;
  if (fault !== 'HOLD_EXCEEDS_AVAILABLE') return true;
  const { balanceAfter, reservedAfter } = entries[at - 1]!;
  return entries[at]!.amount > balanceAfter - reservedAfter;
}

function caseOf(
  books: Books,
  parts: Pick<Case, 'name' | 'group' | 'truths' | 'about'> & {
    readonly due: ReturnType<typeof requiredBy> | null;
  },
): Case {
  const { due, truths } = parts;
  return {
    ...parts,
    nights: [writeBooks(books)],
    form: truths.length === 0 ? '' : breaksArithmetic(books) ? 'breaks' : 'hides',
    lines: books.entries.length,
    due: due === null ? null : { balance: String(due.balance), reserved: String(due.reserved) },
  };
}

function fileName(text: string): string {
  return text.replaceAll(/[^\w.]+/g, '.');
}

/**
 * Whether a reader who only adds up sees the damage: a figure that does not follow, or a number
 * that is skipped or there twice. How far a debit lowers the reserved amount is not checked,
 * because the documents leave it open.
 */
function breaksArithmetic({ entries }: Books): boolean {
  let [sequence, balance, reserved] = [0, 0, 0];
  for (const line of entries.toSorted((a, b) => a.sequence - b.sequence)) {
    const { direction, amount } = line;
    const moves = {
      CREDIT: [amount, 0],
      DEBIT: [-amount, null],
      HOLD: [0, amount],
      RELEASE: [0, -amount],
    }[direction];
    const [money, held] = moves ?? [0, 0];
    if (line.sequence !== sequence + 1 || line.balanceAfter !== balance + money!) return true;
    if (held !== null && line.reservedAfter !== reserved + held!) return true;
    [sequence, balance, reserved] = [line.sequence, line.balanceAfter, line.reservedAfter];
  }
  return false;
}
