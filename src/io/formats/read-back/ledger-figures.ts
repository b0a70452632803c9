// The ledger of a document, read back: each line must carry on from the one before, and all of them must make the figures
// of the summary. Holds no line but the last.

import type { StatementSummary } from '../../../core/statements/summary.ts';
import type { FigureDifference } from './read-back.ts';

/** A line as the document shows it. What is not a whole number there is NaN here. */
export interface ShownLine {
  readonly sequence: number;
  readonly debit: number;
  readonly credit: number;
  readonly balance: number;
  readonly reservedMove: number;
  readonly reserved: number;
}

export interface ShownLedger {
  readonly differences: FigureDifference[];
  count: number;
  first: number | null;
  last: number | null;
  balance: number;
  reserved: number;
}

export function beginLedger({ openingBalance, openingReserved }: StatementSummary): ShownLedger {
  return { differences: [], count: 0, first: null, last: null, balance: openingBalance, reserved: openingReserved };
}

/** Lines in the order of the document. */
export function takeShownLine(ledger: ShownLedger, line: ShownLine): void {
  ledger.count += 1;
  differ(ledger, `line ${ledger.count}, balance`, ledger.balance + line.credit - line.debit, line.balance);
  differ(ledger, `line ${ledger.count}, reserved`, ledger.reserved + line.reservedMove, line.reserved);
  ledger.first = ledger.first === null ? line.sequence : Math.min(ledger.first, line.sequence);
  ledger.last = ledger.last === null ? line.sequence : Math.max(ledger.last, line.sequence);
  ledger.balance = line.balance;
  ledger.reserved = line.reserved;
}

export function finishLedger(ledger: ShownLedger, summary: StatementSummary): readonly FigureDifference[] {
  differ(ledger, 'entryCount', summary.entryCount, ledger.count);
  differ(ledger, 'firstSequence', summary.firstSequence, ledger.first);
  differ(ledger, 'lastSequence', summary.lastSequence, ledger.last);
  differ(ledger, 'closingBalance', summary.closingBalance, ledger.balance);
  differ(ledger, 'closingReserved', summary.closingReserved, ledger.reserved);
  return ledger.differences;
}

/** A ledger that is wrong throughout is known by its first lines. */
const MOST_DIFFERENCES = 100;

function differ(ledger: ShownLedger, figure: string, stated: number | null, found: number | null): void {
  if (stated === found || ledger.differences.length >= MOST_DIFFERENCES) return;
  ledger.differences.push({ figure, stated: textOf(stated), found: textOf(found) });
}

function textOf(figure: number | null): string | null {
  return figure === null ? null : Number.isNaN(figure) ? 'not a whole number' : String(figure);
}
