// The owner of the database changes stored lines. Every audit of the mirror finds it, and so does a
// night within its rotation.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import { auditMirror } from '../../src/service/workflows/audit/audit-mirror.ts';
import { runMerchants } from '../../src/service/workflows/nightly/run-merchants.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { type HttpBooks, makeHttpBooks, makeLine, makeOperation } from '../support/http-books.ts';
import { openSource } from '../support/http-reader.ts';
import { type HttpService, startHttpService } from '../support/http-service.ts';
import { EVENING, JUDGED, outcomeOf, RUN_ENGINE } from '../support/nightly-run.ts';
import { withoutTriggers } from '../support/without-triggers.ts';

const LINES = 2_100;

let opened: TestStore;
let store: Store;
let service: HttpService;
async function open() {
  opened = await openTestStore();
  store = opened.store;
  service = await startHttpService({ M001: makeHttpBooks('M001', LINES) });
}
async function close() {
  await service.close();
  await opened.close();
}

/** Works a night of M001, so many days after the first evening. */
async function night(day: number) {
  const now = EVENING + day * DAY;
  service.clockOffset = now - Date.now();
  const source = openSource(service);
  const run = await runMerchants({
    store,
    source,
    engine: RUN_ENGINE,
    clock: () => now,
    merchants: [],
    optionsFor: (_, asOf) => ({ ...JUDGED, asOf }),
    onMerchant: () => () => {},
  });
  await source.close();
  return tampered(outcomeOf(run, 'M001').report);
}

async function audit() {
  const [report] = await auditMirror(store, {
    merchants: ['M001'],
    optionsFor: () => JUDGED,
    published: null,
    onMerchant: () => () => {},
  });
  return tampered(report!);
}

function tampered({ verdict, findings }: Awaited<ReturnType<typeof auditMirror>>[number]) {
  const found = findings.filter(({ kind }) => kind === 'MIRROR_TAMPERED');
  return {
    verdict,
    found: found.map(({ sequence, status, causedBy }) => [sequence, status, causedBy]),
  };
}

/** Runs a statement as the owner of the tables can: without the triggers. */
async function asOwner(statement: string, values: readonly unknown[] = []): Promise<void> {
  const { rowCount } = await withoutTriggers(store.pool, (client) =>
    client.query(statement, [...values]),
  );
  expect(rowCount).toBeGreaterThan(0);
}

const SOUND = { verdict: 'clean', found: [] };

describe('an audit of the mirror finds', () => {
  beforeAll(async () => {
    await open();
    expect(await night(0)).toEqual(SOUND);
    expect(await audit()).toEqual(SOUND);
    await store.pool.query('create table sound_entries as select * from entries');
  });
  beforeEach(async () => {
    await asOwner('delete from entries');
    await asOwner('insert into entries select * from sound_entries');
  });
  afterAll(close);

  test.each([
    ['another description', "update entries set description = 'x' where sequence = 1500", '1025'],
    ['another id', "update entries set entry_id = 'x' where sequence = 2", '1'],
    [
      'another time, of the last line',
      'update entries set created_at = created_at + 1 where sequence = 2100',
      '2049',
    ],
    [
      'an amount that is carried on to the end',
      'update entries set amount = amount + case sequence when 700 then 5 else 0 end, balance_after = balance_after + 5 where sequence >= 700',
      '1',
    ],
    [
      'two lines that changed places, behind the others',
      'update entries set sequence = 6001 - sequence where sequence in (2000, 2001)',
      null,
    ],
    [
      'lines that are gone from the middle',
      'delete from entries where sequence between 1100 and 1101',
      '1025',
    ],
    ['lines that are gone from the end', 'delete from entries where sequence > 2098', '2049'],
  ])('%s', async (_, statement, first) => {
    await asOwner(statement);
    const { verdict, found } = await audit();
    expect(verdict).toBe('broken');
    expect(found).toEqual([[first ?? expect.any(String), 'confirmed', null]]);
  });
});

describe('by night', () => {
  beforeEach(async () => {
    await open();
    return close;
  });

  test('a night finds it within thirty, tells it until the line is as it was, and asks the service for nothing more', async () => {
    const asked = async (day: number) => {
      const before = service.asked.length;
      const seen = await night(day);
      return { ...seen, calls: service.asked.length - before };
    };
    expect(await night(0)).toEqual(SOUND);
    const quiet = await asked(1);
    await asOwner("update entries set description = 'x' where sequence = 1500");
    const [found, others] = [[] as number[], [] as unknown[]];
    const days = [2, 12, 22, 25, 28, 29, 30];
    for (const day of days) {
      const { calls, ...seen } = await asked(day);
      if (seen.found.length > 0) found.push(day);
      else others.push(seen);
      expect(calls).toBeLessThanOrEqual(quiet.calls);
    }
    expect(found[0]).toBeLessThanOrEqual(30);
    expect(found).toEqual(days.filter((day) => day >= found[0]!));
    expect(others).toEqual(others.map(() => SOUND));
    await asOwner('update entries set description = null where sequence = 1500');
    expect(await night(31)).toEqual(SOUND);
  }, 120_000);

  test('late lines, further contents and a chain that begins anew are no tampering', async () => {
    const books = (): HttpBooks => service.books.M001!;
    const late = books().ledger.splice(1_000, 1)[0]!;
    await night(0);
    books().ledger.splice(1_000, 0, late);
    books().ledger.push(makeLine(LINES + 1));
    books().operations.push(makeOperation(LINES + 1));
    books().wallet = {
      ...books().wallet,
      balance: (LINES + 1) * 1_000,
      available: (LINES + 1) * 1_000,
      totalCollected: (LINES + 1) * 1_000,
    };
    for (const day of [1, 31, 62]) expect((await night(day)).found).toEqual([]);
    expect((await audit()).found).toEqual([]);
    await asOwner('update merchant_heads set chain = null, chain_compared_at = null');
    await asOwner('delete from entry_blocks');
    const { rows } = await store.pool.query(
      "select part, sha256(convert_to(text, 'UTF8')) as digest from head_texts order by part",
    );
    for (const { part, digest } of rows)
      await asOwner('update row_digests set digest = $1 where part = $2', [digest, part]);
    expect((await night(63)).found).toEqual([]);
    expect((await audit()).found).toEqual([]);
  });
});
