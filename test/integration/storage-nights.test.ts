// Nights in the store: announcements are written with the rows that they announce, a run leaves a
// record, and the watchdog acts on nights that went wrong.

import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type {
  NewDelivery,
  NightDigest,
  ReportedFinding,
  RunProblem,
} from '../../src/core/domain/delivery/delivery.ts';
import type { Finding } from '../../src/core/domain/finding.ts';
import { DAY, HOUR, type Instant, MINUTE } from '../../src/core/domain/instant.ts';
import {
  NOTHING_READ,
  settleMembers,
  takeMember,
} from '../../src/io/storage/conclusions/run-members.ts';
import { saveConclusion } from '../../src/io/storage/conclusions/save-conclusion.ts';
import type { FindingChanges } from '../../src/io/storage/conclusions/save-findings.ts';
import { withMerchantLock } from '../../src/io/storage/merchants/merchant-lock.ts';
import { requireMerchant } from '../../src/io/storage/merchants/merchants.ts';
import { beginNight, endNight } from '../../src/io/storage/nights/nights.ts';
import { inPieces } from '../../src/io/storage/server/ask.ts';
import { inTransaction } from '../../src/io/storage/server/connections.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import {
  type Announcements,
  NOTHING_ANNOUNCED,
} from '../../src/service/workflows/announcements.ts';
import type { JobRequest } from '../../src/service/workflows/jobs.ts';
import { type WatchTask, watchNights } from '../../src/service/workflows/nightly/watch-nights.ts';
import {
  listRunChanges,
  listRunMembers,
  listRuns,
  loadRun,
} from '../../src/service/workflows/operators/runs-and-merchants.ts';
import { findingOf, reportWith } from '../support/concluded.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';

const NIGHT: Instant = Date.UTC(2026, 10, 20, 2);
const ENDS = { announce: NOTHING_ANNOUNCED, triesAgainWithin: 0 };

let opened: TestStore;
let store: Store;
beforeAll(async () => {
  opened = await openTestStore();
  store = opened.store;
});
afterAll(() => opened.close());
beforeEach(async () => {
  await store.pool.query('delete from run_members; delete from runs; delete from deliveries');
});

async function beginAt(
  at: Instant,
  merchants: readonly string[],
  plannedFor: Instant | null = null,
): Promise<number> {
  const night = {
    jobId: randomUUID(),
    plannedFor,
    startedAt: at,
    source: 'file:books',
    engine: 'pointage 0',
    merchants,
  };
  return (await beginNight(store, night, NOTHING_ANNOUNCED)).runId;
}

function onAnomaly(announces: string, merchant: string | null): NewDelivery {
  const problem = {
    kind: 'NOT_ENDED',
    night: 0,
    runId: null,
    expected: 0,
    done: 0,
    missing: [],
  } as const;
  return {
    channel: 'folder',
    announces,
    target: 'out',
    merchant,
    content: { topic: 'run', problem },
  };
}

async function announced(): Promise<readonly string[]> {
  const rows = await store.pool.query<{ announces: string }>(
    'select announces from deliveries order by created_at',
  );
  return rows.rows.map(({ announces }) => announces);
}

/** Concludes one merchant of a run with these findings. */
async function conclude(
  runId: number,
  merchant: string,
  findings: readonly Finding[],
  announce = (news: readonly string[]) => [onAnomaly(`${runId}: ${news.join(' ')}`, merchant)],
): Promise<FindingChanges> {
  const at = NIGHT + runId * MINUTE;
  const outcome = await withMerchantLock(store, merchant, (lease) =>
    saveConclusion(store, lease, {
      runId,
      report: reportWith(merchant, findings),
      checkpoint: {
        lastSequence: 3,
        lastIntake: 1,
        state: '{}',
        engine: 'pointage 0',
        quiet: null,
      },
      settlement: { finishedAt: at, watermark: at - HOUR, entriesAdded: 2, operationsChanged: 1 },
      announce,
    }),
  );
  if (!outcome.acquired) throw new Error('somebody else holds the merchant');
  return outcome.value;
}

test('a root is announced when it is confirmed, once, and again when it is back', async () => {
  const provisional = findingOf('late', { status: 'provisional' });
  const follower = findingOf('follower', { causedBy: 'root' });
  const nights: readonly (readonly Finding[])[] = [
    [findingOf('root'), follower, provisional],
    [findingOf('root'), follower, findingOf('late')],
    [findingOf('root'), findingOf('late')],
    [],
    [findingOf('late'), { ...follower, causedBy: null }],
  ];
  const runs: number[] = [];
  for (const findings of nights) {
    const runId = await beginAt(NIGHT, ['M1']);
    runs.push(runId);
    await conclude(runId, 'M1', findings);
    expect(await endNight(store, { ...ENDS, runId, at: NIGHT })).toBe('ended');
  }
  expect(await announced()).toEqual([
    `${runs[0]}: root`,
    `${runs[1]}: late`,
    `${runs[4]}: follower late`,
  ]);
});

test('what cannot be announced is not saved either', async () => {
  const runId = await beginAt(NIGHT, ['M2']);
  await store.pool.query(`
    create or replace function refuse_delivery() returns trigger language plpgsql as $$
      begin raise exception 'the outbox is full'; end $$;
    create trigger refuse_delivery before insert on deliveries for each row execute function refuse_delivery()`);
  try {
    await expect(conclude(runId, 'M2', [findingOf('unnotified')])).rejects.toThrow(
      'the outbox is full',
    );
  } finally {
    await store.pool.query('drop trigger refuse_delivery on deliveries');
  }
  expect((await loadRun(store, runId))?.coverage).toMatchObject({
    expected: 1,
    waiting: 1,
    judged: 0,
  });
  expect(await listRunChanges(store, runId, { limit: 5 })).toEqual([]);
  expect(await endNight(store, { ...ENDS, runId, at: NIGHT })).toBeNull();
});

test('a run is recorded with its coverage, its verdicts, what is new and what was resolved', async () => {
  const first = await beginAt(NIGHT, ['R1', 'R2']);
  await conclude(first, 'R1', [findingOf('r1'), findingOf('r1 too', { causedBy: 'r1' })]);
  await conclude(first, 'R2', []);
  await endNight(store, { ...ENDS, runId: first, at: NIGHT + HOUR });
  const second = await beginAt(NIGHT + DAY, ['R1', 'R2', 'R3'], NIGHT + DAY);
  await conclude(second, 'R1', [findingOf('r1 too')]);
  const { items } = await listRuns(store, { limit: 2 });
  const [newer, older] = items;
  expect(older).toMatchObject({
    runId: first,
    kind: 'night',
    plannedFor: null,
    finishedAt: NIGHT + HOUR,
    coverage: { expected: 2, judged: 2, unread: 0, failed: 0, waiting: 0 },
    verdicts: { clean: 1, broken: 1, incomplete: 0 },
    entriesAdded: 4,
    operationsChanged: 2,
    findings: { added: 2, resolved: 0, reopened: 0 },
    watermark: NIGHT + first * MINUTE - HOUR,
  });
  expect(newer).toMatchObject({
    runId: second,
    plannedFor: NIGHT + DAY,
    finishedAt: null,
    coverage: { expected: 3, judged: 1, waiting: 2 },
    findings: { added: 0, resolved: 1, reopened: 0 },
  });
  await store.pool.query('delete from run_members where run_id = $1', [first]);
  expect(await loadRun(store, first), 'what an ended run came to is not counted again').toEqual(
    older,
  );
  const changes = async (runId: number) =>
    (await listRunChanges(store, runId, { limit: 9 })).map(({ change, fingerprint }) => [
      change,
      fingerprint,
    ]);
  expect(await changes(first)).toEqual([
    ['added', 'r1'],
    ['added', 'r1 too'],
  ]);
  expect(await changes(second)).toEqual([['resolved', 'r1']]);
  const references = async (page: object) =>
    (await listRunMembers(store, second, { limit: 9, ...page })).items.map(
      ({ merchant }) => merchant,
    );
  expect(await references({})).toEqual(['R1', 'R2', 'R3']);
  expect(await references({ limit: 1, offset: 1 })).toEqual(['R2']);
  expect(await references({ verdict: 'broken' })).toEqual(['R1']);
  expect(await references({ notJudged: true })).toEqual(['R2', 'R3']);
  expect(await loadRun(store, second + 1)).toBeNull();
});

test('conclusions for an overtaken night count for it, and the next digest has them', async () => {
  const announce = {
    run: ({ kind, runId, missing }: RunProblem) => [
      onAnomaly(`${kind} of ${runId}: ${missing.map(({ merchant }) => merchant)}`, null),
    ],
    night: ({ runId, done, news }: NightDigest) => [
      onAnomaly(
        `night ${runId}: ${done}; ${news.map((one) => one.findings.map(({ fingerprint }) => fingerprint))}`,
        null,
      ),
    ],
  };
  const begin = async (startedAt: Instant) => {
    const night = {
      jobId: randomUUID(),
      plannedFor: null,
      startedAt,
      source: 'file:books',
      engine: 'pointage 0',
    };
    return (await beginNight(store, { ...night, merchants: ['O1', 'O2'] }, announce)).runId;
  };
  const held = (runId: number, merchant: string, fingerprint: string): NewDelivery => {
    const findings = [{ fingerprint } as ReportedFinding];
    const content = {
      topic: 'findings',
      merchant,
      runId,
      verdict: 'broken',
      findings,
      more: 0,
    } as const;
    return {
      channel: 'folder',
      announces: `findings/${runId}/${merchant}`,
      target: 'out',
      merchant,
      content,
      isHeld: true,
    };
  };
  const settle = (runId: number, fingerprint: string) =>
    conclude(runId, 'O1', [findingOf(fingerprint)], () => [held(runId, 'O1', fingerprint)]);

  const first = await begin(NIGHT);
  const second = await begin(NIGHT + MINUTE);
  expect(await announced(), 'the second goes on with what the first had left').toEqual([]);
  await settle(first, 'late');
  await settle(second, 'soon');
  expect((await loadRun(store, first))?.coverage).toMatchObject({ judged: 1, failed: 1 });
  await store.pool.query(
    `update run_members set state = 'failed', reason = 'lost', finished_at = ${NIGHT} where state = 'expected'`,
  );
  expect(await endNight(store, { ...ENDS, runId: second, at: NIGHT + HOUR, announce })).toBe(
    'ended',
  );
  const told = [
    `NOT_COVERED of ${second}: O2`,
    `findings/${first}/O1`,
    `findings/${second}/O1`,
    `night ${second}: 1; late,soon`,
  ];
  expect((await announced()).toSorted()).toEqual(told.toSorted());

  const third = await begin(NIGHT + DAY);
  await settle(third, 'soon');
  await begin(NIGHT + 2 * DAY);
  expect(await announced(), 'a night of yesterday is over, and left out whom it left').toContain(
    `NOT_COVERED of ${third}: O2`,
  );
});

test('the watchdog tells once of what is late, ends what is settled, and sends again what got lost', async () => {
  const sent: JobRequest[] = [];
  const announcements: Announcements = {
    ...NOTHING_ANNOUNCED,
    run: ({ kind, night }) => [onAnomaly(`${kind} ${(night - NIGHT) / HOUR}`, null)],
  };
  const watch = (now: Instant, queued: number) =>
    watchNights({
      store,
      source: {} as WatchTask['source'],
      room: { places: 4, use: (work) => work() },
      announcements,
      jobs: { send: async (requests) => void sent.push(...requests) },
      clock: () => now,
      log: () => {},
      secondRound: { after: 0, within: 0 },
      settings: { late: 30 * MINUTE, longest: 6 * HOUR, lookBack: 2 * DAY },
      dueBetween: ({ from, to }: { readonly from: Instant; readonly to: Instant }) =>
        [NIGHT - DAY, NIGHT].filter((due) => due > from && due <= to),
      plannedSince: NIGHT - HOUR,
      queued,
    } as Partial<WatchTask> as WatchTask);

  await watch(NIGHT + 20 * MINUTE, 0);
  expect(await announced(), 'still in time').toEqual([]);
  for (let pass = 0; pass < 2; pass += 1) await watch(NIGHT + HOUR, 0);
  expect(await announced(), 'once, and not of a night before the plan').toEqual(['NOT_BEGUN 0']);

  const runId = await beginAt(NIGHT + 2 * HOUR, ['W1', 'W2'], NIGHT);
  await watch(NIGHT + 3 * HOUR, 2);
  expect(sent, 'all that is expected is queued').toEqual([]);
  await watch(NIGHT + 3 * HOUR, 1);
  expect(sent.map(({ data }) => data)).toEqual([
    { runId, round: 1, merchants: ['W1'] },
    { runId, round: 1, merchants: ['W2'] },
  ]);
  expect(
    (await watch(NIGHT + 9 * HOUR, 2)).map(({ kind, expected, done }) => [kind, expected, done]),
  ).toEqual([
    ['NOT_BEGUN', 0, 0],
    ['NOT_ENDED', 2, 0],
  ]);
  expect(await announced()).toEqual(['NOT_BEGUN 0', 'NOT_ENDED 0']);

  for (const merchant of ['W1', 'W2']) {
    const merchantId = await requireMerchant(store, merchant);
    expect(await takeMember(store, { merchantId, at: NIGHT })).toBe(runId);
    await conclude(runId, merchant, []);
    expect(await takeMember(store, { merchantId, at: NIGHT }), 'settled once').toBeNull();
  }
  await watch(NIGHT + 9 * HOUR, 0);
  expect(
    (await loadRun(store, runId))?.finishedAt,
    'the worker that settled them did not end it',
  ).toBe(NIGHT + 9 * HOUR);
});

test('to take and to settle merchants of a night reads no row of the others', async () => {
  // There are so many that to read all of them is never as cheap as to look fifty up.
  const merchants = Array.from({ length: 60_000 }, (_, i) => `P${i}`);
  // A first night has few merchants. The planner knows what was counted of it when the second night
  // begins.
  await beginAt(NIGHT, merchants.slice(0, 20));
  await store.pool.query('analyze run_members');
  const runId = await beginAt(NIGHT + DAY, merchants);
  const at = NIGHT + DAY;
  const ids = await Promise.all(
    merchants.slice(3_000, 3_050).map((one) => requireMerchant(store, one)),
  );
  const read = await inTransaction(store, async (client) => {
    const within = { ...store, pool: client as unknown as pg.Pool };
    for (let times = 0; times < 8; times += 1)
      await Promise.all(ids.map((id) => takeMember(within, { merchantId: id, at })));
    const settled = {
      ...NOTHING_READ,
      state: 'done',
      verdict: 'clean',
      reason: null,
      finishedAt: at,
    } as const;
    for (const some of inPieces(ids, 5))
      await settleMembers(
        client,
        runId,
        some.map((merchantId) => ({ merchantId, ...settled })),
      );
    const { rows } = await client.query<{ read: number }>(
      `select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables where relname = 'run_members'`,
    );
    return rows[0]!.read;
  });
  expect(read).toBeLessThan(4 * 9 * ids.length);
  expect((await loadRun(store, runId))?.coverage).toMatchObject({
    judged: ids.length,
    waiting: 60_000 - ids.length,
  });
});
