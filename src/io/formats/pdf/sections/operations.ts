// The operations of the month, one row each, from the opening balance to the closing: what came in
// or went out, its commission, the balance after. Below them those that moved nothing, without
// figures that look moved.

import { invariant } from '../../../../core/domain/invariant.ts';
import { valueIn } from '../../../../core/domain/value-in.ts';
import {
  beginRowFold,
  beginRowPlan,
  foldLine,
  planRow,
  type RowPlan,
} from '../../../../core/statements/operation-rows.ts';
import { hasOperations } from '../../../../core/statements/statement.ts';
import type { StatementLine } from '../../../../core/statements/statement-line.ts';
import type { StatusCounts } from '../../../../core/statements/summary.ts';
import {
  IDLE_OPERATIONS,
  type IdleRow,
  LEDGER,
  OPERATION_ROWS,
  type WordedRow,
} from '../../../../core/statements/tables/ledger.ts';
import { fill } from '../../../../core/words/finding.ts';
import type { StatementDocument } from '../../port/format.ts';
import { correctionBlocks } from '../../tables/open-items.ts';
import { drawParagraph, drawSubheading, type Flow } from '../page/flow.ts';
import {
  drawRows,
  joined,
  type LongRow,
  type OpenTable,
  openLongTable,
  type RowLines,
} from '../page/long-table.ts';
import { drawBlocks, drawNote } from '../page/tables.ts';

type Status = keyof StatusCounts;

/** Operations that moved nothing, in a row. */
const ABREAST = 3;

/** What must be known of the operations before the first is drawn. */
export interface OperationPlan {
  readonly rows: RowPlan;
  readonly count: number;
  /** Of operations with a row that have not simply succeeded. */
  readonly states: ReadonlyMap<string, Status>;
  /** Of those without a row. */
  readonly idle: ReadonlyMap<Status, { count: number; amount: number }>;
}

/**
 * Reads lines and operations once; holds a few numbers of each operation. Null: there are more than
 * `most`.
 */
export async function planOperations(
  document: StatementDocument,
  most: number,
): Promise<OperationPlan | null> {
  const { operations, summary } = document.statement;
  if ((hasOperations(document.statement) ? operations.count : summary.entryCount) > most)
    return null;
  const planner = beginRowPlan();
  for await (const batch of document.lines()) for (const line of batch) planRow(planner, line);
  const states = new Map<string, Status>();
  const idle = new Map<Status, { count: number; amount: number }>();
  for await (const batch of document.operations()) {
    for (const { reference, status, amount } of batch) {
      if (planner.plan.has(reference)) {
        if (status !== 'SUCCEEDED') states.set(reference, status);
        continue;
      }
      const sums = valueIn(idle, status, () => ({ count: 0, amount: 0 }));
      sums.count += 1;
      sums.amount += amount;
    }
  }
  return { rows: planner.plan, count: planner.rows, states, idle };
}

/** What long lists are drawn from. */
export interface ListSource {
  readonly document: StatementDocument;
  /** Whether only pages are counted. */
  readonly isCounted: boolean;
  readonly known: RowLines;
}

/** `plan` is null where there are too many operations to list. */
export async function* drawOperations(
  flow: Flow,
  source: ListSource,
  plan: OperationPlan | null,
): AsyncGenerator<void> {
  const { labels, statement, words, layout } = flow;
  const said = labels.monthOperations;
  if (statement.months !== null) {
    const { count } = statement.operations;
    drawParagraph(flow, fill(said.ofYear, { count }, words.speech));
    return;
  }
  if (plan === null) {
    const most = words.amount(layout.ledger.mostLines);
    drawParagraph(
      flow,
      fill(said.tooLong, { count: words.amount(statement.operations.count), most }),
    );
    return;
  }
  drawParagraph(flow, said.rows, { tone: 'muted', size: layout.sizes.note });
  if (!hasOperations(statement)) drawNote(flow, labels.document.operationsUnread);
  yield* drawMoved(flow, source, plan);
  drawBlocks(flow, correctionBlocks(flow));
  yield* drawIdle(flow, source, plan);
}

async function* drawMoved(
  flow: Flow,
  source: ListSource,
  plan: OperationPlan,
): AsyncGenerator<void> {
  const { labels, statement } = flow;
  const { openingBalance, closingBalance, collected, disbursed, fees } = statement.summary;
  const said = labels.ledger;
  const carried = { gross: 0, commission: 0, net: 0 };
  const balance = (): number => openingBalance + carried.net;
  const carry = (name: string, figures: readonly number[]): LongRow => {
    const shown = figures.map((figure) => flow.words.amount(figure));
    return {
      cells: ['', '', name, '', '', ...['', '', ''].slice(shown.length - 1), ...shown],
      tone: 'strong',
    };
  };
  const sums = (): readonly number[] => [carried.gross, carried.commission, carried.net, balance()];
  const table = openLongTable(flow, {
    table: OPERATION_ROWS,
    titles: { ...labels.ledgerColumns, ...labels.monthOperations.columns },
    count: plan.count,
    rowOf: (row: WordedRow, cells): LongRow => {
      carried.gross += row.gross ?? 0;
      carried.commission += row.commission ?? 0;
      carried.net += row.net;
      return { cells, tone: OPERATION_ROWS.toneOf(row) };
    },
    carried: {
      above: (isFirst) =>
        isFirst ? carry(said.opening, [openingBalance]) : carry(said.broughtForward, sums()),
      below: (isLast) => carry(isLast ? said.closing : said.carriedForward, sums()),
    },
  });
  yield* drawRows(table, {
    count: plan.count,
    stream: () => movedRows(flow, source.document, plan),
    ...named(flow, source, 'moved'),
  });
  if (source.isCounted) return;
  invariant(
    balance() === closingBalance,
    'the rows of operations lead from the opening balance to the closing',
  );
  invariant(
    carried.gross === collected - disbursed,
    'the rows of operations have what was collected and disbursed',
  );
  invariant(carried.commission === -fees, 'the rows of operations have all commissions');
}

async function* movedRows(
  { labels, statement, words }: Flow,
  { lines }: StatementDocument,
  { rows, states }: OperationPlan,
): AsyncGenerator<readonly WordedRow[]> {
  const fold = beginRowFold(rows, statement.summary.openingBalance);
  for await (const batch of lines()) {
    yield batch.flatMap((line): readonly WordedRow[] => {
      const row = foldLine(fold, line);
      if (row === null) return [];
      const { operationReference, counterpartyName, counterpartyNumber, kind, sequence, flags } =
        line;
      const isOther = row.gross === null && row.commission === null;
      const odd = [
        ...flags.map((flag) => labels.ledger.flags[flag]),
        ...(row.isAgain ? [labels.monthOperations.again] : []),
      ];
      const number =
        isOther || odd.length > 0
          ? `${labels.ledgerColumns.sequence} ${words.amount(sequence)}`
          : null;
      const state = isOther ? null : (states.get(operationReference ?? '') ?? null);
      const who = joined([
        number,
        ...odd.map((one) => `▲ ${one}`),
        isOther ? words.code('kind', kind) : null,
        state === null ? null : words.code('state', state),
        counterpartyName ?? counterpartyNumber,
      ]);
      return [{ ...row, who }];
    });
  }
}

async function* drawIdle(
  flow: Flow,
  source: ListSource,
  plan: OperationPlan,
): AsyncGenerator<void> {
  const { labels, words } = flow;
  const said = labels.monthOperations;
  const idle = plan.idle.entries().toArray();
  const total = idle.reduce((sum, [, { count }]) => sum + count, 0);
  if (total === 0) return;
  drawSubheading(flow, fill(said.idle, { count: total }, words.speech), 60);
  const counted = idle.map(([status, { count, amount: sum }]) =>
    fill(
      labels.document.counted,
      { name: labels.summary.status[status], count, sum },
      words.speech,
    ),
  );
  drawParagraph(flow, fill(said.idleNote, { list: counted.join(' · ') }), {
    tone: 'muted',
    size: flow.layout.sizes.note,
  });
  const count = Math.ceil(total / ABREAST);
  const table = openLongTable(flow, {
    table: IDLE_OPERATIONS,
    titles: said.columns,
    count,
    rowOf: (_: IdleRow, cells): LongRow => ({ cells, tone: 'muted' }),
    carried: null,
  });
  const stream = () => idleRows(source.document, plan);
  yield* drawRows(table, { count, stream, ...named(flow, source, 'idle') });
}

async function* idleRows(
  { operations }: StatementDocument,
  { rows }: OperationPlan,
): AsyncGenerator<readonly IdleRow[]> {
  let begun: IdleRow = [];
  for await (const batch of operations()) {
    const all = [...begun, ...batch.filter(({ reference }) => !rows.has(reference))];
    const whole = all.length - (all.length % ABREAST);
    begun = all.slice(whole);
    yield Array.from({ length: whole / ABREAST }, (_, i) =>
      all.slice(i * ABREAST, (i + 1) * ABREAST),
    );
  }
  if (begun.length > 0) yield [begun];
}

export async function* drawLedger(flow: Flow, source: ListSource): AsyncGenerator<void> {
  const { words, layout, labels, statement } = flow;
  const { entryCount: count } = statement.summary;
  const most = layout.ledger.mostLines;
  const said = labels.ledger;
  if (count > most) {
    drawParagraph(
      flow,
      fill(said.tooLong, { count: words.amount(count), most: words.amount(most) }),
    );
    return;
  }
  drawParagraph(flow, said.note, { tone: 'muted', size: layout.sizes.note });
  const stream = () => source.document.lines();
  yield* drawRows(openLedger(flow), { count, stream, ...named(flow, source, 'ledger') });
  if (count === 0) drawNote(flow, said.empty);
}

/** Lines of a row depend on the size of its letters, which differs by setting. */
const named = (
  { layout }: Flow,
  { isCounted, known }: ListSource,
  table: string,
): Pick<Parameters<typeof drawRows>[1], 'isCounted' | 'known' | 'name'> => ({
  isCounted,
  known,
  name: `${table} ${layout.sizes.ledger}`,
});

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
      Object.assign(carried, {
        debit: carried.debit + (debit ?? 0),
        credit: carried.credit + (credit ?? 0),
      });
      Object.assign(carried, { balance, reserved });
      const moved = isMemo ? ` ${reservedMove > 0 ? '+' : ''}${words.amount(reservedMove)}` : '';
      const kind = joined([
        ...flags.map((flag) => `▲ ${said.flags[flag]}`),
        `${cells[2]!}${moved}`,
      ]);
      return { cells: cells.with(2, kind), tone: LEDGER.toneOf(line) };
    },
    carried: {
      above: (isFirst) => carry(isFirst ? said.opening : said.broughtForward),
      below: (isLast) => carry(isLast ? said.closing : said.carriedForward),
    },
  });
}
