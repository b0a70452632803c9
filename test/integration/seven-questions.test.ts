// What an operator asks in the morning. Each question is asked once on the command line and once of
// a page, and both say what the store's own rows say.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { pointage } from '../support/command.ts';
import { type ConsoleBooks, openConsoleBooks } from '../support/console-books.ts';
import { logIn } from '../support/console-login.ts';
import { OPERATOR } from '../support/operator-books.ts';
import { pointageAs } from '../support/operator-token.ts';

let console_: ConsoleBooks;
let cookie: string;
/** The root that is asked about: the payment that was never credited. */
let root: { fingerprint: string; reference: string; at: number; amount: string };
beforeAll(async () => {
  console_ = await openConsoleBooks();
  cookie = await logIn(console_.server.origin, OPERATOR.token);
  const { rows } = await console_.books.store.pool.query<typeof root>(
    `select fingerprint, content ->> 'operationReference' as reference, abs((content #>> '{item,balance}')::bigint)::text as amount,
       (select min(created_at) from operation_versions o
         where o.merchant_id = f.merchant_id and o.reference = f.content ->> 'operationReference') as at
     from findings f where kind = 'CREDIT_MISSING' and content ->> 'causedBy' is null`,
  );
  root = rows[0]!;
});
afterAll(() => console_.close());

const now = () => console_.clock.now;
const stored = () => ['--database-url', console_.books.databaseUrl];

/** Returns the text without spaces within numbers, which differ by language. */
const plain = (text: string) =>
  text.replace(/[\u202f\u00a0]/g, ' ').replace(/(\d) (?=\d{3})/g, '$1');

async function type(...words: string[]): Promise<string> {
  const { out, err, status } = await pointage([...words, ...stored()], { clock: now });
  expect([status, err]).toEqual([0, '']);
  return plain(out);
}

async function page(path: string): Promise<string> {
  const answer = await fetch(`${console_.server.origin}${path}`, { headers: { cookie } });
  expect(answer.status).toBe(200);
  return plain(await answer.text());
}

test('what is wrong tonight?', async () => {
  expect(await type('tonight')).toMatch(/DRIFTED CREDIT_MISSING/);
  expect(await page('/')).toMatch(/critiques/);
});

test('how much money is at stake?', async () => {
  const { rows } = await console_.books.store.pool.query<{ sum: string }>(
    `select sum(coalesce(nullif(greatest(abs((content #>> '{item,balance}')::bigint), abs((content #>> '{item,reserved}')::bigint)), 0),
       (content ->> 'concerned')::bigint, 0))::text as sum
     from findings where content ->> 'causedBy' is null and content ->> 'status' = 'confirmed' and state = 'open'`,
  );
  const [{ sum }] = rows as [{ sum: string }];
  expect(Number(sum)).toBeGreaterThan(0);
  expect(await type('tonight')).toContain(`${sum} XAF`);
  expect(await page('/')).toContain(`${sum} XAF`);
});

test('which merchants?', async () => {
  const listed = await type('merchants', 'list');
  expect(listed).toMatch(/DRIFTED.*broken/);
  expect(listed).toMatch(/SOUND.*clean/);
  expect(await page('/')).toMatch(/\/console\/merchants\/DRIFTED".*?non conformes/s);
});

test('since when?', async () => {
  const day = new Date(Number(root.at)).toISOString().slice(0, 10);
  expect(await type('findings', 'show', root.fingerprint)).toContain(day);
  const [year, month, date] = day.split('-');
  expect(await page(`/console/findings/${root.fingerprint}?merchant=DRIFTED`)).toContain(
    `${date}/${month}/${year}`,
  );
});

test('what must I do?', async () => {
  const entry = `CASHIN_CREDIT ${root.amount} of ${root.reference}`;
  expect(await type('findings', 'show', root.fingerprint)).toContain(
    `Would be put right by ${entry}`,
  );
  const [proposal] = /<h2>Proposition de correction<.*?<\/section>/s.exec(
    await page(`/console/findings/${root.fingerprint}?merchant=DRIFTED`),
  )!;
  expect(proposal).toContain(root.amount);
  expect(proposal).toContain(root.reference);
});

test('who is on it?', async () => {
  const assigned = await pointageAs(
    'moussa',
    ['findings', 'assign', root.fingerprint, 'awa', ...stored()],
    {
      clock: now,
    },
  );
  expect([assigned.status, assigned.err]).toEqual([0, '']);
  expect(await type('findings', 'list', '--owner', 'awa')).toContain(root.fingerprint.slice(0, 8));
  expect(await page('/console/findings?owner=awa')).toContain(
    `/console/findings/${root.fingerprint}?`,
  );
});

test('what happened to that operation?', async () => {
  const told = await type('show', root.reference);
  expect(told).toContain('SUCCEEDED');
  expect(told).toContain(root.fingerprint.slice(0, 8));
  const shown = await page(`/console/operations/${root.reference}?merchant=DRIFTED`);
  expect(shown).toContain(`/console/findings/${root.fingerprint}?`);
});
