// What nights leave in a database, for people and for the next night. When and in how many attempts
// it came about is left out, so that it is equal after any disturbance and after none.

import pg from 'pg';

export type EndState = Readonly<Record<string, readonly object[]>>;

/**
 * The queries of each part. `merchant` is a merchant's reference, so that numbers of merchants and
 * runs may differ.
 */
const PARTS: Readonly<Record<string, string>> = {
  entries: `select reference as merchant, sequence, variant, direction, kind, amount, currency, balance_after, reserved_after,
      created_at, entry_id, operation_reference, description
    from entries natural join merchants
    order by 1, 2, 3`,
  operations: `select distinct on (m.reference, v.reference) m.reference as merchant, v.reference, v.type, v.status, v.amount, v.fees,
      v.net_amount, v.created_at, v.updated_at, v.completed_at, v.metadata
    from operation_versions v join merchants m using (merchant_id)
    order by 1, 2, v.version desc`,
  // The newest operation is left out: one that was read out of turn is not counted as listed, and
  // its list is fetched again from below it.
  heads: `select reference as merchant, last_sequence, entry_count, variant_count, operation_count,
      encode(sha256(chain), 'hex') as chain
    from merchant_heads natural join merchants
    order by 1`,
  blocks: `select reference as merchant, block, last_sequence, last_variant, encode(head, 'hex') as head
    from entry_blocks natural join merchants
    order by 1, 2`,
  // There must be none, because no reading serves otherwise than the readings before it.
  alterations: `select reference as merchant, sequence, change, lines from entry_alterations natural join merchants order by 1, 2, 3`,
  wallets: `select distinct on (reference) reference as merchant, balance, reserved, available, total_collected, total_disbursed, total_fees
    from wallet_readings natural join merchants
    order by 1, intake desc`,
  refused: `select distinct reference as merchant, part, place, reason
    from (select merchant_id, part, place, reason from rejected_rows) r natural join merchants
    order by 1, 2, 3`,
  findings: `select reference as merchant, fingerprint, kind, severity, state, content ->> 'status' as status,
      content -> 'difference' as difference, content -> 'causedBy' as cause
    from findings natural join merchants
    where state <> 'resolved'
    order by 1, 2`,
  reports: `select distinct on (reference) reference as merchant, verdict, entries, operations, findings, roots
    from run_merchants natural join merchants
    order by 1, run_id desc`,
  coverage: `select distinct on (reference) reference as merchant, state, verdict, reason, watermark
    from run_members natural join merchants
    where watermark is not null
    order by 1, run_id desc`,
  waiting: `select reference as merchant, run_id from run_members natural join merchants where state = 'expected' order by 1, 2`,
  statements: `select reference as merchant, period, revision, issued -> 'integrity' ->> 'contentHash' as hash
    from reports natural join merchants
    where status = 'READY'
    order by 1, 2, 3`,
  // The bytes of a file contain the time at which it was made; the content hash covers what it
  // prints.
  files: `select reference as merchant, period, revision, format
    from report_files natural join reports natural join merchants
    where status = 'READY'
    order by 1, 2, 3, 4`,
  // A mail that was on its way is in doubt: a person is asked. Each night sends a digest, and there
  // may be more nights.
  outbox: `select merchant, channel, topic, target, case state when 'IN_DOUBT' then 'SUCCESS' else state end as state,
      case topic when 'night' then null else count(*) end as count
    from deliveries
    group by 1, 2, 3, 4, 5
    order by 1, 2, 3, 4, 5`,
};

/** Reads the end state. Throws when the database does not answer. */
export async function endState(databaseUrl: string): Promise<EndState> {
  return withClient(databaseUrl, async (client) => {
    const parts: [string, readonly object[]][] = [];
    for (const [part, query] of Object.entries(PARTS))
      parts.push([part, (await client.query(query)).rows]);
    return Object.fromEntries(parts);
  });
}

/** Returns the first difference of each part, one line a part; empty: the states are equal. */
export function differencesOf(expected: EndState, found: EndState): readonly string[] {
  return Object.keys(PARTS).flatMap((part) => {
    const [before, after] = [expected, found].map((state) =>
      (state[part] ?? []).map((row) => JSON.stringify(row)),
    );
    const missing = before!.filter((row) => !after!.includes(row));
    const added = after!.filter((row) => !before!.includes(row));
    if (missing.length + added.length === 0 && before!.length === after!.length) return [];
    return [
      `${part}: ${missing.length} missing, ${added.length} added: − ${missing[0] ?? ''} + ${added[0] ?? ''}`,
    ];
  });
}

export async function withClient<T>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => {});
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}
