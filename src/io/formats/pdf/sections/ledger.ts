// Every line of the month, for templates and callers that ask for it: each page begins with what was carried forward and ends with
// what is carried on. A list too long for paper is only named.

import type { StatementLine } from '../../../../core/statements/statement-line.ts';
import { LEDGER } from '../../../../core/statements/tables/ledger.ts';
import { fill } from '../../../../core/words/finding.ts';
import type { StatementDocument } from '../../port/format.ts';
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

function openLedger(flow: Flow): OpenTable<StatementLine> {
  const { statement, labels, words } = flow;
  const { openingBalance, openingReserved, entryCount } = statement.summary;
  const said = labels.ledger;
  const carried = { debit: 0, credit: 0, balance: openingBalance, reserved: openingReserved };
  const carry = (name: string): LongRow => {
    const figures = Object.values(carried).map((figure) => words.amount(figure));
    return { cells: ['', '', name, '', ...figures, ''], tone: 'strong' };
  };
  return openLongTable(flow, {
    table: LEDGER,
    titles: labels.ledgerColumns,
    count: entryCount,
    rowOf: (line: StatementLine, cells) => {
      const { debit, credit, balance, reserved, flags, isMemo, reservedMove } = line;
      Object.assign(carried, { debit: carried.debit + (debit ?? 0), credit: carried.credit + (credit ?? 0) });
      Object.assign(carried, { balance, reserved });
      const moved = isMemo ? ` ${reservedMove > 0 ? '+' : ''}${words.amount(reservedMove)}` : '';
      const kind = joined([...flags.map((flag) => `▲ ${said.flags[flag]}`), `${cells[2]!}${moved}`]);
      return { cells: cells.with(2, kind), tone: LEDGER.toneOf(line) };
    },
    carried: {
      above: (isFirst) => carry(isFirst ? said.opening : said.broughtForward),
      below: (isLast) => carry(isLast ? said.closing : said.carriedForward),
    },
  });
}
