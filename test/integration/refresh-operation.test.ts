// One operation is refreshed between two nights. The mirror has it as it stands, and nothing else
// is concluded, skipped or believed because of that.

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '../../src/core/domain/instant.ts';
import type { Source } from '../../src/io/sources/port/source.ts';
import { withMerchantLock } from '../../src/io/storage/merchants/merchant-lock.ts';
import { auditMirror } from '../../src/service/workflows/audit/audit-mirror.ts';
import type { JobRequest } from '../../src/service/workflows/jobs.ts';
import { refreshOperation, sweepOverdue } from '../../src/service/workflows/mirror/refresh.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import {
  makeHttpBooks,
  makeLine,
  makeOperation,
  referenceOf,
  type ServedJson,
} from '../support/http-books.ts';
import { openSource } from '../support/http-reader.ts';
import { type HttpService, startHttpService } from '../support/http-service.ts';
import { EVENING, JUDGED, outcomeOf, RUN_ENGINE, runOver } from '../support/nightly-run.ts';

let opened: TestStore;
let service: HttpService;
let source: Source;
beforeEach(async () => {
  opened = await openTestStore();
  service = await startHttpService({ M001: makeHttpBooks('M001', 100) });
  source = openSource(service);
});
afterEach(async () => {
  await source.close();
  await service.close();
  await opened.close();
});

const books = () => service.books.M001!;
const night = async () => outcomeOf(await runOver(opened.store, service), 'M001').report;
const refresh = (reference: string) =>
  refreshOperation({ store: opened.store, source, merchant: 'M001', reference });

async function count(table: string): Promise<number> {
  return (await opened.store.pool.query(`select 1 from ${table}`)).rowCount ?? 0;
}

async function statusesOf(reference: string): Promise<readonly string[]> {
  const answer = await opened.store.pool.query<{ status: string }>(
    'select status from operation_versions where reference = $1 order by version',
    [reference],
  );
  return answer.rows.map(({ status }) => status);
}

const waiting = (number: number): ServedJson => {
  const { updatedAt: _, ...operation } = makeOperation(number);
  return { ...operation, updatedAt: operation.createdAt, status: 'PENDING', completedAt: null };
};

describe('a refresh of an operation', () => {
  test('adds its new version, once, and neither a finding nor a run', async () => {
    books().operations[99] = waiting(100);
    books().ledger.pop();
    await night();
    const before = [await count('findings'), await count('runs'), await count('finding_decisions')];
    books().operations[99] = makeOperation(100);
    expect(await refresh(referenceOf(100))).toBe('changed');
    expect(await refresh(referenceOf(100))).toBe('unchanged');
    expect(await statusesOf(referenceOf(100))).toEqual(['PENDING', 'SUCCEEDED']);
    expect([
      await count('findings'),
      await count('runs'),
      await count('finding_decisions'),
    ]).toEqual(before);
  });

  test('at the newest of many operations does not let the next night skip those before it', async () => {
    service.order = 'descending';
    expect((await night()).operations).toBe(100);
    for (let n = 101; n <= 1_000; n += 1) {
      books().ledger.push(makeLine(n));
      books().operations.push(makeOperation(n));
    }
    books().wallet = makeHttpBooks('M001', 1_000).wallet;
    expect(await refresh(referenceOf(1_000))).toBe('changed');
    expect(await night()).toMatchObject({
      verdict: 'clean',
      operations: 1_000,
      entries: 1_000,
      findings: [],
    });
    expect(await count('operation_versions')).toBe(1_000);
  });

  test('makes no audit of the mirror accuse it of lines that were not read yet', async () => {
    await night();
    const young = 2_400;
    books().operations.push(makeOperation(young));
    expect(await refresh(referenceOf(young))).toBe('changed');
    const audit = {
      engine: RUN_ENGINE,
      merchants: [],
      published: null,
      onMerchant: () => () => {},
    };
    const optionsFor = () => ({ ...JUDGED, asOf: EVENING + DAY });
    const [report] = await auditMirror(opened.store, { ...audit, optionsFor });
    expect(report).toMatchObject({ verdict: 'clean', findings: [] });
    expect(report!.notChecked.map(({ what }) => what)).toEqual([
      'history',
      'reports',
      'payments',
      'payouts',
      'events',
      'recent operations',
    ]);
  });

  test('of which the service knows nothing, or nothing readable, stores nothing', async () => {
    await night();
    const stored = await count('operation_versions');
    expect(await refresh('GUI-CI-NOWHERE')).toBe('unknown');
    books().operations[5] = { ...makeOperation(6), amount: 1.5 };
    expect(await refresh(referenceOf(6))).toBe('unreadable');
    expect([await count('operation_versions'), await count('rejected_rows')]).toEqual([stored, 0]);
  });

  test('of a merchant that no run has read is left to the first run', async () => {
    expect(await refresh(referenceOf(1))).toBe('not mirrored');
    expect([await count('merchants'), service.asked.length]).toEqual([0, 0]);
  });

  test('while a run is at work, or while the service fails, is to be tried again, and asks and stores nothing', async () => {
    await night();
    service.asked.length = 0;
    const meanwhile = () =>
      expect(refresh(referenceOf(1))).rejects.toMatchObject({ name: 'PutBack' });
    expect(await withMerchantLock(opened.store, 'M001', meanwhile)).toMatchObject({
      acquired: true,
    });
    expect(service.asked).toEqual([]);
    service.before = () => ({ do: 'error', status: 503, code: 'DOWN' });
    await expect(refresh(referenceOf(1))).rejects.toThrow();
    expect(await count('operation_versions')).toBe(100);
  });
});

describe('the sweep of overdue operations', () => {
  const sent: JobRequest[] = [];
  const jobs = { send: async (requests: readonly JobRequest[]) => void sent.push(...requests) };
  const sweep = async (now: number): Promise<readonly string[]> => {
    sent.length = 0;
    const swept = await sweepOverdue({
      store: opened.store,
      jobs,
      moves: () => true,
      now,
      grace: 10 * MINUTE,
    });
    expect(swept).toBe(sent.length);
    return sent.map(({ kind, data }) => `${kind} ${JSON.stringify(Object.values(data))}`);
  };

  test('asks for those past their expiry and the grace that are still open, and for no other', async () => {
    books().operations[49] = waiting(50);
    books().operations[59] = waiting(60);
    await night();
    const expiry = Date.parse(String(waiting(50).expiresAt));
    const asked = [`refresh ["M001","${referenceOf(50)}"]`];
    expect(await sweep(expiry + 10 * MINUTE - 1)).toEqual([]);
    expect(await sweep(expiry + 10 * MINUTE)).toEqual(asked);
    expect(await sweep(expiry + HOUR)).toEqual([`refresh ["M001","${referenceOf(60)}"]`, ...asked]);
    expect(await sweep(expiry + 2 * DAY)).toEqual([]);
    books().operations[59] = makeOperation(60);
    await refresh(referenceOf(60));
    expect(await sweep(expiry + HOUR)).toEqual(asked);
  });

  test('is bounded for each merchant, the newest first', async () => {
    books().operations = Array.from({ length: 150 }, (_, i) => waiting(i + 1));
    await night();
    const asked = await sweep(Date.parse(String(waiting(150).expiresAt)) + HOUR);
    expect(asked).toHaveLength(100);
    expect([asked[0], asked[99]]).toEqual([
      `refresh ["M001","${referenceOf(150)}"]`,
      `refresh ["M001","${referenceOf(51)}"]`,
    ]);
  });
});
