// What an accountant is sent of a revision, over mail and into a folder, by a real store, outbox
// and servers. Whatever became of earlier mails, the files that arrived add up to the newest
// revision. Also the register of all files that left.

import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { MINUTE, SECOND } from '../../src/core/domain/instant.ts';
import { openMailChannel } from '../../src/io/deliveries/mail.ts';
import { formatNamed } from '../../src/io/formats/register.ts';
import {
  claimDelivery,
  type DueDelivery,
  listDue,
  recordAttempt,
} from '../../src/io/storage/deliveries/outbox.ts';
import { listSentFiles } from '../../src/io/storage/deliveries/sent-files.ts';
import { announcementsOf } from '../../src/service/compose/delivering.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { deliverDue, packParcel } from '../../src/service/workflows/deliveries/deliver-due.ts';
import {
  retryNamedDeliveries,
  sendStatement,
} from '../../src/service/workflows/deliveries/manage-deliveries.ts';
import { publishStatement } from '../../src/service/workflows/month/publish-statement.ts';
import { type BookedRow, readFecRows, sumsByAccount } from '../support/bookkeeping-readers.ts';
import {
  type ArrivedMail,
  digestsOf,
  type MailServer,
  startMailServer,
} from '../support/mail-server.ts';
import { pointageAs } from '../support/operator-token.ts';
import {
  folderChannel,
  mailSettings,
  NOW,
  outboxTask,
  stored,
  type TestOutbox,
} from '../support/outbox.ts';
import {
  openReportBooks,
  publishTask,
  READ_AT,
  type ReportBooks,
} from '../support/report-books.ts';
import { startTestServer, tokenOf } from '../support/report-server.ts';
import { withoutTriggers } from '../support/without-triggers.ts';

/** The formats that are sent. */
const FORMATS = ['csv', 'ofx', 'fec', 'sage', 'odoo', 'camt', 'mt940', 'journal'];
/** The formats that show, in the accounts and in the bank, which revision a receiver has. */
const BOOKED = ['fec', 'camt', 'ofx'];
const COMPTA = 'compta@example.com';
const MERCHANTS = [
  'DELTA',
  'ECHEC',
  'DOUTE',
  'REDITE',
  'MAJUSCULE',
  'CHAINE',
  'ENSEMBLE',
  'TOUR',
  'TROU',
];

let books: ReportBooks;
let server: MailServer;
let scratch: string;
let issuedAt = READ_AT;
beforeAll(async () => {
  books = await openReportBooks(MERCHANTS);
  scratch = mkdtempSync(join(tmpdir(), 'pointage-sent-'));
});
afterAll(async () => {
  await books.close();
  rmSync(scratch, { recursive: true, force: true });
});
beforeEach(async () => {
  server = await startMailServer();
});
afterEach(() => server.close());

const folder = () => join(scratch, 'statements');

/**
 * Issues the next revision of October, announced to these accountants and into the folder. For
 * `DELTA` all formats are issued.
 */
async function issue(merchant: string, accountants = [COMPTA]) {
  const config = join(scratch, 'settings.json');
  const mail = { url: 'smtp://127.0.0.1', from: 'pointage@example.com' };
  const named = { [merchant]: { accountants: accountants.map((email) => ({ email })) } };
  writeFileSync(
    config,
    JSON.stringify({ mail, deliveries: { folder: folder(), hold: 'none' }, merchants: named }),
  );
  const announcements = announcementsOf(await loadConfiguration({ config }, {}));
  issuedAt += SECOND;
  const names = merchant === 'DELTA' ? FORMATS : BOOKED;
  // A revision says what changed by the JSON of the revision before.
  const formats = ['json', ...names].map((name) => formatNamed(name)!);
  const task = publishTask(books.store, { announcements, formats, now: issuedAt });
  const { report } = await publishStatement(task, merchant);
  expect(report).toMatchObject({ status: 'READY', isHeld: false });
  return report;
}
async function issueLate(merchant: string, accountants = [COMPTA]) {
  books.addLateLine(merchant, 500);
  await books.run(READ_AT, [merchant]);
  return issue(merchant, accountants);
}

/**
 * Returns a task that sends what is due `minutes` later. `deadline` of the mail server is in
 * milliseconds.
 */
function sending(minutes = 0, deadline = 5_000): TestOutbox {
  const mail = openMailChannel(mailSettings(server.url, { deadline }));
  const task = outboxTask(books.store, [mail, folderChannel(folder())]);
  task.now = NOW + minutes * MINUTE;
  return { ...task, formats: FORMATS };
}
const send = (minutes = 0, deadline = 5_000) => deliverDue(sending(minutes, deadline));

const mailsTo = (address: string) =>
  server.arrived.filter(({ envelope }) => envelope.to.includes(address));
const namesIn = (mail: ArrivedMail | undefined) => Object.keys(digestsOf(mail!)).toSorted();
const textOf = (mail: ArrivedMail | undefined) => mail!.text!.replaceAll(/\s+/g, ' ');

/**
 * Returns the files of mails by name, each once, because a program that imports knows a file by its
 * name.
 */
function filesOf(mails: readonly ArrivedMail[]): ReadonlyMap<string, Buffer> {
  const all = mails.flatMap(({ attachments }) => attachments);
  return new Map(
    all.map(({ filename, content }) => [filename!, Buffer.from(content as ArrayBuffer)]),
  );
}
function filesIn(merchant: string): ReadonlyMap<string, Buffer> {
  const place = join(folder(), merchant, '2026-10');
  return new Map(readdirSync(place).map((name) => [name, readFileSync(join(place, name))]));
}

/**
 * Returns what a program has imported that does as the folder's own files say, in the order of the
 * revisions.
 */
function importedFrom(merchant: string): ReadonlyMap<string, Buffer> {
  const all = filesIn(merchant);
  const imported = new Map<string, string>();
  for (const name of [...all.keys()].filter((one) => one.endsWith('.imports.json')).toSorted()) {
    const { revision, imports } = JSON.parse(all.get(name)!.toString());
    expect(name).toBe(`RELEVE_${merchant}_2026-10_r${revision}.imports.json`);
    for (const { format, how, after, files, says } of imports) {
      if (how !== 'delta')
        for (const [one, other] of imported) if (other === format) imported.delete(one);
      expect(after === null).toBe(how === 'first');
      for (const { fileName, sha256 } of files) {
        expect(createHash('sha256').update(all.get(fileName)!).digest('hex')).toBe(sha256);
        expect(says).toContain(fileName);
        imported.set(fileName, format);
      }
    }
  }
  return new Map([...imported.keys()].map((name) => [name, all.get(name)!]));
}

/**
 * Returns the balance of each account by all FECs among the files. Entries of one number are booked
 * once.
 */
function bookedIn(files: ReadonlyMap<string, Buffer>): Readonly<Record<string, number>> {
  const rows: BookedRow[] = [];
  const known = new Set<string>();
  for (const [name, bytes] of files) {
    if (!name.endsWith('.txt')) continue;
    const own = readFecRows(bytes);
    for (const { entry } of own)
      expect(known.has(entry), `${entry} in ${name} was booked before`).toBe(false);
    for (const { entry } of own) known.add(entry);
    rows.push(...own);
  }
  const sums = [...sumsByAccount(rows)].map(
    ([account, [debit, credit]]) => [account, debit - credit] as const,
  );
  return Object.fromEntries(sums.filter(([, sum]) => sum !== 0).toSorted());
}

/**
 * Returns the balance to which the camt files bring an account, in order: each begins where the
 * file before ended.
 */
function closingOf(files: ReadonlyMap<string, Buffer>): number | null {
  let closing: number | null = null;
  for (const [name, bytes] of [...files].toSorted()) {
    if (!name.endsWith('.xml')) continue;
    const text = bytes.toString('utf8');
    const [opens, closes] = ['OPBD', 'CLBD'].map((code) =>
      Number(new RegExp(`${code}<.*?>(\\d+)</Amt>`).exec(text)![1]),
    );
    if (name.includes('.delta.')) expect(opens).toBe(closing);
    else expect(closing).toBeNull();
    const entries = [...text.matchAll(/^<Ntry>.*?>(\d+)<\/Amt><CdtDbtInd>(\w+)/gm)];
    const moved = entries.reduce(
      (sum, [, amount, side]) => sum + (side === 'DBIT' ? -1 : 1) * Number(amount),
      0,
    );
    expect(opens! + moved).toBe(closes);
    closing = closes!;
  }
  return closing;
}

type Report = Awaited<ReturnType<typeof issue>>;

async function bytesOf({ id }: Report, format: string): Promise<Buffer> {
  const parts = await books.store.pool.query(
    'select content from report_file_parts where report_id = $1 and format = $2 order by part_number',
    [id, format],
  );
  return Buffer.concat(parts.rows.map(({ content }) => content as Buffer));
}

/** Checks that a receiver of these files has the revision, in the accounts and in the bank. */
async function expectBooked(files: ReadonlyMap<string, Buffer>, report: Report): Promise<void> {
  const whole = new Map([
    ['whole.txt', await bytesOf(report, 'fec')],
    ['whole.xml', await bytesOf(report, 'camt')],
  ]);
  expect(bookedIn(files)).toEqual(bookedIn(whole));
  expect(closingOf(files)).toBe(closingOf(whole));
}

const stateOf = async (report: Report, channel = 'mail') => {
  const found = (await stored(books.store)).find(
    (one) => one.announces === `report/${report.id}` && one.channel === channel,
  );
  return [found!.state, found!.lastDetail];
};

test('after a revision the delta alone is sent where it would be booked again, and the whole to whoever is new', async () => {
  const first = await issue('DELTA');
  await send();
  expect(namesIn(mailsTo(COMPTA)[0])).toHaveLength(FORMATS.length);
  expect(textOf(mailsTo(COMPTA)[0])).not.toMatch(/à importer|aucune révision/);
  const second = await issueLate('DELTA', [COMPTA, 'neuf@example.com']);
  await send();
  const [, mail] = mailsTo(COMPTA);
  const name = 'RELEVE_DELTA_2026-10_r2';
  const deltas = ['delta.mt940', 'delta.odoo.csv', 'delta.pnm', 'delta.txt', 'delta.xml'].map(
    (end) => `${name}.${end}`,
  );
  expect(namesIn(mail)).toEqual([`${name}.csv`, ...deltas, `${name}.journal`, `${name}.ofx`]);
  const at = '15/11/2026 12:00';
  expect(textOf(mail)).toContain(
    `${name}.delta.mt940 : le seul delta, à importer à la suite de la révision 1 envoyée le ${at}, qui n’est pas à importer de nouveau.`,
  );
  expect(textOf(mail)).toContain(
    `${name}.journal : fichier entier, qui remplace tout ce qui a été importé de ce mois, dont la révision 1 envoyée le ${at} ; à ne pas importer par-dessus.`,
  );
  await expectBooked(filesOf(mailsTo(COMPTA)), second);
  const [fresh] = mailsTo('neuf@example.com');
  expect(digestsOf(fresh!)).toEqual(
    Object.fromEntries(
      second.files
        .filter(({ format }) => FORMATS.includes(format))
        .map(({ fileName, sha256 }) => [fileName, sha256]),
    ),
  );
  expect(textOf(fresh)).toContain(
    'fichier entier ; aucune révision antérieure ne vous a été envoyée.',
  );
  await expectBooked(filesOf([fresh!]), second);
  await expectBooked(importedFrom('DELTA'), second);
  expect([...filesIn('DELTA').keys()].filter((one) => one.endsWith('.xml'))).toEqual([
    'RELEVE_DELTA_2026-10_r1.xml',
    `${name}.delta.xml`,
  ]);
  expect([first.revision, second.revision]).toEqual([1, 2]);
});

test('what is sent once more is whole, and takes the place of what was imported', async () => {
  const to = [{ email: COMPTA, language: 'fr' as const }];
  const wish = { merchant: 'DELTA', period: '2026-10', to, evenIfHeld: false, by: 'awa' };
  await sendStatement(books.store, wish, NOW + MINUTE);
  await send(1);
  const [mail] = mailsTo(COMPTA);
  expect(namesIn(mail).filter((name) => /delta/.test(name))).toEqual([]);
  expect(textOf(mail)).toContain(
    'RELEVE_DELTA_2026-10_r2.xml : fichier entier, qui remplace tout ce qui a été importé de ce mois, dont la révision 2 envoyée le 15/11/2026 12:00',
  );
});

test('a revision that did not arrive is no ground for a delta, and is not sent after the later one', async () => {
  server.refuse = () => 451;
  const first = await issue('ECHEC');
  await send();
  expect((await stateOf(first))[0]).toBe('FAILED');
  server.refuse = () => null;
  const second = await issueLate('ECHEC');
  await send();
  const [mail, ...others] = mailsTo(COMPTA);
  expect(namesIn(mail).filter((name) => /delta|r1/.test(name))).toEqual([]);
  expect(others).toEqual([]);
  await expectBooked(filesOf([mail!]), second);
  await send(60);
  expect(mailsTo(COMPTA)).toHaveLength(1);
  const refusal = 'Revision 2 went there before, or may have; revision 1 is not sent after it.';
  expect(await stateOf(first)).toEqual(['ABANDONED', refusal]);
  await retryNamedDeliveries(books.store, { ids: [], states: ['ABANDONED'] }, NOW + 61 * MINUTE);
  await send(62);
  expect(await stateOf(first)).toEqual(['ABANDONED', refusal]);
});

test('where a mail is in doubt the next one has the whole, which takes its place', async () => {
  const first = await issue('DOUTE');
  server.beforeAnswer = () => new Promise(() => {});
  // The time is long enough for the whole mail to arrive, also where the host is slow.
  await send(0, 3_000);
  expect((await stateOf(first))[0]).toBe('IN_DOUBT');
  const files = await listSentFiles(books.store, { merchant: 'DOUTE', limit: 100 });
  const doubted = files.filter(({ outcome }) => outcome === 'IN_DOUBT');
  expect(doubted.map(({ fileName }) => fileName).toSorted()).toEqual(namesIn(mailsTo(COMPTA)[0]));
  server.beforeAnswer = async () => null;
  const second = await issueLate('DOUTE');
  await send(1);
  const mail = mailsTo(COMPTA)[1]!;
  expect(textOf(mail)).toMatch(
    /_r2\.xml : fichier entier, qui remplace tout .* dont la révision 1 envoyée le 15\/11\/2026 12:00 ;/,
  );
  await expectBooked(filesOf([mail]), second);
});

/** Breaks the connection when the server has the whole mail, and has not answered yet. */
const cutAfterData = async () => {
  server.cut();
  return null;
};
const retry = (minutes: number) =>
  retryNamedDeliveries(books.store, { ids: [], states: ['IN_DOUBT'] }, NOW + minutes * MINUTE);
/** Returns the register's rows of camt files to the accountant, newest first. */
async function registerOf(merchant: string) {
  const rows = await listSentFiles(books.store, { merchant, limit: 1_000 });
  return rows.filter(({ to, format }) => to === COMPTA && /^camt/.test(format));
}

test('a mail in doubt is sent again as the same mail with the same files, or not at all', async () => {
  await issue('REDITE');
  await send();
  const second = await issueLate('REDITE');
  server.beforeAnswer = cutAfterData;
  await send(1);
  expect((await stateOf(second))[0]).toBe('IN_DOUBT');
  const of = async () =>
    (await registerOf('REDITE')).map(({ fileName, outcome }) => `${fileName.slice(22)} ${outcome}`);
  const known = ['r2.delta.xml IN_DOUBT', 'r1.xml SUCCESS'];
  expect(await of()).toEqual(known);
  await retry(2);
  server.refuse = () => 451;
  await send(3);
  expect((await stateOf(second))[0]).toBe('FAILED');
  expect(await of()).toEqual(known);
  server.refuse = () => null;
  server.beforeAnswer = async () => null;
  // Other formats were configured in the meantime.
  await deliverDue({ ...sending(9), formats: ['ofx'] });
  expect(await of()).toEqual(['r2.delta.xml SUCCESS', ...known]);
  const [, lost, again] = mailsTo(COMPTA);
  expect(again!.messageId).toBe(lost!.messageId);
  expect(digestsOf(again!)).toEqual(digestsOf(lost!));
  expect(namesIn(again)).toContain('RELEVE_REDITE_2026-10_r2.delta.txt');
  const imports = (mail: ArrivedMail | undefined) => textOf(mail).match(/Pièces jointes.*/)?.[0];
  expect(imports(again)!.replace(/Pièces jointes : .*?\. /, '')).toBe(
    imports(lost)!.replace(/Pièces jointes : .*?\. /, ''),
  );
  expect(textOf(again)).toContain(
    'Ce courriel vous est peut-être déjà parvenu, le 15/11/2026 12:01 : c’est le même',
  );
  expect(textOf(lost)).not.toContain('peut-être');
  await expectBooked(filesOf(mailsTo(COMPTA)), second);
  const third = await issueLate('REDITE');
  server.beforeAnswer = cutAfterData;
  await send(10);
  expect((await stateOf(third))[0]).toBe('IN_DOUBT');
  await expectBooked(filesOf(mailsTo(COMPTA)), third);
  server.beforeAnswer = async () => null;
  const to = [{ email: COMPTA.toUpperCase(), language: 'fr' as const }];
  await sendStatement(
    books.store,
    { merchant: 'REDITE', period: '2026-10', to, evenIfHeld: false, by: 'awa' },
    NOW,
  );
  await send(11);
  expect(namesIn(server.arrived.at(-1)!).filter((name) => /delta/.test(name))).toEqual([]);
  const arrived = server.arrived.length;
  await retry(12);
  await send(13);
  expect(await stateOf(third)).toEqual([
    'ABANDONED',
    'Revision 3 went there since, or may have; what is in doubt is not sent again.',
  ]);
  expect(server.arrived).toHaveLength(arrived);
  expect((await of())[0]).toBe('r3.delta.xml IN_DOUBT');
});

test('what a process that ended had sent, perhaps, is in the register with its files', async () => {
  const [delivery] = await listDue(books.store, {
    channel: 'mail',
    at: NOW + 999 * MINUTE,
    limit: 1,
  });
  expect(delivery).toBeUndefined();
  const report = await issueLate('REDITE');
  const [due] = (await listDue(books.store, { channel: 'mail', at: NOW, limit: 9 })) as [
    DueDelivery,
  ];
  const packed = await packParcel(sending(20), due, NOW + 20 * MINUTE);
  const { cargo } = packed as Extract<typeof packed, { parcel: unknown }>;
  const claim = { id: due.id, claimedAt: NOW + 20 * MINUTE, until: NOW + 21 * MINUTE, cargo };
  expect(await claimDelivery(books.store, claim)).toBe(true);
  await send(22);
  expect((await stateOf(report))[0]).toBe('IN_DOUBT');
  const doubted = (await registerOf('REDITE')).filter(({ revision }) => revision === 4);
  expect(doubted.map(({ outcome }) => outcome)).toEqual(['IN_DOUBT']);
  // The process is alive and says so: the same attempt is no longer in doubt.
  expect(
    await recordAttempt(books.store, claim, { outcome: 'SUCCESS', detail: '', finishedAt: NOW }),
  ).toBe(true);
  const sent = (await registerOf('REDITE')).filter(({ revision }) => revision === 4);
  expect(sent.map(({ outcome }) => outcome)).toEqual(['SUCCESS']);
});

test('an address in capitals is the same one, and is written to as it is spelled', async () => {
  await issue('MAJUSCULE', ['Compta@Example.com']);
  await send();
  const second = await issueLate('MAJUSCULE', [COMPTA, 'COMPTA@example.com']);
  await send();
  const mails = server.arrived;
  expect(mails.map(({ envelope }) => envelope.to)).toEqual([
    ['Compta@Example.com'],
    ['COMPTA@example.com'],
  ]);
  expect(namesIn(mails[1]).filter((name) => name.endsWith('.xml'))).toEqual([
    'RELEVE_MAJUSCULE_2026-10_r2.delta.xml',
  ]);
  await expectBooked(filesOf(mails), second);
});

test('two revisions that a place lacks come as a chain of deltas', async () => {
  await issue('CHAINE');
  await send();
  server.refuse = () => 451;
  const second = await issueLate('CHAINE');
  await send();
  server.refuse = () => null;
  const third = await issueLate('CHAINE');
  await send();
  const mails = mailsTo(COMPTA);
  expect(mails).toHaveLength(2);
  expect(namesIn(mails[1]).filter((name) => name.endsWith('.delta.txt'))).toEqual([
    'RELEVE_CHAINE_2026-10_r2.delta.txt',
    'RELEVE_CHAINE_2026-10_r3.delta.txt',
  ]);
  await expectBooked(filesOf(mails), third);
  await expectBooked(importedFrom('CHAINE'), third);
  await send(60);
  expect(mailsTo(COMPTA)).toHaveLength(2);
  expect((await stateOf(second))[0]).toBe('ABANDONED');
});

test('revisions that are due together are sent one after the other, also by two processes', async () => {
  const accountants = Array.from({ length: 6 }, (_, i) => `compta${i}@example.com`);
  await issue('ENSEMBLE', accountants);
  const second = await issueLate('ENSEMBLE', accountants);
  server.beforeAnswer = () => new Promise((resolve) => void setTimeout(resolve, 20, null));
  await Promise.all([send(1), send(1)]);
  await send(1);
  expect(server.arrived.length).toBeGreaterThanOrEqual(accountants.length);
  for (const address of accountants) await expectBooked(filesOf(mailsTo(address)), second);
  await expectBooked(importedFrom('ENSEMBLE'), second);
});

test('one pass sends both, and what was chosen before something else arrived is chosen anew', async () => {
  await issue('TOUR');
  const second = await issueLate('TOUR');
  const due = await listDue(books.store, { channel: 'mail', at: NOW, limit: 100 });
  const [{ content, id, ...delivery }] = due.filter(
    (one) => 'reportId' in one.content && one.content.reportId === second.id,
  ) as [DueDelivery];
  const packed = await packParcel(sending(), { content, id, ...delivery }, NOW);
  const { cargo } = packed as Extract<typeof packed, { parcel: unknown }>;
  server.beforeAnswer = () => new Promise((resolve) => void setTimeout(resolve, 100, null));
  await send();
  expect(mailsTo(COMPTA)).toHaveLength(2);
  await expectBooked(filesOf(mailsTo(COMPTA)), second);
  const again =
    "update deliveries set state = 'PENDING', next_attempt_at = $2 where delivery_id = $1";
  await books.store.pool.query(again, [id, NOW]);
  expect(await claimDelivery(books.store, { id, claimedAt: NOW, until: NOW + MINUTE, cargo })).toBe(
    false,
  );
  expect(await claimDelivery(books.store, { id, claimedAt: NOW, until: NOW + MINUTE })).toBe(true);
});

test('where there is no delta, or a step was held, the whole takes the place of what was imported', async () => {
  await issue('TROU');
  await send();
  const second = await issueLate('TROU');
  const forget = "delete from report_files where report_id = $1 and format = 'camt-delta'";
  await withoutTriggers(books.store.pool, (client) => client.query(forget, [second.id]));
  await send();
  const [, mail] = mailsTo(COMPTA);
  expect(namesIn(mail)).toContain('RELEVE_TROU_2026-10_r2.xml');
  expect(textOf(mail)).toContain('RELEVE_TROU_2026-10_r2.xml : fichier entier, qui remplace tout');
  const third = await issueLate('TROU');
  const hold =
    "insert into report_holds select merchant_id, report_id, 'held', 0 from reports where report_id = $1";
  await books.store.pool.query(hold, [third.id]);
  await send();
  expect((await stateOf(third))[0]).toBe('ABANDONED');
  const fourth = await issueLate('TROU');
  await send();
  const last = mailsTo(COMPTA).at(-1)!;
  expect(namesIn(last).filter((name) => /_r3|delta/.test(name))).toEqual([]);
  await expectBooked(filesOf([last]), fourth);
  await expectBooked(importedFrom('TROU'), fourth);
  const { imports } = JSON.parse(
    filesIn('TROU').get('RELEVE_TROU_2026-10_r4.imports.json')!.toString(),
  );
  expect(imports.find(({ format }: { format: string }) => format === 'camt')).toMatchObject({
    how: 'replaces',
    after: 2,
    says: expect.stringContaining(
      'RELEVE_TROU_2026-10_r4.xml : fichier entier, qui remplace tout ce qui a été importé',
    ),
  });
});

test('an earlier version, which wrote down no files, is taken to have sent all of it', async () => {
  const forget = `update delivery_attempts set files = null
    where delivery_id in (select delivery_id from deliveries where merchant = 'CHAINE')`;
  await withoutTriggers(books.store.pool, (client) => client.query(forget));
  await issueLate('CHAINE');
  await send(70);
  expect(namesIn(mailsTo(COMPTA)[0]).filter((name) => name.endsWith('.xml'))).toEqual([
    'RELEVE_CHAINE_2026-10_r4.delta.xml',
  ]);
});

test('the register has each file that was sent or downloaded, with its hash, its revision and to whom', async () => {
  const reports = await startTestServer(books.store, {});
  const { rows: issued } = await books.store.pool.query(
    "select report_id as id from reports natural join merchants where reference = 'DELTA' and revision = 2",
  );
  const headers = { authenticationtoken: await tokenOf('DELTA') };
  const answer = await fetch(
    `${reports.origin}/web-merchant/reports/${issued[0].id}/download?format=camt-delta`,
    {
      headers,
    },
  );
  const digest = createHash('sha256')
    .update(Buffer.from(await answer.arrayBuffer()))
    .digest('hex');
  expect(answer.headers.get('x-pointage-revision')).toBe('2');
  expect(answer.headers.get('x-pointage-delta-of')).toBe('1');
  await reports.close();
  const words = [
    'deliveries',
    'register',
    '--merchant',
    'DELTA',
    '--period',
    '2026-10',
    '--format',
    'json',
  ];
  const { out, status } = await pointageAs('awa', [...words, '--database-url', books.databaseUrl], {
    clock: () => NOW,
  });
  expect(status).toBe(0);
  const rows = JSON.parse(out) as Record<string, unknown>[];
  expect(rows.find(({ way }) => way === 'http')).toEqual({
    at: new Date(READ_AT).toISOString(),
    merchant: 'DELTA',
    period: '2026-10',
    revision: 2,
    deltaOf: 1,
    format: 'camt-delta',
    fileName: 'RELEVE_DELTA_2026-10_r2.delta.xml',
    sha256: digest,
    way: 'http',
    to: 'merchant DELTA',
    askedBy: null,
    outcome: 'SUCCESS',
  });
  const kept = [...filesIn('DELTA')].filter(([name]) => !name.endsWith('.imports.json'));
  const put = rows.filter(({ way }) => way === 'folder');
  expect(Object.fromEntries(put.map(({ fileName, sha256 }) => [fileName, sha256]))).toEqual(
    Object.fromEntries(
      kept.map(([name, bytes]) => [name, createHash('sha256').update(bytes).digest('hex')]),
    ),
  );
  const toOf = ({ to, revision, deltaOf, askedBy }: Record<string, unknown>) =>
    [to, revision, deltaOf, askedBy].join(' ');
  expect(new Set(rows.filter(({ format }) => /^camt/.test(String(format))).map(toOf))).toEqual(
    new Set([
      'merchant DELTA 2 1 ',
      `${COMPTA} 2  awa`,
      `${COMPTA} 2 1 `,
      `${COMPTA} 1  `,
      'neuf@example.com 2  ',
      `${folder()} 2 1 `,
      `${folder()} 1  `,
    ]),
  );
});
