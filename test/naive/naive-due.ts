// What a wallet's figures must be once every fault is put right, from the operations alone: what
// each of them requires, and the adjustments that correct nothing. No line but an adjustment
// counts; no running figure does.

import type { LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import type { Operation } from '../../src/core/domain/operation.ts';
import {
  hasSucceeded,
  type Interpretations,
  isFinal,
  type NaiveBooks,
  sumOf,
} from './naive-books.ts';
import { correctedTargets, settledTargets } from './naive-corrections.ts';
import { naiveReplay } from './naive-replay.ts';
import { actsAs, operationFindings } from './operation-findings.ts';

export interface NaiveDue {
  readonly balance: number;
  readonly reserved: number;
  readonly available: number;
}

/**
 * Null where the interpretations that stand ask for different figures of an operation: what its
 * lines show may be of the fault. `opening`: the declared balance before the first line; the books
 * start at 0 by default.
 */
export function naiveDue(
  books: NaiveBooks,
  standing: Interpretations,
  opening = 0,
): NaiveDue | null {
  const replayed = naiveReplay(books, standing);
  let balance = opening;
  let reserved = 0;
  for (const operation of books.operations) {
    const lines = (replayed.byOperation.get(operation.reference) ?? []).map(({ line }) => line);
    const moved = balanceRequired(operation, lines, standing);
    const held = holdRequired(operation, lines, standing);
    if (moved === null || held === null) return null;
    balance += moved;
    reserved += held;
  }
  const required = (operation: Operation, lines: readonly LedgerEntry[]) =>
    balanceRequired(operation, lines, standing);
  const corrections = new Set([...correctedTargets(books, replayed, required).values()].flat());
  for (const step of replayed.steps) {
    if (step.line.kind.startsWith('ADJUSTMENT_') && !corrections.has(step))
      balance += effectOf(step.line);
  }
  return { balance, reserved, available: balance - reserved };
}

/** What was put right by lines that name it. */
export function naiveSettled(
  books: NaiveBooks,
  standing: Interpretations,
): ReturnType<typeof settledTargets> {
  const replayed = naiveReplay(books, standing);
  const wrong = new Set(
    operationFindings(books, replayed, standing).map(({ sequence }) => sequence),
  );
  return settledTargets(books, replayed, {
    required: (operation, lines) => balanceRequired(operation, lines, standing),
    isWrong: ({ sequence }) => wrong.has(sequence),
  });
}

/** What the operation's state asks of the balance, signed. */
function balanceRequired(
  operation: Operation,
  lines: readonly LedgerEntry[],
  standing: Interpretations,
): number | null {
  const { amount, fees } = operation;
  const of = (kind: string) => lines.filter((line) => line.kind === kind);
  const isCashin = actsAs({ operation, of }) === 'CASHIN';
  if (!hasSucceeded(operation)) return 0;
  if (operation.status === 'SUCCEEDED') return isCashin ? amount - fees : -(amount + fees);
  // Reversed: nothing is left, or the fee is kept.
  return theOne(
    standing.reversal.map((interpretation) => (interpretation === 'PRINCIPAL' ? -fees : 0)),
  );
}

/** What must still be held for it: nothing for a final one, and what a partial release has left. */
function holdRequired(
  operation: Operation,
  lines: readonly LedgerEntry[],
  standing: Interpretations,
): number | null {
  const of = (kind: string) => lines.filter((line) => line.kind === kind);
  if (isFinal(operation) || actsAs({ operation, of }) === 'CASHIN') return 0;
  const may = standing.holdAmount.map((interpretation) =>
    interpretation === 'NET' ? operation.amount + operation.fees : operation.amount,
  );
  const held = sumOf(of('CASHOUT_HOLD'));
  // Not yet submitted, it need not hold anything.
  if (operation.status === 'CREATED' && held === 0) return 0;
  const due = may.includes(held) ? held : theOne(may);
  return due === null ? null : Math.max(0, due - sumOf(of('CASHOUT_RELEASE')));
}

/** Null: there are several. */
function theOne(figures: readonly number[]): number | null {
  return new Set(figures).size === 1 ? figures[0]! : null;
}

function effectOf({ direction, amount }: LedgerEntry): number {
  return direction === 'CREDIT' ? amount : direction === 'DEBIT' ? -amount : 0;
}
