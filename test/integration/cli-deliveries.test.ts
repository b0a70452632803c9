// Deliveries on the command line: listed, shown with every attempt, tried again, and sent by hand.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import { enterMerchant } from '../../src/io/storage/merchants/merchants.ts';
import { findMailProblem } from '../../src/service/compose/outbox.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { type Ended, pointage } from '../support/command.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { pointageAs } from '../support/operator-token.ts';
import { alertTo, announce, emptyOutbox, NOW, stored } from '../support/outbox.ts';

let opened: TestStore;
let server: MailServer;
let scratch: string;
beforeAll(async () => {
  opened = await openTestStore();
  server = await startMailServer();
});
afterAll(async () => {
  await server.close();
  await opened.close();
});
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'pointage-cli-deliveries-'));
  server.refuse = () => null;
});
afterEach(async () => {
  rmSync(scratch, { recursive: true, force: true });
  await emptyOutbox(opened.store);
});

function deliveries(...words: string[]): Promise<Ended> {
  const config = join(scratch, 'settings.json');
  const mail = { url: server.url, from: 'pointage@example.com', deadline: 2_000 };
  const alerts = { mail: ['fine', 'gone', 'a', 'b'].map((name) => `${name}@example.com`) };
  writeFileSync(config, JSON.stringify({ mail, alerts }));
  const options = ['--config', config, '--database-url', opened.databaseUrl];
  return pointageAs('awa', ['deliveries', ...words, ...options], { clock: () => NOW });
}
const listed = async (...words: string[]) => {
  const { out, status } = await deliveries('list', '--format', 'json', ...words);
  expect(status).toBe(0);
  return JSON.parse(out) as { id: string; target: string; state: string }[];
};

test('due deliveries are sent by hand, listed by their filters, and shown with every attempt', async () => {
  server.refuse = (recipient) => (recipient.startsWith('gone') ? 550 : null);
  await announce(opened.store, [
    alertTo('mail', 'fine@example.com'),
    alertTo('mail', 'gone@example.com'),
  ]);
  await announce(
    opened.store,
    [{ ...alertTo('webhook', 'https://hooks.example/'), merchant: 'M1' }],
    NOW - DAY,
  );
  await enterMerchant(opened.store, 'M1');
  const sent = await deliveries('send');
  expect(sent).toMatchObject({ status: 2, err: '' });
  expect(sent.out).toBe('1 sent · 0 to be tried again · 2 refused · 0 in doubt\n');
  expect((await listed()).map(({ target, state }) => [target, state])).toEqual(
    expect.arrayContaining([
      ['fine@example.com', 'SUCCESS'],
      ['gone@example.com', 'ABANDONED'],
    ]),
  );
  expect((await listed('--state', 'SUCCESS')).map(({ target }) => target)).toEqual([
    'fine@example.com',
  ]);
  expect((await listed('--merchant', 'M1')).map(({ target }) => target)).toEqual([
    'https://hooks.example/',
  ]);
  expect(await listed('--since', '2026-11-15')).toHaveLength(2);
  expect(await listed('--limit', '1')).toHaveLength(1);
  expect((await deliveries('list')).out).toMatch(/gone@example\.com.*ABANDONED.*RCPT TO: 550/s);
  expect((await deliveries('list', '--state', 'SENDING')).out).toBe(
    'There are no such deliveries.\n',
  );
  const { id } = (await listed('--state', 'ABANDONED')).find(({ target }) =>
    target.startsWith('gone'),
  )!;
  const shown = await deliveries('show', id.slice(0, 8));
  expect(shown.out).toContain(`ABANDONED ${id}\n`);
  expect(shown.out).toMatch(/attempt 1 2026-11-15T12:00:00.000Z REFUSED: RCPT TO: 550/);
  expect(JSON.parse((await deliveries('show', id, '--format', 'json')).out)).toMatchObject({
    id,
    createdAt: '2026-11-15T12:00:00.000Z',
    nextAttemptAt: null,
    content: { topic: 'run' },
    history: [{ number: 1, outcome: 'REFUSED' }],
  });
});

test('what was given up is tried again, with its attempts kept; what was delivered is not', async () => {
  server.refuse = () => 550;
  await announce(opened.store, [
    alertTo('mail', 'a@example.com'),
    alertTo('mail', 'b@example.com'),
  ]);
  await deliveries('send');
  const [one] = await stored(opened.store);
  server.refuse = () => null;
  const said = (count: string) =>
    `${count} PENDING again; a worker sends, or 'pointage deliveries send'.\n`;
  expect(await deliveries('retry', one!.id.slice(0, 8))).toMatchObject({
    status: 0,
    out: said('1 delivery is'),
  });
  expect((await deliveries('retry', '--abandoned')).out).toBe(said('1 delivery is'));
  expect((await deliveries('retry', '--in-doubt', '--abandoned')).out).toBe(
    said('0 deliveries are'),
  );
  const unsigned = await pointage([
    'deliveries',
    'retry',
    '--abandoned',
    '--database-url',
    opened.databaseUrl,
  ]);
  expect(unsigned).toMatchObject({
    status: 3,
    err: expect.stringContaining('Give your token in POINTAGE_TOKEN'),
  });
  const done = await opened.store.pool.query(
    "select operator, status from trail where action = 'deliveries retry'",
  );
  expect(done.rows).toEqual(Array(3).fill({ operator: 'awa', status: 0 }));
  expect(await deliveries('send')).toMatchObject({
    status: 0,
    out: expect.stringMatching(/^2 sent/),
  });
  const refused = await deliveries('retry', one!.id);
  expect(refused).toMatchObject({ status: 3, out: '' });
  expect(refused.err).toBe(
    `pointage: Delivery ${one!.id} was delivered at 2026-11-15T12:00:00.000Z; it is not sent again.\n`,
  );
  expect((await deliveries('show', one!.id)).out).toMatch(
    /attempt 1 .*REFUSED.*\n.*attempt 2 .*SUCCESS/,
  );
});

test('what went out in the mail of a night is not sent once more by itself', async () => {
  await announce(opened.store, [alertTo('mail', 'a@example.com')]);
  await opened.store.pool.query("update deliveries set state = 'GATHERED', next_attempt_at = null");
  const { id } = (await stored(opened.store))[0]!;
  expect(await deliveries('retry', id)).toMatchObject({
    status: 3,
    err: `pointage: Delivery ${id} went out in the mail at a night's end; it is not sent again.\n`,
  });
  expect((await stored(opened.store))[0]!.state).toBe('GATHERED');
});

test.each<[string, readonly string[], RegExp]>([
  ['nothing to try again', ['retry'], /Say which: ids, --in-doubt or --abandoned/],
  [
    'a delivery that is not there',
    ['show', 'ffffffff'],
    /There is no delivery that begins with ffffffff/,
  ],
  [
    'one to try again that is not there',
    ['retry', 'ffffffff'],
    /There is no delivery that begins with ffffffff/,
  ],
  [
    'a state that there is not',
    ['list', '--state', 'LOST'],
    /--state must be one of HELD, GATHERED, PENDING, SENDING/,
  ],
  [
    'an instant that is none',
    ['list', '--since', 'yesterday'],
    /--since must be an instant with a zone, or a day, like 2026-11-02, not 'yesterday'/,
  ],
  ['a limit of nothing', ['list', '--limit', '0'], /whole number above 0/],
])('%s is refused in one sentence', async (_, words, says) => {
  const ended = await deliveries(...words);
  expect(ended).toMatchObject({ status: 3, out: '' });
  expect(ended.err).toMatch(says);
});

test('a run tells of what it found, and a month that is issued goes to its accountant, once', async () => {
  const config = join(scratch, 'night.json');
  const settings = {
    mail: { url: server.url, from: 'pointage@example.com' },
    alerts: { mail: ['controle@example.com'] },
    deliveries: { folder: join(scratch, 'statements'), hold: 'none' },
    merchants: { EPICERIE_EXEMPLE: { accountants: [{ email: 'compta@example.com' }] } },
  };
  writeFileSync(config, JSON.stringify(settings));
  const said = (...words: string[]) =>
    pointage([...words, '--config', config, '--database-url', opened.databaseUrl], {
      clock: () => NOW,
    });
  const run = () =>
    said('run', '--source', `file:${join(import.meta.dirname, '../../docs/example-books')}`);
  expect((await run()).status).toBe(1);
  expect((await run()).status).toBe(1);
  for (const _ of [1, 2])
    expect((await said('statement', 'issue', 'EPICERIE_EXEMPLE', '2026-10')).status).toBe(0);
  const before = server.arrived.length;
  expect((await said('deliveries', 'send')).out).toBe(
    '4 sent · 0 to be tried again · 0 refused · 0 in doubt\n',
  );
  const arrived = server.arrived
    .slice(before)
    .toSorted((a, b) => (a.subject! < b.subject! ? -1 : 1));
  expect(arrived.map(({ subject, attachments }) => [subject, attachments.length])).toEqual([
    ['Nightly check — 1 broken', 0],
    ['Nightly check — 1 broken', 0],
    [
      expect.stringMatching(
        /^Relevé mensuel — octobre 2026, livres non conformes — .*EPICERIE_EXEMPLE/,
      ),
      3,
    ],
  ]);
  // Only the first of the two runs has news.
  const named = arrived
    .slice(0, 2)
    .filter(({ text }) => /critical · .* · BALANCE_DRIFT · /.test(text!));
  expect(named).toHaveLength(1);
  expect(arrived[2]!.text).toMatch(
    /\nChaîne des lignes à l’émission : \d+:[0-9a-f]{12}\. Ce message, gardé/,
  );
  expect(arrived[2]!.text).toMatch(
    /\n\n47 à déduire : Après la ligne .* écart de .*\n\nConstats du mois : 1 critique\.\n\nÀ faire par le marchand\nÉcrire au service : la lettre, prête à signer, est à la page 2 du PDF\.\n\n1\. /,
  );
});

test('the mail server can be asked whether it lets us in', async () => {
  const problemAt = async (url: string) => {
    const config = join(scratch, 'settings.json');
    writeFileSync(config, JSON.stringify({ mail: { url, from: 'pointage@example.com' } }));
    return findMailProblem(await loadConfiguration({ config }, {}));
  };
  expect(await problemAt(server.url)).toBeNull();
  expect(await problemAt('smtp://127.0.0.1:1')).toMatch(
    /^The mail server 127\.0\.0\.1 cannot be used: /,
  );
});
