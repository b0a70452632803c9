// Tells late lines from altered ones. Altered are known lines with other content, and lines that
// appear between known ones. A new line between known ones is lawful when the figures around it
// lacked it, or when it could not be read before; then it is judged. All other contents are stored
// apart from the judged lines, and each run of them is one alteration. Reads little, because such
// lines are rare.

import { sql } from 'kysely';
import type pg from 'pg';
import { alterationOf, runsIn } from '../../../../core/domain/alteration.ts';
import type { LedgerEntry } from '../../../../core/domain/ledger-entry.ts';
import { ENTRY_TABLE } from '../../../../core/domain/rows/entry-fields.ts';
import { countMisfits } from '../../../../core/kernel/replay/choose-lines.ts';
import { isJudged } from '../../merchants/judged-lines.ts';
import { anyOf, ask, build, columnsOf, unnest } from '../../server/ask.ts';
import { type EntryRow, entryOf } from '../copy/rows.ts';
import type { PageHead } from '../rejected-rows.ts';
import type { NewAlteration } from './save-alterations.ts';

/**
 * The lines of a page under one sequence that an earlier reading served otherwise, or should have
 * served and did not.
 */
export interface Doubted {
  readonly sequence: number;
  /** The line as it was first read; `null` when it was not there. */
  readonly before: LedgerEntry | null;
  /** The new contents, with variants as for lines that are stored apart. */
  readonly news: readonly EntryRow[];
  /** The first variant that a judged line under this sequence has. */
  readonly firstJudged: number;
  /** True when nothing was stored under this sequence. */
  readonly isNew: boolean;
}

export interface SettledLines {
  readonly judged: readonly EntryRow[];
  readonly apart: readonly EntryRow[];
  /** The number of lines in `apart` that are the first content of their sequence. */
  readonly firstContents: number;
  readonly alterations: readonly NewAlteration[];
}

export const NOTHING_DOUBTED: SettledLines = {
  judged: [],
  apart: [],
  firstContents: 0,
  alterations: [],
};

interface DoubtedPage {
  /** Sorted by sequence. */
  readonly doubted: readonly Doubted[];
  /** All lines of the page, by sequence. */
  readonly served: readonly LedgerEntry[];
}

export async function settleDoubted(
  client: pg.ClientBase,
  head: PageHead,
  page: DoubtedPage,
): Promise<SettledLines> {
  const { doubted } = page;
  const around = await loadAround(client, head, doubted);
  const lawful = await findLawful(client, head, { doubted, around });
  const apart = doubted.filter(({ sequence }) => !lawful.has(sequence));
  const late = doubted.filter(({ sequence }) => lawful.get(sequence) === 'late');
  const moved = await loadMoved(client, head, apart);
  const served = new Map(page.served.map(({ id, sequence }) => [id, sequence]));
  const end = Math.min(page.served.at(-1)!.sequence, head.lastSequence ?? 0);
  const alterationFrom = (run: readonly Doubted[], fillsGap: boolean): NewAlteration => {
    const { sequence } = run[0]!;
    const before = around.get(sequence)?.before ?? null;
    return {
      ...alterationOf(
        run.map(({ sequence, before, news }) => ({ sequence, before, now: news[0]!.entry })),
        {
          from: { balance: before?.balanceAfter ?? 0, reserved: before?.reservedAfter ?? 0 },
          isServedLater: (id) => (served.get(id) ?? sequence) > sequence,
          wasReadLater: (id) => (moved.get(id) ?? sequence) > sequence,
          fillsGap,
          isAtEnd: run.at(-1)!.sequence >= end,
        },
      ),
      afterSequence: before?.sequence ?? null,
    };
  };
  const sequences = page.served.map(({ sequence }) => sequence);
  return {
    judged: doubted.flatMap(({ sequence, news, firstJudged }) =>
      lawful.has(sequence) ? news.map((row, i) => ({ ...row, variant: firstJudged + i })) : [],
    ),
    apart: apart.flatMap(({ news }) => news),
    firstContents: apart.filter(({ isNew }) => isNew).length,
    alterations: [
      ...runsIn(apart, sequences).map((run) => alterationFrom(run, false)),
      ...runsIn(late, sequences).map((run) => alterationFrom(run, true)),
    ],
  };
}

type Around = Readonly<Record<'before' | 'after', LedgerEntry | null>>;

/**
 * Finds the new lines that are lawful, by sequence. `late` lines fill a gap in the figures and are
 * reported; `repaired` lines were refused before. A sequence that is absent is altered.
 */
async function findLawful(
  client: pg.ClientBase,
  head: PageHead,
  {
    doubted,
    around,
  }: { readonly doubted: readonly Doubted[]; readonly around: ReadonlyMap<number, Around> },
): Promise<ReadonlyMap<number, 'late' | 'repaired'>> {
  const lawful = new Map<number, 'late' | 'repaired'>();
  const late = doubted.filter(({ before }) => before === null);
  if (late.length === 0) return lawful;
  const refused = await loadRefused(client, head, late);
  const blocks = Map.groupBy(
    late,
    ({ sequence }) => around.get(sequence)?.before?.sequence ?? null,
  );
  for (const block of blocks.values()) {
    const { before, after } = around.get(block[0]!.sequence)!;
    const from =
      before === null
        ? null
        : { sequence: 0, balance: before.balanceAfter, reserved: before.reservedAfter };
    const lines = block.map(({ news }) => news[0]!.entry);
    const fillsGap = countMisfits(from, lines, after) <= countMisfits(from, [], after);
    for (const { sequence } of block) {
      if (refused.has(sequence) || (fillsGap && refused.has(null)))
        lawful.set(sequence, 'repaired');
      else if (fillsGap) lawful.set(sequence, 'late');
    }
  }
  return lawful;
}

/** Loads, for each of these sequences, the judged line before it and the one after it. */
async function loadAround(
  client: pg.ClientBase,
  head: PageHead,
  doubted: readonly Doubted[],
): Promise<ReadonlyMap<number, Around>> {
  const load = build
    .selectFrom(unnest('asked', { sequence: ['bigint', doubted.map(({ sequence }) => sequence)] }))
    .leftJoinLateral(neighbour(head, '<', 'desc').as('b'), (join) => join.onTrue())
    .leftJoinLateral(neighbour(head, '>', 'asc').as('a'), (join) => join.onTrue())
    .select([
      'asked.sequence as at',
      ...columnsOf(ENTRY_TABLE, 'b', 'before_'),
      ...columnsOf(ENTRY_TABLE, 'a', 'after_'),
    ]);
  const { rows } = await ask(client, load);
  return new Map(
    rows.map((record: Readonly<Record<string, unknown>>) => [
      record.at as number,
      {
        before: record.before_sequence === null ? null : entryOf(record, 'before_'),
        after: record.after_sequence === null ? null : entryOf(record, 'after_'),
      },
    ]),
  );
}

/** Selects the judged line before or after `asked.sequence`, to be joined laterally. */
function neighbour(head: PageHead, side: '<' | '>', order: 'asc' | 'desc') {
  return build
    .selectFrom('entries as p')
    .selectAll('p')
    .where('p.merchant_id', '=', head.merchantId)
    .where('p.sequence', side, sql.ref<number>('asked.sequence'))
    .where(isJudged(head, 'p'))
    .orderBy('p.sequence', order)
    .orderBy('p.variant', order)
    .limit(1);
}

/**
 * Returns those of these sequences under which a row was refused. `null` is among them when some
 * row could not even be given a sequence.
 */
async function loadRefused(
  client: pg.ClientBase,
  head: PageHead,
  late: readonly Doubted[],
): Promise<ReadonlySet<number | null>> {
  const sequences = late.map(({ sequence }) => sequence);
  const load = build
    .selectFrom('rejected_rows')
    .select('sequence')
    .distinct()
    .where(({ and }) => and({ merchant_id: head.merchantId, part: sql.lit('ledger') }))
    .where(({ eb, or }) =>
      or([eb('sequence', 'is', null), eb('sequence', '=', anyOf('bigint', sequences))]),
    );
  return new Set((await ask(client, load)).rows.map(({ sequence }) => sequence));
}

/**
 * For lines that are now served with another id than was read under their sequence: returns, by the
 * new id, the highest sequence under which that id was ever read.
 */
async function loadMoved(
  client: pg.ClientBase,
  { merchantId }: PageHead,
  apart: readonly Doubted[],
): Promise<ReadonlyMap<string, number>> {
  const ids = apart.flatMap(({ before, news }) => {
    const { id } = news[0]!.entry;
    return before === null || before.id === id ? [] : [id];
  });
  if (ids.length === 0) return new Map();
  const load = build
    .selectFrom(unnest('asked', { id: ['text', ids] }))
    .innerJoin('entries as e', (join) =>
      join.on(
        sql`hashtextextended(e.entry_id, e.merchant_id)`,
        '=',
        sql`hashtextextended(asked.id, ${merchantId})`,
      ),
    )
    .select(({ fn }) => ['asked.id', fn.max('e.sequence').as('sequence')])
    .where('e.merchant_id', '=', merchantId)
    .where('e.variant', '>=', 0)
    .whereRef('e.entry_id', '=', 'asked.id')
    .groupBy('asked.id');
  return new Map(
    (await ask(client, load)).rows.map(({ id, sequence }) => [id as string, sequence as number]),
  );
}
