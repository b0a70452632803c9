// Makes the cases of a seed one after another: damaged ledgers with the truth about them, and lawful ones. A case is left out where the
// damage means nothing, or where another reading of the documents explains it as well.

import type { Books, Expected, Fault } from '../../src/sandbox/model/plan.ts';
import { seedRandom } from '../../src/sandbox/model/random.ts';
import type { Case, Truth } from './case.ts';
import { writeBooks } from './csv.ts';
import { drawLedger, type Size } from './draw-ledger.ts';
import { PLANTED } from './faults.ts';
import { senseOf } from './lawful.ts';
import { requiredBy } from './required.ts';

export interface Wish {
  readonly seed: string;
  /** Cases of each single fault. */
  readonly perFault: number;
  /** Clean ledgers. */
  readonly clean: number;
}

export function* makeCases(wish: Wish): Generator<Case> {
  yield* cleanCases(wish);
  yield* faultCases(wish);
}

/** One in five is tiny. */
function sizeOf(number: number): Size {
  return number % 5 === 4 ? 'tiny' : 'short';
}

function* cleanCases({ seed, clean }: Wish): Generator<Case> {
  for (let number = 0; number < clean; number += 1) {
    const books = drawLedger({ seed: `${seed}/clean`, number, size: sizeOf(number) });
    if (senseOf(books).sense !== 'lawful') throw new Error(`clean ledger ${number} of ${seed} is not lawful`);
    yield caseOf(books, {
      name: `clean-${number}`,
      group: 'clean',
      truths: [],
      about: 'clean',
      due: requiredBy(books),
    });
  }
}

/** How many ledgers are tried for each case that is wanted: not every ledger offers a place for every fault. */
const TRIES = 14;

function* faultCases({ seed, perFault }: Wish): Generator<Case> {
  const missing = new Map(PLANTED.map((fault) => [fault, perFault]));
  for (let number = 0; missing.size > 0 && number < perFault * TRIES; number += 1) {
    const books = drawLedger({ seed, number, size: sizeOf(number) });
    for (const [fault, count] of missing) {
      const made = plantOne(books, { fault, seed: `${seed}/${number}`, number });
      if (made === null) continue;
      if (count === 1) missing.delete(fault);
      else missing.set(fault, count - 1);
      yield made;
    }
  }
}

function plantOne(
  books: Books,
  { fault, seed, number }: { readonly fault: Fault; readonly seed: string; readonly number: number },
): Case | null {
  const planted = fault.plant(books, seedRandom(`${seed}/${fault.name}`));
  if (planted === null || !hasPlace(planted.expected)) return null;
  if (senseOf(planted.books).sense !== 'determinable') return null;
  const due = dueAfter(fault, { damaged: planted.books, sound: books });
  const name = `${fault.name.replace('/', '.')}-${number}`;
  const truths = [truthOf(fault, planted.expected)];
  return caseOf(planted.books, { name, group: 'fault', truths, about: '', due });
}

/** Two ways of counting a day may cross the ceiling with two cash-outs: then no single place is right. */
function hasPlace({ kind, operationReference }: Expected): boolean {
  return kind !== 'DAILY_CASHOUT_LIMIT_EXCEEDED' || operationReference !== null;
}

/** A commission beside the price is due as priced; all else as the operations ask for it. */
function dueAfter(fault: Fault, { damaged, sound }: { readonly damaged: Books; readonly sound: Books }) {
  return requiredBy(fault.name === 'FEE_NOT_AS_PRICED' ? sound : damaged);
}

function truthOf({ name }: Fault, { kind, sequence, operationReference }: Expected): Truth {
  return { kind, fault: name, sequence: String(sequence ?? ''), reference: operationReference ?? '' };
}

function caseOf(
  books: Books,
  parts: Pick<Case, 'name' | 'group' | 'truths' | 'about'> & { readonly due: ReturnType<typeof requiredBy> | null },
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

/**
 * True where a reader who only adds up sees it: a figure that does not follow, a number that is skipped or twice there. How far a
 * debit lowers the reserved amount, the documents leave open.
 */
function breaksArithmetic({ entries }: Books): boolean {
  let [sequence, balance, reserved] = [0, 0, 0];
  for (const line of entries.toSorted((a, b) => a.sequence - b.sequence)) {
    const { direction, amount } = line;
    const moves = { CREDIT: [amount, 0], DEBIT: [-amount, null], HOLD: [0, amount], RELEASE: [0, -amount] }[direction];
    const [money, held] = moves ?? [0, 0];
    if (line.sequence !== sequence + 1 || line.balanceAfter !== balance + money!) return true;
    if (held !== null && line.reservedAfter !== reserved + held!) return true;
    [sequence, balance, reserved] = [line.sequence, line.balanceAfter, line.reservedAfter];
  }
  return false;
}
