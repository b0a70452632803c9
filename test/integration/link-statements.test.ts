// A month's payments by link in its statement, over real HTTP and a real database. Their figures
// are those of `Report.summary`, the payment service's report is compared with them key by key, and
// its file is kept. No figure of the wallet is added to them.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseInstant } from '../../src/core/domain/instant.ts';
import { boundsOf, formatPeriod } from '../../src/core/domain/period.ts';
import { openZone } from '../../src/core/domain/zone.ts';
import { figuresIn, type IssuedStatement } from '../../src/core/statements/revision.ts';
import type { StatementFormatName } from '../../src/core/statements/statement.ts';
import { openMailChannel } from '../../src/io/deliveries/mail.ts';
import { openDashboard } from '../../src/io/sources/dashboard/open-dashboard.ts';
import { readReportFile } from '../../src/io/storage/issued/report-files.ts';
import { type Books, planMerchant } from '../../src/sandbox/model/plan.ts';
import { DEMO_SEED, DEMO_START, demoPlans } from '../../src/sandbox/plans/demo-plans.ts';
import { startSandbox } from '../../src/sandbox/service/start-sandbox.ts';
import { deliverDue } from '../../src/service/workflows/deliveries/deliver-due.ts';
import { NOTHING_KNOWN } from '../../src/service/workflows/month/read-links.ts';
import type { ReportRecord } from '../../src/service/workflows/month/read-reports.ts';
import { askServiceMonthAt } from '../../src/service/workflows/month/service-month.ts';
import { paymentAt, rawReport } from '../support/dashboard-rows.ts';
import {
  type DashboardService,
  dashboardSettings,
  type Json,
  startDashboardService,
} from '../support/dashboard-service.ts';
import { areInstalled } from '../support/installed.ts';
import { startMailServer } from '../support/mail-server.ts';
import { announce, mailSettings, outboxTask } from '../support/outbox.ts';
import { pagesOf, rawPagesOf, squeezed } from '../support/pdf-tools.ts';
import { publishOctober, runBeside } from '../support/publish-month.ts';
import { openReportBooks, READ_AT, type ReportBooks } from '../support/report-books.ts';
import { startTestServer, tokenOf } from '../support/report-server.ts';
import { readCells } from '../support/sheet-cells.ts';
import { testFolder } from '../support/test-folder.ts';

const FILE = Buffer.from('%PDF-1.4\nthe service said so\n%%EOF\n');
const AT = Date.UTC(2026, 9, 5, 8);
const HOUR = 3_600_000;

/** As many as there are tests that issue, and who has other books than these. */
const unused = Array.from({ length: 17 }, (_, i) => `M${String(i + 1).padStart(3, '0')}`);
const PLANTED: Readonly<Record<string, (books: Books) => Books>> = {
  LINKS_ONLY: (books) => emptied(books, []),
  NOTHING: (books) => emptied(books, []),
  STILL: (books) => {
    const moved = books.entries.map(monthBefore);
    return emptied(
      books,
      moved.filter(({ createdAt }) => new Date(createdAt).getTime() < Date.UTC(2026, 9, 1)),
    );
  },
};
let books: ReportBooks;
let service: DashboardService;
let file: Uint8Array | number;

beforeAll(async () => {
  service = await startDashboardService();
  books = await openReportBooks([...unused, ...Object.keys(PLANTED)], (sound, merchant) => {
    return PLANTED[merchant]?.(sound) ?? sound;
  });
});
beforeEach(() => {
  file = FILE;
  service.merchant = 'M001';
  service.before = ({ path }) => {
    if (!path.endsWith('/download')) return null;
    return typeof file === 'number'
      ? { do: 'error', status: file }
      : { do: 'answer', status: 200, body: file };
  };
  service.reports = [];
  service.payments = [
    paymentAt(1, AT, { amount: 1_000, senderOperateur: 'Orange' }),
    paymentAt(2, AT + HOUR, { amount: 20_000, senderOperateur: 'WAVE', country: 'CM' }),
    paymentAt(3, AT + 26 * HOUR, { amount: 300, senderOperateur: 'orange' }),
    paymentAt(4, AT + 27 * HOUR, { amount: 7_777, status: 'FAILED', senderOperateur: null }),
    // The first instant of the month after, and the last instant of the month before.
    paymentAt(5, Date.UTC(2026, 10, 1), { amount: 55_555 }),
    paymentAt(6, Date.UTC(2026, 9, 1) - 1, { amount: 66_666 }),
  ];
});
afterAll(async () => {
  await service.close();
  await books.close();
});

/** Figures that a reader adds up by hand from the rows above. */
const SUMMARY = {
  totalAmount: 21_300,
  paymentCount: 3,
  byOperator: [
    { operator: 'orange', count: 2, amount: 1_300 },
    { operator: 'wave', count: 1, amount: 20_000 },
  ],
  byCountry: [
    { country: 'CI', count: 2, amount: 1_300 },
    { country: 'CM', count: 1, amount: 20_000 },
  ],
  byDay: [
    { day: '2026-10-05', count: 2, amount: 21_000 },
    { day: '2026-10-06', count: 1, amount: 300 },
  ],
  byStatus: { PENDING: 0, SUCCESS: 3, FAILED: 1 },
};

const WANTED = { currency: 'XOF', now: READ_AT, known: NOTHING_KNOWN } as const;

/** Issues October of the merchant of the test, in JSON and these formats. */
const issued = (...formats: readonly StatementFormatName[]) =>
  publishOctober(books, service, service.merchant, ['json', ...formats]);

const linksOf = (report: ReportRecord) => (report.issued as IssuedStatement).paymentsByLink;

async function bytesOf(books: ReportBooks, report: ReportRecord, format: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of readReportFile(books.store, report, format)) {
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Gives each test books of a merchant of its own, so that its issue is the first. */
async function withBooks(
  use: (books: ReportBooks, merchant: string) => Promise<void>,
): Promise<void> {
  service.merchant = unused.shift()!;
  await use(books, service.merchant);
}

test('figures are those of Report.summary, agree with the service’s report, and its file is kept byte for byte', () =>
  withBooks(async (books) => {
    service.reports = [rawReport({ summary: SUMMARY, fileSize: FILE.length })];
    const { status, said, report } = await publishOctober(books, service);
    expect(status).toBe(0);
    expect(linksOf(report)).toMatchObject({ summary: { ...SUMMARY, currency: 'FCFA' }, unread: 0 });
    expect(linksOf(report)!.comparison).toEqual({
      notCompared: null,
      compared: 17,
      differences: [],
    });
    expect(said).toContain(
      "  payments by link: 3 succeeded, 21 300 FCFA\n  the service's report: 17 figures compared, all agree\n",
    );
    expect(said).not.toContain('not compared');
    const kept = report.files.find(({ format }) => format === 'service')!;
    expect(await bytesOf(books, report, 'service')).toEqual(FILE);
    expect(kept).toMatchObject({
      size: FILE.length,
      sha256: createHash('sha256').update(FILE).digest('hex'),
    });
    // The wallet's figures are the same without payments by link.
    const { summary } = report.issued as IssuedStatement;
    const alone = await publishOctober(books, service);
    expect(alone.report).toEqual(report);
    expect(JSON.stringify(summary)).not.toContain('21300');
  }));

test.runIf(areInstalled('pdftotext'))(
  'the first page has both populations and no sum of them, the section every figure',
  () =>
    withBooks(async (books) => {
      service.reports = [rawReport({ summary: SUMMARY, fileSize: FILE.length })];
      const { report } = await issued('pdf');
      const pdf = join(testFolder('pointage-links-'), 'releve.pdf');
      writeFileSync(pdf, await bytesOf(books, report, 'pdf'));
      const pages = pagesOf(pdf);
      const { totalAmount } = (report.issued as IssuedStatement).summary;
      const grouped = (figure: number) => squeezed(figure.toLocaleString('fr-FR'));
      const [first] = pages.map(squeezed);
      expect(first).toContain('PaiementsparlienNombreoctobre2026,FCFA');
      expect(first).toContain('Payéparlien(brut)321300');
      expect(first).toContain('Encaissé(brut)');
      // The journal is left out, because its account of customers has both populations.
      const [beforeJournal] = squeezed(pages.join('')).split('JournalMM—');
      expect(beforeJournal).not.toContain(grouped(totalAmount + 21_300));
      const text = rawPagesOf(pdf).join('');
      const section = squeezed(text.slice(text.search(/^Paiements par lien$/m)));
      for (const row of [
        'ORANGE21300',
        'WAVE120000',
        'CI21300',
        'CM120000',
        '05/10/2026221000',
        '06/10/20261300',
      ])
        expect(section).toContain(row);
      // States that no payment has are left out.
      expect(section).not.toContain('Enattente0');
      expect(section).toContain(createHash('sha256').update(FILE).digest('hex'));
    }),
);

test('our own Report has them under a key of their own, and gives the service’s file out', () =>
  withBooks(async (books) => {
    service.reports = [rawReport({ summary: SUMMARY, fileSize: FILE.length })];
    await issued();
    const server = await startTestServer(books.store);
    try {
      const headers = { authenticationtoken: await tokenOf(service.merchant) };
      const path = `${server.origin}/web-merchant/reports`;
      const [served] = (await (await fetch(path, { headers })).json()) as {
        id: string;
        summary: Json;
      }[];
      expect(served!.summary.paymentsByLink).toMatchObject(SUMMARY);
      expect(served!.summary.population).toBe('WALLET_OPERATIONS');
      const answer = await fetch(`${path}/${served!.id}/download?format=service`, { headers });
      expect(answer.headers.get('content-type')).toBe('application/pdf');
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(FILE);
    } finally {
      await server.close();
    }
  }));

async function mailOf(books: ReportBooks, { id, merchant, period }: ReportRecord): Promise<string> {
  const server = await startMailServer();
  try {
    const content = { topic: 'statement', merchant, period, reportId: id, language: 'fr' } as const;
    const mail = {
      channel: 'mail',
      target: 'compta@example.com',
      announces: `report/${id}`,
      merchant,
      content,
    } as const;
    await announce(books.store, [mail]);
    const task = outboxTask(books.store, [openMailChannel(mailSettings(server.url))]);
    await deliverDue({ ...task, formats: ['xlsx'] });
    return server.arrived[0]!.text!;
  } finally {
    await server.close();
  }
}

/**
 * A payment of the month's last evening, which the payment service's report of 01:00 does not count
 * yet.
 */
const LATE = paymentAt(8, Date.UTC(2026, 9, 31, 22), { amount: 15_347, senderOperateur: 'orange' });

const MONTH = 31 * 24 * HOUR;
const monthBefore = <Row extends object>(row: Row): Row => {
  const moved = (at: unknown) =>
    typeof at === 'number' ? at - MONTH : new Date(Date.parse(String(at)) - MONTH).toISOString();
  const values = Object.entries(row).map(([key, value]) => [
    key,
    /At$/.test(key) && value !== null ? moved(value) : value,
  ]);
  return Object.fromEntries(values);
};
const emptied = ({ wallet, ...books }: Books, entries: Books['entries']): Books => {
  const { balanceAfter: balance, reservedAfter: reserved } = entries.at(-1) ?? {
    balanceAfter: 0,
    reservedAfter: 0,
  };
  const known = new Set(entries.map(({ operationReference }) => operationReference));
  return {
    ...books,
    entries,
    operations: books.operations.map(monthBefore).filter(({ reference }) => known.has(reference)),
    merchant: monthBefore(books.merchant),
    notifications: [],
    wallet: { ...wallet, balance, reserved, available: balance - reserved },
  };
};
/** Returns October as a person reads it. */
async function readAs(merchant: string): Promise<string> {
  service.merchant = merchant;
  const { report } = await issued('pdf');
  const pdf = join(testFolder('pointage-links-'), 'releve.pdf');
  writeFileSync(pdf, await bytesOf(books, report, 'pdf'));
  return squeezed(pagesOf(pdf).join(''));
}

test.runIf(areInstalled('pdftotext'))(
  'who is paid by link alone has a statement of that, and nothing else is said',
  async () => {
    const text = await readAs('LINKS_ONLY');
    expect(text).toContain('Payéparlien(brut)321300');
    expect(text).not.toContain(squeezed('tout le portefeuille'));
    expect(text).toContain(squeezed('0 ligne et 0 opération lue. Lecture complète'));
    expect(text).not.toMatch(/Aucunécart:0|Arrondiscompatibles/);
    service.payments = [];
    service.merchant = 'NOTHING';
    const nothing = await publishOctober(books, service);
    expect(nothing.said).toContain('NOTHING 2026-10, revision 1: READY');
  },
);

test.runIf(areInstalled('pdftotext'))(
  'a month in which nothing moved does not say that anything was recomputed',
  async () => {
    service.payments = [];
    const text = await readAs('STILL');
    expect(text).toContain(
      squeezed('Aucun écart : aucune ligne dans le mois, portefeuille égal à ses lignes.'),
    );
    expect(text).not.toMatch(/commissionsrecalculées|rapprochéedeslignes|Arrondiscompatibles/);
    expect(text).toContain(squeezed('Portefeuille : '));
  },
);

test.runIf(areInstalled('pdftotext'))(
  'what was pending when the report was made is named in the sentence of agreement',
  () =>
    withBooks(async (books) => {
      service.payments = [...service.payments, LATE];
      service.reports = [
        rawReport({
          summary: SUMMARY,
          fileSize: FILE.length,
          generatedAt: '2026-11-01T01:00:00.000Z',
        }),
      ];
      const { said, report } = await issued('pdf', 'xlsx');
      expect(linksOf(report)!.comparison).toMatchObject({
        differences: [],
        madeAt: Date.UTC(2026, 10, 1, 1),
      });
      expect(linksOf(report)!.comparison!.allowed).toEqual(
        [
          { key: 'totalAmount', service: '21300', ours: '36647', total: 'amount' },
          { key: 'paymentCount', service: '3', ours: '4', total: 'count' },
          { key: 'byOperator.orange.amount', service: '1300', ours: '16647' },
          { key: 'byOperator.orange.count', service: '2', ours: '3' },
          { key: 'byCountry.CI.amount', service: '1300', ours: '16647' },
          { key: 'byCountry.CI.count', service: '2', ours: '3' },
          { key: 'byDay.2026-10-31.amount', service: null, ours: '15347' },
          { key: 'byDay.2026-10-31.count', service: null, ours: '1' },
          { key: 'byStatus.SUCCESS', service: '3', ours: '4' },
        ].map((one) => expect.objectContaining({ ...one, why: 'pending' })),
      );
      expect(said).toContain('17 figures compared, 9 lawfully apart\n');
      expect(said).toContain(
        'says paymentCount is 3, the statement 4 (payments were pending when it was made)\n',
      );
      const pdf = join(testFolder('pointage-links-'), 'releve.pdf');
      writeFileSync(pdf, await bytesOf(books, report, 'pdf'));
      const pages = pagesOf(pdf).map(squeezed);
      const sentence = squeezed(
        'ils concordent à 1 paiement près (15 347), encore en attente quand le rapport du service a été établi le 01/11/2026 01:00:00 : 3 paiements pour 21 300 selon le rapport, 4 paiements pour 36 647 selon ce relevé.',
      );
      expect(pages[0]).toContain(sentence);
      expect(pages.join('')).not.toContain('tousconcordent');
      expect(pages.join('')).toContain(
        squeezed('Ce document peut porter les chiffres du rapport du service'),
      );
      const { cells } = await readCells(await bytesOf(books, report, 'xlsx'));
      const links = [...cells.get('Paiements par lien')!.values()].map(String);
      expect(links.map(squeezed).some((text) => text.includes(sentence))).toBe(true);
      expect(squeezed(await mailOf(books, report))).toContain(sentence);
    }),
);

test('every figure of the demonstration’s reports is that of our table, or is named beside it', async () => {
  const sandbox = await startSandbox({
    seed: DEMO_SEED,
    merchants: demoPlans(),
    start: DEMO_START,
    port: 0,
  });
  const apart = new Map<string, readonly (string | null)[]>();
  let equal = 0;
  try {
    // Payments of the last evening have settled by now.
    await sandbox.advanceTo(Date.UTC(2026, 10, 2, 12));
    const zone = openZone('UTC')!;
    for (const { plan, dashboard: login } of sandbox.merchants) {
      if (login === null) continue;
      const { reference } = plan;
      const settings = dashboardSettings(
        { baseUrl: sandbox.dashboardUrl },
        { merchants: { [reference]: login } },
      );
      const dashboard = openDashboard(settings);
      const snapshot = await dashboard.open(reference);
      const { rows: reports } = await snapshot.reports();
      await snapshot.close();
      for (const month of [8, 9, 10]) {
        const period = { year: 2026, month };
        const wanted = { ...WANTED, bounds: boundsOf(period, zone), zone, withoutReport: false };
        const asked = (await askServiceMonthAt({ dashboard, summaryKeys: {} })(reference, period))!;
        const { summary, comparison } = (await asked.links(wanted)).section!;
        await asked.close();
        const ours = new Map(figuresIn(summary));
        const named = new Map(
          [...comparison!.differences, ...(comparison!.allowed ?? [])].map((one) => [one.key, one]),
        );
        const stated = reports.find(
          (one) => one.period === formatPeriod(period) && one.status === 'READY',
        )!.summary!;
        for (const [key, figure] of figuresIn(stated)) {
          const own = ours.get(key) ?? '0';
          if (figure === own) equal += 1;
          else
            expect(named.get(key), `${reference} ${month} ${key}`).toMatchObject({
              service: figure,
              ours: own,
            });
        }
        const total = (name: string) => named.get(name) ?? { service: null, ours: null };
        if (named.size > 0)
          apart.set(`${reference} ${month}`, [
            total('paymentCount').service,
            total('totalAmount').service,
            total('paymentCount').ours,
            total('totalAmount').ours,
          ]);
      }
    }
  } finally {
    await sandbox.close();
  }
  expect(equal).toBeGreaterThan(250);
  expect(apart.get('COOPERATIVE_ESSAI 10')).toEqual(['165', '1921436', '166', '1936783']);
}, 60_000);

describe('a report of the service', () => {
  test('that differs is named key by key with both figures', () =>
    withBooks(async (books) => {
      const byOperator = [{ ...SUMMARY.byOperator[0], amount: 1_301 }, SUMMARY.byOperator[1]];
      service.reports = [rawReport({ summary: { ...SUMMARY, totalAmount: 21_301, byOperator } })];
      const { said, report } = await issued('xlsx');
      expect(linksOf(report)!.comparison!.differences).toEqual([
        { key: 'totalAmount', service: '21301', ours: '21300' },
        { key: 'byOperator.orange.amount', service: '1301', ours: '1300' },
      ]);
      expect(said).toContain(
        "the service's report says byOperator.orange.amount is 1301, the statement 1300\n",
      );
      expect(squeezed(await mailOf(books, report))).toContain(
        squeezed('17 chiffres comparés ; 2 diffèrent : '),
      );
      const { cells } = await readCells(await bytesOf(books, report, 'xlsx'));
      expect(
        [...cells.get('Paiements par lien')!.values()].map((cell) => squeezed(String(cell))),
      ).toContain(
        squeezed(
          'Rapport du service sur les paiements par lien : 17 chiffres comparés ; 2 diffèrent : Paiements par lien réussis : montant brut, 21 301 selon le rapport, 21 300 selon ce relevé.',
        ),
      );
    }));

  test('that states nothing is not compared, and the figures stand', () =>
    withBooks(async () => {
      service.reports = [rawReport({ summary: {} })];
      const { said, report } = await issued();
      expect(linksOf(report)).toMatchObject({ summary: SUMMARY, comparison: { compared: 0 } });
      expect(said).toContain('was not compared: its summary holds no figure');
    }));

  test('that is wrong where a payment could not be read proves nothing', () =>
    withBooks(async () => {
      service.payments = [...service.payments, paymentAt(7, AT, { status: 'PAID' })];
      service.reports = [rawReport({ summary: { ...SUMMARY, totalAmount: 99_999 } })];
      const { said, report } = await issued();
      expect(linksOf(report)).toMatchObject({ unread: 1, comparison: { differences: [] } });
      expect(said).toContain('rows of payments by link that could not be read: 1\n');
      expect(said).toContain('was not compared: its summary differs from the payments read');
    }));
});

test.each<[string, Uint8Array | number, string]>([
  [
    'is of another length',
    Buffer.from('%PDF-1.4 short'),
    "the service's file has 14 bytes, its report says 1024\n",
  ],
  [
    'is no PDF',
    Buffer.from('<html>please log in</html>'),
    "the service's file was not kept: what was served is no PDF\n",
  ],
  ['is empty', Buffer.alloc(0), "the service's file was not kept: UNREADABLE_ANSWER: "],
  ['is not there', 404, "the service's file was not kept: NOT_FOUND: "],
  ['cannot be had', 500, "the service's file was not kept: "],
])('a file of the service that %s is said, and holds up nothing', (_, served, expected) =>
  withBooks(async () => {
    file = served;
    service.reports = [rawReport({ summary: SUMMARY })];
    const { said, report } = await issued();
    expect(report).toMatchObject({ status: 'READY', revision: 1 });
    expect(said).toContain(expected);
    const kept = report.files.some(({ format }) => format === 'service');
    expect(kept).toBe(typeof served !== 'number' && served.length === 14);
  }),
);

describe('a month that was issued', () => {
  test('is revised when a payment of it succeeds later, and not when one fails', () =>
    withBooks(async () => {
      const late = (status: string) =>
        paymentAt(8, Date.UTC(2026, 9, 31, 22), { amount: 4_000, status });
      const others = service.payments;
      service.payments = [...others, late('PENDING')];
      const first = await issued();
      expect(first.said).toContain('payments by link: 3 succeeded, 21 300 FCFA, 1 pending\n');
      service.payments = [...others, late('FAILED')];
      expect((await issued()).report.revision).toBe(1);
      service.payments = [...others, late('SUCCESS')];
      const { report } = await issued();
      expect(report.revision).toBe(2);
      const { changes } = (report.issued as IssuedStatement).revision;
      expect(changes).toContainEqual({
        figure: 'paymentsByLink.totalAmount',
        before: '21300',
        after: '25300',
      });
      expect(changes.every(({ figure }) => figure.startsWith('paymentsByLink.'))).toBe(true);
    }));

  test('keeps its figures while the service cannot be asked, and says so', () =>
    withBooks(async (books) => {
      const first = await issued();
      service.before = () => ({ do: 'error', status: 500 });
      const down = await issued();
      expect(down.report).toEqual(first.report);
      service.before = ({ path }) =>
        path.endsWith('/search') ? { do: 'error', status: 500 } : null;
      books.addLateLine(service.merchant, 12_345);
      await books.run(READ_AT + 60_000);
      const { report } = await issued();
      expect(report.revision).toBe(2);
      expect(linksOf(report)).toEqual(linksOf(first.report));
      const [, line] = (await bytesOf(books, report, 'json')).toString().split('\n');
      const { circumstances } = JSON.parse(line!.slice('"statement":'.length, -1));
      expect(circumstances.notChecked).toContainEqual(
        expect.objectContaining({ what: 'payments', code: 'REPORTS_UNREACHABLE' }),
      );
    }));
});

test.runIf(areInstalled('pdftotext'))(
  'what is owed by link is stated as surely as it is known: in its own row, in the mail, in the attestation of that day',
  () =>
    withBooks(async (books, merchant) => {
      // No notification told a commission, and the service states a balance of its own.
      service.payouts = { 'get-balance': { balance: '87000.5' }, 'list-disbursements': [] };
      const { report } = await issued('pdf', 'xlsx');
      service.payouts = {};
      const { account } = linksOf(report)!;
      expect(account).toMatchObject({
        closing: 87_966,
        perpetual: { unknownCount: 4 },
        service: { balance: '87000.5', ours: 143_521 },
      });
      const doubts =
        'commissions non connues de 4 paiements ; le service énonçait 87 000,5 (décimales du service) le 02/11/2026, ce compte au plus 143 521';
      const folder = testFolder('pointage-links-');
      const pdf = join(folder, 'releve.pdf');
      writeFileSync(pdf, await bytesOf(books, report, 'pdf'));
      const [first] = pagesOf(pdf);
      // The figure stands in the row, between the words that limit it.
      expect(squeezed(first!).replace('87966', '')).toContain(
        squeezed(`Reste dû par le service, au plus ; ${doubts}`),
      );
      const { cells } = await readCells(await bytesOf(books, report, 'xlsx'));
      const links = [...cells.get('Paiements par lien')!.values()].map((cell) =>
        squeezed(String(cell)),
      );
      expect(links).toContain(squeezed(`Reste dû par le service, au plus ; ${doubts}`));
      const line = squeezed(
        `Paiements par lien : reste dû par le service au plus 87 966 FCFA au 31 octobre 2026 ; ${doubts}.`,
      );
      const mail = squeezed(await mailOf(books, report));
      expect(mail).toContain(line);
      expect(mail).toContain(squeezed('Solde comptabilisé par le service, et dû : '));
      // Of another day nothing is known of them, and that is said.
      for (const [day, isStated] of [
        ['2026-10-31', true],
        ['2026-10-30', false],
      ] as const) {
        const words = ['statement', 'attest', merchant, day, '--out', folder];
        expect((await runBeside(books, service, words)).status).toBe(0);
        const page = squeezed(
          pagesOf(join(folder, `ATTESTATION_${merchant}_${day}_r1.pdf`)).join(''),
        );
        expect(page.includes(line)).toBe(isStated);
        expect(page.includes(squeezed('Non contrôlé : les paiements par lien'))).toBe(!isStated);
      }
    }),
);

test('an attestation of another day than the last of an issued month is of the wallet alone, and has its own bounds where the service states none', () =>
  withBooks(async (books, merchant) => {
    const folder = testFolder('pointage-attested-');
    const attest = async () => {
      const { status, said } = await runBeside(books, service, [
        'statement',
        'attest',
        merchant,
        '2026-10-25',
        '--out',
        folder,
      ]);
      expect([status, said.includes('payments by link')]).toEqual([0, false]);
      const [, line] = readFileSync(
        join(folder, `ATTESTATION_${merchant}_2026-10-25_r1.json`),
        'utf8',
      ).split('\n');
      return JSON.parse(line!.slice('"attestation":'.length).replace(/,$/, ''));
    };
    const first = await attest();
    expect(first.period.boundsFrom).toBe('configuration');
    service.payments = [];
    expect((await attest()).integrity).toEqual(first.integrity);
    expect(readdirSync(folder).filter((name) => name.includes('_r2'))).toEqual([]);
  }));

test('a year has all its payments, and no report of a month held against them', async () => {
  service.reports = [
    rawReport({
      period: '2026-01',
      periodStart: null,
      periodEnd: null,
      summary: { totalAmount: 1 },
    }),
  ];
  const dashboard = openDashboard(dashboardSettings(service));
  const zone = openZone('UTC')!;
  const bounds = { start: Date.UTC(2026, 0, 1), end: Date.UTC(2027, 0, 1) };
  const january = (await askServiceMonthAt({ dashboard, summaryKeys: {} })('M001', {
    year: 2026,
    month: 1,
  }))!;
  const { section } = await january.links({ bounds, zone, ...WANTED, withoutReport: true });
  await january.close();
  expect(section).toMatchObject({
    summary: { paymentCount: 5, totalAmount: 143_521 },
    comparison: null,
  });
});

test('of the simulated service they are what its payments add up to, and its own report agrees', () =>
  withBooks(async (books, merchant) => {
    const plan = planMerchant({
      reference: merchant,
      country: 'CI',
      opensAt: Date.UTC(2026, 8, 20),
    });
    const sandbox = await startSandbox({
      seed: 'links',
      merchants: [plan],
      start: READ_AT + 60 * HOUR,
      port: 0,
    });
    try {
      const { dashboard } = sandbox.merchants[0]!;
      const { report } = await publishOctober(
        books,
        { baseUrl: sandbox.dashboardUrl, merchant, ...dashboard! },
        merchant,
        ['json'],
      );
      const { summary, comparison } = linksOf(report)!;
      expect(comparison).toMatchObject({ notCompared: null, differences: [] });
      expect(comparison!.compared).toBeGreaterThan(8);
      const login = await fetch(`${sandbox.dashboardUrl}/user/login-merchant`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(dashboard),
      });
      const { access_token } = (await login.json()) as { access_token: string };
      const query = `merchant_reference=${merchant}&start_date=2026-10-01&end_date=2026-10-31`;
      const answer = await fetch(`${sandbox.dashboardUrl}/web-merchant/payments/search?${query}`, {
        headers: { authenticationtoken: access_token },
      });
      const served = (await answer.json()) as {
        amount: number;
        status: string;
        createdAt: string;
      }[];
      const inOctober = served.filter(({ createdAt }) => {
        const at = parseInstant(createdAt)!;
        return at >= Date.UTC(2026, 9, 1) && at < Date.UTC(2026, 10, 1);
      });
      const paid = inOctober.filter(({ status }) => status === 'SUCCESS');
      expect(paid.length).toBeGreaterThan(20);
      expect([summary.paymentCount, summary.totalAmount]).toEqual([
        paid.length,
        paid.reduce((sum, { amount }) => sum + amount, 0),
      ]);
      expect(summary.byStatus.FAILED).toBe(
        inOctober.filter(({ status }) => status === 'FAILED').length,
      );
      expect((await bytesOf(books, report, 'service')).subarray(0, 5).toString()).toBe('%PDF-');
    } finally {
      await sandbox.close();
    }
  }));
