// Every line of the month, for templates and callers that ask for it: each page begins with what was carried forward and ends with
// what is carried on. A list too long for paper is only named.

import type { StatementLine } from '../../../../core/statements/statement-line.ts';
import { LEDGER } from '../../../../core/statements/tables/ledger.ts';
import { fill } from '../../../../core/words/message.ts';
import type { StatementDocument } from '../../port/format.ts';
import { nameKind } from '../../port/kind-names.ts';
import { drawParagraph, type Flow } from '../page/flow.ts';
import { drawRows, joined, type LongRow, type OpenTable, openLongTable } from '../page/long-table.ts';
import { drawNote } from '../page/tables.ts';

/** `document` null: the pages are turned without a line. */
export async function* drawLedger(flow: Flow, document: StatementDocument | null): AsyncGenerator<void> {
  const { words, layout, labels, statement } = flow;
  const { entryCount: count } = statement.summary;
  const most = layout.ledger.mostLines;
  const said = labels.ledger;
  if (count > most) {
    drawParagraph(flow, fill(said.tooLong, { count: words.amount(count), most: words.amount(most) }));
    return;
  }
  drawParagraph(flow, said.note, { tone: 'muted', size: layout.sizes.note });
  yield* drawRows(openLedger(flow), { count, stream: document?.lines() ?? null });
  if (count === 0) drawNote(flow, said.empty);
}
/** Debits and credits of the lines so far, and the figures after the last of them. */
interface Carried {
  debit: number;
  credit: number;
  balance: number;
  reserved: number;
}

function openLedger(flow: Flow): OpenTable<StatementLine> {
  const { statement, labels } = flow;
  const { openingBalance, openingReserved, entryCount } = statement.summary;
  const said = labels.ledger;
  const carried: Carried = { debit: 0, credit: 0, balance: openingBalance, reserved: openingReserved };
  return openLongTable(flow, {
    table: LEDGER,
    titles: labels.ledgerColumns,
    details: { title: said.details, under: 1 },
    count: entryCount,
    rowOf: (line: StatementLine, cells) => {
      carried.debit += line.debit ?? 0;
      carried.credit += line.credit ?? 0;
      carried.balance = line.balance;
      carried.reserved = line.reserved;
      return lineRow(flow, line, cells);
    },
    carried: {
      above: (isFirst) => carryRow(flow, isFirst ? said.opening : said.broughtForward, carried),
      below: (isLast) => carryRow(flow, isLast ? said.closing : said.carriedForward, carried),
    },
  });
}

/** The third cell names the kind, after what is odd about the line. */
function lineRow({ words, labels }: Flow, line: StatementLine, cells: readonly string[]): LongRow {
  const { flags, isMemo, reservedMove } = line;
  const moved = isMemo ? ` ${reservedMove > 0 ? '+' : ''}${words.amount(reservedMove)}` : '';
  const flagged = flags.map((flag) => `▲ ${labels.ledger.flags[flag]}`);
  return {
    cells: cells.with(2, joined([...flagged, `${cells[2]!}${moved}`])),
    whole: joined([line.operationReference, line.externalReference]),
    rest: joined([line.operator, line.counterpartyName, line.counterpartyNumber, labelBeside(line)]),
    tone: LEDGER.toneOf(line),
  };
}

/** The line's own label where it says more than the name of its kind. */
function labelBeside({ label, kind }: StatementLine): string | null {
  if (label === null) return null;
  const bare = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
  // Most labels are longer or shorter than any name, which is seen at once.
  const isName = (name: string): boolean => Math.abs(name.length - label.length) < 4 && bare(name) === bare(label);
  return isName(nameKind(kind, 'fr')) || isName(nameKind(kind, 'en')) || isName(kind) ? null : label;
}

function carryRow({ words }: Flow, name: string, { debit, credit, balance, reserved }: Carried): LongRow {
  const amounts = [debit, credit, balance, reserved].map((figure) => words.amount(figure));
  return { cells: ['', '', name, ...amounts], whole: '', rest: '', tone: 'strong' };
}
