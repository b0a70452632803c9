// A statement of books that do not agree is issued and held. Its merchant, accountants and folder
// have it when it is released and not before, also over HTTP. A later revision takes its place.
// What was issued can be sent to another address. What goes out says the same sentence in every
// form.

import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NewDelivery } from '../../src/core/domain/delivery/delivery.ts';
import { openMailChannel } from '../../src/io/deliveries/mail.ts';
import { FORMATS } from '../../src/io/formats/register.ts';
import { listHeldMonths, loadIssuedReport } from '../../src/io/storage/issued/reports.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { seedRandom } from '../../src/sandbox/model/random.ts';
import { announcementsOf } from '../../src/service/compose/delivering.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { deliverDue } from '../../src/service/workflows/deliveries/deliver-due.ts';
import { publishStatement } from '../../src/service/workflows/month/publish-statement.ts';
import { pointage } from '../support/command.ts';
import { areInstalled } from '../support/installed.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { addToken, pointageAs } from '../support/operator-token.ts';
import {
  announce,
  folderChannel,
  mailSettings,
  NOW,
  outboxTask,
  stored,
} from '../support/outbox.ts';
import { pagesOf, squeezed } from '../support/pdf-tools.ts';
import { openReportBooks, publishTask, type ReportBooks } from '../support/report-books.ts';
import { startTestServer, type TestServer, tokenOf } from '../support/report-server.ts';
import { testFolder } from '../support/test-folder.ts';
import { withoutTriggers } from '../support/without-triggers.ts';

const SOUND = 'KIOSQUE';
const BROKEN = 'PAPETERIE';
/** The formats that these tests read. */
const formats = FORMATS.filter(({ name }) => ['json', 'pdf', 'xlsx'].includes(name));
const LANGUAGE = { accountants: [{ email: 'compta@example.com' }] };

let books: ReportBooks;
let server: MailServer;
let reports: TestServer;
let scratch: string;
let config: string;
beforeAll(async () => {
  const fault = FAULTS.find(({ name }) => name === 'CREDIT_DUPLICATED')!;
  books = await openReportBooks([SOUND, BROKEN], (sound, merchant) =>
    merchant === BROKEN ? fault.plant(sound, seedRandom('held'))!.books : sound,
  );
  server = await startMailServer();
  scratch = mkdtempSync(join(tmpdir(), 'pointage-held-'));
  config = join(scratch, 'settings.json');
  const mail = { url: server.url, from: 'pointage@example.com', deadline: 5_000 };
  const deliveries = { folder: join(scratch, 'statements'), formats: ['pdf', 'json'] };
  writeFileSync(
    config,
    JSON.stringify({ mail, deliveries, merchants: { [SOUND]: LANGUAGE, [BROKEN]: LANGUAGE } }),
  );
  const announcements = announcementsOf(await loadConfiguration({ config }, {}));
  reports = await startTestServer(books.store, { task: { announcements, formats } });
});
afterAll(async () => {
  await reports.close();
  await server.close();
  await books.close();
  rmSync(scratch, { recursive: true, force: true });
});

const publish = async (merchant: string) => {
  const announcements = announcementsOf(await loadConfiguration({ config }, {}));
  return publishStatement(publishTask(books.store, { announcements, formats }), merchant);
};
const states = async (merchant: string) =>
  (await stored(books.store))
    .filter((delivery) => delivery.merchant === merchant)
    .map(({ channel, target, state }) => `${channel} ${channel === 'mail' ? target : ''} ${state}`)
    .toSorted();
const send = () => {
  const task = outboxTask(books.store, [
    openMailChannel(mailSettings(server.url)),
    folderChannel(join(scratch, 'statements')),
  ]);
  return deliverDue({ ...task, formats: ['pdf', 'json'] });
};
const statements = (...words: string[]) =>
  pointageAs(
    'awa',
    ['statement', ...words, '--config', config, '--database-url', books.databaseUrl],
    {
      clock: () => NOW,
    },
  );
const findings = (...words: string[]) =>
  pointageAs(
    'awa',
    ['findings', ...words, '--config', config, '--database-url', books.databaseUrl],
    {
      clock: () => NOW,
    },
  );

async function ask(merchant: string, path = '', init: RequestInit = {}): Promise<Response> {
  const headers = {
    authenticationtoken: await tokenOf(merchant),
    'content-type': 'application/json',
  };
  return fetch(`${reports.origin}/web-merchant/reports${path}`, { ...init, headers });
}
const listed = async (merchant: string) =>
  (await (await ask(merchant)).json()) as Record<string, unknown>[];
const generated = async (merchant: string, period: string) => {
  const body = JSON.stringify({ merchant_reference: merchant, period });
  const answer = await ask(merchant, '/generate', { method: 'POST', body });
  return { status: answer.status, report: (await answer.json()) as Record<string, unknown> };
};
const NOTHING_SHOWN = {
  status: 'PENDING',
  filename: null,
  fileUrl: null,
  fileSize: null,
  summary: null,
  generatedAt: null,
};
const REASON =
  'The books of this month do not agree; the report is held for review, and is READY once it is released.';
const heldMonths = async () =>
  (await listHeldMonths(books.store)).map(({ merchant, period }) => `${merchant} ${period}`);

function nightMail(target: string, runId: number): NewDelivery {
  const night = {
    ...{
      night: NOW,
      runId,
      expected: 2,
      done: 2,
      missing: [],
      verdicts: { clean: 1, broken: 1, incomplete: 0 },
    },
    ...{ entriesAdded: 0, news: [], moreNews: 0 },
  };
  return {
    channel: 'mail',
    announces: `night/${runId}`,
    target,
    merchant: null,
    content: { topic: 'night', night },
  };
}

describe('a statement of books that do not agree', () => {
  test('is issued and held, one of sound books goes out', async () => {
    await publish(SOUND);
    const { status, report } = await generated(BROKEN, '2026-10');
    expect([status, report]).toEqual([201, expect.objectContaining(NOTHING_SHOWN)]);
    expect(await publish(BROKEN)).toMatchObject({
      isNew: false,
      report: { status: 'READY', isHeld: true },
    });
    await send();
    expect(await states(SOUND)).toEqual(['folder  SUCCESS', 'mail compta@example.com SUCCESS']);
    expect(await states(BROKEN)).toEqual(['folder  HELD', 'mail compta@example.com HELD']);
    expect(
      server.arrived.map(({ subject }) => subject).filter((subject) => subject!.includes(BROKEN)),
    ).toEqual([]);
  });

  test('is PENDING with its reason for its merchant, in the list, when it is generated, and to download', async () => {
    const [sound] = await listed(SOUND);
    expect(sound).toMatchObject({ status: 'READY', error: null });
    expect((await ask(SOUND, `/${sound!.id}/download`)).status).toBe(200);
    const [held, ...others] = await listed(BROKEN);
    expect(others).toEqual([]);
    expect(held).toMatchObject({ ...NOTHING_SHOWN, error: REASON });
    expect(await generated(BROKEN, '2026-10')).toEqual({ status: 201, report: held });
    for (const query of ['', '?format=json', '?format=xlsx']) {
      const refused = await ask(BROKEN, `/${held!.id}/download${query}`);
      expect([refused.status, await refused.json()]).toEqual([
        404,
        { statusCode: 404, message: REASON, error: 'Not Found' },
      ]);
    }
    expect(await heldMonths()).toEqual([`${BROKEN} 2026-10`]);
  });

  test('is named by the mail at the end of a night that ended before it was issued', async () => {
    await announce(books.store, [nightMail('ops@example.com', 1)]);
    await send();
    const { text = '' } = server.arrived.findLast(({ envelope }) =>
      envelope.to.includes('ops@example.com'),
    )!;
    expect(text.replaceAll('\n', ' ')).toContain(
      `Statements held when this was sent: 1 — ${BROKEN} 2026-10.`,
    );
  });

  test('is not sent by a retry, and one that a retry had put into the queue is refused', async () => {
    const held = (await stored(books.store)).filter(
      ({ merchant, state }) => merchant === BROKEN && state === 'HELD',
    );
    for (const { id } of held) {
      const told = await pointageAs('awa', [
        'deliveries',
        'retry',
        id,
        '--config',
        config,
        '--database-url',
        books.databaseUrl,
      ]);
      expect([told.status, told.err]).toEqual([
        3,
        expect.stringContaining("is held: 'pointage statement release'"),
      ]);
    }
    const smuggle =
      "update deliveries set state = 'PENDING', next_attempt_at = $2 where delivery_id = $1";
    await books.store.pool.query(smuggle, [held[0]!.id, NOW]);
    await send();
    expect((await stored(books.store)).find(({ id }) => id === held[0]!.id)!.state).toBe(
      'ABANDONED',
    );
    const back =
      "update deliveries set state = 'HELD', next_attempt_at = null where delivery_id = $1";
    await books.store.pool.query(back, [held[0]!.id]);
  });

  test('goes to an address of one’s choice meanwhile', async () => {
    const words = ['send', BROKEN, '2026-10', '--to', 'audit@example.com', '--lang', 'en'];
    const unsigned = [
      'statement',
      ...words,
      '--config',
      config,
      '--database-url',
      books.databaseUrl,
    ];
    expect((await pointage(unsigned)).err).toContain('Give your token in POINTAGE_TOKEN');
    const POINTAGE_TOKEN = await addToken(books.databaseUrl, 'lecture', ['reader']);
    const refused = await pointage(unsigned, { environment: { POINTAGE_TOKEN } });
    expect([refused.status, refused.err]).toEqual([
      3,
      expect.stringContaining('the permission publish'),
    ]);
    const told = await statements(...words);
    expect(told).toMatchObject({ status: 0, err: '' });
    const asked = await books.store.pool.query(
      "select content from deliveries where target = 'audit@example.com'",
    );
    expect(asked.rows).toMatchObject([{ content: { evenIfHeld: true, askedBy: 'awa' } }]);
    expect(told.out).toContain('revision 1, goes to audit@example.com');
    await send();
    expect(server.arrived.at(-1)!.envelope.to).toEqual(['audit@example.com']);
    expect(server.arrived.at(-1)!.text).toContain('The merchant owes the service');
  });

  test('says in the digest, and when it is released, what became since of the roots that broke it, and by whom', async () => {
    const { open: before } = (await listHeldMonths(books.store))[0]!;
    const { rows } = await books.store.pool.query(
      "select fingerprint from findings where content ->> 'causedBy' is null and severity in ('error', 'critical') order by 1",
    );
    expect(before).toBe(rows.length);
    await findings('acknowledge', rows[0].fingerprint, '--reason', 'vu');
    expect((await listHeldMonths(books.store))[0]).toMatchObject({ open: before, since: [] });
    await findings('accept', rows[0].fingerprint, '--reason', 'petit\nécart');
    expect((await listHeldMonths(books.store))[0]).toMatchObject({
      open: before! - 1,
      since: [{ action: 'accept', by: 'awa' }],
    });
    await announce(books.store, [nightMail('fr@example.com', 2)]);
    await deliverDue(
      outboxTask(books.store, [openMailChannel(mailSettings(server.url, { alertLanguage: 'fr' }))]),
    );
    const { text = '' } = server.arrived.findLast(({ envelope }) =>
      envelope.to.includes('fr@example.com'),
    )!;
    expect(text.replaceAll('\n', ' ')).toContain(
      `Relevés retenus à l’heure de cet envoi : 1 — ${BROKEN} 2026-10 (depuis : 1 constat accepté par awa ; plus rien d’ouvert). `,
    );
    // Nothing was queued about it.
    expect(text).toMatch(/Aucun constat ouvert|ouverts à l’heure de cet envoi/);
  });

  test('goes out when it is released, once, and says one sentence in every form', async () => {
    const told = await statements('release', BROKEN, '2026-10');
    expect(told).toMatchObject({ status: 0, err: '' });
    const [head, since, ...others] = told.out.trimEnd().split('\n');
    expect(head).toContain('released; 2 deliveries go out');
    expect(since).toMatch(
      /^ {2}= [0-9a-f]{8} {2}accepted on 2026-11-15 by awa: petit\\u000aécart$/,
    );
    expect(others).toEqual([]);
    await findings('reopen', since!.slice(4, 12), '--reason', 'encore');
    const acts = await books.store.pool.query(
      "select acted_by from report_holds where act = 'released'",
    );
    expect(acts.rows).toEqual([{ acted_by: 'awa' }]);
    const released = (await listed(BROKEN)).find(({ period }) => period === '2026-10')!;
    expect(released).toMatchObject({
      status: 'READY',
      error: null,
      summary: { verdict: { state: 'broken' } },
    });
    expect((await ask(BROKEN, `/${released.id}/download`)).status).toBe(200);
    expect(await heldMonths()).not.toContain(`${BROKEN} 2026-10`);
    await send();
    expect(await states(BROKEN)).toContain('mail compta@example.com SUCCESS');
    expect((await statements('release', BROKEN, '2026-10')).out).toContain('nothing of it is held');
    const { text } = server.arrived.findLast(({ envelope }) =>
      envelope.to.includes('compta@example.com'),
    )!;
    const file = (ending: string) =>
      join(scratch, 'statements', BROKEN, '2026-10', `RELEVE_${BROKEN}_2026-10_r1.${ending}`);
    const { verdict } = JSON.parse(readFileSync(file('json'), 'utf8')) as {
      verdict: { fr: readonly string[] };
    };
    expect(verdict.fr[0]).toBe('Livres non conformes.');
    expect(verdict.fr[1]).toMatch(/^Le marchand doit .* au service/);
    for (const sentence of verdict.fr) expect(text).toContain(sentence);
    if (!areInstalled('pdftotext')) return;
    const squeezed = (words: string) => words.replace(/[\s\u202f\u00a0]/g, '');
    const [first] = pagesOf(file('pdf'));
    for (const sentence of verdict.fr) expect(squeezed(first!)).toContain(squeezed(sentence));
    expect(
      execFileSync('pdftotext', ['-l', '1', file('pdf'), '-'], { encoding: 'utf8' }),
    ).not.toMatch(/n’en sont affectés/);
  });

  test('that is held still gives way to the next revision', async () => {
    await books.store.pool.query(
      "update deliveries set state = 'HELD', next_attempt_at = null where merchant = $1",
      [BROKEN],
    );
    books.addLateLine(BROKEN, 500);
    await books.run(NOW);
    const { report } = await publish(BROKEN);
    expect(report.revision).toBe(2);
    const byState = Map.groupBy(await stored(books.store), ({ state }) => state);
    expect(byState.get('HELD')!.map(({ announces }) => announces)).toEqual([
      `report/${report.id}`,
      `report/${report.id}`,
    ]);
    expect(byState.get('ABANDONED')).toHaveLength(3);
    const october = (await listed(BROKEN)).filter(({ period }) => period === '2026-10');
    expect(
      october.map(({ status }) => status),
      'the one that was released before stays',
    ).toEqual(['PENDING', 'READY']);
  });
});

test('what was never issued, and what is no month or address, is refused in one sentence', async () => {
  for (const [words, said] of [
    [['release', BROKEN, '2026-09'], `No statement of ${BROKEN} was issued for 2026-09`],
    [['release', 'NOBODY', '2026-10'], "There is no merchant 'NOBODY'"],
    [['release', BROKEN, 'October'], 'It must be a month: YYYY-MM.'],
    [['send', BROKEN, '2026-10'], '--to'],
    [['send', BROKEN, '2026-10', '--to', 'nobody'], 'It must be a mail address.'],
  ] as const) {
    const told = await statements(...words);
    expect(told.status, said).toBe(3);
    expect(told.err).toContain(said);
  }
});

describe('to close a month', () => {
  const close = (...words: string[]) =>
    pointageAs(
      'awa',
      ['statement', 'close', ...words, '--config', config, '--database-url', books.databaseUrl],
      {
        clock: () => NOW,
      },
    );
  const closed = async () =>
    (await books.store.pool.query('select period, closed_by, reason from closed_months order by 1'))
      .rows;

  test('is refused where roots are open or its statement is held, and says so', async () => {
    const { status, out, err } = await close(BROKEN, '2026-10');
    expect([status, out]).toEqual([2, '']);
    expect(err).toMatch(
      /^✗ PAPETERIE 2026-10 is not closed: 2 roots are open \((?:[A-Z_]+ [0-9a-f]{8}(?:, )?){2}\), its statement is held;/,
    );
    expect(err).toMatch(
      /; what comes later and is dated in it falls into 2026-11\.\n {2}--yes closes it all the same\.\n$/,
    );
    expect(await closed()).toEqual([]);
  });

  test('closes those of a year that were issued, in one go, or none of them', async () => {
    const told = await close(SOUND, '2026');
    expect([told.status, told.out]).toEqual([3, '']);
    expect(told.err).toContain(
      "2026 has not ended, and can be closed once it is issued, from 2027-01-01 on; until then by months, 'pointage statement close KIOSQUE 2026-10'.",
    );
    expect(await closed()).toEqual([]);
    await books.store.pool.query(
      `insert into reports (merchant_id, report_id, period, revision, attempt, status, period_label, period_start, period_end,
        requested_at, generated_at, issued)
      select merchant_id, gen_random_uuid(), period, 1, 1, 'READY', '', month, month + 1, 0, 0, '{"summary":{"lastSequence":0}}'
      from merchants, unnest(array['2025-11', '2025-12']) with ordinality as of (period, month) where reference = $1`,
      [SOUND],
    );
    const { status, out } = await close(SOUND, '2025');
    expect([status, out.split('\n').map((line) => line.split(';')[0])]).toEqual([
      0,
      ['KIOSQUE 2025-11: closed', 'KIOSQUE 2025-12: closed', ''],
    ]);
  });

  test('of all merchants closes what is sound, and says what falls into the month after', async () => {
    books.addLateLine(SOUND, 500);
    await books.run(NOW);
    const { status, out, err } = await close('--all', '2026-10');
    expect([status, out]).toEqual([
      2,
      'KIOSQUE 2026-10: closed; 1 line that is dated in it and not stated falls into 2026-11, as what comes later does\n',
    ]);
    expect(err).toContain('✗ PAPETERIE 2026-10 is not closed');
  });

  test.runIf(areInstalled('pdftotext'))(
    'is printed on an attestation, with the lines that came too late, and leaves its statement as it was issued',
    async () => {
      const out = testFolder('pointage-closed-');
      const said = ['--config', config, '--database-url', books.databaseUrl, '--out', out];
      const clock = () => NOW;
      const formats = ['--format', 'pdf,xlsx'];
      expect(
        (await pointage(['statement', SOUND, '2026-10', ...formats, ...said], { clock })).status,
      ).toBe(0);
      const attest = await pointage(['statement', 'attest', SOUND, '2026-10-31', ...said], {
        clock,
      });
      expect([attest.status, attest.err]).toEqual([0, '']);
      const closing = squeezed('Clôture du mois : le 15/11/2026 12:00:00, par awa.');
      const late = squeezed(
        'Une ligne datée du mois est arrivée depuis, et n’y est pas comptée : n° ',
      );
      const [attested] = pagesOf(join(out, `ATTESTATION_${SOUND}_2026-10-31_r1.pdf`)).map(squeezed);
      for (const text of [closing, late]) expect(attested).toContain(text);
      const key = { merchant: SOUND, period: '2026-10' };
      for (const { format, sha256, fileName } of (await loadIssuedReport(
        books.store,
        key,
      ))!.files.filter((file) => file.format !== 'tlog-proof'))
        expect([format, hash('sha256', readFileSync(join(out, fileName)))]).toEqual([
          format,
          sha256,
        ]);
      const except =
        'sauf : 1 ligne datée d’avant, arrivée après la clôture du mois, n’y est pas comptée.';
      expect(attested).toContain(squeezed(except));
      expect(attested).not.toContain(squeezed('et aucune autre.'));
    },
  );

  /** Runs a command with a limit, and lets another operator confirm the proposal. */
  const byTwo = async (status: number, subject: string, ...words: readonly string[]) => {
    const limited = join(scratch, 'limited.json');
    const { mail } = JSON.parse(readFileSync(config, 'utf8')) as { readonly mail: object };
    writeFileSync(limited, JSON.stringify({ mail, decisions: { secondPersonAbove: { XOF: 0 } } }));
    const as = (name: string, ...typed: readonly string[]) =>
      pointageAs(name, [...typed, '--config', limited, '--database-url', books.databaseUrl], {
        clock: () => NOW,
      });
    const told = await as('awa', 'statement', ...words);
    expect([told.status, told.err]).toEqual([status, '']);
    const [, id] =
      /^PAPETERIE (?:\S+) waits for a second person, as the proposal ([0-9a-f-]{36})\.\n$/.exec(
        told.out,
      )!;
    expect((await as('awa', 'proposals', 'list')).out).toContain(id);
    expect((await as('awa', 'proposals', 'confirm', id!)).err).toContain('awa has proposed it');
    const done = await as('moussa', 'proposals', 'confirm', id!);
    expect([done.status, done.out]).toEqual([0, `Done: ${words[0]} PAPETERIE ${subject}.\n`]);
  };

  test('or release one above an amount takes two, also the months of a year', async () => {
    await books.store.pool.query(
      `insert into reports (merchant_id, report_id, period, revision, attempt, status, period_label, period_start, period_end,
        requested_at, generated_at, issued)
      select m.merchant_id, gen_random_uuid(), '2025-12', 1, 1, 'READY', '', 0, 1, 0, 0,
        json_build_object('summary', json_build_object('lastSequence', 0), 'openRoots', json_agg(f.fingerprint))
      from merchants as m join findings as f using (merchant_id) where reference = $1 and is_root group by 1`,
      [BROKEN],
    );
    await byTwo(2, '2025', 'close', BROKEN, '2025');
    await byTwo(0, '2026-10', 'release', BROKEN, '2026-10', '--reason', 'seen');
    expect(await heldMonths()).toEqual([]);
    await byTwo(
      2,
      '2026-10',
      'close',
      BROKEN,
      '2026-10',
      '--yes',
      '--reason',
      'accounts\napproved',
    );
  });

  test('is done with --yes, and who, when and why are kept', async () => {
    const by = 'awa, confirmed by moussa';
    expect(await closed()).toContainEqual({ period: '2025-12', closed_by: by, reason: null });
    expect(await closed()).toContainEqual({
      period: '2026-10',
      closed_by: by,
      reason: 'accounts\napproved',
    });
    const earlier = `insert into reports (merchant_id, report_id, period, revision, attempt, status, period_label, period_start,
        period_end, requested_at, generated_at, issued)
      select merchant_id, gen_random_uuid(), '2026-09', 1, 1, 'READY', '', 0, 1, 0, 0, '{"summary":{"lastSequence":0}}'
      from merchants where reference = $1`;
    await books.store.pool.query(earlier, [BROKEN]);
    const outOfOrder = await close(BROKEN, '2026-09', '--yes');
    expect([outOfOrder.status, outOfOrder.err]).toEqual([
      3,
      'pointage: The month cannot be closed: 2026-10 is closed, and months are closed in their order.\n',
    ]);
    const again = await close(BROKEN, '2026-10');
    expect([again.status, again.out]).toEqual([
      0,
      'PAPETERIE 2026-10: closed before, 2026-11-15 by awa, confirmed by moussa: accounts\\u000aapproved\n',
    ]);
  });
});

test('a file that is not what was issued is neither served nor sent, and the log says so', async () => {
  const { id } = (await listed(SOUND)).find(({ period }) => period === '2026-10')!;
  const spoil =
    "update report_file_parts set content = content || '\\x00' where format = 'pdf' and report_id = $1";
  await withoutTriggers(books.store.pool, (client) => client.query(spoil, [id]));
  const answer = await ask(SOUND, `/${id}/download`);
  expect([answer.status, answer.headers.get('etag'), await answer.json()]).toEqual([
    500,
    null,
    { statusCode: 500, message: 'Internal server error', error: 'Internal Server Error' },
  ]);
  expect(JSON.stringify(reports.events)).toContain(
    '.pdf in the store is not the file that was issued',
  );
  expect((await ask(SOUND, `/${id}/download?format=xlsx`)).status).toBe(200);
  const told = await statements('send', SOUND, '2026-10', '--to', 'audit@example.com');
  expect([told.status, told.out]).toEqual([3, '']);
  expect(told.err).toContain(
    'RELEVE_KIOSQUE_2026-10_r1.pdf in the store is not the file that was issued',
  );
});
