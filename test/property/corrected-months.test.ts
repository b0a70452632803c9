// A fault of October that the service puts right in November, by entries that name it or by the
// lines that were missing. October stays as it was stated, to the hash. November is clean, nothing
// is due beyond what is recorded, and the statement names the lines that put the fault right.

import { expect, test } from 'vitest';
import { HOUR } from '../../src/core/domain/instant.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES, namePolicy } from '../../src/sandbox/model/policy.ts';
import { drawFrom, seedRandom } from '../../src/sandbox/model/random.ts';
import { applyProposals } from '../support/apply-proposals.ts';
import { CORRECTABLE, RESERVED_CORRECTABLE } from '../support/correcting-lines.ts';
import { auditBooks, stateBooks } from '../support/month-of-books.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { TEST_SEED } from '../support/test-seed.ts';

/**
 * Faults that entries put right: by an inverse entry, or by the line that was missing and comes
 * late.
 */
const SETTLED = [
  // Faults with `/consumed` are left out, because a debit that consumed a hold is put right in the
  // balance alone.
  ...CORRECTABLE.filter((name) => !name.endsWith('/consumed')),
  ...RESERVED_CORRECTABLE,
];
const SEEDS = process.env.TEST_POLICIES === 'all' ? 20 : 1;
const READ_AT = Date.UTC(2026, 11, 2);

const cases = SETTLED.flatMap((name) =>
  Array.from({ length: SEEDS }, (_, seed) => [name, seed] as const),
);

test.each(cases)(
  '%s (%i)',
  async (name, seed) => {
    const policy = drawFrom(seedRandom(`${TEST_SEED}/corrected/${name}/${seed}`), LAWFUL_POLICIES);
    const plan = planMerchant({
      reference: 'CORRECTED',
      policy,
      opensAt: Date.UTC(2026, 9, 3),
      traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 4, reversalRate: 0.15 },
    });
    const sound = simulateBooks(plan, {
      seed: `${TEST_SEED}/${seed}`,
      until: Date.UTC(2026, 10, 1) - 8 * HOUR,
    });
    const fault = FAULTS.find((one) => one.name === name)!;
    const planted = fault.plant(sound, seedRandom(`${TEST_SEED}/${seed}/${name}`))?.books;
    if (planted === undefined) return;
    const context = `${name}, ${namePolicy(policy)}`;
    const broken = { ...decodeBooks(planted), asOf: READ_AT };
    const report = auditBooks(broken);
    const before = (await stateBooks(broken, { period: '2026-10', report })).statement;
    expect(before.summary.verdict.state, context).toBe('broken');

    const corrected = applyProposals({ ...planted, asOf: Date.UTC(2026, 10, 10) }, report);
    const books = { ...decodeBooks(corrected.books), asOf: READ_AT };
    const after = auditBooks(books);
    const october = (await stateBooks(books, { period: '2026-10', report: after })).statement;
    expect(october.summary, context).toEqual(before.summary);
    expect(october.integrity, context).toEqual(before.integrity);
    const november = (await stateBooks(books, { period: '2026-11', report: after })).statement;
    expect(november.summary.verdict.state, context).toBe('clean');
    expect(november.due.due, context).toEqual(november.due.recorded);
    const settling = november.due.items.flatMap(({ state, settledBy }) =>
      state === 'settled' ? settledBy!.lines : [],
    );
    expect(settling.toSorted(), context).toEqual([...corrected.posted.values()].flat().toSorted());
  },
  60_000,
);
