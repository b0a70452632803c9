// Statements on their way to accountants: by mail, with the figures in the body and the report's
// own files attached, and into a folder, whatever a merchant is called.

import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { NewDelivery } from '../../src/core/domain/delivery/delivery.ts';
import type { IssuedStatement } from '../../src/core/statements/revision.ts';
import { openMailChannel } from '../../src/io/deliveries/mail.ts';
import { openWebhookChannel } from '../../src/io/deliveries/webhook.ts';
import { FORMATS } from '../../src/io/formats/register.ts';
import type { ReportFile, ReportRecord } from '../../src/io/storage/issued/reports.ts';
import { announcementsOf } from '../../src/service/compose/delivering.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { deliverDue, packParcel } from '../../src/service/workflows/deliveries/deliver-due.ts';
import { publishStatement } from '../../src/service/workflows/month/publish-statement.ts';
import { digestsOf, type MailServer, startMailServer } from '../support/mail-server.ts';
import {
  announce,
  emptyOutbox,
  folderChannel,
  mailSettings,
  NOW,
  outboxTask,
  stored,
} from '../support/outbox.ts';
import { openReportBooks, publishTask, type ReportBooks } from '../support/report-books.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { withoutTriggers } from '../support/without-triggers.ts';

const MERCHANT = 'ÉPICERIE_1';
let books: ReportBooks;
let report: ReportRecord;
let server: MailServer;
let scratch: string;
let folder: string;
beforeAll(async () => {
  books = await openReportBooks([MERCHANT]);
  const formats = FORMATS.filter(({ name }) => name !== 'csv');
  ({ report } = await publishStatement(publishTask(books.store, { formats }), MERCHANT));
});
afterAll(() => books.close());
beforeEach(async () => {
  server = await startMailServer();
  scratch = mkdtempSync(join(tmpdir(), 'pointage-deliveries-'));
  folder = join(scratch, 'statements');
});
afterEach(async () => {
  await server.close();
  rmSync(scratch, { recursive: true, force: true });
  await emptyOutbox(books.store);
});

/** Returns what is announced with these settings. */
async function announced(settings: object): Promise<readonly NewDelivery[]> {
  const file = join(scratch, 'settings.json');
  const mail = { url: server.url, from: 'pointage@example.com' };
  writeFileSync(file, JSON.stringify({ mail, ...settings }));
  const { id, merchant, period } = report;
  return announcementsOf(await loadConfiguration({ config: file }, {})).statement({
    id,
    merchant,
    period,
    isHeld: false,
  });
}

const accountants = [
  { email: 'compta@example.com' },
  { email: 'audit@example.com', language: 'en' },
];
const sent: (file: ReportFile) => boolean = ({ format }) => ['pdf', 'xlsx'].includes(format);
const task = (url = server.url) =>
  outboxTask(books.store, [openMailChannel(mailSettings(url)), folderChannel(folder)]);

function filesIn(place: string): readonly string[] {
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(place.length + 1))
    .toSorted();
}

test('a program learns that a report is issued, in a signed call without its figures', async () => {
  const receiver = await startReceiver(null);
  const [url, secret] = [`http://127.0.0.1:${receiver.port}/hook`, `whsec_${'A'.repeat(32)}`];
  await announce(
    books.store,
    await announced({ alerts: { webhooks: [{ url, secret }], allowPrivate: true } }),
  );
  const settings = {
    receivers: [{ target: url, url, secret }],
    allowPrivate: true,
    userAgent: 'pointage/test',
  };
  const sending = outboxTask(books.store, [openWebhookChannel(settings)]);
  expect(await deliverDue({ ...sending, clock: Date.now })).toMatchObject({ SUCCESS: 1 });
  await receiver.close();
  const { id: reportId, merchant, period } = report;
  const [{ body, headers }] = receiver.calls as [(typeof receiver.calls)[number]];
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({ type: 'report.issued' });
  expect(JSON.parse(body).data).toEqual({ merchant, period, reportId });
});

describe('a statement by mail', () => {
  test('reaches each accountant in their language, with the figures of the report and its very files', async () => {
    await announce(books.store, await announced({ merchants: { [MERCHANT]: { accountants } } }));
    expect(await deliverDue(task())).toMatchObject({ SUCCESS: 2 });
    const [english, french] = server.arrived.toSorted((a, b) =>
      a.envelope.to[0]!.localeCompare(b.envelope.to[0]!),
    );
    expect(french!.subject).toMatch(/^Relevé mensuel — octobre 2026, livres .* — .*ÉPICERIE_1/);
    expect(english!.subject).toMatch(/^Monthly statement — October 2026, books .* — .*ÉPICERIE_1/);
    const { opening, recorded, due } = (report.issued as IssuedStatement).figures!;
    for (const figure of [opening, recorded, due!]) {
      const grouped = (sign: string) => String(figure).replace(/\B(?=(\d{3})+$)/g, sign);
      expect(french!.text).toContain(`: ${grouped('\u202f')}\n`);
      expect(french!.html).toContain(`;font-weight:bold">${grouped('\u202f')}</td>`);
      expect(english!.text).toContain(`: ${grouped(',')}\n`);
    }
    expect(french!.text).toMatch(/Solde dû au 31 octobre 2026 : [\d\u202f]+ XOF\n/);
    const kept = Object.fromEntries(
      report.files.filter(sent).map(({ fileName, sha256 }) => [fileName, sha256]),
    );
    expect(Object.keys(kept)).toHaveLength(2);
    for (const mail of [french!, english!]) expect(digestsOf(mail)).toEqual(kept);
    expect(french!.attachments.map(({ mimeType }) => mimeType)).toContain('application/pdf');
  });

  test('is written once a report and accountant, however often it is announced', async () => {
    const twice = await announced({
      merchants: { [MERCHANT]: { accountants: [accountants[0], accountants[0]] } },
    });
    await announce(books.store, [...twice, ...twice]);
    await deliverDue(task());
    expect(server.arrived).toHaveLength(1);
  });

  test('cannot be given a header by what the merchant calls itself', async () => {
    await books.store.pool.query(
      `insert into profile_versions
      select p.merchant_id, p.version + 1, p.intake, p.created_at, p.cashin_fee_bps, p.cashin_fee_flat, p.cashout_fee_bps,
        p.cashout_fee_flat, p.min_cashin_amount, p.max_cashin_amount, p.min_cashout_amount, p.max_cashout_amount,
        p.daily_cashout_limit, $1, p.legal_name, p.country, p.status, p.allowed_countries
      from profile_versions p where p.merchant_id = 1`,
      ['Awa\r\nBcc: all@example.com\r\nX-Evil: 1\r\n\r\n<b>hello</b>'],
    );
    await announce(
      books.store,
      await announced({ merchants: { [MERCHANT]: { accountants: [accountants[0]] } } }),
    );
    await deliverDue(task());
    const [mail] = server.arrived;
    expect(mail!.envelope.to).toEqual(['compta@example.com']);
    const names = mail!.headers.map(({ key }) => key);
    expect(names).not.toContain('bcc');
    expect(names).not.toContain('x-evil');
    expect(mail!.subject).toContain('Awa Bcc: all@example.com');
    expect(mail!.html).not.toContain('<b>hello');
  });

  test('whose attachment breaks off is never given over whole, and is tried again', async () => {
    await announce(
      books.store,
      await announced({ merchants: { [MERCHANT]: { accountants: [accountants[0]] } } }),
    );
    const mail = openMailChannel(mailSettings(server.url));
    const breaking = {
      ...mail,
      open: async () => {
        const session = await mail.open();
        const send: typeof session.send = (parcel) => {
          const files = parcel.report!.files.map((file) => ({
            ...file,
            read: () => breakingOff(file.read()),
          }));
          return session.send({ ...parcel, report: { ...parcel.report!, files } });
        };
        return { ...session, send };
      },
    };
    expect(await deliverDue(outboxTask(books.store, [breaking]))).toEqual({
      SUCCESS: 0,
      RETRY: 1,
      REFUSED: 0,
      IN_DOUBT: 0,
    });
    expect((await stored(books.store))[0]!.lastDetail).toContain('the store is gone');
    expect(server.arrived).toEqual([]);
  });

  test('is refused when its report is not there', async () => {
    const [delivery] = await announced({ merchants: { [MERCHANT]: { accountants } } });
    const content = { ...delivery!.content, reportId: '00000000-0000-4000-8000-000000000000' };
    await announce(books.store, [{ ...delivery!, content } as NewDelivery]);
    expect(await deliverDue(task())).toMatchObject({ REFUSED: 1 });
    expect(server.asked).toEqual([]);
  });
});

async function* breakingOff(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const part of bytes) {
    yield part.subarray(0, 1_000);
    throw new Error('the store is gone');
  }
}

describe('a statement into a folder', () => {
  const put = async (): Promise<void> =>
    announce(books.store, await announced({ deliveries: { folder } }));

  test('is there by merchant and month, byte for byte, and nothing unfinished beside it', async () => {
    await put();
    expect(await deliverDue(task())).toMatchObject({ SUCCESS: 1 });
    expect(filesIn(folder)).toEqual(
      report.files.filter(sent).map(({ fileName }) => `${MERCHANT}/2026-10/${fileName}`),
    );
    for (const { fileName, sha256 } of report.files.filter(sent)) {
      const bytes = readFileSync(join(folder, MERCHANT, '2026-10', fileName));
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256);
    }
  });

  test('put there once more is a success, also when it was left half done', async () => {
    await put();
    await deliverDue(task());
    const place = join(folder, MERCHANT, '2026-10');
    const { id } = (await stored(books.store))[0]!;
    await emptyOutbox(books.store);
    rmSync(join(place, filesIn(place)[0]!));
    await put();
    const again = (await stored(books.store))[0]!.id;
    writeFileSync(join(place, `.${again}.left.part`), 'half');
    writeFileSync(join(place, `.${id}.other.part`), 'of another delivery');
    expect(await deliverDue(task())).toMatchObject({ SUCCESS: 1 });
    const names = filesIn(place).filter((name) => !name.startsWith(`.${id}`));
    expect(names).toEqual(report.files.filter(sent).map(({ fileName }) => fileName));
  });

  test('writes over nothing: another file of its name is left, and the delivery refused', async () => {
    const place = join(folder, MERCHANT, '2026-10');
    mkdirSync(place, { recursive: true });
    const [first] = report.files.filter(sent);
    writeFileSync(join(place, first!.fileName), 'mine');
    await put();
    expect(await deliverDue(task())).toMatchObject({ REFUSED: 1 });
    expect(readFileSync(join(place, first!.fileName), 'utf8')).toBe('mine');
  });

  test('follows no link out of the folder', async () => {
    mkdirSync(join(scratch, 'outside'));
    mkdirSync(folder);
    symlinkSync(join(scratch, 'outside'), join(folder, MERCHANT));
    await put();
    expect(await deliverDue(task())).toMatchObject({ REFUSED: 1 });
    expect(readdirSync(join(scratch, 'outside'))).toEqual([]);
  });

  async function sendOf(merchant: string): Promise<void> {
    const [delivery] = await announced({ deliveries: { folder } });
    const { content: given } = delivery!;
    const due = {
      id: 'x',
      announces: 'report/x',
      channel: 'folder',
      target: folder,
      merchant,
      content: given,
      createdAt: NOW,
    } as const;
    const packed = await packParcel(task(), due, NOW);
    if (!('parcel' in packed)) throw new Error('it was packed before');
    const session = await folderChannel(folder).open();
    const { parcel } = packed;
    const content = { ...parcel.content, merchant } as typeof parcel.content;
    expect(await session.send({ ...parcel, content })).toMatchObject({ outcome: 'SUCCESS' });
  }

  test.each(['../../escaped', '/escaped', '..', 'a/../../escaped'])(
    'stays in it for a merchant called %j',
    async (merchant) => {
      await sendOf(merchant);
      expect(filesIn(scratch).filter((name) => !/^(?:statements|settings)/.test(name))).toEqual([]);
      expect(filesIn(folder)).toHaveLength(2);
    },
  );

  test('keeps apart merchants whom a disk takes for one, and goes on where an earlier version put one', async () => {
    mkdirSync(join(folder, 'shop.ci'), { recursive: true });
    for (const merchant of ['shop.ci', 'shop_ci', 'SHOP', 'shop', 'CON']) await sendOf(merchant);
    const places = readdirSync(folder).toSorted();
    expect(places.map((place) => place.replace(/--[0-9A-Z]{10}$/, '--'))).toEqual([
      'SHOP',
      '_CON--',
      'shop--',
      'shop.ci',
      'shop_ci--',
    ]);
    for (const place of places) expect(filesIn(join(folder, place))).toHaveLength(2);
  });

  test('is not put there when the store has other bytes than were issued', async () => {
    const spoil = (content: string) =>
      withoutTriggers(books.store.pool, (client) =>
        client.query(
          `update report_file_parts set content = ${content} where format = 'xlsx' and part_number = 0`,
        ),
      );
    try {
      await spoil("content || '\\x00'");
      await put();
      expect(await deliverDue(task())).toMatchObject({ SUCCESS: 0, RETRY: 1 });
      expect((await stored(books.store))[0]!.lastDetail).toMatch(
        /\.xlsx in the store is not the file that was issued/,
      );
      expect(filesIn(folder).filter((name) => !name.endsWith('.pdf'))).toEqual([]);
    } finally {
      await spoil('substring(content from 1 for length(content) - 1)');
    }
  });

  test('is tried again when the folder cannot be written', async () => {
    writeFileSync(folder, 'a file where the folder should be');
    await put();
    expect(await deliverDue(task())).toMatchObject({ RETRY: 1 });
  });
});
