// The journal of books with one thing wrong, whatever it is, over all their months. The wallet's
// account is what was recorded at both ends of each month, what is in suspense is what the
// statement's items say is off, and the other accounts hold what operations state; before the fault
// is put right, and after.

import { describe, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import type { JournalEntry } from '../../src/core/statements/journal.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { type Books, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { HOLD_RULES, LAWFUL_POLICIES, namePolicy } from '../../src/sandbox/model/policy.ts';
import { drawFrom, seedRandom } from '../../src/sandbox/model/random.ts';
import { applyProposals } from '../support/apply-proposals.ts';
import { auditBooks, type StatedMonth, stateBooks } from '../support/month-of-books.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { TEST_SEED } from '../support/test-seed.ts';

/** In how many shops each fault is planted, in turn. */
const PLANTS = Number(process.env.TEST_SHOPS ?? 1);
/** Faults that find no place, because these books are never so low. */
const NO_PLACE = ['HOLD_EXCEEDS_AVAILABLE/fees', 'BALANCE_NEGATIVE', 'AVAILABLE_NEGATIVE'];
const shops: readonly Books[] = Array.from(
  { length: Number(process.env.TEST_SHOPS ?? 3) },
  (_, i) => {
    const random = seedRandom(`${TEST_SEED}/journal policies/${i}`);
    const rule = HOLD_RULES[i % HOLD_RULES.length]!;
    const kept = LAWFUL_POLICIES.filter((policy) => policy.holdSettlement === rule.holdSettlement);
    const plan = planMerchant({
      reference: `SHOP_${i}`,
      policy: drawFrom(random, kept),
      opensAt: Date.UTC(2026, 8, 14),
      traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 7, reversalRate: 0.09 },
    });
    return simulateBooks(plan, { seed: `${TEST_SEED}/${i}`, until: plan.opensAt + 25 * DAY });
  },
);

async function monthsOf(books: Books) {
  const decoded = decodeBooks(books);
  // Read the books when the month is over, because a month is stated only then.
  const read = { ...decoded, asOf: Math.max(decoded.asOf, Date.UTC(2026, 11, 1)) };
  const report = auditBooks(decoded);
  const months: StatedMonth[] = [];
  const last = Math.max(...decoded.entries.map(({ createdAt }) => createdAt));
  for (const period of ['2026-09', '2026-10', '2026-11'])
    if (Date.parse(`${period}-01`) <= last) months.push(await stateBooks(read, { period, report }));
  return { report, months };
}

function entriesOf({ statement, lines }: StatedMonth): readonly JournalEntry[] {
  return [...lines.flatMap((line) => line.entry ?? []), ...statement.journal.others];
}

function sumOf(entries: readonly JournalEntry[], isCounted: (role: string) => boolean): number {
  return entries
    .flatMap((entry) => entry.rows)
    .filter(({ role }) => isCounted(role))
    .reduce((sum, { debit, credit }) => sum + debit - credit, 0);
}

/**
 * Returns what no entry of a service gives a reason for. It stays in suspense until a person
 * explains it.
 */
function unexplainedIn({ lines, statement }: StatedMonth, settling: ReadonlySet<string>): number {
  const toJustify = new Set(
    statement.due.items.map((item) => (item.kind === 'UNKNOWN_KIND' ? item.sequence : null)),
  );
  return lines
    .filter(({ sequence }) => !toJustify.has(sequence))
    .filter(
      ({ kind, sequence }) =>
        !/^(?:CASHIN|CASHOUT|REVERSAL)_/.test(kind) && !settling.has(String(sequence)),
    )
    .reduce((sum, { debit, credit }) => sum + (credit ?? 0) - (debit ?? 0), 0);
}

function expectMonths(
  { report, months }: Awaited<ReturnType<typeof monthsOf>>,
  context: string,
): void {
  const entries = months.flatMap(entriesOf);
  for (const entry of entries)
    expect(
      sumOf([entry], () => true),
      `${context} ${entry.number}`,
    ).toBe(0);
  expect(new Set(entries.map(({ number }) => number)).size, `${context} numbers`).toBe(
    entries.length,
  );
  const settling = new Set(report.findings.flatMap(({ settledBy }) => settledBy?.lines ?? []));
  let suspended = 0;
  let unexplained = 0;
  months.forEach((month, m) => {
    const { journal, period, reconciliation, due } = month.statement;
    const { wallet, controls } = journal;
    const where = `${context} ${period.period}`;
    expect(wallet.closing, where).toBe(reconciliation.balance.recorded);
    if (m > 0) expect(wallet.opening, where).toBe(months[m - 1]!.statement.journal.wallet.closing);
    for (const [name, control] of Object.entries(controls!))
      expect(control.rest, `${where} ${name} ${JSON.stringify(control)}`).toBe(0);
    suspended -= sumOf(entriesOf(month), (role) => role.startsWith('suspense'));
    unexplained += unexplainedIn(month, settling);
    // Lines that nobody served are in what is recorded, and in no account but suspense.
    const parts = due.items
      .filter(({ state }) => state !== 'settled')
      .flatMap((item) => item.parts);
    const items = parts
      .filter(({ of }) => of !== 'unserved')
      .reduce((sum, { balance }) => sum + balance, 0);
    expect(suspended, `${where} suspense`).toBe(items + unexplained);
  });
}

describe(`the journal of books with a fault (TEST_SEED=${TEST_SEED})`, () => {
  for (const [nth, fault] of FAULTS.entries()) {
    test(`${fault.name}, and when it is put right`, { timeout: 60_000 }, async () => {
      let plants = 0;
      for (let turn = 0; turn < shops.length && plants < PLANTS; turn += 1) {
        const i = (nth + turn) % shops.length;
        const sound = shops[i]!;
        const planted = fault.plant(sound, seedRandom(`${TEST_SEED}/journal/${i}/${fault.name}`));
        if (planted === null) continue;
        plants += 1;
        const wrong = await monthsOf(planted.books);
        expectMonths(wrong, namePolicy(sound.policy));
        const corrected = await monthsOf(applyProposals(planted.books, wrong.report).books);
        expectMonths(corrected, `${namePolicy(sound.policy)} corrected`);
      }
      if (!NO_PLACE.includes(fault.name)) expect(plants).toBeGreaterThan(0);
    });
  }
});
