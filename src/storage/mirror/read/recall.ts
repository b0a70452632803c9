// Brings back single lines and operations after the streams have passed. Refuses nothing; what is not stored is left out.

import type pg from 'pg';
import type { OperationVersion, Recall, Recalled, RecalledEntry } from '../../../domain/snapshot.ts';
import { entryOf, WHOLE_ENTRY } from '../copy/entry-rows.ts';
import {
  describedColumns,
  operationColumns,
  operationOf,
  readDescribed,
  renamedColumns,
} from '../copy/operation-rows.ts';
import type { MirrorScope } from './mirror-scope.ts';

interface RecallRequest {
  readonly scope: MirrorScope;
  readonly asked: Recall;
  /** Operations come with their texts. */
  readonly described: boolean;
}

/** Lines by sequence, operations by createdAt then reference. `client` sees the reading's snapshot. */
export async function recallFrom(client: pg.ClientBase, request: RecallRequest): Promise<Recalled> {
  return { entries: await recallEntries(client, request), operations: await recallOperations(client, request) };
}

/** The line before a line is the last one of a lower sequence: of two contents under one, neither is before the other. */
async function recallEntries(client: pg.ClientBase, request: RecallRequest): Promise<readonly RecalledEntry[]> {
  const { scope, asked } = request;
  if (asked.references.size === 0 && asked.entryIds.size === 0) return [];
  const answer = await client.query<Record<string, unknown>>(
    `select e.*, b.sequence as before_sequence, b.balance_after as before_balance, b.reserved_after as before_reserved
    from (
      select ${WHOLE_ENTRY}, variant
      from entries
      where merchant_id = $1 and operation_reference = any ($2::text[])
      union
      select ${WHOLE_ENTRY}, variant
      from unnest($3::text[]) as asked (id)
      join entries on hashtextextended(entry_id, merchant_id) = hashtextextended(asked.id, $1)
      where merchant_id = $1 and entry_id = asked.id
    ) e
    left join lateral (
      select p.sequence, p.balance_after, p.reserved_after
      from entries p
      where p.merchant_id = $1 and p.sequence < e.sequence
      order by p.sequence desc, p.variant desc
      limit 1
    ) b on true
    order by e.sequence, e.variant`,
    [scope.merchantId, [...asked.references], [...asked.entryIds]],
  );
  return answer.rows.map((record) => ({ entry: entryOf(record), before: figuresBefore(record) }));
}

function figuresBefore(record: Readonly<Record<string, unknown>>): RecalledEntry['before'] {
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
  const answer = await client.query<Record<string, unknown>>(
    `select ${described ? describedColumns('n') : operationColumns('n')}, ${renamedColumns('p', 'previous_')}
    from (
      select unnest($2::text[]) as reference
      union
      select c.reference
      from unnest($3::text[]) as asked (external_reference)
      join operation_versions c
        on hashtextextended(c.external_reference, c.merchant_id) = hashtextextended(asked.external_reference, $1)
      where c.merchant_id = $1 and c.external_reference = asked.external_reference
    ) wanted
    cross join lateral (
      select v.*
      from operation_versions v
      where v.merchant_id = $1 and v.reference = wanted.reference
      order by v.version desc
      limit 1
    ) n
    left join lateral (
      select v.*
      from operation_versions v
      where v.merchant_id = $1 and v.reference = wanted.reference and v.intake <= $4
      order by v.version desc
      limit 1
    ) p on true
    where n.reference = any ($2::text[]) or n.external_reference = any ($3::text[])
    order by n.created_at, n.reference`,
    // Without a checkpoint nothing was replayed before, and no page has a number below 1.
    [scope.merchantId, [...asked.references], [...asked.externalReferences], scope.afterIntake ?? 0],
  );
  return answer.rows.map((record) => ({
    operation: described ? readDescribed(record) : operationOf(record),
    previous: record.previous_reference === null ? null : operationOf(record, 'previous_'),
  }));
}
