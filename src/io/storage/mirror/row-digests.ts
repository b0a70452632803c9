// Digests over all rows but lines, which have their hash chain. A digest is written in the
// transaction of its rows, and can be compared with the rows as they are stored. Refuses to give
// rows that were changed a digest that fits them. Its SQL is text, because the views of
// `sql/migrations` have no types.

import { type RawBuilder, sql } from 'kysely';
import type pg from 'pg';
import type { Database } from '../../../../sql/tables.d.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import { type Answer, anyOf, ask, build, type Queries } from '../server/ask.ts';

/**
 * The digest over the texts of one part and page, for a query over `row_texts` or a similar view
 * that is grouped by them.
 */
const DIGEST = sql`sha256(convert_to(string_agg(text, e'\\n' order by text collate "C"), 'UTF8'))`;

interface DigestedRows {
  readonly merchantId: number;
  readonly page: number;
  /** Tables to which the page brought rows. */
  readonly parts: readonly (keyof Database)[];
}

/** Writes the digests of a page's rows. Must run in the transaction that writes the rows. */
export async function digestRows(
  queries: Queries,
  { merchantId, page, parts }: DigestedRows,
): Promise<void> {
  if (parts.length === 0) return;
  const of = sql`row_texts where merchant_id = ${merchantId} and part = ${anyOf('text', parts)} and page = ${page}`;
  await add(
    queries,
    of,
    sql`on conflict (merchant_id, part, page) do update set digest = excluded.digest`,
  );
}

/**
 * Writes the digest of a closed month. Must run in the transaction that closes the month. The
 * month's end serves as the page, because no other month ends there.
 */
export async function digestClosing(
  queries: Queries,
  merchantId: number,
  end: Instant,
): Promise<void> {
  await add(queries, sql`closing_texts where merchant_id = ${merchantId} and page = ${end}`);
}

/**
 * Writes the digest of a notification. Must run in the transaction that stores it. The fields of
 * `of` together must be unique among the merchant's notifications.
 */
export async function digestNotification(
  queries: Queries,
  merchantId: number,
  of: { readonly channel: string; readonly eventId: string; readonly variant: number },
): Promise<void> {
  const page = sql`page_of_notification(${of.channel}, ${of.eventId}, ${of.variant})`;
  await add(queries, sql`notification_texts where merchant_id = ${merchantId} and page = ${page}`);
}

/**
 * Adds digests. `texts` is the view with a condition on its rows, for example `row_texts where …`.
 */
async function add(queries: Queries, texts: RawBuilder<unknown>, onTaken = sql``): Promise<void> {
  const insert = sql`insert into row_digests (merchant_id, part, page, digest)
    select merchant_id, part, page, ${DIGEST}
    from ${texts}
    group by merchant_id, part, page
    ${onTaken}`;
  await send(queries, insert);
}

/**
 * Changes a merchant's rows of `merchant_heads` and `line_watches` and writes their new digests.
 * Must run in a transaction. If a row was not as it had been written, its digest becomes empty and
 * never fits again.
 */
export async function changeState<T>(
  client: pg.ClientBase,
  merchantId: number,
  change: () => Promise<T>,
): Promise<T> {
  // This is an insert with `on conflict`, because Citus refuses `convert_to` of columns in an
  // update.
  const check = sql`insert into row_digests (merchant_id, part, page, digest)
    select d.merchant_id, d.part, d.page, ''::bytea
    from row_digests d
    join state_texts t on t.merchant_id = d.merchant_id and t.part = d.part
    where d.merchant_id = ${merchantId} and d.digest <> sha256(convert_to(t.text, 'UTF8'))
    on conflict (merchant_id, part, page) do update set digest = excluded.digest`;
  await send(client, check);
  const changed = await change();
  const write = sql`insert into row_digests (merchant_id, part, page, digest)
    select merchant_id, part, page, sha256(convert_to(text, 'UTF8'))
    from state_texts
    where merchant_id = ${merchantId}
    on conflict (merchant_id, part, page) do update set digest = excluded.digest where row_digests.digest <> ''`;
  await send(client, write);
  return changed;
}

/**
 * Returns the first table, by name, with rows that are not as they were written; `null` when there
 * is none. Reads all rows of the merchant.
 */
export async function findAlteredRows(
  queries: Queries,
  merchantId: number,
): Promise<string | null> {
  const find = sql<{ readonly part: string }>`with stored as (
      select part, page, ${DIGEST} as digest
      from row_texts
      where merchant_id = ${merchantId}
      group by part, page
    )
    select part
    from stored
    full join (select part, page, digest from row_digests where merchant_id = ${merchantId}) as kept using (part, page)
    where stored.digest is distinct from kept.digest
    order by part
    limit 1`;
  return (await send(queries, find)).rows[0]?.part ?? null;
}

function send<Row>(queries: Queries, statement: RawBuilder<Row>): Promise<Answer<Row>> {
  return ask(queries, { compile: () => statement.compile(build) });
}
