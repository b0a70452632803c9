// Section 6, Grand livre: every line of the month as it streams by, page after page, each beginning with what was carried
// forward and ending with what is carried on. Holds no more lines than the page that is open.

import { invariant } from '../../../domain/invariant.ts';
import type { LineStream, StatementLine } from '../../../statements/statement-line.ts';
import { nameKind } from '../../kind-names.ts';
import { drawHeading, drawParagraph, ensure, type Flow, turnPage } from '../flow.ts';
import { drawHeader, drawNote, slotsOf } from '../tables.ts';
import { fill } from '../wording.ts';
import { drawLedgerRow, type LedgerCells, type LedgerColumn, ledgerRowHeight } from './ledger-row.ts';

/** Debits and credits of the lines so far, and the figures after the last of them. */
interface Carried {
  debit: number;
  credit: number;
  balance: number;
  reserved: number;
}

export function isLedgerTooLong({ statement, look }: Pick<Flow, 'statement' | 'look'>): boolean {
  return statement.summary.entryCount > look.ledger.mostLines;
}

/** Instead of a ledger that is too long for paper: where the whole of it is. */
export function drawLedgerElsewhere(flow: Flow): void {
  const { labels, statement, words, look } = flow;
  const values = { count: words.amount(statement.summary.entryCount), most: words.amount(look.ledger.mostLines) };
  drawHeading(flow, labels.ledger.heading);
  drawParagraph(flow, fill(labels.ledger.tooLong, values));
}

/** Yields after each batch, so that what was drawn can be taken away. Throws when there are more or fewer lines than stated. */
export async function* drawLedger(flow: Flow, lines: LineStream): AsyncGenerator<void> {
  const page = openLedger(flow);
  let count = 0;
  for await (const batch of lines()) {
    for (const line of batch) page.add(line);
    count += batch.length;
    yield;
  }
  invariant(count === flow.statement.summary.entryCount, 'a statement counts as many lines as stream beside it');
  page.finish();
}

/** Turns the pages that the ledger will take, without a line of it. */
export function countLedger(flow: Flow): void {
  const page = openLedger(flow);
  for (let line = 0; line < flow.statement.summary.entryCount; line++) page.add(null);
  page.finish();
}

function openLedger(flow: Flow): { add(line: StatementLine | null): void; finish(): void } {
  const { statement, labels, look } = flow;
  const { openingBalance, openingReserved, entryCount } = statement.summary;
  const said = labels.ledger;
  drawHeading(flow, said.heading);
  drawParagraph(flow, said.note, { tone: 'muted', size: look.sizes.note });
  const columns = columnsOf(flow);
  const slots = slotsOf(flow, columns);
  const rowHeight = ledgerRowHeight(flow);
  const cellsTagged = entryCount <= look.ledger.tagCellsUpTo;
  const carried: Carried = { debit: 0, credit: 0, balance: openingBalance, reserved: openingReserved };
  const begin = (name: string): void => {
    flow.pen.open('Table');
    drawHeader(flow, columns, slots);
    // Without cells of their own, rows are paragraphs after the header.
    if (!cellsTagged) {
      flow.pen.close();
      flow.pen.open('Sect');
    }
    carry(name);
  };
  const carry = (name: string): void => {
    drawLedgerRow(flow, { columns, slots, cells: carryCells(flow, name, carried), tone: 'strong', cellsTagged });
  };
  ensure(flow, 5 * rowHeight + 20);
  begin(said.opening);
  return {
    add: (line) => {
      // The row itself, and below it the one that carries on.
      if (flow.y + 2 * rowHeight > flow.bottom) {
        carry(said.carriedForward);
        flow.pen.close();
        turnPage(flow);
        begin(said.broughtForward);
      }
      if (line === null) {
        flow.y += rowHeight;
        return;
      }
      carried.debit += line.debit ?? 0;
      carried.credit += line.credit ?? 0;
      carried.balance = line.balance;
      carried.reserved = line.reserved;
      const tone = line.flags.length > 0 ? 'alert' : line.isMemo ? 'muted' : 'plain';
      drawLedgerRow(flow, { columns, slots, cells: lineCells(flow, line), tone, cellsTagged });
    },
    finish: () => {
      carry(said.closing);
      flow.pen.close();
      flow.y += 4;
      if (entryCount === 0) drawNote(flow, said.empty);
    },
  };
}

function columnsOf({ labels }: Flow): readonly LedgerColumn[] {
  const said = labels.ledger;
  const column = (title: string, share: number, holds: 'text' | 'figure'): LedgerColumn => ({
    title,
    share,
    holds,
    cell: () => '',
  });
  return [
    column(said.number, 30, 'figure'),
    column(said.date, 65, 'text'),
    column(said.label, 122, 'text'),
    column(said.reference, 68, 'text'),
    column(said.operator, 36, 'text'),
    column(said.debit, 47, 'figure'),
    column(said.credit, 47, 'figure'),
    column(said.balance, 52, 'figure'),
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
