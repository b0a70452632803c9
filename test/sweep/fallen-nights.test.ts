// Two services with the same books, of which one serves only the last lines: night after night its
// oldest lines are no longer served, nor are their operations. Each night says the same of both,
// except for that one finding, which is accepted once. A planted fault is found in both, in files
// and over HTTP. TEST_SEEDS=20 plays twenty times as many pairs.

import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AuditReport } from '../../src/core/domain/finding.ts';
import { DAY } from '../../src/core/domain/instant.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { type Books, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES } from '../../src/sandbox/model/policy.ts';
import {
  chance,
  drawFrom,
  drawInteger,
  type Random,
  seedRandom,
} from '../../src/sandbox/model/random.ts';
import { arraySource } from '../support/array-source.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { booksAt } from '../support/growing-books.ts';
import { acceptFinding } from '../support/known-findings.ts';
import { JUDGED, outcomeOf, runSource } from '../support/nightly-run.ts';
import { type DecodedBooks, decodeBooks } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { TEST_SEED } from '../support/test-seed.ts';

const PAIRS = 6 * Number(process.env.TEST_SEEDS || 1);
const NIGHTS = 5;

let opened: TestStore;
beforeEach(async () => {
  opened = await openTestStore();
});
afterEach(() => opened.close());

/** Returns the books without the lines below `place`, and without the operations of their time. */
function withoutOldest(books: DecodedBooks, place: number): DecodedBooks {
  if (place === 0) return books;
  const entries = books.entries.toSorted((a, b) => a.sequence - b.sequence).slice(place);
  const from = entries[0]!.createdAt;
  return {
    ...books,
    entries,
    operations: books.operations.filter(({ createdAt }) => createdAt >= from),
  };
}

const rootsIn = ({ findings }: AuditReport) =>
  findings
    .filter(({ causedBy, kind }) => causedBy === null && kind !== 'HISTORY_NO_LONGER_SERVED')
    .map(({ kind, sequence, operationReference, item }) =>
      [kind, sequence, operationReference, item?.balance].join(' '),
    )
    .sort();

interface Night {
  readonly now: number;
  readonly reread: boolean;
}

async function nightOf(
  reference: string,
  books: DecodedBooks,
  { now, reread }: Night,
): Promise<AuditReport> {
  const served = arraySource({ ...books, profile: { ...books.profile, reference } });
  served.onlyNew = false;
  const source = { ...served, isStateless: () => true };
  const decision = { at: now, by: 'amina', reason: 'thirteen months' };
  const run = await runSource(opened.store, source, {
    clock: () => now,
    optionsFor: (_, asOf) => ({ ...JUDGED, asOf, grace: 0 }),
    ...(reread ? { reread: decision } : {}),
  });
  return outcomeOf(run, reference).report;
}

function plant(books: Books, random: Random): Books {
  if (chance(random, 0.3)) return books;
  for (let i = 0; i < 20; i += 1) {
    const planted = drawFrom(random, FAULTS).plant(books, random);
    if (planted !== null) return planted.books;
  }
  return books;
}

for (let pair = 0; pair < PAIRS; pair += 1) {
  const seed = `${TEST_SEED}/fallen/${pair}`;
  test(`nights of a ledger that loses its oldest lines say what those of a whole one say (${seed})`, {
    timeout: 60_000,
  }, async () => {
    const random = seedRandom(seed);
    const policy = drawFrom(random, LAWFUL_POLICIES);
    const traffic = {
      ...ORDINARY_TRAFFIC,
      operationsPerDay: 8,
      cashoutShare: 0.4,
      reversalRate: 0.05,
    };
    const plan = planMerchant({
      reference: 'SUITE',
      country: 'CI',
      policy,
      opensAt: Date.UTC(2026, 8, 20),
      traffic,
    });
    const final = decodeBooks(
      plant(simulateBooks(plan, { seed, until: Date.UTC(2026, 9, 12) }), random),
    );
    const count = final.entries.length;
    let place = 0;
    let isAccepted = false;
    for (let night = 1; night <= NIGHTS; night += 1) {
      const lines = Math.floor((count * (night + 3)) / (NIGHTS + 3));
      const books = booksAt(final, { lines, manner: 'orderly' });
      if (night > 1)
        place = Math.min(lines - 5, place + 1 + drawInteger(random, { from: 0, to: 30 }));
      const reread = night === 4;
      const now = final.asOf + night * DAY;
      const whole = await nightOf(`WHOLE_${pair}`, books, { now, reread: false });
      const fallen = await nightOf(`FALLS_${pair}`, withoutOldest(books, place), { now, reread });
      expect(rootsIn(fallen), `night ${night}`).toEqual(rootsIn(whole));
      const found = fallen.findings.filter(({ kind }) => kind === 'HISTORY_NO_LONGER_SERVED');
      expect(found.map(({ severity, accepted }) => [severity, accepted !== null])).toEqual(
        place === 0 ? [] : isAccepted ? [['info', true]] : [['error', false]],
      );
      expect(fallen.verdict).toBe(place > 0 && !isAccepted ? 'broken' : whole.verdict);
      expect([fallen.due?.balance, fallen.recomputed]).toEqual([
        whole.due?.balance,
        whole.recomputed,
      ]);
      if (night === 2) await acceptFinding(opened.store, 'HISTORY_NO_LONGER_SERVED');
      isAccepted ||= night === 2;
    }
  });
}
