// Section 6, Grand livre: every line of the month as it streams by, page after page, each beginning with what was carried
// forward and ending with what is carried on. Holds no more lines than the page that is open.

import { invariant } from '../../../domain/invariant.ts';
import type { LineStream, StatementLine } from '../../../statements/statement-line.ts';
import { fill } from '../../../words/message.ts';
import { nameKind } from '../../kind-names.ts';
import { drawHeading, drawParagraph, ensure, type Flow, turnPage } from '../flow.ts';
import { tagged, untagged } from '../pen.ts';
import { drawHeader, drawNote, headerHeight, type Slot, slotsOf } from '../tables.ts';
import { drawLedgerRow, type LedgerCells, type LedgerColumn, ledgerRowHeight } from './ledger-row.ts';

/** Debits and credits of the lines so far, and the figures after the last of them. */
interface Carried {
  debit: number;
  credit: number;
  balance: number;
  reserved: number;
}

export function isLedgerTooLong({ statement, layout }: Pick<Flow, 'statement' | 'layout'>): boolean {
  return statement.summary.entryCount > layout.ledger.mostLines;
}

/** Instead of a ledger that is too long for paper: where the whole of it is. */
export function drawLedgerElsewhere(flow: Flow): void {
  const { labels, statement, words, layout } = flow;
  const values = { count: words.amount(statement.summary.entryCount), most: words.amount(layout.ledger.mostLines) };
  drawHeading(flow, labels.ledger.heading);
  drawParagraph(flow, fill(labels.ledger.tooLong, values));
}

/** Yields after each batch, so that what was drawn can be taken away. Throws when there are more or fewer lines than stated. */
export async function* drawLedger(flow: Flow, lines: LineStream): AsyncGenerator<void> {
  const ledger = openLedger(flow);
  let count = 0;
  for await (const batch of lines()) {
    for (const line of batch) ledger.add(line);
    count += batch.length;
    yield;
  }
  invariant(count === flow.statement.summary.entryCount, 'a statement counts as many lines as stream beside it');
  ledger.finish();
}

/** Turns the pages that the ledger will take, without a line of it. */
export function countLedger(flow: Flow): void {
  const ledger = openLedger(flow);
  for (let line = 0; line < flow.statement.summary.entryCount; line++) ledger.add(null);
  ledger.finish();
}

function openLedger(flow: Flow): { add(line: StatementLine | null): void; finish(): void } {
  const { statement, labels, layout } = flow;
  const { openingBalance, openingReserved, entryCount } = statement.summary;
  const said = labels.ledger;
  drawHeading(flow, said.heading);
  drawParagraph(flow, said.note, { tone: 'muted', size: layout.sizes.note });
  const columns = columnsOf(flow);
  const carried: Carried = { debit: 0, credit: 0, balance: openingBalance, reserved: openingReserved };
  let sheet = beginSheet(flow, columns, said.opening);
  return {
    add: (line) => {
      if (sheet.rows === sheet.room) {
        drawSheet(flow, sheet, { carried, below: said.carriedForward });
        turnPage(flow);
        sheet = beginSheet(flow, columns, said.broughtForward);
      }
      sheet.rows += 1;
      if (line !== null) sheet.lines.push(line);
    },
    finish: () => {
      drawSheet(flow, sheet, { carried, below: said.closing });
      flow.y += 4;
      if (entryCount === 0) drawNote(flow, said.empty);
    },
  };
}

/** The lines of the page that is open; none while pages are only counted. */
interface Sheet {
  readonly columns: readonly LedgerColumn[];
  readonly slots: readonly Slot[];
  /** Name of the row before the lines. */
  readonly above: string;
  /** How many lines it can take between the row above and the row below. */
  readonly room: number;
  readonly lines: StatementLine[];
  rows: number;
}

function beginSheet(flow: Flow, columns: readonly LedgerColumn[], above: string): Sheet {
  const slots = slotsOf(flow, columns);
  const rowHeight = ledgerRowHeight(flow);
  const header = headerHeight(flow, columns, slots);
  ensure(flow, header + 5 * rowHeight);
  const room = Math.floor((flow.bottom - flow.y - header) / rowHeight) - 2;
  return { columns, slots, above, room, lines: [], rows: 0 };
}

/**
 * In a short ledger each cell is tagged. In a long one each page is one paragraph, in which its rows follow each other:
 * tags for all cells would be most of the file.
 */
function drawSheet(
  flow: Flow,
  sheet: Sheet,
  { carried, below }: { readonly carried: Carried; readonly below: string },
): void {
  const { pen, statement, layout } = flow;
  const top = flow.y;
  if (statement.summary.entryCount <= layout.ledger.tagCellsUpTo) {
    pen.open('Table');
    drawRows(flow, sheet, { carried, below });
    pen.close();
  } else {
    tagged(pen, 'P', () => drawRows({ ...flow, pen: untagged(pen) }, sheet, { carried, below }));
  }
  flow.y = top + headerHeight(flow, sheet.columns, sheet.slots) + (sheet.rows + 2) * ledgerRowHeight(flow);
}

function drawRows(
  flow: Flow,
  { columns, slots, above, lines }: Sheet,
  { carried, below }: { readonly carried: Carried; readonly below: string },
): void {
  drawHeader(flow, columns, slots);
  drawLedgerRow(flow, { columns, slots, cells: carryCells(flow, above, carried), tone: 'strong' });
  for (const line of lines) {
    carried.debit += line.debit ?? 0;
    carried.credit += line.credit ?? 0;
    carried.balance = line.balance;
    carried.reserved = line.reserved;
    const tone = line.flags.length > 0 ? 'alert' : line.isMemo ? 'muted' : 'plain';
    drawLedgerRow(flow, { columns, slots, cells: lineCells(flow, line), tone });
  }
  drawLedgerRow(flow, { columns, slots, cells: carryCells(flow, below, carried), tone: 'strong' });
}

function columnsOf({ labels }: Flow): readonly LedgerColumn[] {
  const said = labels.ledger;
  const column = (title: string, share: number, holds: LedgerColumn['holds']): LedgerColumn => ({
    title,
    share,
    holds,
    cell: () => '',
  });
  return [
    column(said.number, 31, 'figure'),
    column(said.date, 72, 'date'),
    column(said.label, 118, 'text'),
    column(said.reference, 64, 'text'),
    column(said.operator, 42, 'text'),
    column(said.debit, 46, 'figure'),
    column(said.credit, 46, 'figure'),
    column(said.balance, 50, 'figure'),
    column(said.reserved, 46, 'figure'),
  ];
}

function lineCells({ words, language, labels }: Flow, line: StatementLine): LedgerCells {
  const { label, flags, kind, isMemo, reservedMove } = line;
  const parts = flags.map((flag) => labels.ledger.flags[flag]);
  parts.push(
    isMemo
      ? `${nameKind(kind, language)} ${signed(words.amount(reservedMove), reservedMove)}`
      : nameKind(kind, language),
  );
  if (label !== null && label !== '') parts.push(label);
  return [
    words.amount(line.number),
    words.time(line.localTime),
    parts.join(' · '),
    line.operationReference ?? '',
    line.operator ?? '',
    line.debit === null ? '' : words.amount(line.debit),
    line.credit === null ? '' : words.amount(line.credit),
    words.amount(line.balance),
    words.amount(line.reserved),
  ];
}

/** `+12 345` or `−12 345`. */
function signed(text: string, amount: number): string {
  return amount > 0 ? `+${text}` : text;
}

function carryCells({ words }: Flow, name: string, { debit, credit, balance, reserved }: Carried): LedgerCells {
  const amounts = [debit, credit, balance, reserved].map((figure) => words.amount(figure));
  return ['', '', name, '', '', ...amounts];
}
