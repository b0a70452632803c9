// The morning on one screen: the last night, what is new and open, what is held, stuck or down, and
// the command to type next.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Ended, pointage } from '../support/command.ts';
import { type OperatorBooks, openOperatorBooks } from '../support/operator-books.ts';

const READ_AT = Date.UTC(2026, 10, 8);
const NOW = Date.UTC(2026, 10, 10, 6);

let books: OperatorBooks;
let root: string;
beforeAll(async () => {
  const faults = { SOUND: [], DRIFTED: ['BALANCE_DRIFT'] };
  books = await openOperatorBooks(faults, { opensAt: Date.UTC(2026, 9, 24), readAt: READ_AT });
  const { rows } = await query(
    "select fingerprint from findings where content ->> 'causedBy' is null",
  );
  expect(rows).toHaveLength(1);
  root = String(rows[0]!.fingerprint).slice(0, 8);
});
afterAll(() => books.close());

const query = (text: string) => books.store.pool.query<Record<string, unknown>>(text);
const said = (...words: string[]): Promise<Ended> =>
  pointage(['tonight', ...words, '--database-url', books.databaseUrl], {
    clock: () => NOW,
    width: 60,
  });
const next = ({ out }: Ended) => /\ntype +(.*)\n$/.exec(out)?.[1];

test('it says what the last run covered, what is new and open since when, and what to type', async () => {
  const shown = await said();
  expect([shown.status, shown.err]).toEqual([0, '']);
  expect(Math.max(...shown.out.split('\n').map((line) => [...line].length))).toBeLessThanOrEqual(
    60,
  );
  expect(shown.out).toMatch(/^last run +2026-11-08T00:00 to 00:00\ncovered +2 of 2 merchants\n/);
  expect(shown.out).toMatch(/\nverdicts +1 clean, 1 broken, 0 incomplete\n/);
  expect(shown.out).toMatch(new RegExp(`\nnew +DRIFTED BALANCE_DRIFT ${root}\n`));
  expect(shown.out).toMatch(
    /\nopen +1 critical; \d+ follow from them\nat stake +46 XAF open: 1 finding\n/,
  );
  expect(shown.out).toMatch(new RegExp(`\noldest +DRIFTED ${root}, 2 days\n`));
  expect(shown.out).toMatch(/\nnext night +2026-11-1[01]T/);
  expect(next(shown)).toBe(`pointage findings show ${root}`);
  expect(JSON.parse((await said('--format', 'json')).out)).toMatchObject({
    run: { kind: 'manual', startedAt: '2026-11-08T00:00:00.000Z', coverage: { judged: 2 } },
    open: {
      counts: { critical: 1 },
      oldest: { merchant: 'DRIFTED', since: '2026-11-08T00:00:00.000Z' },
    },
    nextCommand: `pointage findings show ${root}`,
  });
});

test('a statement that is held comes with its age, and what is in the way comes first', async () => {
  const clock = () => NOW - 86_400_000;
  await pointage(
    ['statement', 'issue', 'DRIFTED', '2026-10', '--database-url', books.databaseUrl],
    { clock },
  );
  expect((await said()).out).toMatch(/\nheld +1 statement\n {13}DRIFTED 2026-10, 1 day\n/);
  await query(`insert into deliveries
    (delivery_id, channel, topic, announces, target, content, state, created_at)
    values (gen_random_uuid(), 'mail', 'night', 'night/1', 'a@example.com', '{}', 'ABANDONED', 1)`);
  const stuck = await said();
  expect(stuck.out).toMatch(/\nstuck +1 mail ABANDONED\n/);
  expect(next(stuck)).toBe('pointage deliveries list --state ABANDONED');
  await query(`update run_members set state = 'failed', verdict = null,
    reason = 'UNREACHABLE: No answer from http://127.0.0.1:9 (ECONNREFUSED): check source and the network.'
    where merchant_id = (select merchant_id from merchants where reference = 'SOUND')`);
  const down = await said();
  expect(down.out).toMatch(/\ndown +http:\/\/127\.0\.0\.1:9 \(ECONNREFUSED\):\s+1 not\s+checked\n/);
  expect(next(down)).toBe('pointage doctor');
});

test('with nothing open it says so', async () => {
  await query('update findings set state = $$resolved$$');
  expect((await said()).out).toMatch(/\nopen +nothing\n/);
});
