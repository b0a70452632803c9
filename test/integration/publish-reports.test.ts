// The life of a report, on a real database: it is PENDING, then READY and frozen, or FAILED with
// the reason. Also revisions, and two issues at once.

import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  boundsOf,
  periodAfter,
  periodBefore,
  type StatedPeriod,
} from '../../src/core/domain/period.ts';
import { openZone } from '../../src/core/domain/zone.ts';
import type { IssuedStatement } from '../../src/core/statements/revision.ts';
import type { StatementFormat } from '../../src/io/formats/port/format.ts';
import { FORMATS, formatNamed } from '../../src/io/formats/register.ts';
import { openFileDashboard } from '../../src/io/sources/file/open-file-dashboard.ts';
import { type Checkpoint, sealOf } from '../../src/io/storage/conclusions/checkpoint.ts';
import { loadClosedMonths, loadClosing } from '../../src/io/storage/issued/month-lock.ts';
import type { ReportRecord } from '../../src/io/storage/issued/reports.ts';
import { closeMonths } from '../../src/service/workflows/month/close-months.ts';
import {
  type Published,
  type PublishTask,
  publishStatement,
  publishStatements,
} from '../../src/service/workflows/month/publish-statement.ts';
import { NO_LINKS } from '../../src/service/workflows/month/read-links.ts';
import { reportRepositoryOf } from '../../src/service/workflows/month/read-reports.ts';
import {
  askServiceMonthAt,
  type ServiceMonth,
} from '../../src/service/workflows/month/service-month.ts';
import {
  OCTOBER,
  openReportBooks,
  publishTask,
  READ_AT,
  type ReportBooks,
} from '../support/report-books.ts';

const MERCHANTS = [
  'VIE',
  'FAUTE',
  'TARD',
  'CLOS',
  'DEUX',
  'SERVICE',
  'ABANDON',
  'EMPTIED',
  'TOUS_1',
  'TOUS_2',
  'TOUS_3',
];
let books: ReportBooks;

beforeAll(async () => {
  books = await openReportBooks(MERCHANTS);
});
afterAll(() => books.close());

/** Returns a task that issues one document alone, because no test reads another. */
const taskOf = (changes: Partial<PublishTask> = {}) =>
  publishTask(books.store, { formats: [json], ...changes });
const repository = () => reportRepositoryOf(books.store);
const issuedOf = (report: ReportRecord) => report.issued as IssuedStatement;
const [json, fec, csv] = [formatNamed('json')!, formatNamed('fec')!, formatNamed('csv')!];

async function bytesOf(report: ReportRecord, format: string): Promise<Buffer> {
  const file = report.files.find((one) => one.format === format)!;
  const parts: Uint8Array[] = [];
  for await (const part of await repository().read(report, file)) parts.push(part);
  return Buffer.concat(parts);
}

/** A format whose JSON states another closing balance than the statement does. */
const lying: StatementFormat = {
  ...json,
  write: ({ statement, ...streams }, options, out) => {
    const summary = { ...statement.summary, closingBalance: statement.summary.closingBalance + 1 };
    return json.write({ statement: { ...statement, summary }, ...streams }, options, out);
  },
};

describe('a month that is issued', () => {
  test('is PENDING, then READY with a file of every format, each as it was hashed', async () => {
    const seen: ReportRecord[] = [];
    const task = publishTask(books.store, { onPending: (report) => seen.push(report) });
    const { report, isNew } = await publishStatement(task, 'VIE');
    expect(seen).toMatchObject([
      { id: report.id, status: 'PENDING', revision: 1, generatedAt: null, files: [] },
    ]);
    expect(isNew).toBe(true);
    expect(report).toMatchObject({
      status: 'READY',
      period: '2026-10',
      revision: 1,
      periodLabel: 'octobre 2026',
      periodStart: Date.UTC(2026, 9, 1),
      periodEnd: Date.UTC(2026, 10, 1),
      generatedAt: READ_AT,
      error: null,
    });
    expect(report.files.map(({ format }) => format)).toEqual(
      FORMATS.map(({ name }) => name).toSorted(),
    );
    for (const { format, size, sha256, fileName } of report.files) {
      const bytes = await bytesOf(report, format);
      expect([bytes.length, createHash('sha256').update(bytes).digest('hex')]).toEqual([
        size,
        sha256,
      ]);
      const own = `RELEVE_VIE_2026-10_r1.${FORMATS.find(({ name }) => name === format)!.extension}`;
      expect(fileName).toBe(format === 'fec' ? 'VIEFEC20261031.txt' : own);
    }
    expect(await repository().find('VIE', report.id)).toEqual(report);
    expect(await repository().find('FAUTE', report.id)).toBeNull();
    expect(Object.keys(issuedOf((await repository().list('VIE'))[0]!).summary)).toEqual(
      Object.keys(issuedOf(report).summary),
    );
  });

  test('is the same report when it is generated again, later and by another version', async () => {
    const before = await repository().list('VIE');
    const later = publishTask(books.store, { now: READ_AT + 86_400_000, engine: 'pointage later' });
    expect(await publishStatement(later, 'VIE')).toMatchObject({ isNew: false, report: before[0] });
    expect(await repository().list('VIE')).toEqual(before);
  });

  test('has the same bytes in another store', { timeout: 60_000 }, async () => {
    const other = await openReportBooks(['VIE']);
    try {
      const { report } = await publishStatement(publishTask(other.store), 'VIE');
      const [here] = await repository().list('VIE');
      expect(report.files).toEqual(here!.files);
      expect(report.id).not.toBe(here!.id);
    } finally {
      await other.close();
    }
  });

  test('is frozen: the database refuses another word, another file, another byte', async () => {
    const [report] = await repository().list('VIE');
    const where = `where report_id = '${report!.id}'`;
    for (const statement of [
      `update reports set issued = '{}' ${where}`,
      `update reports set status = 'PENDING', issued = null, generated_at = null ${where}`,
      `update reports set period_label = 'novembre' ${where}`,
      `delete from reports ${where}`,
      `update report_files set sha256 = '' ${where}`,
      `update report_file_parts set content = '' ${where}`,
      `delete from report_file_parts ${where}`,
      `insert into report_files select merchant_id, report_id, 'doc', file_name, media_type, size, sha256
        from report_files ${where} limit 1`,
      `insert into report_file_parts select merchant_id, report_id, format, 99, content from report_file_parts ${where}`,
    ]) {
      await expect(books.store.pool.query(statement), statement).rejects.toThrow(/pointage: /);
    }
    expect((await repository().list('VIE'))[0]).toEqual(report);
  });
});

describe('a document that does not say what the statement says', () => {
  test('makes the report FAILED with the figure, keeps no file, and holds up no later attempt', async () => {
    const failures: unknown[] = [];
    const onFailure = (_: string, failure: unknown) => failures.push(failure);
    const { report } = await publishStatement(
      publishTask(books.store, { formats: [csv, lying], onFailure }),
      'FAUTE',
    );
    expect(report).toMatchObject({ status: 'FAILED', generatedAt: null, issued: null, files: [] });
    expect(report.error).toMatch(
      /^The json document, read back, .* closingBalance is \d+, but it says \d+/,
    );
    expect(failures).toHaveLength(1);
    const kept = await books.store.pool.query(
      'select 1 from report_file_parts where report_id = $1',
      [report.id],
    );
    expect(kept.rowCount).toBe(0);
    expect((await repository().list('FAUTE')).map(({ status }) => status)).toEqual(['FAILED']);
    const again = await publishStatement(taskOf(), 'FAUTE');
    expect(again.report).toMatchObject({ status: 'READY', revision: 1 });
    expect((await repository().list('FAUTE')).map(({ id }) => id)).toEqual([again.report.id]);
  });

  test.each<[string, Partial<StatementFormat>, RegExp]>([
    [
      'cut off',
      { write: async (_, __, out) => void out.end('{') },
      /^The json document cannot be read back: /,
    ],
    [
      'whose writer breaks',
      { write: () => Promise.reject(new Error('sensitive')) },
      /^The report could not be made/,
    ],
  ])('or one %s', async (_, format, reason) => {
    const task = publishTask(books.store, {
      formats: [{ ...json, ...format }],
      period: { year: 2026, month: 9 },
    });
    const { report } = await publishStatement(task, 'FAUTE');
    expect(report.status).toBe('FAILED');
    expect(report.error).toMatch(reason);
    expect(report.error).not.toContain('sensitive');
  });
});

describe('a month that changes after it was issued', () => {
  test('gets a second revision that lists what changed, and the first one stays', {
    timeout: 60_000,
  }, async () => {
    const first = (await publishStatement(taskOf({ formats: [json, fec] }), 'TARD')).report;
    const firstBytes = await bytesOf(first, 'json');
    books.addLateLine('TARD', 12_345);
    await books.run(READ_AT + 3_600_000, ['TARD']);
    const lyingTask = publishTask(books.store, { formats: [lying] });
    expect((await publishStatement(lyingTask, 'TARD')).report).toMatchObject({
      status: 'FAILED',
      revision: 2,
    });
    const second = await publishStatement(
      taskOf({ formats: [json, fec], now: READ_AT + 3_600_000 }),
      'TARD',
    );
    expect(second).toMatchObject({ isNew: true, report: { status: 'READY', revision: 2 } });
    const { revision, summary } = issuedOf(second.report);
    const before = issuedOf(first).summary;
    expect(summary.closingBalance).toBe(before.closingBalance + 12_345);
    expect(revision.previous).toMatchObject({ number: 1, generatedAt: READ_AT });
    expect(revision.changes).toContainEqual({
      figure: 'closingBalance',
      before: String(before.closingBalance),
      after: String(summary.closingBalance),
    });
    expect(second.report.files[0]!.fileName).toContain('_r2.');
    // The delta has the line, and one entry for what the lines of November before it have moved.
    expect(revision.entries).toMatchObject({ added: 2, changed: 0, reversed: 0, lineCount: 1 });
    const delta = (await bytesOf(second.report, 'delta')).toString('latin1');
    expect(delta).toContain(`\t${revision.entries!.entries![0]!.number}\t`);
    expect(first.files.map(({ format }) => format)).not.toContain('delta');
    expect((await repository().list('TARD')).map((one) => [one.revision, one.status])).toEqual([
      [2, 'READY'],
      [1, 'READY'],
    ]);
    expect(await repository().find('TARD', first.id)).toEqual(first);
    expect(await bytesOf(first, 'json')).toEqual(firstBytes);
    expect(await publishStatement(taskOf(), 'TARD')).toMatchObject({ isNew: false });
  });
});

test('a closed month stays as it was issued, whatever comes later; one that was not issued is not closed', async () => {
  const key = { merchant: 'CLOS', period: '2026-10' };
  const decision = { by: 'awa', reason: 'approved', now: READ_AT, expectOpen: null };
  const close = (period: StatedPeriod) =>
    closeMonths(books.store, { merchant: 'CLOS', period, ...decision });
  const outcomes = async (period: StatedPeriod) =>
    (await close(period)).map(({ outcome }) => outcome);
  const year = { year: 2026, month: null };
  await expect(close(OCTOBER)).rejects.toThrow(/was not issued/);
  // The newest month that has ended is missing.
  await expect(close(year)).rejects.toThrow("run 'pointage statement issue CLOS 2026-10'");
  const { report } = await publishStatement(taskOf(), 'CLOS');
  await expect(close(year)).rejects.toThrow(
    "2026 has not ended, and can be closed once it is issued, from 2027-01-01 on; until then by months, 'pointage statement close CLOS 2026-10'.",
  );
  await expect(close({ year: 2026, month: 11 })).rejects.toThrow(
    /2026-11 has not ended, and can be closed once it is issued, from 2026-12-01 on\.$/,
  );
  expect(await outcomes(OCTOBER)).toEqual(['closed']);
  expect(await outcomes(OCTOBER)).toEqual(['closed before']);
  const { lastSequence } = issuedOf(report).summary;
  expect(await loadClosedMonths(books.store, 'CLOS')).toMatchObject([
    { period: '2026-10', end: Date.UTC(2026, 10, 1), lastSequence },
  ]);
  expect(await loadClosing(books.store, key)).toMatchObject({
    closed: { by: 'awa', reason: 'approved', at: READ_AT },
  });
  books.addLateLine('CLOS', 777);
  await books.run(READ_AT + 7_200_000, ['CLOS']);
  const later = await publishStatement(taskOf({ now: READ_AT + 7_200_000 }), 'CLOS');
  expect(later).toMatchObject({ isNew: false, report: { revision: 1, id: report.id } });
  await expect(close(periodBefore(OCTOBER))).rejects.toThrow(/was not issued/);
});

describe('what was kept of earlier runs, changed from outside,', () => {
  const run = () => books.run(READ_AT, ['VIE', 'FAUTE']);
  const query = async (text: string) =>
    (await books.store.pool.query(text)).rows as Record<string, unknown>[];
  const of = `where merchant_id = (select merchant_id from merchants where reference = 'VIE')`;
  const state = async () => (await query(`select state from checkpoints ${of}`))[0]!.state;
  const edit = (table: string, figure: string) =>
    query(
      `update ${table} set state = regexp_replace(state, '("${figure}":(\\{"low":)?"?-?)', '\\19') ${of} returning state`,
    );

  test('leads to no revision, and to a replay from the first line that names what was changed; the next one is sound', async () => {
    const { report } = await publishStatement(publishTask(books.store), 'VIE');
    const verdict = async () =>
      (await query(`select verdict from run_merchants ${of} order by run_id desc limit 1`))[0]!
        .verdict;
    const sound = { state: await state(), verdict: await verdict() };
    for (const figure of ['requiredBalance', 'balance']) {
      expect((await edit('checkpoints', figure))[0]!.state).not.toBe(sound.state);
      const again = await publishStatement(publishTask(books.store), 'VIE');
      expect(again, figure).toMatchObject({ isNew: false, report: { id: report.id } });
      const outcome = await run();
      expect(
        outcome.merchants.filter(({ isAltered }) => isAltered).map((one) => one.report.merchant),
      ).toEqual(['VIE']);
      const [one] = outcome.merchants.filter(({ isAltered }) => isAltered);
      expect(one!.report.findings).toContainEqual(
        expect.objectContaining({ kind: 'MIRROR_TAMPERED' }),
      );
      expect(await verdict(), figure).toBe('broken');
      expect((await run()).merchants.some(({ isAltered }) => isAltered)).toBe(false);
      expect(await verdict(), figure).toBe(sound.verdict);
    }
  });

  test('leads to no revision either where the digest was made anew with it', async () => {
    await edit('checkpoints', 'requiredBalance');
    const [row] = await query(
      `select merchant_id, last_sequence, last_intake, engine, state from checkpoints ${of}`,
    );
    const { merchant_id: id, last_sequence: lastSequence, last_intake: lastIntake, ...kept } = row!;
    const forged = {
      lastSequence: Number(lastSequence),
      lastIntake: Number(lastIntake),
      ...kept,
    } as Checkpoint;
    await books.store.pool.query(`update checkpoints set digest = $1 ${of}`, [
      sealOf(Number(id), forged),
    ]);
    expect(await publishStatement(publishTask(books.store), 'VIE')).toMatchObject({ isNew: false });
    await query(`update checkpoints set digest = null ${of}`);
    await run();
  });

  test('is an opening that no month is stated from', async () => {
    expect((await edit('month_openings', 'balance')).length).toBeGreaterThan(0);
    expect(await publishStatement(publishTask(books.store), 'VIE')).toMatchObject({ isNew: false });
  });
});

test('two generations at once make one revision', async () => {
  const both = await Promise.all([1, 2].map(() => publishStatement(taskOf(), 'DEUX')));
  expect(both.map(({ isNew }) => isNew).toSorted()).toEqual([false, true]);
  expect(both[0]!.report).toEqual(both[1]!.report);
  expect(await repository().list('DEUX')).toHaveLength(1);
});

test('a report whose maker ended on the way is FAILED by the next one, which issues the month', async () => {
  await books.store.pool.query(
    `insert into reports (merchant_id, report_id, period, revision, attempt, status, period_label, period_start,
      period_end, requested_at)
    select merchant_id, gen_random_uuid(), '2026-10', 1, 1, 'PENDING', 'octobre', 0, 0, 0
    from merchants
    where reference = 'ABANDON'`,
  );
  const { report } = await publishStatement(taskOf(), 'ABANDON');
  expect(report).toMatchObject({ status: 'READY', revision: 1 });
  const rows = await books.store.pool.query<{ status: string; error: string | null }>(
    `select status, error
    from reports
    where merchant_id = (select merchant_id from merchants where reference = 'ABANDON')
    order by attempt`,
  );
  expect(rows.rows).toMatchObject([
    { status: 'FAILED', error: expect.stringContaining('ended') },
    { status: 'READY' },
  ]);
});

test('a month that has not ended is refused, and leaves nothing behind', async () => {
  for (const period of [periodAfter(OCTOBER), { year: 2031, month: 1 }]) {
    await expect(publishStatement(publishTask(books.store, { period }), 'SERVICE')).rejects.toThrow(
      'has not ended',
    );
  }
  expect(await repository().list('SERVICE')).toEqual([]);
});

test('the service’s report gives the bounds, and its differences are printed', async () => {
  const bounds = boundsOf(OCTOBER, openZone('Africa/Douala')!);
  const asked: unknown[] = [];
  const published: ServiceMonth = {
    bounds,
    isUnknown: false,
    compare: ({ collected }) => ({
      notCompared: null,
      compared: 1,
      differences: [{ key: 'totalAmount', service: '1', ours: String(collected) }],
    }),
    links: async () => NO_LINKS,
    document: async () => null,
    close: async () => {},
  };
  const serviceMonthOf = async (...of: unknown[]) => {
    asked.push(of);
    return published;
  };
  const outcome = await publishStatement(taskOf({ serviceMonthOf }), 'SERVICE');
  expect(outcome.report).toMatchObject({
    status: 'READY',
    periodStart: bounds.start,
    periodEnd: bounds.end,
  });
  expect(outcome.service?.report?.differences).toEqual([
    { key: 'totalAmount', service: '1', ours: String(issuedOf(outcome.report).summary.collected) },
  ]);
  expect(asked).toEqual([['SERVICE', OCTOBER]]);
});

test('books that are not there any more say nothing of the service, and hold up no month', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pointage-emptied-'));
  try {
    const serviceMonthOf = askServiceMonthAt({
      dashboard: openFileDashboard(folder),
      summaryKeys: {},
    });
    const { report, service } = await publishStatement(taskOf({ serviceMonthOf }), 'EMPTIED');
    expect(report).toMatchObject({ status: 'READY', revision: 1 });
    expect(service?.report).toMatchObject({
      notCompared: expect.stringContaining('holds no books'),
      differences: [],
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('all merchants, one after the other: one that fails, and one that breaks, do not stop the others', async () => {
  const order: string[] = [];
  const task = publishTask(books.store, {
    formats: [csv, json].map((format) => ({
      ...format,
      write: (document, options, out) => {
        const isFaulty =
          document.statement.merchant.reference === 'TOUS_1' && format.name === 'json';
        return (isFaulty ? lying : format).write(document, options, out);
      },
    })),
    journalFor: (merchant) => {
      if (merchant === 'NOBODY') throw new Error('never asked');
      return publishTask(books.store).journalFor(merchant);
    },
    onMerchant: (merchant, expected) => {
      order.push(`${merchant} ${expected! > 0}`);
      return () => {};
    },
  });
  const outcomes = await publishStatements(task, ['TOUS_1', 'NOBODY', 'TOUS_2', 'TOUS_3']);
  expect(outcomes.map((one) => ('refused' in one ? one.refused : one.report.status))).toEqual([
    'FAILED',
    expect.stringContaining('has not ended'),
    'READY',
    'READY',
  ]);
  expect(order).toEqual(['TOUS_1 true', 'TOUS_2 true', 'TOUS_3 true']);
  expect((outcomes[2] as Published).report.merchant).toBe('TOUS_2');
});
