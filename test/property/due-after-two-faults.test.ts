// Two faults at once. What is due follows from the recorded figures and the roots' items, and from
// the operations alone; both agree to the unit, and with the naive model. TEST_POLICIES=all draws
// two hundred times as many pairs, under every lawful way to hold money.

import { expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { type Books, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES, namePolicy } from '../../src/sandbox/model/policy.ts';
import { drawFrom, type Random, seedRandom } from '../../src/sandbox/model/random.ts';
import { naiveDue } from '../naive/naive-due.ts';
import { interpretationsOf, naiveBooksOf } from '../support/naive-comparison.ts';
import { plantNamed } from '../support/plant-named.ts';
import { decodeBooks, reportOnBooks } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { TEST_SEED } from '../support/test-seed.ts';

const PAIRS = process.env.TEST_POLICIES === 'all' ? 6_000 : 30;
/** Books are made anew after so many pairs. */
const PAIRS_A_SHOP = 10;

/**
 * Faults after which the operations alone do not tell what is due: a price, lines that nobody
 * served, an opening, an unknown kind.
 */
const TOLD_BY_NO_OPERATION =
  /^(FEE_NOT_AS_PRICED|PRICING_CHANGED|LINES_MISSING|OPENING_BALANCE_UNEXPLAINED|UNKNOWN_KIND|REFERENCE_TYPE_MISMATCH|SEQUENCE_)/;

test(`${PAIRS} pairs of faults (TEST_SEED=${TEST_SEED})`, { timeout: 3_600_000 }, () => {
  let planted = 0;
  let shop: Books | null = null;
  for (let i = 0; i < PAIRS; i += 1) {
    const random = seedRandom(`${TEST_SEED}/two faults/${i}`);
    if (shop === null || i % PAIRS_A_SHOP === 0) shop = openShop(i, random);
    const names = [drawFrom(random, FAULTS).name, drawFrom(random, FAULTS).name];
    const books = plantBoth(shop, names, `${TEST_SEED}/${i}`);
    if (books === null) continue;
    planted += 1;
    const report = reportOnBooks(books);
    const context = `${i}: ${names.join(' and ')}, ${namePolicy(books.policy)}`;
    expect(report.unexplained, context).toEqual({ balance: '0', reserved: '0' });
    expect(report.due?.unexplained, context).toEqual({ balance: '0', reserved: '0' });
    if (names.some((name) => TOLD_BY_NO_OPERATION.test(name))) continue;
    const due = naiveDue(naiveBooksOf(decodeBooks(books)), interpretationsOf(report));
    if (due === null) continue;
    expect([report.due!.balance, report.due!.reserved], context).toEqual([
      String(due.balance),
      String(due.reserved),
    ]);
  }
  expect(planted).toBeGreaterThan(PAIRS / 2);
});

function openShop(i: number, random: Random): Books {
  const plan = planMerchant({
    reference: `SHOP_${i}`,
    policy: drawFrom(random, LAWFUL_POLICIES),
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 10, reversalRate: 0.06 },
  });
  return simulateBooks(plan, { seed: `${TEST_SEED}/${i}`, until: plan.opensAt + 32 * DAY });
}

/** Plants both faults; `null` where the books have no place for both. */
function plantBoth(books: Books, names: readonly string[], seed: string): Books | null {
  try {
    return plantNamed(books, { names, seed }).books;
  } catch (failure) {
    if (failure instanceof RangeError) return null;
    throw failure;
  }
}
