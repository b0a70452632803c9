// A mail goes to the recipients that are configured when it is sent, whoever was configured when it
// was written: a statement that is held or waits, the mail at a night's end and others. Tested with
// a real SMTP server, through any changes of the configuration, and by the commands.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { NewDelivery } from '../../src/core/domain/delivery/delivery.ts';
import { openMailChannel } from '../../src/io/deliveries/mail.ts';
import { jsonFormat } from '../../src/io/formats/text/json.ts';
import { releaseHeld } from '../../src/io/storage/deliveries/outbox.ts';
import { inTransaction } from '../../src/io/storage/server/connections.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { seedRandom } from '../../src/sandbox/model/random.ts';
import { addressedNow, announcementsOf } from '../../src/service/compose/delivering.ts';
import type { Configuration } from '../../src/service/config/check-configuration.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { deliverDue } from '../../src/service/workflows/deliveries/deliver-due.ts';
import { publishStatement } from '../../src/service/workflows/month/publish-statement.ts';
import { assertProperty } from '../support/assert-property.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { pointageAs } from '../support/operator-token.ts';
import {
  alertTo,
  announce,
  emptyOutbox,
  mailSettings,
  NOW,
  outboxTask,
  stored,
} from '../support/outbox.ts';
import { openReportBooks, publishTask, type ReportBooks } from '../support/report-books.ts';

const [SOUND, BROKEN] = ['KIOSQUE', 'PAPETERIE'] as const;
const PERIOD = '2026-10';

let books: ReportBooks;
let server: MailServer;
let scratch: string;
let reportId: string;
beforeAll(async () => {
  const fault = FAULTS.find(({ name }) => name === 'CREDIT_DUPLICATED')!;
  books = await openReportBooks([SOUND, BROKEN], (sound, merchant) =>
    merchant === BROKEN ? fault.plant(sound, seedRandom('addressed'))!.books : sound,
  );
  server = await startMailServer();
  scratch = mkdtempSync(join(tmpdir(), 'pointage-addressed-'));
  reportId = (await publish(SOUND, await configurationOf([]))).report.id;
});
afterAll(async () => {
  await server.close();
  await books.close();
  rmSync(scratch, { recursive: true, force: true });
});
beforeEach(async () => {
  await emptyOutbox(books.store);
  server.arrived.length = 0;
});

const publish = (merchant: string, configuration: Configuration) =>
  publishStatement(
    publishTask(books.store, {
      announcements: announcementsOf(configuration),
      formats: [jsonFormat],
    }),
    merchant,
  );

const fileOf = (accountants: readonly string[], alerts: object = {}): string => {
  const file = join(scratch, 'settings.json');
  const mail = { url: server.url, from: 'pointage@example.com', deadline: 5_000 };
  const named = { accountants: accountants.map((email) => ({ email })) };
  const merchants = { [SOUND]: named, [BROKEN]: named };
  const deliveries = { formats: ['json'] };
  writeFileSync(
    file,
    JSON.stringify({ databaseUrl: books.databaseUrl, mail, merchants, alerts, deliveries }),
  );
  return file;
};
const configurationOf = (...of: Parameters<typeof fileOf>) =>
  loadConfiguration({ config: fileOf(...of) }, {});

const ADDRESSES = ['a@example.com', 'B@example.com', 'c@example.com'];
const some = fc.subarray(ADDRESSES);
const settings = fc.record({
  accountants: some,
  mail: some,
  digest: fc.subarray([
    { to: 'a@example.com', roles: ['investigator'], merchant: undefined },
    { to: 'c@example.com', roles: ['investigator'], merchant: undefined },
    { to: 'B@example.com', roles: ['decider'], merchant: undefined },
  ]),
});
type Settings = typeof settings extends fc.Arbitrary<infer Value> ? Value : never;
const step = fc.oneof(
  settings.map((to) => ({ do: 'configure' as const, to })),
  fc.constant({ do: 'send' as const }),
  fc.constant({ do: 'release' as const }),
  fc.boolean().map((isDown) => ({ do: 'server' as const, isDown })),
);
const NIGHT = {
  ...{
    night: NOW,
    runId: 7,
    expected: 2,
    done: 2,
    missing: [],
    verdicts: { clean: 2, broken: 0, incomplete: 0 },
  },
  ...{ entriesAdded: 0, news: [] },
};

/** Returns which mails an address may get by the settings. */
function mayGet({ accountants, mail, digest }: Settings, subject: string): readonly string[] {
  if (subject.startsWith('Monthly') || subject.startsWith('Relevé')) return accountants;
  if (subject.startsWith('Nightly')) return [...mail, ...digest.map(({ to }) => to)];
  return mail;
}

test('only who is configured when a mail is sent has it, and who is has it once', {
  timeout: 120_000,
}, async () => {
  const plays = fc.record({
    first: settings,
    isHeld: fc.boolean(),
    steps: fc.array(step, { maxLength: 8 }),
    last: settings,
  });
  await assertProperty(
    fc.asyncProperty(plays, async ({ first, isHeld, steps, last }) => {
      await emptyOutbox(books.store);
      server.arrived.length = 0;
      let now = NOW;
      let current = first;
      let isDown = false;
      server.refuse = () => (isDown ? 451 : null);
      const configured = ({ accountants, mail, digest }: Settings) => {
        return configurationOf(accountants, {
          mail,
          digest: digest.map(({ merchant: _, ...one }) => one),
        });
      };
      const announcements = announcementsOf(await configured(first), true);
      const written: readonly NewDelivery[] = [
        ...announcements.statement({ id: reportId, merchant: SOUND, period: PERIOD, isHeld }),
        ...announcements.night(NIGHT),
        ...first.mail.map((target) => alertTo('mail', target)),
      ];
      await announce(books.store, written);
      const send = async () => {
        now += 3_600_000 * 9;
        const before = server.arrived.length;
        const configuration = await configured(current);
        const task = outboxTask(books.store, [openMailChannel(mailSettings(server.url))]);
        const addressed = { addressedNow: (one: NewDelivery) => addressedNow(configuration, one) };
        await deliverDue({ ...task, ...addressed, formats: ['json'], clock: () => now });
        for (const { envelope, subject } of server.arrived.slice(before))
          expect(mayGet(current, subject!), subject).toContain(envelope.to[0]);
      };
      for (const one of [...steps, { do: 'server', isDown: false }, { do: 'release' }] as const) {
        if (one.do === 'configure') current = one.to;
        if (one.do === 'server') isDown = one.isDown;
        if (one.do === 'release')
          await inTransaction(books.store, (client) =>
            releaseHeld(client, { merchant: SOUND, period: PERIOD }, now),
          );
        if (one.do === 'send') await send();
      }
      current = last;
      await send();
      const got = server.arrived.filter(
        ({ subject }) => mayGet(last, subject!) === last.accountants,
      );
      const to = got.map(({ envelope }) => envelope.to[0]!);
      expect(new Set(to).size, String(to)).toBe(to.length);
      const pending = (await stored(books.store)).filter(
        ({ state }) => state === 'PENDING' || state === 'FAILED',
      );
      expect(pending).toEqual([]);
      // If a mail was written for anyone, someone who is configured has it in the end.
      const wasSent =
        to.length > 0 || first.accountants.length === 0 || last.accountants.length === 0;
      const gaveUp = (await stored(books.store)).some(({ lastDetail }) =>
        lastDetail?.startsWith('RCPT'),
      );
      expect(wasSent || gaveUp, JSON.stringify(await stored(books.store))).toBe(true);
    }),
    { runs: 15 },
  );
});

test('a held month goes to the accountant of its release, and the command says to whom', async () => {
  await publish(BROKEN, await configurationOf(['ancien@example.com']));
  const config = fileOf(['nouveau@example.com']);
  const command = (...words: string[]) =>
    pointageAs('awa', [...words, '--config', config], { clock: () => NOW });
  const released = await command('statement', 'release', BROKEN, PERIOD);
  expect(released.out).toContain(
    'released; 1 delivery goes out, to nouveau@example.com; a worker sends',
  );
  expect((await command('deliveries', 'send')).out).toBe(
    '1 sent · 0 to be tried again · 1 refused · 0 in doubt\n',
  );
  expect(server.arrived.map(({ envelope }) => envelope.to)).toEqual([['nouveau@example.com']]);
  expect(server.asked).not.toContain('ancien@example.com');
  const why =
    'ancien@example.com is not configured for it any more: it goes to nouveau@example.com.';
  expect(
    (await stored(books.store)).map(({ target, state, lastDetail }) => [target, state, lastDetail]),
  ).toEqual([
    ['nouveau@example.com', 'SUCCESS', expect.any(String)],
    ['ancien@example.com', 'ABANDONED', why],
  ]);
});

test('an address that a person names has the statement, configured or not', async () => {
  const config = fileOf(['nouveau@example.com']);
  const send = [
    'statement',
    'send',
    SOUND,
    PERIOD,
    '--to',
    'audit@example.com',
    '--config',
    config,
  ];
  expect((await pointageAs('awa', send, { clock: () => NOW })).status).toBe(0);
  await pointageAs('awa', ['deliveries', 'send', '--config', config], { clock: () => NOW });
  expect(server.arrived.map(({ envelope }) => envelope.to)).toEqual([['audit@example.com']]);
});

test('an address that is configured again has what was refused to it while it was not', async () => {
  const announcements = announcementsOf(await configurationOf(['a@example.com']), true);
  await announce(
    books.store,
    announcements.statement({ id: reportId, merchant: SOUND, period: PERIOD, isHeld: false }),
  );
  const task = outboxTask(books.store, [openMailChannel(mailSettings(server.url))]);
  const send = async (accountant: string, hour: number) => {
    const configuration = await configurationOf([accountant]);
    const addressed = { addressedNow: (one: NewDelivery) => addressedNow(configuration, one) };
    await deliverDue({
      ...task,
      ...addressed,
      formats: ['json'],
      clock: () => NOW + hour * 3_600_000,
    });
  };
  server.refuse = () => 451;
  await send('b@example.com', 9);
  server.refuse = () => null;
  for (const hour of [18, 27]) await send('a@example.com', hour);
  expect(server.arrived.map(({ envelope }) => envelope.to)).toEqual([['a@example.com']]);
});
