// Sections 6 and 7: every line of the month, each page beginning with what was carried forward and ending with what is carried on,
// and every operation that was created, ended or reversed in it. A list too long for paper is only named.

import { invariant } from '../../../../core/domain/invariant.ts';
import { hasOperations } from '../../../../core/statements/statement.ts';
import type { StatementLine, StatementOperation } from '../../../../core/statements/statement-line.ts';
import { LEDGER, OPERATIONS } from '../../../../core/statements/tables/ledger.ts';
import { fill } from '../../../../core/words/message.ts';
import type { StatementDocument } from '../../port/format.ts';
import { nameKind } from '../../port/kind-names.ts';
import { correctionBlocks } from '../../tables/open-items.ts';
import { drawHeading, drawParagraph, type Flow } from '../page/flow.ts';
import { joined, type LongRow, type OpenTable, openLongTable } from '../page/long-table.ts';
import { drawBlocks, drawNote } from '../page/tables.ts';

type Streams = Pick<StatementDocument, 'lines' | 'operations'>;

/** `streams` null: the pages are turned without a line of them. */
export async function* drawLedger(flow: Flow, streams: Streams | null): AsyncGenerator<void> {
  const { entryCount: count } = flow.statement.summary;
  const stream = streams?.lines() ?? null;
  yield* drawLong(flow, { count, said: flow.labels.ledger, open: openLedger, stream });
  if (count === 0) drawNote(flow, flow.labels.ledger.empty);
  drawBlocks(flow, correctionBlocks(flow));
}

/** `streams` null: the pages are turned without one of them. */
export async function* drawOperations(flow: Flow, streams: Streams | null): AsyncGenerator<void> {
  const { labels, statement } = flow;
  const { count } = statement.operations;
  const stream = streams?.operations() ?? null;
  yield* drawLong(flow, { count, said: labels.monthOperations, open: openOperations, stream });
  if (count > 0) return;
  drawNote(flow, hasOperations(statement) ? labels.monthOperations.empty : labels.document.operationsUnread);
}

interface LongList<Row> {
  readonly count: number;
  readonly said: Readonly<Record<'heading' | 'note' | 'tooLong', string>>;
  readonly open: (flow: Flow) => OpenTable<Row>;
  readonly stream: AsyncIterable<readonly Row[]> | null;
}

/** Yields after each batch, so that what was drawn can be taken away. Throws when there are more or fewer rows than stated. */
async function* drawLong<Row>(flow: Flow, { count, said, open, stream }: LongList<Row>): AsyncGenerator<void> {
  const { words, layout } = flow;
  const most = layout.ledger.mostLines;
  drawHeading(flow, said.heading);
  if (count > most) {
    drawParagraph(flow, fill(said.tooLong, { count: words.amount(count), most: words.amount(most) }));
    return;
  }
  drawParagraph(flow, said.note, { tone: 'muted', size: layout.sizes.note });
  const table = open(flow);
  if (stream === null) for (let row = 0; row < count; row++) table.add(null);
  else {
    let seen = 0;
    for await (const batch of stream) {
      for (const row of batch) table.add(row);
      seen += batch.length;
      yield;
    }
    invariant(seen === count, 'a statement counts as many rows as stream beside it');
  }
  table.finish();
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

function openOperations(flow: Flow): OpenTable<StatementOperation> {
  const { labels, statement } = flow;
  const said = labels.monthOperations;
  return openLongTable(flow, {
    table: OPERATIONS,
    titles: said.columns,
    details: { title: said.details, under: 0 },
    count: statement.operations.count,
    rowOf: (operation: StatementOperation, cells): LongRow => {
      const { operator, counterpartyName, counterpartyNumber, externalReference, description } = operation;
      return {
        cells,
        whole: joined([operator, counterpartyName, counterpartyNumber, externalReference]),
        rest: description ?? '',
        tone: OPERATIONS.toneOf(operation),
      };
    },
    carried: null,
  });
}
