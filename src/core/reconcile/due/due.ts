// What the figures of a wallet must be once every open root is put right, in two ways that must agree: the recorded figures less
// the items of the roots, and what operations require with what adjustments moved. Refuses books that are not whole.

import { totalOf } from '../../domain/amount.ts';
import type { Due, Finding } from '../../domain/finding.ts';
import type { BookPart, NotChecked } from '../../domain/snapshot.ts';
import type { TalliedLine } from '../../replay/tally.ts';
import { money } from '../../words/english.ts';
import type { Conclusion } from '../conclude.ts';
import { effectOf } from '../corrections/correction-lines.ts';
import { movedOn } from '../figures.ts';
import type { Memory } from '../memory.ts';
import { minus, NOTHING_OFF, type Off, plus, sumOf } from './excess.ts';

export interface Reported {
  /** All findings, and those that the report keeps. */
  readonly found: readonly Finding[];
  readonly kept: readonly Finding[];
  /** What is in the recorded figures rightly, and in no line that was served. */
  readonly unserved: Off;
}

const NEEDED: ReadonlySet<BookPart> = new Set(['ledger', 'operations', 'wallet']);

/** Null when the due figures can be given. */
export function whyNotDue({ books, settings }: Memory, { wallet }: Conclusion): NotChecked | null {
  const isRefused =
    books.rejectedCount > books.rejected.size || [...books.rejected.values()].some(({ part }) => NEEDED.has(part));
  const isEmpty = books.replay.entries === 0 && books.operations === 0;
  const { ledger, operations } = settings.holds;
  if (wallet !== null && ledger && operations && !isRefused && !isEmpty) return null;
  return {
    what: 'due',
    why: 'it takes every line, every operation and the wallet',
    incomplete: false,
    code: 'DUE_UNKNOWN',
  };
}

/** What no finding is about is not clean, however little else is wrong. Null when nothing is left. */
export function unexplainedNote({ unexplained }: Due): NotChecked | null {
  const { balance, reserved } = unexplained;
  if (balance === '0' && reserved === '0') return null;
  const off = `balance by ${money(balance)}, reserved by ${money(reserved)}`;
  const why = `recorded otherwise than operations require, and no finding says why: ${off}`;
  return { what: 'unexplained', why, incomplete: true, code: 'UNEXPLAINED', figures: { balance, reserved } };
}

/** Call when `whyNotDue` gives no reason. */
export function dueOf(memory: Memory, conclusion: Conclusion, { found, kept, unserved }: Reported): Due {
  const { balance, reserved } = conclusion.wallet!;
  const items = sumOf(kept.filter(isOpen).map(itemOf));
  const due = minus({ balance: BigInt(balance), reserved: BigInt(reserved) }, items);
  // What is not certain yet, what the report leaves out, and what was put right, counts as it is recorded.
  const uncounted = minus(sumOf(found.map(itemOf)), items);
  const rest = minus(due, [unserved, uncounted].reduce(plus, requiredOf(memory, conclusion)));
  return {
    balance: due.balance.toString(),
    reserved: due.reserved.toString(),
    available: (due.balance - due.reserved).toString(),
    unexplained: { balance: rest.balance.toString(), reserved: rest.reserved.toString() },
  };
}

/** Only what is certain weighs, and only until it is put right. */
function isOpen({ status, settledBy }: Finding): boolean {
  return status === 'confirmed' && settledBy === null;
}

function itemOf({ item }: Finding): Off {
  return item === null ? NOTHING_OFF : { balance: BigInt(item.balance), reserved: BigInt(item.reserved) };
}

/**
 * From the operations alone, and what no operation requires: the opening, adjustments, lines that put a fault right, and lines
 * that came while we read.
 */
function requiredOf({ books, settings }: Memory, conclusion: Conclusion): Off {
  const { adjusted, requiredBalance } = books;
  return sumOf([
    { balance: BigInt(settings.opening?.balance ?? 0), reserved: BigInt(settings.opening?.reserved ?? 0) },
    { balance: totalOf(requiredBalance), reserved: 0n },
    conclusion.demand.required,
    { balance: totalOf(adjusted.balance), reserved: totalOf(adjusted.reserved) },
    movedBy([...conclusion.operations.values()].flatMap(({ apart }) => apart)),
    movedOn(conclusion),
  ]);
}

function movedBy(lines: readonly TalliedLine[]): Off {
  return sumOf(lines.map(({ entry, heldMove }) => ({ balance: BigInt(effectOf(entry)), reserved: BigInt(heldMove) })));
}
