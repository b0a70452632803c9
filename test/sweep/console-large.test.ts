// The console's lists over 10,000 merchants and 200,000 findings: how long each page takes is printed, and bounded by 300 ms, or by
// what the machine needs to count the findings, where it is busy with other work.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBooks, openConsoleBooks } from '../support/console-books.ts';
import { logIn } from '../support/console-login.ts';
import { OPERATOR } from '../support/operator-books.ts';

const MERCHANTS = 10_000;
const FINDINGS = 200_000;
/** Milliseconds, of the quickest of five; times of counting all findings. */
const LONGEST = 300;
const MOST_COUNTS = 10;

let console_: ConsoleBooks;
let cookie: string;
beforeAll(async () => {
  console_ = await openConsoleBooks();
  await fill(console_.books.store.pool);
  cookie = await logIn(console_.server.origin, OPERATOR.token);
}, 300_000);
afterAll(() => console_.close(), 300_000);

/** Every merchant has what was stored of one that was read; a twentieth of them is not sound. */
async function fill(pool: ConsoleBooks['books']['store']['pool']): Promise<void> {
  const client = await pool.connect();
  await client.query('set session_replication_role = replica');
  await client.query(
    `insert into merchants (reference) select 'M' || lpad(i::text, 6, '0') from generate_series(1, ${MERCHANTS}) i`,
  );
  const model = `case when m.merchant_id % 20 = 0 then 'DRIFTED' else 'SOUND' end`;
  for (const table of ['merchant_heads', 'profile_versions', 'wallet_readings', 'run_members', 'run_merchants']) {
    const of = await columnsOf(table);
    await client.query(
      `insert into ${table} (merchant_id, ${of.join(', ')}) select m.merchant_id, ${of.map((name) => `t.${name}`).join(', ')}
       from merchants m join merchants k on k.reference = ${model} join ${table} t on t.merchant_id = k.merchant_id
       where m.reference like 'M0%'`,
    );
  }
  // First seen over 200 nights, the newest of which is the last.
  await client.query(
    `insert into runs (run_id, started_at, finished_at, source, engine) overriding system value
     select -i, r.started_at - i * 86400000::bigint, r.started_at, r.source, r.engine from runs r, generate_series(1, 199) i`,
  );
  const of = (await columnsOf('findings')).filter((name) => !['fingerprint', 'first_seen_run'].includes(name));
  await client.query(
    `insert into findings (merchant_id, fingerprint, first_seen_run, ${of.join(', ')})
     select m.merchant_id, substr(md5(m.merchant_id || '/' || i || t.fingerprint), 1, 16), case when i % 200 = 0 then t.first_seen_run else -(i % 200) end, ${of.map((name) => `t.${name}`).join(', ')}
     from findings t join merchants d on d.merchant_id = t.merchant_id and d.reference = 'DRIFTED'
     cross join generate_series(1, 1000) i join merchants m on m.merchant_id % 20 = 0 and m.reference like 'M0%'
     limit ${FINDINGS}`,
  );
  await client.query('set session_replication_role = origin');
  await client.query('analyze');
  client.release();

  async function columnsOf(table: string): Promise<readonly string[]> {
    const { rows } = await client.query<{ name: string }>(
      `select quote_ident(attname) as name from pg_attribute where attrelid = $1::regclass and attnum > 0
       and not attisdropped and attgenerated = '' and attname <> 'merchant_id'`,
      [table],
    );
    return rows.map(({ name }) => name);
  }
}

/** Milliseconds, of the quickest of three: reads every row once. */
async function countFindings(): Promise<number> {
  const taken: number[] = [];
  for (let i = 0; i < 3; i += 1) {
    const begunAt = performance.now();
    await console_.books.store.pool.query('select count(content) from findings');
    taken.push(performance.now() - begunAt);
  }
  process.stdout.write(`counting findings: ${taken.map((one) => one.toFixed(0)).join(', ')} ms\n`);
  return Math.min(...taken);
}

test.each([
  ['/', 'Ce matin'],
  ['/console/findings?state=open', 'Constats'],
  ['/console/findings?state=open&offset=100000', 'Constats'],
  ['/console/findings?severity=critical', 'Constats'],
  ['/console/merchants', 'Marchands'],
  ['/console/merchants?offset=9900', 'Marchands'],
])('%s answers in time', { timeout: 120_000 }, async (path, heading) => {
  const taken: number[] = [];
  for (let i = 0; i < 5; i += 1) {
    const begunAt = performance.now();
    const answer = await fetch(`${console_.server.origin}${path}`, { headers: { cookie } });
    const text = await answer.text();
    taken.push(performance.now() - begunAt);
    expect([answer.status, text.includes(`<h1>${heading}</h1>`)]).toEqual([200, true]);
  }
  process.stdout.write(`${path}: ${taken.map((one) => one.toFixed(0)).join(', ')} ms\n`);
  const bound = Math.max(LONGEST, MOST_COUNTS * (await countFindings()));
  expect(Math.min(...taken)).toBeLessThan(bound);
});
