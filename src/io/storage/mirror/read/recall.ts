// Loads single lines and operations that are needed again after the streams have passed. Refuses
// nothing: rows that are not stored are left out.

import { type RawBuilder, sql } from 'kysely';
import type pg from 'pg';
import { ENTRY_TABLE } from '../../../../core/domain/rows/entry-fields.ts';
import { DESCRIBED_TABLE, OPERATION_TABLE } from '../../../../core/domain/rows/operation-fields.ts';
import type { RowTable } from '../../../../core/domain/rows/row-table.ts';
import type {
  OperationVersion,
  Recall,
  Recalled,
  RecalledEntry,
} from '../../../../core/domain/snapshot.ts';
import { isJudged, type RereadState } from '../../merchants/judged-lines.ts';
import { anyOf, ask, build, by, columnsOf, prepare, type Slots, unnest } from '../../server/ask.ts';
import { entryOf, operationOf, readDescribed } from '../copy/rows.ts';
import type { MirrorScope } from './streams.ts';

interface RecallRequest {
  readonly scope: MirrorScope;
  readonly asked: Recall;
  /** True when operations are to have their texts. */
  readonly described: boolean;
}

/**
 * Loads the lines and operations asked for: lines by sequence, operations by createdAt, then
 * reference. `client` must see the reading's snapshot.
 */
export async function recallFrom(client: pg.ClientBase, request: RecallRequest): Promise<Recalled> {
  return {
    entries: await recallEntries(client, request),
    operations: await recallOperations(client, request),
  };
}

/**
 * Loads lines, each with the figures of the line before it: the last line with a lower sequence. Of
 * two contents under one sequence, neither is before the other.
 */
async function recallEntries(
  client: pg.ClientBase,
  request: RecallRequest,
): Promise<readonly RecalledEntry[]> {
  const { scope, asked } = request;
  if (asked.references.size === 0 && asked.entryIds.size === 0) return [];
  const { merchantId } = scope;
  const named: NamedEntries = {
    merchantId,
    references: [...asked.references],
    ids: [...asked.entryIds],
  };
  const recalled = scope.hasVariants
    ? judgedEntries((name) => named[name], scope)
    : recalledEntries(named);
  const { rows } = await ask(client, recalled);
  return rows.map((record) => ({ entry: entryOf(record), before: figuresBefore(record) }));
}

interface NamedEntries {
  readonly merchantId: number;
  readonly references: readonly string[];
  readonly ids: readonly string[];
}

const recalledEntries = prepare(null, (at: Slots<NamedEntries>) => judgedEntries(at, null));

/**
 * Selects the judged lines that name one of the references or have one of the ids. `scope` is
 * `null` when every sequence has one content only.
 */
function judgedEntries(at: Slots<NamedEntries>, scope: MirrorScope | null) {
  const merchantId = at('merchantId');
  const named = build
    .selectFrom('entries')
    .selectAll('entries')
    .where(({ and }) =>
      and({ merchant_id: merchantId, operation_reference: anyOf('text', at('references')) }),
    );
  const identified = build
    .selectFrom(unnest('asked', { id: ['text', at('ids')] }))
    .innerJoin('entries', (join) =>
      join.on(
        sql`hashtextextended(entry_id, merchant_id)`,
        '=',
        sql`hashtextextended(asked.id, ${merchantId})`,
      ),
    )
    .selectAll('entries')
    .where('entries.merchant_id', '=', merchantId)
    .whereRef('entries.entry_id', '=', 'asked.id');
  return build
    .selectFrom(named.union(identified).as('e'))
    .leftJoinLateral(lineBefore(merchantId, scope).as('b'), (join) => join.onTrue())
    .select([...columnsOf(ENTRY_TABLE, 'e'), ...FIGURES_BEFORE])
    .$if(scope !== null, (lines) => lines.where(isJudged(scope!, 'e')))
    .$call(by('e.sequence', 'e.variant'));
}

/**
 * Selects the judged line before the query's line `e`, to be joined laterally as `b`. `scope` is as
 * in `judgedEntries`.
 */
export function lineBefore(merchantId: number, scope: RereadState | null) {
  return build
    .selectFrom('entries as p')
    .select(['p.sequence', 'p.balance_after', 'p.reserved_after'])
    .where('p.merchant_id', '=', merchantId)
    .where('p.sequence', '<', sql.ref<number>('e.sequence'))
    .$if(scope !== null, (before) => before.where(isJudged(scope!, 'p')))
    .$call(by('p.sequence desc', 'p.variant desc'))
    .limit(1);
}

/** The columns that `figuresBefore` reads. */
export const FIGURES_BEFORE = [
  'b.sequence as before_sequence',
  'b.balance_after as before_balance',
  'b.reserved_after as before_reserved',
] as const;

export function figuresBefore(record: Readonly<Record<string, unknown>>): RecalledEntry['before'] {
  const { before_sequence: sequence, before_balance: balance, before_reserved: reserved } = record;
  if (sequence === null) return null;
  return { sequence: sequence as number, balance: balance as number, reserved: reserved as number };
}

export async function recallOperations(
  client: pg.ClientBase,
  request: RecallRequest,
): Promise<readonly OperationVersion[]> {
  const { scope, asked, described } = request;
  if (asked.references.size === 0 && asked.externalReferences.size === 0) return [];
  const recalled = described ? describedOperations : judgedOperations;
  const { rows } = await ask(
    client,
    recalled({
      merchantId: scope.merchantId,
      references: [...asked.references],
      externalReferences: [...asked.externalReferences],
      // Without a checkpoint no version was replayed before, and 0 finds none, because pages count
      // from 1.
      afterIntake: scope.afterIntake ?? 0,
    }),
  );
  return rows.map((record: Readonly<Record<string, unknown>>) => ({
    operation: described ? readDescribed(record) : operationOf(record),
    previous: record.previous_reference === null ? null : operationOf(record, 'previous_'),
  }));
}

interface NamedOperations {
  readonly merchantId: number;
  readonly references: readonly string[];
  readonly externalReferences: readonly string[];
  readonly afterIntake: number;
}

const judgedOperations = prepare(null, (at: Slots<NamedOperations>) =>
  recalledOperations(at, OPERATION_TABLE),
);
const describedOperations = prepare(null, (at: Slots<NamedOperations>) =>
  recalledOperations(at, DESCRIBED_TABLE),
);

function recalledOperations<Row>(at: Slots<NamedOperations>, table: RowTable<Row>) {
  const merchantId = at('merchantId');
  const [references, externalReferences] = [at('references'), at('externalReferences')];
  const named = build
    .selectFrom(unnest('asked', { reference: ['text', references] }))
    .select('asked.reference');
  const known = build
    .selectFrom(unnest('asked', { external_reference: ['text', externalReferences] }))
    .innerJoin('operation_versions as c', (join) =>
      join.on(
        sql`hashtextextended(c.external_reference, c.merchant_id)`,
        '=',
        sql`hashtextextended(asked.external_reference, ${merchantId})`,
      ),
    )
    .select('c.reference')
    .where('c.merchant_id', '=', merchantId)
    .whereRef('c.external_reference', '=', 'asked.external_reference');
  return build
    .selectFrom(named.union(known).as('wanted'))
    .crossJoinLateral(newestVersion(merchantId).as('n'))
    .leftJoinLateral(newestVersion(merchantId, { intake: at('afterIntake') }).as('p'), (join) =>
      join.onTrue(),
    )
    .select([...columnsOf(table, 'n'), ...columnsOf(OPERATION_TABLE, 'p', 'previous_')])
    .where(({ eb, or }) =>
      or([
        eb('n.reference', '=', anyOf('text', references)),
        eb('n.external_reference', '=', anyOf('text', externalReferences)),
      ]),
    )
    .$call(by('n.created_at', 'n.reference'));
}

/**
 * Selects the newest version of an operation, to be joined laterally. The operation is
 * `wanted.reference` unless another is given. With `intake`, only versions from pages up to
 * `intake` count.
 */
export function newestVersion(
  merchantId: number | RawBuilder<number>,
  {
    reference = sql.ref<string>('wanted.reference'),
    intake = null,
  }: { readonly reference?: RawBuilder<string>; readonly intake?: number | null } = {},
) {
  return build
    .selectFrom('operation_versions as v')
    .selectAll('v')
    .where('v.merchant_id', '=', merchantId)
    .where('v.reference', '=', reference)
    .$if(intake !== null, (versions) => versions.where('v.intake', '<=', intake!))
    .orderBy('v.version', 'desc')
    .limit(1);
}
