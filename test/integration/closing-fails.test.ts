// A failure while books are read keeps its class, its code and its sentence when closing fails as
// well, because exit statuses, retries and answers depend on it.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import { type Source, SourceFailed } from '../../src/io/sources/port/source.ts';
import { StoreFailed } from '../../src/io/storage/server/store.ts';
import { auditSource } from '../../src/service/workflows/audit/audit-source.ts';
import { closable } from '../../src/service/workflows/closable.ts';
import { PutBack } from '../../src/service/workflows/jobs.ts';
import { arraySource } from '../support/array-source.ts';
import { pointage } from '../support/command.ts';
import { databaseAt, onServer } from '../support/database-address.ts';
import { BEGIN, line, operation, profile, wallet } from '../support/database-books.ts';
import { withTestStore } from '../support/database-store.ts';
import { startHttpService } from '../support/http-service.ts';
import { withNightService } from '../support/night-service.ts';
import { optionsAt, runNight } from '../support/nightly.ts';

/** An instant at which the month of the lines has ended. */
const AS_OF = BEGIN + 40 * DAY;

const warnings: string[] = [];

beforeEach(() => {
  warnings.length = 0;
  vi.spyOn(process, 'emitWarning').mockImplementation(
    (warning) => void warnings.push(String(warning)),
  );
});
afterEach(() => void vi.restoreAllMocks());

function smallBooks(): Parameters<typeof arraySource>[0] {
  const figures = {
    balance: 3_000,
    reserved: 0,
    available: 3_000,
    totalCollected: 3_000,
    totalDisbursed: 0,
  };
  return {
    ...{ asOf: AS_OF, payments: [], reports: [], payouts: null, notifications: [] },
    profile: profile({ pricing: { cashin: { bps: 0, flat: 0 }, cashout: { bps: 0, flat: 0 } } }),
    wallet: wallet({ ...figures, updatedAt: AS_OF }),
    entries: [1, 2, 3].map((sequence) => line(sequence)),
    operations: [1, 2, 3].map((number) => operation(number)),
  };
}

/**
 * Returns a source that serves its lines, throws `failure` where its operations begin, and fails
 * when a reading is closed.
 */
function failingTwice(failure: Error): Source {
  const source = arraySource(smallBooks());
  return {
    ...source,
    open: async (...asked) => ({
      ...(await source.open(...asked)),
      // biome-ignore lint/correctness/useYield: it fails before its first batch
      async *operations() {
        throw failure;
      },
      close: async () => {
        throw new StoreFailed('UNREACHABLE', 'It cannot be closed.');
      },
    }),
  };
}

const CUT = new SourceFailed('CUT_OFF', 'The list of operations was cut off.');
const CLOSING = 'closing failed: StoreFailed: It cannot be closed.';

describe('a source that fails on reading and on closing', () => {
  test('leaves its merchant incomplete, by the reading', async () => {
    const [report] = await auditSource(failingTwice(CUT), {
      merchants: [],
      optionsFor: () => optionsAt(AS_OF),
      published: null,
      onMerchant: () => () => {},
    });
    expect(report).toMatchObject({
      verdict: 'incomplete',
      notChecked: [{ why: `CUT_OFF: ${CUT.message}` }],
    });
    expect(warnings).toEqual([CLOSING]);
  });

  test.each([CUT, new PutBack('it is time to leave', 5)])(
    'throws what the reading threw: $name',
    async (failure) => {
      await withTestStore(async (store) => {
        const night = {
          store,
          source: failingTwice(failure),
          merchant: 'M001',
          pageRows: 100,
          diesBeforeSaving: false,
        };
        await expect(runNight({ ...night, now: AS_OF })).rejects.toBe(failure);
        expect(
          (await store.pool.query('select from entries')).rowCount,
          'what was read is kept',
        ).toBe(3);
      });
      expect(warnings).toEqual([CLOSING]);
    },
  );
});

test('what a block has done counts when closing fails, in the order in which its parts are closed', async () => {
  const failing = (name: string) => ({ close: async () => Promise.reject(new Error(name)) });
  const work = async () => {
    await using _outer = closable(failing('outer'));
    await using _none = closable(null as ReturnType<typeof failing> | null);
    await using _inner = closable(failing('inner'));
    return 'done';
  };
  await expect(work()).resolves.toBe('done');
  expect(warnings).toEqual(['closing failed: Error: inner', 'closing failed: Error: outer']);
});

describe('a store whose connections die in the middle', () => {
  const OURS = `from pg_stat_activity where datname = $1 and application_name like 'pointage%'`;

  const nameOf = (url: string) => new URL(url).pathname.slice(1);
  const endConnections = (url: string) =>
    onServer(databaseAt(url, 'postgres'), (client) =>
      client.query(`select pg_terminate_backend(pid) ${OURS}`, [nameOf(url)]),
    );
  const refuseConnections = (url: string) =>
    onServer(databaseAt(url, 'postgres'), (client) =>
      client.query(`alter database ${nameOf(url)} with allow_connections false`),
    );

  /**
   * Ends every connection of pointage to the database of `url` once one of them waits for the
   * lines.
   */
  async function withLinesCutOff<T>(url: string, work: () => Promise<T>): Promise<T> {
    let working!: Promise<T>;
    await onServer(url, async (locking) => {
      await locking.query('begin; lock table entries in access exclusive mode');
      working = work();
      // Ask on another connection, because a transaction sees the same activity again and again.
      await onServer(url, async (client) => {
        while (
          (await client.query(`select ${OURS} and wait_event_type = 'Lock'`, [nameOf(url)]))
            .rowCount === 0
        )
          await sleep(20);
      });
      await endConnections(url);
    });
    return working;
  }

  test.each([
    { command: ['audit', 'M001'] },
    { command: ['statement', 'M001', '2026-03'] },
    { command: ['run', '--source', 'file:./docs/example-books'] },
  ])('ends $command.0 with 3 and the sentence of the database', async ({ command }) => {
    await withTestStore(async (store, url) => {
      const night = { store, source: arraySource(smallBooks()), merchant: 'M001', pageRows: 100 };
      await runNight({ ...night, diesBeforeSaving: false, now: AS_OF });
      const { status, err } = await withLinesCutOff(url, () =>
        pointage([...command, '--database-url', url]),
      );
      expect({ status, err }).toEqual({
        status: 3,
        err: expect.stringMatching(/^pointage: .*connection.*\n$/),
      });
    });
  });

  test('leaves a worker with its own failure, though its queue cannot be asked any more', async () => {
    const service = await startHttpService({});
    try {
      await withTestStore(async (_, databaseUrl) => {
        const failure = new StoreFailed('UNREACHABLE', 'The database cannot be reached.');
        const { promise: lost, resolve } = Promise.withResolvers<void>();
        const log = (event: object) =>
          'event' in event && event.event === 'queue failed' && resolve();
        const working = withNightService(
          service,
          { databaseUrl, log, rest: { source: 'file:./docs/example-books' } },
          async ({ queue }) => {
            await queue.work('refresh', async () => {}, { atOnce: 1 });
            await refuseConnections(databaseUrl);
            await endConnections(databaseUrl);
            // pg-boss stops listening to errors of its connections before it closes them, so that
            // it must know of these errors by then.
            await lost;
            throw failure;
          },
        );
        await expect(working).rejects.toBe(failure);
      });
    } finally {
      await service.close();
    }
  });
});
