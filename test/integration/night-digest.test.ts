// One mail at the end of a night, or of a run over every merchant: what was found in it, merchant
// by merchant, what waits, and also that all is well. In a run over named merchants, or where the
// configuration wants it, each merchant has a mail of its own.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { announcementsOf } from '../../src/service/compose/delivering.ts';
import type { Service } from '../../src/service/compose/service.ts';
import { nightTaskOf, startServiceWorker } from '../../src/service/compose/service-worker.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { deliverDue } from '../../src/service/workflows/deliveries/deliver-due.ts';
import { runNight } from '../../src/service/workflows/nightly/run-night.ts';
import { retireMerchant } from '../../src/service/workflows/operators/runs-and-merchants.ts';
import { pointage } from '../support/command.ts';
import { findingOf, reportWith } from '../support/concluded.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { makeHttpBooks } from '../support/http-books.ts';
import { credentialsOf, type HttpService, startHttpService } from '../support/http-service.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { ended, withNightService } from '../support/night-service.ts';
import { EVENING } from '../support/nightly-run.ts';
import { pointageAs } from '../support/operator-token.ts';
import { stored } from '../support/outbox.ts';

const MERCHANTS = ['M001', 'M002', 'M003'];

let opened: TestStore;
let http: HttpService;
let server: MailServer;
let began: number;
beforeEach(async () => {
  opened = await openTestStore();
  server = await startMailServer();
  http = await startHttpService(
    Object.fromEntries(MERCHANTS.map((name) => [name, makeHttpBooks(name, 200)])),
  );
  http.clockOffset = EVENING - Date.now();
  began = performance.now();
});
afterEach(async () => {
  await http.close();
  await server.close();
  await opened.close();
});

/** Puts the balance of one line off by `by`, and so the balances of all lines that follow. */
function breakBooks(merchant: string, by = 47): void {
  const books = http.books[merchant]!;
  const { ledger, wallet } = books;
  books.ledger = ledger.map((line, i) =>
    i < 100 ? line : { ...line, balanceAfter: Number(line.balanceAfter) + by },
  );
  const raised = (figure: unknown): number => Number(figure) + by;
  books.wallet = {
    ...wallet,
    balance: raised(wallet!.balance),
    available: raised(wallet!.available),
  };
}

/**
 * Works a whole night, up to its end. Mails that the worker has not delivered when it stops are
 * delivered with the same settings.
 */
async function night(alerts: object, language: 'en' | 'fr' = 'en'): Promise<void> {
  const { databaseUrl } = opened;
  const rest = {
    alerts: { language, ...alerts },
    mail: { url: server.url, from: 'pointage@example.com' },
  };
  const settings = {
    databaseUrl,
    rest,
    clock: () => EVENING + Math.round(performance.now() - began),
  };
  await withNightService(http, settings, async (service: Service) => {
    const { queue } = service;
    const work: typeof queue.work = async (kind, handler, options) => {
      if (kind !== 'statement') await queue.work(kind, handler, options);
    };
    const worker = await startServiceWorker({ ...service, queue: { ...queue, work } });
    const runId = await runNight(nightTaskOf(service), { jobId: randomUUID(), plannedFor: null });
    await ended(service, runId);
    await worker.stop(5);
    await deliverDue(service.outbox);
  });
}

test('says what was found in a night, in one mail, and the next night that all is well', async () => {
  breakBooks('M002');
  breakBooks('M003', 46);
  await night({ mail: ['controle@example.com'], above: { XOF: 47 } });
  // One of the two findings is worth a mail of its own; the other is in the digest alone.
  expect(server.arrived.map(({ subject }) => subject).toSorted()).toEqual([
    'Confirmed findings: 1 — M002',
    'Nightly check — 2 broken, 1 clean',
  ]);
  const { text } = server.arrived.find(({ subject }) => subject!.startsWith('Nightly'))!;
  expect(text).toContain('3 of 3 merchants judged');
  expect(text).toContain('M002 — books: broken');
  expect(text).toMatch(/critical · .* · BALANCE_DRIFT · [0-9a-f]{16}/);
  expect(text).toContain('M003 — books: broken');
  expect(text).not.toContain('M001');
  const states = (await stored(opened.store)).map(({ topic, state }) => `${topic} ${state}`);
  expect(states.toSorted()).toEqual([
    ...['findings GATHERED', 'findings GATHERED', 'findings SUCCESS', 'night SUCCESS'],
  ]);
  await night({ mail: ['controle@example.com'] });
  expect(server.arrived).toHaveLength(3);
  // The first night has three merchants with news, the second none: both have the same head.
  const { rows } = await opened.store.pool.query('select note from log_checkpoints');
  const root = String(rows[0].note).split('\n')[2]!.slice(0, 12);
  expect(rows).toHaveLength(1);
  for (const { text: said } of server.arrived.filter(({ subject }) =>
    subject!.startsWith('Nightly'),
  ))
    expect(said).toContain(`Log of evidence: 3 leaves, root ${root}.`);
  expect(server.arrived[2]!.text).toContain('No finding is new or back.');
});

test('says on the third night what is open since the first, by currency, age and owner, and no more once it is accepted', async () => {
  const francsOf = (rows: readonly object[]) =>
    rows.map((row) => ({ ...row, currency: 'XAF', country: 'CM' }));
  const { wallet, ledger, operations, ...books } = http.books.M003!;
  http.books.M003 = {
    ...{ ...books, wallet: { ...wallet, currency: 'XAF' } },
    ...{ ledger: francsOf(ledger), operations: francsOf(operations) },
  };
  breakBooks('M002');
  breakBooks('M003', -12_000);
  const alerts = { mail: ['controle@example.com'] };
  for (let i = 0; i < 2; i++) await night(alerts);
  const open =
    "select fingerprint from findings where state = 'open' and content ->> 'causedBy' is null and severity = 'critical'";
  const { rows } = await opened.store.pool.query(`${open} order by merchant_id`);
  const [ofM002, ofM003] = rows.map(({ fingerprint }) => fingerprint as string);
  await night(alerts);
  const since = 'first seen on 2026-11-02 22:00 UTC.';
  const linesOf = (at: number) =>
    server.arrived[at]!.text!.split('\n').filter((line) => / open |difference/.test(line));
  expect(server.arrived[2]!.text).toContain('No finding is new or back.');
  expect(linesOf(2)).toEqual([
    `Findings open when this was sent: 2 critical, 1 warning. The oldest: M002, ${ofM002}, ${since}`,
    expect.stringMatching(/^XAF, 2 open \([^()]+\): 212,000\u00a0XAF$/),
    expect.stringMatching(/^XOF, 1 open \([^()]+\): 47\u00a0XOF$/),
    `The largest difference in XAF: −12,000 XAF — M003, ${ofM003}, ${since}`,
    `The largest difference in XOF: 47 XOF — M002, ${ofM002}, ${since}`,
  ]);
  expect(server.arrived[2]!.html).toMatch(
    /<tr><td [^>]*bold">XOF, 1 open [^<]*<\/td><td [^>]*>47\u00a0XOF<\/td>/,
  );
  for (const act of [
    ['accept', ofM002!, '--reason', 'known'],
    ['assign', ofM003!, 'Awa'],
  ])
    expect(
      await pointageAs('awa', ['findings', ...act, '--database-url', opened.databaseUrl]),
    ).toMatchObject({
      status: 0,
      err: '',
    });
  await night(alerts, 'fr');
  const french = server.arrived[3]!.text!.replaceAll('\u202f', ' ');
  const seen = `M003, ${ofM003}, vu pour la première fois le 02/11/2026 22:00 UTC.`;
  const counted = '1 critique, 1 avertissement';
  expect(french).toContain(
    `Constats ouverts à l’heure de cet envoi : ${counted}. Le plus ancien : ${seen}`,
  );
  expect(french).toContain(`Le plus gros écart en XAF : −12 000 XAF — ${seen}`);
  expect(french).toContain('Attribués : Awa (1).');
  expect(french).not.toMatch(/XOF|M002/);
});

test.each([
  ['en', 'critical · Line no longer served'],
  ['fr', 'critique · '],
] as const)(
  'a ledger that is numbered anew is one line of the mail (%s)',
  async (language, said) => {
    const alerts = { mail: ['controle@example.com'] };
    await night(alerts, language);
    const books = http.books.M002!;
    books.operations.splice(99, 1);
    books.ledger = books.ledger.flatMap((line, i) => {
      if (i < 99) return [line];
      const [sequence, balanceAfter] = [
        Number(line.sequence) - 1,
        Number(line.balanceAfter) - 1_000,
      ];
      return i === 99 ? [] : [{ ...line, sequence, balanceAfter }];
    });
    const [figure, { wallet }] = [199_000, books];
    books.wallet = { ...wallet, balance: figure, available: figure, totalCollected: figure };
    await night(alerts, language);
    const named = server.arrived[1]!.text!.split('\n').filter((line) =>
      / [0-9a-f]{16}$/.test(line),
    );
    expect(named).toEqual([expect.stringContaining(said)]);
    expect(named[0]).toContain('ENTRY_DELETED');
  },
  60_000,
);

test('has for each role what it works on, in one mail, and for an accountant the own merchant alone', async () => {
  breakBooks('M002', -12_000);
  breakBooks('M003', 5_000_000);
  const digest = [
    { to: 'enquete@example.com', roles: ['investigator'] },
    { to: 'chef@example.com', roles: ['decider', 'publisher'] },
    { to: 'm3@example.com', roles: ['accountant'], merchant: 'M003' },
    { to: 'm3@example.com', roles: ['accountant'], merchant: 'M001' },
    { to: 'm3@example.com', roles: ['accountant'], merchant: 'M0O2' },
  ];
  await night({ digest });
  // A run has found it; a decision about it waits for a second person.
  const { rows } = await opened.store.pool.query<{ fingerprint: string }>(
    "select fingerprint from findings where is_root and kind = 'BALANCE_DRIFT' order by merchant_id",
  );
  const [ofM002, ofM003] = rows.map(({ fingerprint }) => fingerprint);
  const scratch = mkdtempSync(join(tmpdir(), 'pointage-role-digest-'));
  const config = join(scratch, 'settings.json');
  const decisions = { secondPersonAbove: { XOF: 10 } };
  writeFileSync(config, JSON.stringify({ databaseUrl: opened.databaseUrl, decisions }));
  for (const act of [
    ['settle', ofM003!, '--reason', 'paid back'],
    ['assign', ofM002!, 'Moussa'],
  ])
    expect((await pointageAs('awa', ['findings', ...act, '--config', config])).status).toBe(0);
  rmSync(scratch, { recursive: true, force: true });
  const first = server.arrived.splice(0);
  expect(first.map(({ subject, envelope }) => `${envelope.to[0]}: ${subject}`).toSorted()).toEqual([
    'chef@example.com: Nightly check — 2 broken, 1 clean',
    'enquete@example.com: Nightly check — 2 broken, 1 clean',
    'm3@example.com: Nightly check — M001 — books: clean',
    'm3@example.com: Nightly check — M003 — books: broken',
    'm3@example.com: Nightly check — M0O2 — not part of this night',
  ]);
  const said = (mails: typeof first, to: string, about = '') =>
    mails.find((mail) => `${mail.envelope.to[0]} ${mail.subject}`.match(`${to}.*${about}`))!;
  const investigator = said(first, 'enquete').text!;
  expect(investigator).toContain('M002 — books: broken');
  expect(investigator).toContain('M003 — books: broken');
  expect(investigator).not.toMatch(/largest|By currency|second person|Log of/);
  const accountant = said(first, 'm3', 'M003');
  expect(accountant.text).toContain('M003 — books: broken');
  expect(`${accountant.text}${accountant.html}`).not.toMatch(/M002|M001|Log of/);
  expect(accountant.text).toMatch(/XOF, 1 open [^:]*: 5,000,000/);
  expect(said(first, 'm3', 'M001').text).toMatch(
    /No finding is open\.\n\nNo finding is new or back\./,
  );
  await night({ digest }, 'fr');
  const decider = said(server.arrived, 'chef');
  const waits = `En attente d’une deuxième personne : régulariser M003, ${ofM003} : 5 000 000 XOF, proposé par awa.`;
  expect(decider.text!.replace(/[\u202f\u00a0]/g, ' ')).toContain(waits);
  expect(decider.html).toContain(`régulariser M003, ${ofM003}`);
  expect(said(server.arrived, 'enquete').text).toContain('Attribués : Moussa (1).');
  expect(said(server.arrived, 'm3', 'M001').text).not.toContain('Moussa');
});

test('says that all is well where it is', async () => {
  await night({ mail: ['controle@example.com'] });
  expect(server.arrived.map(({ subject }) => subject)).toEqual(['Nightly check — all is well (3)']);
});

test.each([
  [
    'en',
    'Nightly check',
    (place: string) => `${place} is out of reach (ECONNREFUSED): 3 merchants not checked`,
  ],
  [
    'fr',
    'Contrôle de nuit',
    (place: string) => `${place} hors d’atteinte (ECONNREFUSED) : 3 marchands non contrôlés`,
  ],
] as const)(
  'a source that is down is one sentence (%s), in the subject and in the mail, and no merchant is named for it',
  async (language, title, said) => {
    await http.close();
    await night({ mail: ['controle@example.com'] }, language);
    const sentence = said(http.baseUrl);
    expect(server.arrived.length).toBeGreaterThan(0);
    for (const { subject, text } of server.arrived) {
      expect(subject).toBe(`${title} — ${sentence}`);
      expect(text!.split(sentence)).toHaveLength(2);
      expect(text).not.toMatch(/M001|UNREACHABLE|request/);
    }
    http = await startHttpService({});
  },
);

test('is that of a run over every merchant too, and of named ones each has its own', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'pointage-run-digest-'));
  const config = join(scratch, 'settings.json');
  const settings = {
    source: http.baseUrl,
    merchants: Object.fromEntries(MERCHANTS.map((name) => [name, credentialsOf(name)])),
    alerts: { mail: ['controle@example.com'] },
    mail: { url: server.url, from: 'pointage@example.com' },
    server: { publicUrl: 'https://books.example/' },
  };
  writeFileSync(config, JSON.stringify(settings));
  const said = (...words: string[]) =>
    pointage([...words, '--config', config, '--database-url', opened.databaseUrl], {
      clock: () => EVENING,
    });
  breakBooks('M001');
  breakBooks('M003');
  expect(await said('run')).toMatchObject({ status: 1, err: '' });
  expect((await said('deliveries', 'send')).status).toBe(0);
  expect(server.arrived.map(({ subject }) => subject)).toEqual([
    'Nightly check — 2 broken, 1 clean',
  ]);
  expect(server.arrived[0]!.text).toMatch(
    /3 of 3 merchants judged, .*\nhttps:\/\/books\.example\/\n/,
  );
  breakBooks('M002');
  expect((await said('run', 'M002')).status).toBe(1);
  await said('deliveries', 'send');
  expect(server.arrived.slice(1).map(({ subject }) => subject)).toEqual([
    'Confirmed findings: 1 — M002',
  ]);
  expect(server.arrived[1]!.text).toMatch(
    /\nhttps:\/\/books\.example\/console\/findings\/[0-9a-f]{16}\?merchant=M002\n/,
  );
  rmSync(scratch, { recursive: true, force: true });
});

test('is not waited for by a run over named merchants, nor by webhooks', async () => {
  const configuration = await loadConfiguration({}, {});
  const alerts = {
    ...configuration.alerts,
    mail: ['a@example.com'],
    digest: [{ to: 'role@example.com', roles: ['decider' as const], merchant: null }],
    webhooks: [{ url: 'https://hooks.example/', secret: '' }],
  };
  const mail = { url: server.url, from: 'pointage@example.com', deadline: 1_000 };
  const report = reportWith('M1', [findingOf('f1')]);
  const held = (atNight: boolean) =>
    announcementsOf({ ...configuration, alerts, mail }, atNight)
      .findings(report, ['f1'], 1)
      .map(({ channel, isHeld }) => `${channel} ${isHeld}`);
  // The second mail is for a reader with a role. It waits with the others, to be gathered, and is
  // written only in a night.
  expect(held(true)).toEqual(['mail true', 'mail true', 'webhook false']);
  expect(held(false)).toEqual(['mail false', 'webhook false']);
});

test('what is worth less than alerts.above waits for a mail at a night’s end, and what cannot be weighed never does', async () => {
  const configuration = await loadConfiguration({}, {});
  const mail = { url: server.url, from: 'pointage@example.com', deadline: 1_000 };
  const webhooks = [{ url: 'https://hooks.example/', secret: '' }];
  const off = (balance: string, reserved = '0') => ({ item: { balance, reserved } });
  const report = reportWith('M1', [
    findingOf('less', off('-99')),
    findingOf('as much', off('-100')),
    findingOf('reserved', off('1', '100')),
    findingOf('about', { ...off('0'), concerned: '100' }),
    findingOf('about less', { ...off('0'), concerned: '99' }),
    findingOf('no amount', off('0')),
    findingOf('no currency', { ...off('1'), currency: null }),
    findingOf('another currency', { ...off('1'), currency: 'GHS' }),
    findingOf('not severe', { ...off('1000'), severity: 'warning' }),
    findingOf('known', off('1000')),
  ]);
  const news = report.findings
    .map(({ fingerprint }) => fingerprint)
    .filter((fingerprint) => fingerprint !== 'known');
  for (const atNight of [true, false]) {
    const alerts = {
      ...configuration.alerts,
      mail: ['a@example.com'],
      webhooks,
      above: { XOF: 100 },
    };
    const written = announcementsOf({ ...configuration, alerts, mail }, atNight).findings(
      report,
      news,
      1,
    );
    const named = written.map(({ channel, announces, isHeld = false, content }) => {
      const found =
        content.topic === 'findings' ? content.findings.map(({ fingerprint }) => fingerprint) : [];
      return [`${channel} ${announces} ${isHeld}`, found.toSorted().join(', ')];
    });
    const worth = 'about, another currency, as much, no amount, no currency, reserved';
    const all =
      'about, about less, another currency, as much, less, no amount, no currency, reserved';
    expect(named).toEqual([
      ['mail findings/1/M1 true', all],
      ['webhook findings/1/M1 false', all],
      ['mail alert/1/M1 false', worth],
    ]);
  }
});

test('a merchant that the source lists no longer is missing in every night, until it is retired', async () => {
  breakBooks('M002');
  const alerts = { mail: ['controle@example.com'] };
  await night(alerts);
  const { M002: _, ...rest } = http.books;
  Object.assign(http, { books: rest });
  for (let i = 0; i < 2; i++) {
    server.arrived.length = 0;
    await night(alerts);
    const subjects = server.arrived.map(({ subject }) => subject!).toSorted();
    expect(subjects).toEqual(['Nightly check — 1 broken, 2 clean']);
    expect(server.arrived[0]!.text).toContain(
      'M002: the source lists this merchant no longer: put it back, or retire it',
    );
  }
  await retireMerchant(opened.store, 'M002', {
    at: EVENING,
    by: 'Awa',
    reason: 'closed its account',
  });
  server.arrived.length = 0;
  await night(alerts);
  expect(server.arrived.map(({ text }) => text!.includes('2 of 2 merchants judged'))).toEqual([
    true,
  ]);
});
