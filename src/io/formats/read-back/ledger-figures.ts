// The ledger of a document, read back: each line must carry on from the one before, and all of them must make the figures
// of the summary; and the readers of both CSVs and of the JSON form. Holds no line but the last.

import { figuresIn } from '../../../core/statements/revision.ts';
import type { StatementLine } from '../../../core/statements/statement-line.ts';
import type { StatementSummary } from '../../../core/statements/summary.ts';
import { LABELS } from '../../../core/words/tree.ts';
import { readStatement, verdictLine } from '../text/json.ts';
import { type FigureDifference, linesOf, type ReadBack, textOf } from './read-back.ts';

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

function beginLedger({ openingBalance, openingReserved }: StatementSummary): ShownLedger {
  return { differences: [], count: 0, first: null, last: null, balance: openingBalance, reserved: openingReserved };
}

/** Lines in the order of the document. */
function takeShownLine(ledger: ShownLedger, line: ShownLine): void {
  ledger.count += 1;
  differ(ledger, `line ${ledger.count}, balance`, ledger.balance + line.credit - line.debit, line.balance);
  differ(ledger, `line ${ledger.count}, reserved`, ledger.reserved + line.reservedMove, line.reserved);
  ledger.first = ledger.first === null ? line.sequence : Math.min(ledger.first, line.sequence);
  ledger.last = ledger.last === null ? line.sequence : Math.max(ledger.last, line.sequence);
  ledger.balance = line.balance;
  ledger.reserved = line.reserved;
}

function finishLedger(ledger: ShownLedger, summary: StatementSummary): readonly FigureDifference[] {
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
  ledger.differences.push({ figure, stated: figureText(stated), found: figureText(found) });
}

function figureText(figure: number | null): string | null {
  return figure === null ? null : Number.isNaN(figure) ? 'not a whole number' : String(figure);
}

/** Reads the CSV of the ledger back, as RFC 4180 has it. It has no summary: the figures are what its lines make. */
export const readCsv: ReadBack = async (file, { statement, language }) => {
  const said = LABELS[language].ledgerCsv;
  const titles = [said.sequence, said.debit, said.credit, said.balance, said.reservedMove, said.reserved];
  const ledger = beginLedger(statement.summary);
  let places: readonly number[] | null = null;
  for await (const cells of rowsOf(textOf(file), ';')) {
    if (places === null) {
      places = placesOf(cells, titles);
      continue;
    }
    const [sequence, debit, credit, balance, reservedMove, reserved] = places.map((place) => wholeNumber(cells[place]));
    takeShownLine(ledger, {
      sequence: sequence!,
      debit: debit!,
      credit: credit!,
      balance: balance!,
      reservedMove: reservedMove!,
      reserved: reserved!,
    });
  }
  if (places === null) throw new Error('This is not a ledger in CSV: it has no header line.');
  return finishLedger(ledger, statement.summary);
};

/** Of the titles among the cells of a header line; throws where one is missing. */
function placesOf(header: readonly string[], titles: readonly string[]): readonly number[] {
  const cells = header.map((cell, i) => (i === 0 ? cell.replace(/^\uFEFF/, '') : cell));
  const missing = titles.filter((title) => !cells.includes(title));
  if (missing.length > 0) throw new Error(`This CSV is not what it should be: it has no column ${missing.join(', ')}.`);
  return titles.map((title) => cells.indexOf(title));
}

/** An empty cell is nothing, 0; anything but a whole number is NaN. */
function wholeNumber(cell: string | undefined): number {
  if (cell === '') return 0;
  return cell !== undefined && /^-?\d+$/.test(cell) ? Number(cell) : Number.NaN;
}

/** Rows of cells, the separator between them; a quoted cell may hold anything, a quote doubled. */
export async function* rowsOf(texts: AsyncIterable<string>, separator: ';' | ','): AsyncGenerator<readonly string[]> {
  let cells: string[] = [];
  let cell = '';
  let state: 'plain' | 'quoted' | 'quote' = 'plain';
  for await (const text of texts) {
    for (const sign of text) {
      if (state === 'quoted') {
        if (sign === '"') state = 'quote';
        else cell += sign;
        continue;
      }
      if (sign === '"') {
        if (state === 'quote') cell += '"';
        state = 'quoted';
        continue;
      }
      state = 'plain';
      if (sign === separator || sign === '\n') {
        cells.push(sign === '\n' && cell.endsWith('\r') ? cell.slice(0, -1) : cell);
        cell = '';
      } else cell += sign;
      if (sign === '\n') {
        yield cells;
        cells = [];
      }
    }
  }
  if (cell !== '' || cells.length > 0) yield [...cells, cell];
}

/**
 * Reads the CSV of a month's operations back: how many there are, and that the cash-ins that succeeded in the month
 * make the collections of its summary.
 */
export const readOperationsCsv: ReadBack = async (file, { statement, language }) => {
  const { columns, types, states } = LABELS[language].monthOperations;
  const titles = [columns.type, columns.state, columns.completed, columns.amount, columns.fees];
  const { startText, endText } = statement.period;
  const found = { count: 0, paymentCount: 0, totalAmount: 0, totalFees: 0 };
  let places: readonly number[] | null = null;
  for await (const cells of rowsOf(textOf(file), ';')) {
    if (places === null) {
      places = placesOf(cells, titles);
      continue;
    }
    const [type, state, completed, amount, fees] = places.map((place) => cells[place] ?? '') as [
      string,
      string,
      string,
      string,
      string,
    ];
    found.count += 1;
    const isSettled = state === states.SUCCEEDED || state === states.REVERSED;
    if (type !== types.CASHIN || !isSettled || completed < startText.local || completed >= endText.local) continue;
    found.paymentCount += 1;
    found.totalAmount += wholeNumber(amount);
    found.totalFees += wholeNumber(fees);
  }
  const { paymentCount, totalAmount, totalFees } = statement.summary;
  const stated = { count: statement.operations.count, paymentCount, totalAmount, totalFees };
  return (Object.keys(stated) as (keyof typeof stated)[])
    .filter((figure) => stated[figure] !== found[figure])
    .map((figure) => ({ figure, stated: String(stated[figure]), found: String(found[figure]) }));
};

/**
 * Reads the JSON form back, a line of the file at a time: every figure of its summary, the statement as a whole, its
 * lines, and how many operations it has.
 */
export const readJson: ReadBack = async (file, { statement }) => {
  const { summary } = statement;
  const ledger = beginLedger(summary);
  const frame: string[] = [];
  let operations = 0;
  for await (const text of linesOf(file)) {
    if (frame.length < 4 || text.startsWith(']') || text.startsWith('"')) frame.push(text);
    else if (frame.length > 4) operations += text === '' ? 0 : 1;
    else if (text !== '') {
      const line = JSON.parse(text.endsWith(',') ? text.slice(0, -1) : text) as StatementLine;
      takeShownLine(ledger, { ...line, debit: line.debit ?? 0, credit: line.credit ?? 0 });
    }
  }
  const [, second, third, fourth, ...rest] = frame;
  const shown = readStatement(frame);
  if (shown === null || fourth !== '"lines":[' || rest.join() !== REST)
    throw new Error('This is not a statement in JSON.');
  return [
    ...compareSummaries(summary, shown.summary),
    ...(second === `"statement":${JSON.stringify(statement)},` ? [] : [WHOLE]),
    ...(third === verdictLine(statement) ? [] : [{ ...WHOLE, figure: 'the verdict in words' }]),
    ...finishLedger(ledger, summary),
    ...differenceOf('operations.count', statement.operations.count, operations),
  ];
};

const REST = '],,"operations":[,]}';
const WHOLE: FigureDifference = { figure: 'the statement as a whole', stated: 'one', found: 'another' };

function compareSummaries(stated: object, shown: object): readonly FigureDifference[] {
  const [left, right] = [new Map(figuresIn(stated)), new Map(figuresIn(shown))];
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter((figure) => left.get(figure) !== right.get(figure))
    .map((figure) => ({ figure, stated: left.get(figure) ?? null, found: right.get(figure) ?? null }));
}

function differenceOf(figure: string, stated: number, found: number): readonly FigureDifference[] {
  return stated === found ? [] : [{ figure, stated: String(stated), found: String(found) }];
}
