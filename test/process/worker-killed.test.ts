// Two workers on one database, of which one or the other is killed in the middle of its work. The
// night ends complete, what it leaves is what an undisturbed night leaves, and no mail goes out
// twice. POINTAGE_KILLS=n kills n times, over a dozen merchants.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Store } from '../../src/io/storage/server/store.ts';
import { drawInteger, seedRandom } from '../../src/sandbox/model/random.ts';
import type { Sandbox } from '../../src/sandbox/service/start-sandbox.ts';
import { openQueue } from '../../src/service/queue/open-queue.ts';
import { pointageProcess } from '../support/command.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { ended } from '../support/night-service.ts';
import { startNightSandbox, startWorkerProcess } from '../support/worker-process.ts';

const KILLS = Number(process.env.POINTAGE_KILLS ?? 1);
const MERCHANTS = KILLS > 1 ? 12 : 5;
/** Seed that decides when and which worker is killed. */
const SEED = process.env.POINTAGE_TEST_SEED ?? 'killed';
/** The smallest value allowed: the jobs of a killed worker are taken over after it. */
const TAKE_OVER_SECONDS = 10;

let sandbox: Sandbox;
let scratch: string;
let whole: TestStore;
let disturbed: TestStore;
let post: MailServer;
let disturbedPost: MailServer;
beforeAll(async () => {
  sandbox = await startNightSandbox(MERCHANTS, 60);
  scratch = mkdtempSync(join(tmpdir(), 'pointage-killed-'));
  whole = await openTestStore();
  disturbed = await openTestStore();
  post = await startMailServer();
  disturbedPost = await startMailServer();
});
afterAll(async () => {
  await sandbox.close();
  await whole.close();
  await disturbed.close();
  await post.close();
  await disturbedPost.close();
  rmSync(scratch, { recursive: true, force: true });
});

test('whichever worker is killed, and whenever, a night leaves what an undisturbed one leaves', async () => {
  const [alone, logged] = await Promise.all([
    pointageProcess(['worker', '--once', '--config', configFor(whole, post)]),
    nightWithKills(disturbed),
  ]);
  expect(alone).toMatchObject({ status: 1, err: expect.stringMatching(/^$/) });
  expect(alone.out).toMatch(
    new RegExp(`Night 1: ${MERCHANTS} of ${MERCHANTS} merchants were judged`),
  );
  const [expected, found] = [await leftBy(whole.store), await leftBy(disturbed.store)];
  expect(expected.statements.length).toBe(MERCHANTS);
  expect(expected.findings.length).toBeGreaterThanOrEqual(2);
  expect(found, logged.join('\n')).toEqual(expected);
  expect(mailsIn(post).length).toBeGreaterThan(MERCHANTS);
  // A mail that was on its way when its worker was killed may be in doubt: it went out once, or not
  // at all.
  const doubtful = await untilDelivered(disturbed.store);
  const mails = mailsIn(disturbedPost);
  expect(new Set(mails).size, 'a mail went out twice').toBe(mails.length);
  expect(mailsIn(post)).toEqual(expect.arrayContaining([...mails]));
  expect(mailsIn(post).length - mails.length).toBeLessThanOrEqual(doubtful);
  const tried = await disturbed.store.pool.query<{ tried: number }>(
    'select sum(attempts)::bigint as tried from run_members',
  );
  expect(tried.rows[0]!.tried, 'somebody was killed at work').toBeGreaterThan(MERCHANTS);
}, 600_000);

/** Returns recipient and subject of every mail that arrived. */
function mailsIn({ arrived }: MailServer): readonly string[] {
  return arrived.map(({ envelope, subject }) => `${envelope.to.join()} ${subject}`).sort();
}

/** Waits until nothing is left to be sent. Returns how many mails are in doubt. */
async function untilDelivered(store: Store): Promise<number> {
  for (;;) {
    const answer = await store.pool.query<{ open: number; doubtful: number }>(
      `select count(*) filter (where state in ('PENDING', 'SENDING', 'FAILED')) as open,
        count(*) filter (where state = 'IN_DOUBT') as doubtful
      from deliveries`,
    );
    const { open, doubtful } = answer.rows[0]!;
    if (open === 0) return doubtful;
    await sleep(50);
  }
}

function configFor({ databaseUrl }: TestStore, { url }: MailServer): string {
  const file = join(mkdtempSync(join(scratch, 'night-')), 'pointage.config.json');
  const merchants = sandbox.merchants.map(({ reference, apiKey, apiSecret }) => [
    reference,
    { apiKey, apiSecret, accountants: [{ email: `${reference.toLowerCase()}@example.com` }] },
  ]);
  const mail = { url, from: 'pointage@example.com' };
  const alerts = { mail: ['controle@example.com'] };
  const worker = {
    takeOverSeconds: TAKE_OVER_SECONDS,
    concurrency: 2,
    attempts: Math.min(20, KILLS + 3),
  };
  writeFileSync(
    file,
    JSON.stringify({
      databaseUrl,
      source: sandbox.url,
      merchants: Object.fromEntries(merchants),
      worker,
      mail,
      alerts,
      // Every merchant's statement goes out, whatever it says.
      deliveries: { hold: 'none' },
    }),
  );
  return file;
}

/**
 * Works a night with kills. A killed worker is started again, as a supervisor would do. Returns
 * what all of them logged.
 */
async function nightWithKills({ store, databaseUrl }: TestStore): Promise<readonly string[]> {
  const random = seedRandom(SEED);
  const config = configFor({ store, databaseUrl, close: async () => {} }, disturbedPost);
  const workers = [await startWorkerProcess(config), await startWorkerProcess(config)];
  const all = [...workers];
  const settings = { attempts: 1, takeOverSeconds: TAKE_OVER_SECONDS, longestMinutes: 1 };
  const queue = await openQueue({ store, settings, works: false, log: () => {} });
  try {
    await queue.send([{ kind: 'night', data: {} }]);
    for (let kill = 0; kill < KILLS; kill += 1) {
      // The workers hold more jobs than one of them can: both are at work.
      while (!(await isOver(store)) && (await inHand(store)) < 3 && kill * 3 < MERCHANTS)
        await sleep(5);
      await sleep(drawInteger(random, { from: 0, to: KILLS > 1 ? 900 : 30 }));
      const victim = drawInteger(random, { from: 0, to: 1 });
      await workers[victim]!.kill();
      workers[victim] = await startWorkerProcess(config);
      all.push(workers[victim]);
    }
    const { coverage } = await ended({ store }, 1);
    expect(coverage).toEqual({
      expected: MERCHANTS,
      judged: MERCHANTS,
      unread: 0,
      failed: 0,
      waiting: 0,
    });
    while ((await queue.depths()).some(({ waiting, active }) => waiting + active > 0))
      await sleep(50);
    await untilDelivered(store);
    // The worker that is told to leave leaves well.
    expect(await workers[0]!.leave()).toBe(0);
    return all.flatMap((one) => one.logged);
  } finally {
    await queue.stop(0);
    await Promise.all(workers.map((one) => one.kill()));
  }
}

async function inHand(store: Store): Promise<number> {
  const begun = await store.pool.query(
    `select from run_members where state = 'expected' and attempts > 0`,
  );
  return begun.rowCount!;
}

async function isOver(store: Store): Promise<boolean> {
  return (await store.pool.query('select from runs where finished_at is not null')).rowCount === 1;
}

/**
 * Returns everything that a night leaves for people and for the next night, except for when it
 * happened.
 */
async function leftBy(store: Store) {
  const rows = async (query: string) => (await store.pool.query(query)).rows as readonly object[];
  const ofMerchants = (columns: string, table: string, order: string) =>
    rows(
      `select reference, ${columns} from ${table} natural join merchants order by reference, ${order}`,
    );
  return {
    runs: await rows('select run_id, kind, expected, closed from runs order by run_id'),
    members: await ofMerchants(
      'state, verdict, reason, watermark, entries_added, operations_changed',
      'run_members',
      'run_id',
    ),
    reports: await ofMerchants('report', 'run_merchants', 'run_id'),
    leaves: await rows('select subject from log_leaves order by subject'),
    findings: await ofMerchants(
      'fingerprint, kind, severity, state, content',
      'findings',
      'fingerprint',
    ),
    decisions: await ofMerchants(
      'fingerprint, action',
      'finding_decisions',
      'fingerprint, decision_number',
    ),
    mirror: await ofMerchants(
      'entry_count, variant_count, operation_count',
      'merchant_heads',
      'merchant_id',
    ),
    statements: await rows(
      `select reference, period, revision, issued -> 'integrity' ->> 'contentHash' as hash
      from reports natural join merchants
      where status = 'READY'
      order by reference, period, revision`,
    ),
  };
}
