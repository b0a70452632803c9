// Decisions of all kinds while nights follow one another, two at a time over the same merchants. No
// decision that was taken is lost, and after a last night each finding is as its last decision left
// it. POINTAGE_DECISIONS=n takes n decisions.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { MINUTE } from '../../src/core/domain/instant.ts';
import { drawFrom, drawInteger, seedRandom } from '../../src/sandbox/model/random.ts';
import {
  type DecisionWish,
  decideAbout,
  findOne,
  listFindings,
} from '../../src/service/workflows/operators/decide-findings.ts';
import { arraySource } from '../support/array-source.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { handBooks } from '../support/hand-books.ts';
import { runSource } from '../support/nightly-run.ts';
import { TEST_SEED } from '../support/test-seed.ts';

const DECISIONS = Number(process.env.POINTAGE_DECISIONS ?? 120);
const MERCHANTS = ['A', 'B', 'C', 'D', 'E', 'F'];
const FAULTS = 6;

/** Each cash-in is credited twice. */
const text = Array.from({ length: FAULTS }, (_, i) => {
  const [at, amount] = [`10-${String(i + 2).padStart(2, '0')}T09`, 1_000 * (i + 1)];
  const name = `GUI-CI-${i}`;
  return `
  ${at}:00 CASHIN_CREDIT ${amount} ${name}
  ${at}:00 CASHIN_FEE ${amount / 50} ${name}
  op ${name} SUCCEEDED ${amount} fees=${amount / 50} created=${at.slice(0, -2)}08:55 completed=${at}:00
  ${at}:01 CASHIN_CREDIT ${amount} ${name}`;
}).join('');

let opened: TestStore;
beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(() => opened.close());

/** Works a night over new books, because a night with nothing new would not judge again. */
async function night(day: number): Promise<void> {
  const books = handBooks(
    `${text}\n  op GUI-CI-OPEN PENDING 5000 fees=100 created=10-${20 + (day % 8)}T09:00`,
    '11-02T00:00',
  );
  const source = arraySource(books);
  const open: typeof source.open = (merchant, since) => {
    const own = arraySource({ ...books, profile: { ...books.profile, reference: merchant } });
    own.onlyNew = false;
    return own.open(merchant, since);
  };
  await runSource(
    opened.store,
    { ...source, open },
    {
      merchants: MERCHANTS,
      clock: () => books.asOf,
      optionsFor: (_, asOf) => ({
        asOf,
        grace: 0,
        clockTolerance: 5 * MINUTE,
        pinned: {},
        opening: null,
      }),
    },
  );
}

const NEXT = {
  open: ['acknowledge', 'settle', 'accept'],
  acknowledged: ['settle', 'accept', 'reopen'],
  settled: ['reopen'],
  accepted: ['settle', 'accept', 'reopen'],
} as const satisfies Readonly<Record<string, readonly DecisionWish['action'][]>>;
const STATE_AFTER = {
  acknowledge: 'acknowledged',
  settle: 'settled',
  accept: 'accepted',
  reopen: 'open',
} as const;

test(`${DECISIONS} decisions, none lost (TEST_SEED=${TEST_SEED})`, async () => {
  await night(0);
  const query = { state: 'open', kind: 'CREDIT_DUPLICATED', rootsOnly: true, limit: 100 } as const;
  const { items } = await listFindings(opened.store, query, []);
  expect(items).toHaveLength(MERCHANTS.length * FAULTS);
  const roots = items.map(({ finding }) => finding.fingerprint);
  const states = new Map<string, keyof typeof NEXT>(roots.map((root) => [root, 'open']));
  const random = seedRandom(`${TEST_SEED}/decisions`);
  const lost: string[] = [];
  let isOver = false;
  let nights = 0;
  const working = [0, 1].map(async () => {
    while (!isOver) {
      nights += 1;
      await night(nights);
    }
  });
  for (let number = 0; number < DECISIONS; number += 1) {
    const root = drawFrom(random, roots);
    const action = drawFrom(random, NEXT[states.get(root)!]);
    const wish = {
      action,
      reason: `decision ${number}`,
      by: 'awa',
      at: Date.UTC(2026, 10, 3) + number,
      announce: undefined,
    };
    const found = await findOne(opened.store, root);
    if (found.state !== states.get(root))
      lost.push(`${root}: ${states.get(root)}, and was ${found.state}`);
    else await decideAbout(opened.store, {}, { found, wish });
    states.set(
      root,
      found.state === states.get(root) ? STATE_AFTER[action] : (found.state as keyof typeof NEXT),
    );
    await new Promise((done) => setTimeout(done, drawInteger(random, { from: 0, to: 30 })));
  }
  isOver = true;
  await Promise.all(working);
  await night(nights + 1);
  for (const [root, expected] of states) {
    const { state, decisions } = await findOne(opened.store, root);
    if (state !== expected)
      lost.push(`${root}: ${expected}, and is ${state}: ${decisions.at(-1)?.reason}`);
    if (decisions.some(({ by }) => by !== 'awa')) lost.push(`${root}: decided by the engine`);
  }
  expect([lost, nights > 5]).toEqual([[], true]);
}, 300_000);
