// The ledger of a document, read back: each line must carry on from the one before, and all of them
// must make the figures of the summary; in CSV and in the JSON form, and the CSV of operations.
// Holds no line but the last.

import { figuresIn } from '../../../core/statements/revision.ts';
import type { StatementLine } from '../../../core/statements/statement-line.ts';
import type { StatementSummary } from '../../../core/statements/summary.ts';
import { LABELS } from '../../../core/words/tree.ts';
import { firstPageLine, readStatement } from '../text/json.ts';
import {
  type Compared,
  cellsUnder,
  csvRows,
  differencesIn,
  type FigureDifference,
  linesOf,
  numberIn,
  type ReadBack,
} from './read-back.ts';

/** A line as the document shows it; NaN where it shows no whole number. */
type ShownLine = Readonly<
  Record<'sequence' | 'debit' | 'credit' | 'balance' | 'reservedMove' | 'reserved', number>
>;

interface ShownLedger {
  readonly differences: FigureDifference[];
  count: number;
  first: number | null;
  last: number | null;
  balance: number;
  reserved: number;
}

function beginLedger({ openingBalance, openingReserved }: StatementSummary): ShownLedger {
  return {
    differences: [],
    count: 0,
    first: null,
    last: null,
    balance: openingBalance,
    reserved: openingReserved,
  };
}

/** Lines in the order of the document. */
function takeLine(ledger: ShownLedger, line: ShownLine): void {
  ledger.count += 1;
  compare(ledger, [
    [`line ${ledger.count}, balance`, ledger.balance + line.credit - line.debit, line.balance],
    [`line ${ledger.count}, reserved`, ledger.reserved + line.reservedMove, line.reserved],
  ]);
  ledger.first = ledger.first === null ? line.sequence : Math.min(ledger.first, line.sequence);
  ledger.last = ledger.last === null ? line.sequence : Math.max(ledger.last, line.sequence);
  ledger.balance = line.balance;
  ledger.reserved = line.reserved;
}

function finishLedger(ledger: ShownLedger, summary: StatementSummary): readonly FigureDifference[] {
  compare(ledger, [
    ['entryCount', summary.entryCount, ledger.count],
    ['firstSequence', summary.firstSequence, ledger.first],
    ['lastSequence', summary.lastSequence, ledger.last],
    ['closingBalance', summary.closingBalance, ledger.balance],
    ['closingReserved', summary.closingReserved, ledger.reserved],
  ]);
  return ledger.differences;
}

/** A ledger that is wrong throughout is known by its first lines. */
const MOST_DIFFERENCES = 100;

function compare({ differences }: ShownLedger, compared: readonly Compared[]): void {
  if (differences.length < MOST_DIFFERENCES) differences.push(...differencesIn(compared));
}

/** It has no summary: the figures are the sums of its lines. */
export const readCsv: ReadBack = async (file, { statement, language }) => {
  const { sequence, debit, credit, balance, reservedMove, reserved } =
    LABELS[language].ledgerColumns;
  const titles = [sequence, debit, credit, balance, reservedMove, reserved];
  const ledger = beginLedger(statement.summary);
  for await (const cells of cellsUnder(titles, 'ledger in CSV', csvRows(file, ';'))) {
    const at = (place: number): number => cellNumber(cells[place]!);
    const sums = { debit: at(1), credit: at(2), balance: at(3) };
    takeLine(ledger, { sequence: at(0), ...sums, reservedMove: at(4), reserved: at(5) });
  }
  return finishLedger(ledger, statement.summary);
};

/** An empty cell is 0. */
function cellNumber(cell: string): number {
  return cell === '' ? 0 : numberIn(cell);
}

/**
 * How many operations there are, and that the cash-ins that succeeded in the month make the
 * collections of its summary.
 */
export const readOperationsCsv: ReadBack = async (file, { statement, language }) => {
  const { columns, types, states } = LABELS[language].monthOperations;
  const titles = [
    columns.type,
    columns.state,
    columns.completed,
    columns.amount,
    columns.fees,
  ] as const;
  const { startText, endText } = statement.period;
  const found = { count: 0, paymentCount: 0, totalAmount: 0, totalFees: 0 };
  const rows = cellsUnder(titles, 'list of operations in CSV', csvRows(file, ';'));
  for await (const [type, state, completed, amount, fees] of rows) {
    found.count += 1;
    const isSettled = state === states.SUCCEEDED || state === states.REVERSED;
    if (
      type !== types.CASHIN ||
      !isSettled ||
      completed < startText.local ||
      completed >= endText.local
    )
      continue;
    found.paymentCount += 1;
    found.totalAmount += cellNumber(amount);
    found.totalFees += cellNumber(fees);
  }
  const { paymentCount, totalAmount, totalFees } = statement.summary;
  return differencesIn([
    ['count', statement.operations.count, found.count],
    ['paymentCount', paymentCount, found.paymentCount],
    ['totalAmount', totalAmount, found.totalAmount],
    ['totalFees', totalFees, found.totalFees],
  ]);
};

/**
 * A line of the file at a time: each figure of its summary, the statement as a whole, its lines,
 * and the counts of operations and payments.
 */
export const readJson: ReadBack = async (file, { statement }) => {
  const { summary } = statement;
  const ledger = beginLedger(summary);
  const frame: string[] = [];
  let [operations, payments] = [0, 0];
  const { summary: links, account } = statement.paymentsByLink ?? {};
  const booked =
    statement.journal.links === undefined
      ? 0
      : (links?.paymentCount ?? 0) + (account?.late?.count ?? 0);
  for await (const text of linesOf(file)) {
    if (frame.length < 4 || text.startsWith(']') || text.startsWith('"')) frame.push(text);
    else if (frame.length > AT_PAYMENTS) payments += text === '' ? 0 : 1;
    else if (frame.length > 4) operations += text === '' ? 0 : 1;
    else if (text !== '') {
      const line = JSON.parse(text.endsWith(',') ? text.slice(0, -1) : text) as StatementLine;
      takeLine(ledger, { ...line, debit: line.debit ?? 0, credit: line.credit ?? 0 });
    }
  }
  const [, second, third, fourth, ...rest] = frame;
  const shown = readStatement(frame);
  if (shown === null || fourth !== '"lines":[' || rest.join() !== REST)
    throw new Error('This is not a statement in JSON.');
  return [
    ...compareSummaries(summary, shown.summary),
    ...(second === `"statement":${JSON.stringify(statement)},` ? [] : [WHOLE]),
    ...(third === firstPageLine(statement) ? [] : [{ ...WHOLE, figure: 'the verdict in words' }]),
    ...finishLedger(ledger, summary),
    ...differencesIn([
      ['operations.count', statement.operations.count, operations],
      ['payments', booked, payments],
    ]),
  ];
};

const REST = '],,"operations":[,],,"payments":[,]}';
const AT_PAYMENTS = 6;
const WHOLE: FigureDifference = {
  figure: 'the statement as a whole',
  stated: 'one',
  found: 'another',
};

function compareSummaries(stated: object, shown: object): readonly FigureDifference[] {
  const [left, right] = [new Map(figuresIn(stated)), new Map(figuresIn(shown))];
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter((figure) => left.get(figure) !== right.get(figure))
    .map((figure) => ({
      figure,
      stated: left.get(figure) ?? null,
      found: right.get(figure) ?? null,
    }));
}
