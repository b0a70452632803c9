// Refused rows in the mirror: which were refused, which of them still stand, and which were repaired since. Refuses to
// forget: a repaired row keeps its record, and may come to stand again.

import type pg from 'pg';
import type { BookPart, RejectedRow } from '../../domain/snapshot.ts';
import { askTogether } from '../../together/ask-together.ts';
import { digestOf, storableJson, storableNullable, storableText } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';
import type { PageHead } from './page-head.ts';

/** What a reading that went to its end has read again: refused rows that it did not meet are repaired, or missed. */
export interface Reread {
  /** Number of the newest page that was stored before the reading began. */
  readonly beganAfter: number;
  /** Every part was read from its first row on. Else: lines from some place on, operations as asked, profile and wallet. */
  readonly whole: boolean;
  /** Operations that were asked for one by one, where the reading was not whole. */
  readonly references: readonly string[];
  /** Digests of all rows that the reading refused. */
  readonly refused: ReadonlySet<string>;
}

/** The refused rows that stand, as far as they say from where a later reading must read. */
export interface StandingRefusals {
  /** Some row has no name that could be asked for, or that of a sound line, or was missed where it should have been. */
  readonly needsWhole: boolean;
  /** Lowest sequence of a refused line; null when there is none. */
  readonly lowestSequence: number | null;
  readonly references: readonly string[];
}

/** The last change of `r`, where there is any: null as long as it was refused once and never looked for again. */
const LAST_CHANGE = `(
      select c.change
      from rejected_row_changes c
      where c.merchant_id = r.merchant_id and c.digest = r.digest
      order by c.intake desc
      limit 1
    )`;

const STANDS = `coalesce(${LAST_CHANGE}, 'refused') <> 'repaired'`;

/** Equal for a row refused at the same place for the same reason with the same content. What the reason is made of adds nothing. */
export function digestOfRejected(row: RejectedRow): string {
  return digestOf(Object.values(storable(row)));
}

/** The same row refused again adds nothing, unless it had been repaired or missed meanwhile. */
export async function saveRejected(
  client: pg.ClientBase,
  head: PageHead,
  rejected: readonly RejectedRow[],
): Promise<void> {
  if (rejected.length === 0) return;
  const rows = rejected.map(storable);
  const digests = rejected.map(digestOfRejected);
  await client.query(
    `insert into rejected_rows (merchant_id, intake, digest, part, place, reason, refusal, sequence, reference, raw)
    select $1, $2, r.digest, r.part, r.place, r.reason, r.refusal, r.sequence, r.reference, r.raw
    from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::jsonb[], $8::bigint[], $9::text[], $10::text[])
      as r (digest, part, place, reason, refusal, sequence, reference, raw)
    on conflict (merchant_id, digest) do nothing`,
    [
      head.merchantId,
      head.intake,
      digests,
      rows.map((row) => row.part),
      rows.map((row) => row.place),
      rows.map((row) => row.reason),
      rejected.map(({ refusal }) => (refusal === null ? null : storableJson(refusal))),
      rows.map((row) => row.sequence),
      rows.map((row) => row.reference),
      rows.map((row) => row.raw),
    ],
  );
  await client.query(
    `insert into rejected_row_changes (merchant_id, digest, intake, change)
    select r.merchant_id, r.digest, $2, 'refused'
    from rejected_rows r
    where r.merchant_id = $1 and r.digest = any ($3::text[]) and ${LAST_CHANGE} in ('repaired', 'missed')`,
    [head.merchantId, head.intake, digests],
  );
}

/** Numbers of those merchants of which a row was ever refused. */
export async function findRejected(
  client: pg.ClientBase,
  merchantIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const answer = await client.query<{ merchant_id: number }>({
    name: 'ever rejected',
    text: `select h.merchant_id
    from merchant_heads h
    where h.merchant_id = any ($1::bigint[])
      and exists (select 1 from rejected_rows r where r.merchant_id = h.merchant_id)`,
    values: [merchantIds],
  });
  return new Set(answer.rows.map((row) => row.merchant_id));
}

/**
 * Notes what became of the rows that stood before a reading and were not refused by it. A line that was read on from
 * somewhere below counts as repaired only where a sound line was stored under its sequence: it may have stood elsewhere.
 */
export async function saveReread(client: pg.ClientBase, head: PageHead, reread: Reread): Promise<void> {
  await client.query(
    `insert into rejected_row_changes (merchant_id, digest, intake, change)
    select r.merchant_id, r.digest, $2, case when r.is_repaired then 'repaired' else 'missed' end
    from (
      select r.merchant_id, r.digest, coalesce(${LAST_CHANGE}, 'refused') as last_change,
        $3::boolean
        or r.part in ('merchant', 'wallet')
        or r.part = 'operations' and r.reference = any ($4::text[])
        or r.part = 'ledger' and exists (
          select 1
          from entries e
          where e.merchant_id = r.merchant_id and e.sequence = r.sequence and e.intake > $5
        ) as is_repaired
      from rejected_rows r
      where r.merchant_id = $1 and not r.digest = any ($6::text[])
    ) r
    where r.last_change <> 'repaired' and (r.is_repaired or r.last_change <> 'missed')`,
    [head.merchantId, head.intake, reread.whole, reread.references, reread.beganAfter, [...reread.refused]],
  );
}

/** In the order in which they were first refused; at most `limit`. */
export async function loadRejected(
  client: pg.ClientBase,
  of: { readonly merchantId: number; readonly limit: number },
): Promise<readonly RejectedRow[]> {
  const answer = await client.query<RejectedRow & { part: BookPart }>({
    name: 'rejected rows',
    text: `select part, place, reason, refusal, sequence, reference, raw
    from rejected_rows r
    where merchant_id = $1 and ${STANDS}
    order by intake, part, place, digest
    limit $2`,
    values: [of.merchantId, of.limit],
  });
  return answer.rows;
}

interface RefusalsRow {
  readonly merchant: string;
  readonly whole: boolean;
  readonly lowest: number | null;
  readonly references: readonly string[];
}

const NONE_STANDS: StandingRefusals = { needsWhole: false, lowestSequence: null, references: [] };

export const loadStandingRefusals = askTogether<string, StandingRefusals, Store>(async ({ pool }, merchants) => {
  const answer = await pool.query<RefusalsRow>({
    name: 'standing refusals',
    text: `select s.merchant, coalesce(bool_or(s.needs_whole), false) as whole,
      min(s.sequence) filter (where s.part = 'ledger') as lowest,
      coalesce(array_agg(distinct s.reference) filter (where s.part = 'operations' and s.reference is not null), '{}')
        as references
    from (
      select m.reference as merchant, r.part, r.sequence, r.reference,
        ${LAST_CHANGE} is not distinct from 'missed'
        or case r.part
          when 'ledger' then r.sequence is null or exists (
            select 1
            from entries e
            where e.merchant_id = r.merchant_id and e.sequence = r.sequence
          )
          when 'operations' then r.reference is null
          else r.part not in ('merchant', 'wallet')
        end as needs_whole
      from merchants m
      join rejected_rows r on r.merchant_id = m.merchant_id
      where m.reference = any ($1::text[]) and ${STANDS}
    ) s
    group by s.merchant`,
    values: [merchants],
  });
  const standing = new Map(answer.rows.map((row) => [row.merchant, row]));
  return merchants.map((merchant) => {
    const row = standing.get(merchant);
    if (row === undefined) return NONE_STANDS;
    return { needsWhole: row.whole, lowestSequence: row.lowest, references: row.references };
  });
});

function storable(row: RejectedRow) {
  return {
    part: row.part,
    place: storableText(row.place),
    reason: storableText(row.reason),
    sequence: row.sequence,
    reference: storableNullable(row.reference),
    raw: storableText(row.raw),
  };
}
