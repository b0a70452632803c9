// Books with one fault that lines may put right, and what a report must say of the fault once lines
// have moved a given amount.

import type { AuditReport, Finding } from '../../src/core/domain/finding.ts';
import { DAY } from '../../src/core/domain/instant.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { type Books, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES } from '../../src/sandbox/model/policy.ts';
import { drawFrom, seedRandom } from '../../src/sandbox/model/random.ts';
import { naiveDue } from '../naive/naive-due.ts';
import { CORRECTABLE } from './correcting-lines.ts';
import { interpretationsOf, naiveBooksOf } from './naive-comparison.ts';
import { decodeBooks, reportOnBooks } from './sandbox-books.ts';
import { simulateBooks } from './simulate-books.ts';
import { TEST_SEED } from './test-seed.ts';

/** Faults of which the operations alone do not tell what is due. */
const TOLD_BY_NO_OPERATION = ['FEE_NOT_AS_PRICED'];

export interface Planted {
  readonly name: string;
  readonly books: Books;
  readonly root: Finding;
  /** The balance that the operations require. */
  readonly due: string;
}

const planted = new Map<string, readonly Planted[]>();

/** Plants each correctable fault that the shop with this number can take, in books of its own. */
export function plantCorrectable(seed: number): readonly Planted[] {
  const known = planted.get(String(seed));
  if (known !== undefined) return known;
  const plan = planMerchant({
    reference: 'CORRECTED',
    policy: drawFrom(seedRandom(`${TEST_SEED}/sums/${seed}`), LAWFUL_POLICIES),
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 4, reversalRate: 0.15 },
  });
  const sound = simulateBooks(plan, {
    seed: `${TEST_SEED}/sums/${seed}`,
    until: plan.opensAt + 12 * DAY,
  });
  const all = CORRECTABLE.flatMap((name) => {
    const fault = FAULTS.find((one) => one.name === name)!;
    const books = fault.plant(sound, seedRandom(`${TEST_SEED}/${seed}/${name}`))?.books;
    const report = books && reportOnBooks(books);
    const root = report?.findings.find(({ item }) => item !== null && item.balance !== '0');
    if (books === undefined || report === undefined || root === undefined) return [];
    // All lines name the fault. No operation asks for them, so that what is due does not change.
    const due = TOLD_BY_NO_OPERATION.includes(name)
      ? null
      : naiveDue(naiveBooksOf(decodeBooks(books)), interpretationsOf(report));
    return [{ name, books, root, due: due === null ? report.due!.balance : String(due.balance) }];
  });
  planted.set(String(seed), all);
  return all;
}

/**
 * Returns what a report says wrongly of a root of which `left` is left after `count` lines; `null`:
 * it says all rightly.
 */
export function whyNotLeft(
  { findings, verdict, due, recorded }: AuditReport,
  wish: {
    readonly root: Finding;
    readonly left: number;
    readonly reserved: string;
    readonly count: number;
  },
): string | null {
  const { left, reserved, count } = wish;
  const isSettled = left === 0 && reserved === '0';
  const root = findings.find(({ fingerprint }) => fingerprint === wish.root.fingerprint);
  if (root === undefined) return 'the root is gone';
  if (verdict !== (isSettled ? 'clean' : 'broken')) return `${verdict} with ${left} left`;
  if ((root.settledBy !== null) !== isSettled) return `settled by ${root.settledBy?.lines}`;
  if (isSettled)
    return root.settledBy!.lines.length === count ? null : `settled by ${root.settledBy!.lines}`;
  if (root.item!.balance !== String(left) || root.item!.reserved !== reserved)
    return `item ${root.item!.balance}`;
  if (BigInt(recorded.balance!) - BigInt(due!.balance) !== BigInt(left))
    return 'recorded less due is not what is left';
  if (due!.unexplained.balance !== '0' || due!.unexplained.reserved !== '0')
    return 'something is unexplained';
  return root.proposal !== null && movedBy(root) !== -left
    ? `proposed ${movedBy(root)} for ${left}`
    : null;
}

/** Returns what the proposed entries move of the balance, signed. */
export function movedBy({ proposal }: Finding): number {
  const signs = { CREDIT: 1, DEBIT: -1, HOLD: 0, RELEASE: 0 };
  return (proposal ?? []).reduce(
    (sum, { direction, amount }) => sum + signs[direction] * Number(amount),
    0,
  );
}
