// What the payment service publishes beside the ledger, from end to end. A wrong report is one
// finding in an audit of files, of the API and in a nightly run. What cannot be compared is said,
// and none of it holds up the ledger's own audit.

import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AuditReport } from '../../src/core/domain/finding.ts';
import { MINUTE } from '../../src/core/domain/instant.ts';
import type { Dashboard } from '../../src/core/domain/published/dashboard-snapshot.ts';
import type { AuditDocument } from '../../src/core/kernel/reconcile/audit-document.ts';
import { SourceFailed } from '../../src/io/sources/port/source.ts';
import { faultNamed } from '../../src/sandbox/faults/register.ts';
import { type Books, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { startSandbox } from '../../src/sandbox/service/start-sandbox.ts';
import { runCommand } from '../../src/service/cli/program.ts';
import { stageOf } from '../../src/service/cli/stage/stage.ts';
import { runMerchants } from '../../src/service/workflows/nightly/run-merchants.ts';
import { arraySource } from '../support/array-source.ts';
import { withTestStore } from '../support/database-store.ts';
import { payoutPlaceOf } from '../support/payout-place.ts';
import { plantNamed } from '../support/plant-named.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { writeBundle } from '../support/sandbox-bundle.ts';
import { simulateBooks } from '../support/simulate-books.ts';

const AS_OF = '2026-10-03T12:00:00Z';
const traffic = { ...ORDINARY_TRAFFIC, operationsPerDay: 4, paymentsPerDay: 3 };
const plan = planMerchant({ reference: 'M001', traffic });
const sound = simulateBooks(plan, { seed: 'published', until: Date.parse(AS_OF) });
const wrong = plantNamed(sound, { names: ['REPORT_SUMMARY_MISMATCH'], seed: 'published' }).books;

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'published-'));
});
afterAll(() => rm(scratch, { recursive: true }));

interface Audited {
  readonly status: number;
  readonly report: AuditReport;
  readonly said: string;
}

async function pointage(...words: string[]): Promise<Audited> {
  const printed: string[] = [];
  const noted: string[] = [];
  const progress = () => ({ update: () => {}, stop: () => {} });
  const terminal = {
    out: (text: string) => void printed.push(text),
    note: (text: string) => void noted.push(text),
    colour: false,
    width: null,
    progress,
  };
  const status = await runCommand([...words, '--as-of', AS_OF, '--format', 'json'], {
    ...stageOf(terminal, {}),
    clock: () => Date.parse(AS_OF),
  });
  const said = printed.join('') + noted.join('');
  expect(noted.join('')).toBe('');
  return { status, report: (JSON.parse(printed.join('')) as AuditDocument).merchants[0]!, said };
}

let folders = 0;
/** Audits a bundle of these books, after `change` has altered the folder. */
async function auditBundle(
  books: Books,
  change: (folder: string) => Promise<void> = async () => {},
): Promise<Audited> {
  folders += 1;
  const folder = join(scratch, String(folders));
  await writeBundle(folder, books);
  await change(folder);
  return pointage('audit', '--source', `file:${folder}`);
}

const grave = ({ findings }: AuditReport) =>
  findings.filter(({ severity }) => severity === 'error' || severity === 'critical');
const notes = ({ notChecked }: AuditReport) => notChecked.map(({ what, why }) => `${what}: ${why}`);

describe('a bundle of files', () => {
  test('with sound reports is clean, and says nothing of them', async () => {
    const { status, report } = await auditBundle(sound);
    expect([status, report.verdict, grave(report)]).toEqual([0, 'clean', []]);
    expect(notes(report).filter((note) => /report|payment|payout/.test(note))).toEqual([
      expect.stringMatching(/^balance by link: the fees of \d+ payments were never told/),
    ]);
    expect(sound.reports).toHaveLength(2);
  });

  test('with a wrong report is broken by one finding that names month, key and both figures', async () => {
    const { status, report } = await auditBundle(wrong);
    expect([status, report.verdict]).toEqual([1, 'broken']);
    expect(grave(report)).toHaveLength(1);
    const [finding] = grave(report);
    expect(finding).toMatchObject({
      kind: 'REPORT_SUMMARY_MISMATCH',
      status: 'confirmed',
      causedBy: null,
    });
    const period = wrong.reports.find((one, i) => one !== sound.reports[i])!.period;
    expect(finding!.evidence[0]).toMatchObject({ what: 'report', reference: period });
    expect(Number(finding!.actual) - Number(finding!.expected)).toBe(Number(finding!.difference));
    expect(report.unexplained).toEqual({ balance: '0', reserved: '0' });
  });

  test('is read the same when it is packed', async () => {
    const { gzipSync } = await import('node:zlib');
    const { report } = await auditBundle(wrong, async (folder) => {
      for (const name of ['reports.json', 'payments.jsonl']) {
        await writeFile(join(folder, `${name}.gz`), gzipSync(await readFile(join(folder, name))));
        await rm(join(folder, name));
      }
    });
    expect(grave(report).map(({ kind }) => kind)).toEqual(['REPORT_SUMMARY_MISMATCH']);
  });

  test('without payments compares no report and says so, and stays clean', async () => {
    const { status, report } = await auditBundle(wrong, (folder) =>
      rm(join(folder, 'payments.jsonl')),
    );
    expect([status, grave(report)]).toEqual([0, []]);
    expect(notes(report)).toContain('payments: payments.jsonl is not there');
    expect(notes(report)).toContain(
      'report 2026-09: there are no payments to compare it with (payments.jsonl is not there)',
    );
  });

  test('without reports says that they are not there, once', async () => {
    const { status, report } = await auditBundle(sound, (folder) =>
      rm(join(folder, 'reports.json')),
    );
    expect([status, notes(report).filter((note) => note.includes('reports'))]).toEqual([
      0,
      ['reports: reports.json is not there'],
    ]);
  });

  test('without reports and payouts has its payments judged all the same', async () => {
    const { report } = await auditBundle(sound, async (folder) => {
      for (const name of ['reports.json', 'payouts.json']) await rm(join(folder, name));
      const [first] = (await readFile(join(folder, 'payments.jsonl'), 'utf8')).split('\n');
      const pending = {
        ...JSON.parse(first!),
        reference: 'PAYSTUCK1',
        order_id: 'stuck',
        status: 'PENDING',
      };
      await appendFile(join(folder, 'payments.jsonl'), `${JSON.stringify(pending)}\n`);
    });
    expect(report.findings.map(({ kind }) => kind)).toEqual(['PAYMENT_OVERDUE']);
  });

  test.each<[string, string, RegExp]>([
    ['is no list', '{"data":[]}', /not a JSON array/],
    ['is cut off', '[{"id":"x"', /not one whole JSON value/],
    ['is empty', '', /not one whole JSON value/],
    [
      'holds a report that cannot be read',
      '[{"id":"x","period":"soon","status":"READY"}]',
      /period is "soon"/,
    ],
  ])('whose reports.json %s is incomplete, by name', async (_, text, reason) => {
    const { status, report } = await auditBundle(sound, (folder) =>
      writeFile(join(folder, 'reports.json'), text),
    );
    expect([status, report.verdict]).toEqual([2, 'incomplete']);
    const refused = report.findings.filter(({ kind }) => kind === 'INPUT_REJECTED');
    expect(refused.map(({ message }) => message)).toEqual([expect.stringMatching(reason)]);
  });

  test('with a payment that cannot be read proves nothing against a report, and is incomplete', async () => {
    const spoil = async (folder: string) => {
      const text = await readFile(join(folder, 'payments.jsonl'), 'utf8');
      await writeFile(
        join(folder, 'payments.jsonl'),
        text.replace('"amount":', '"amount":0.5,"was":'),
      );
    };
    for (const books of [sound, wrong]) {
      const { status, report } = await auditBundle(books, spoil);
      expect([status, report.verdict, grave(report)]).toEqual([2, 'incomplete', []]);
      expect(report.findings.map(({ kind }) => kind)).toContain('INPUT_REJECTED');
      expect(notes(report).some((note) => note.includes('payments could not be read'))).toBe(true);
    }
  });

  test('with wallet operations among its payments refuses them: the populations are never mixed', async () => {
    const { report } = await auditBundle(sound, async (folder) => {
      const text = await readFile(join(folder, 'payments.jsonl'), 'utf8');
      await writeFile(
        join(folder, 'payments.jsonl'),
        text.replace(/"reference":"PAY\w+"/, '"reference":"GUI-CI-000001"'),
      );
    });
    expect(report.findings.map(({ message }) => message).join()).toContain(
      'not the reference of a payment',
    );
  });
});

describe('the dashboard API', () => {
  async function audit(change: {
    readonly faults?: readonly string[];
    readonly dashboard?: object;
    readonly password?: string;
  }): Promise<Audited> {
    const merchants = [
      planMerchant({ reference: 'M001', traffic, faults: (change.faults ?? []).map(faultNamed) }),
    ];
    const sandbox = await startSandbox({
      seed: 'published',
      merchants,
      start: Date.parse(AS_OF),
      port: 0,
    });
    try {
      const [{ apiKey, apiSecret, dashboard }] = sandbox.merchants as [
        (typeof sandbox.merchants)[number],
      ];
      const login = { ...dashboard!, password: change.password ?? dashboard!.password };
      const retries = { attempts: 2, firstDelay: 1, longestDelay: 2 };
      const configuration = {
        http: { retries },
        dashboard: { baseUrl: sandbox.dashboardUrl, retries, ...change.dashboard },
        merchants: { M001: { apiKey, apiSecret, dashboard: login } },
      };
      const file = join(scratch, 'config.json');
      await writeFile(file, JSON.stringify(configuration));
      const audited = await pointage('audit', '--source', sandbox.url, '--config', file);
      for (const secret of [login.password, login.numero, apiSecret])
        expect(audited.said).not.toContain(secret);
      return audited;
    } finally {
      await sandbox.close();
    }
  }

  test('is compared with itself beside the direct API', async () => {
    const clean = await audit({});
    expect([clean.status, grave(clean.report)]).toEqual([0, []]);
    expect(notes(clean.report).filter((note) => /report|payment/.test(note))).toEqual([
      expect.stringContaining('older payments: those created before'),
      expect.stringMatching(/^balance by link: the fees of \d+ payments were never told/),
    ]);
    const broken = await audit({ faults: ['REPORT_SUMMARY_MISMATCH/operator'] });
    expect(grave(broken.report).map(({ kind }) => kind)).toEqual(['REPORT_SUMMARY_MISMATCH']);
  });

  test('compares no more months than are configured, and says which it leaves', async () => {
    const { report } = await audit({ dashboard: { months: 1 } });
    expect(notes(report)).toContain('reports before 2026-09: 1 older month is not compared again');
  });

  test.each<[string, Parameters<typeof audit>[0], RegExp]>([
    ['refuses the login', { password: 'another' }, /LOGIN_REFUSED/],
    ['is not there', { dashboard: { baseUrl: 'http://127.0.0.1:9/' } }, /UNREACHABLE/],
    [
      'is another server',
      { dashboard: { baseUrl: 'http://127.0.0.1:9/', parameters: { merchant: 'shop' } } },
      /UNREACHABLE/,
    ],
  ])('that %s leaves the ledger audited and the verdict incomplete', async (_, change, reason) => {
    const { status, report } = await audit(change);
    expect([status, report.verdict]).toEqual([2, 'incomplete']);
    expect(report.entries).toBeGreaterThan(200);
    expect(
      notes(report)
        .filter((note) => note.startsWith('reports: '))
        .join(),
    ).toMatch(reason);
  });
});

test('a nightly run finds a wrong report, and resolves the finding when it was generated again', {
  timeout: 60_000,
}, async () => {
  const [rightBooks, wrongBooks] = [decodeBooks(sound), decodeBooks(wrong)];
  let published = wrongBooks;
  let isDown = false;
  const dashboard: Dashboard = {
    name: 'arrays',
    merchants: async () => ['M001'],
    open: async (merchant) => {
      if (isDown) throw new SourceFailed('UNREACHABLE', 'The dashboard is down.');
      return {
        merchant,
        absent: [],
        reports: async () => ({ rows: published.reports, rejected: [] }),
        reportFile: async () => null,
        payments: async function* () {
          yield { rows: published.payments, rejected: [] };
        },
        payouts: payoutPlaceOf(),
        isCopy: false,
        close: async () => {},
      };
    },
    close: async () => {},
  };
  await withTestStore(async (store) => {
    const night = async () => {
      const options = { grace: 0, clockTolerance: 5 * MINUTE, pinned: {}, opening: null };
      const run = await runMerchants({
        store,
        source: arraySource(rightBooks),
        engine: 'test',
        clock: () => rightBooks.asOf,
        merchants: [],
        optionsFor: (_, asOf) => ({ ...options, asOf }),
        onMerchant: () => () => {},
        published: { dashboard, months: 3, summaryKeys: {} },
      });
      return run.merchants[0]!;
    };
    const first = await night();
    expect(grave(first.report).map(({ kind }) => kind)).toEqual(['REPORT_SUMMARY_MISMATCH']);
    const { fingerprint } = grave(first.report)[0]!;
    expect(first.changes.added).toContain(fingerprint);
    expect((await night()).changes).toEqual({
      added: [],
      resolved: [],
      settled: [],
      reopened: [],
      changed: [],
    });
    // A dashboard that is down proves nothing: the finding stands, and the verdict is incomplete.
    isDown = true;
    const down = await night();
    expect([down.report.verdict, down.changes.resolved]).toEqual(['incomplete', []]);
    isDown = false;
    published = rightBooks;
    const mended = await night();
    expect([mended.report.verdict, mended.changes.resolved]).toEqual(['clean', [fingerprint]]);
  });
});
