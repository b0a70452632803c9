// Corrections are sums: what is left of a fault is the sum of its item and all lines that name it,
// each once. A fault whose sum is nothing is settled by these lines; any other is open with what is
// left, and that is what is proposed. What is due is what the operations require, however the fault
// was corrected. TEST_POLICIES=all plants every fault in every way, and draws ten times as many
// books.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { namePolicy } from '../../src/sandbox/model/policy.ts';
import { applyProposals } from '../support/apply-proposals.ts';
import { assertProperty } from '../support/assert-property.ts';
import {
  movedBy,
  type Planted,
  plantCorrectable,
  whyNotLeft,
} from '../support/correctable-books.ts';
import {
  type CorrectingLine,
  EVERY_WAY,
  kindOf,
  NAMINGS,
  namesOf,
  postCorrecting,
  WAYS,
} from '../support/correcting-lines.ts';
import { handBooks } from '../support/hand-books.ts';
import { ALL_POLICIES } from '../support/in-turn.ts';
import { auditBooks } from '../support/month-of-books.ts';
import { reportOnBooks } from '../support/sandbox-books.ts';
import { TEST_SEED } from '../support/test-seed.ts';

const NOTHING = { balance: '0', reserved: '0' };

describe.each(EVERY_WAY)('every fault corrected %s', (way) => {
  test.each(['ADJUSTMENT', 'REVERSAL'] as const)(
    `by %s lines (TEST_SEED=${TEST_SEED})`,
    { timeout: 600_000 },
    (kind) => {
      const failed: string[] = [];
      let tried = 0;
      for (const seed of ALL_POLICIES ? [0, 1, 2, 3, 4, 5] : [0]) {
        for (const [turn, one] of plantCorrectable(seed).entries()) {
          const { name, books, root } = one;
          for (const naming of ALL_POLICIES ? NAMINGS : [NAMINGS[(turn + way.length) % 3]!]) {
            // The lines of an operation, those of its reversal among them, are its own. Lines of an
            // operation that is not served prove nothing.
            if (kind === 'REVERSAL' && naming === 'reference') continue;
            const effects = WAYS[way](Number(root.item!.balance));
            const why = whyNot(
              one,
              effects.map((effect): CorrectingLine => ({ kind, naming, effect, root })),
            );
            tried += 1;
            if (why !== null)
              failed.push(`${name} by ${naming}, ${namePolicy(books.policy)}: ${why}`);
          }
        }
      }
      expect(failed, `${tried - failed.length} of ${tried} hold`).toEqual([]);
    },
  );
});

test.each(['too little', 'too much', 'wrong way', 'twice', 'undone at once'] as const)(
  'what is left of a fault that was corrected %s is put right by what is proposed',
  { timeout: 600_000 },
  (way) => {
    const failed: string[] = [];
    for (const seed of ALL_POLICIES ? [0, 1, 2, 3, 4, 5] : [0]) {
      for (const { name, books, root, due } of plantCorrectable(seed)) {
        const lines = WAYS[way](Number(root.item!.balance)).map(
          (effect): CorrectingLine => ({ kind: 'ADJUSTMENT', naming: 'text', effect, root }),
        );
        const corrected = postCorrecting(books, lines);
        const before = reportOnBooks(corrected);
        const { proposal } = before.findings.find(
          ({ fingerprint }) => fingerprint === root.fingerprint,
        )!;
        // No entry puts the reserved amount right where a debit took from it what was reserved for
        // no operation.
        if (root.proposal === null) expect(proposal, name).toBeNull();
        if (proposal === null) continue;
        const after = reportOnBooks(applyProposals(corrected, before).books);
        if (after.verdict !== 'clean' || after.due!.balance !== due)
          failed.push(`${name}: ${after.verdict}`);
      }
    }
    expect(failed).toEqual([]);
  },
);

/** Returns what is said otherwise than it should be; `null`: nothing. */
function whyNot({ books, root, due }: Planted, lines: readonly CorrectingLine[]): string | null {
  const after = reportOnBooks(postCorrecting(books, lines));
  const left = lines.reduce((sum, { effect }) => sum + effect, Number(root.item!.balance));
  const why = whyNotLeft(after, { root, left, reserved: root.item!.reserved, count: lines.length });
  return (
    why ?? (after.due!.balance === due ? null : `due ${after.due!.balance}, operations ask ${due}`)
  );
}

// Books by hand: faults of two operations, or two faults of one, each put right in a way of its
// own, with the lines in any order.

/**
 * What a cash-in of 10 000 with a fee of 200 posts wrongly, and by how much its balance is then too
 * high.
 */
const FAULTY = {
  'credited twice': { posts: ['CREDIT 10000', 'FEE 200', 'CREDIT 10000'], off: 10_000 },
  'credited too little': { posts: ['CREDIT 9300', 'FEE 200'], off: -700 },
  'credited too much': { posts: ['CREDIT 10700', 'FEE 200'], off: 700 },
  'never credited': { posts: ['FEE 200'], off: -10_000 },
  'not charged': { posts: ['CREDIT 10000'], off: 200 },
  'charged twice': { posts: ['CREDIT 10000', 'FEE 200', 'FEE 200'], off: -200 },
  'credited twice, charged twice': {
    posts: ['CREDIT 10000', 'FEE 200', 'CREDIT 10000', 'FEE 200'],
    off: 9_800,
  },
  'credited too much, charged too much': { posts: ['CREDIT 10700', 'FEE 900'], off: 0 },
} as const;

const corrections = fc.record({
  way: fc.constantFrom(...EVERY_WAY, 'not at all' as const),
  naming: fc.constantFrom(...NAMINGS),
  kind: fc.constantFrom('ADJUSTMENT' as const, 'ADJUSTMENT' as const, 'REVERSAL' as const),
});
const faulty = fc.constantFrom(...(Object.keys(FAULTY) as (keyof typeof FAULTY)[]));
const worlds = fc.record({
  faults: fc.oneof(
    fc.array(fc.record({ fault: faulty, correction: corrections }), { minLength: 1, maxLength: 2 }),
    fc.tuple(faulty, corrections, corrections).map(([fault, one, other]) => [
      { fault, correction: one },
      { fault, correction: other },
    ]),
  ),
  /** A line that names both faults, of such a part of their sum; `null`: there is none. */
  shared: fc.constantFrom(null, null, 0.5, 1, 2, -1),
  order: fc.infiniteStream(fc.nat(1_000)),
});

/**
 * Returns by how much a fault's amounts are multiplied. Equal faults have equal amounts. Other
 * faults do not, because a line of one could then be what the other lacks, which would be one
 * fault.
 */
function timesOf(faults: readonly (keyof typeof FAULTY)[], i: number): number {
  return i === 0 || faults[0] === faults[i] ? 1 : 3;
}

function booksOf(
  faults: readonly (keyof typeof FAULTY)[],
  lines: readonly (readonly [string, number, string, string])[],
) {
  const operations = faults.flatMap((fault, i) => {
    const times = timesOf(faults, i);
    const posts = FAULTY[fault].posts.map((post) =>
      post.replace(/\d+/, (amount) => String(times * Number(amount))),
    );
    return [
      ...posts.map((post) => `10-0${i + 3}T10:00 CASHIN_${post} GUI-CI-${i + 1}`),
      `op GUI-CI-${i + 1} SUCCEEDED ${10_000 * times} fees=${200 * times} created=10-0${i + 3}T09:59 completed=10-0${i + 3}T10:00`,
    ];
  });
  const corrected = lines.map(
    ([kind, amount, reference, says], i) =>
      `10-2${i % 10}T1${Math.floor(i / 10)}:00 ${kind} ${amount} ${reference} says=${says.replaceAll(' ', '_')}`,
  );
  const books = handBooks(
    `10-01T10:00 CASHIN_CREDIT 1000000 GUI-CI-9
     10-01T10:00 CASHIN_FEE 20000 GUI-CI-9
     op GUI-CI-9 SUCCEEDED 1000000 fees=20000 created=10-01T09:59 completed=10-01T10:00
     ${operations.join('\n')}
     ${corrected.join('\n')}`,
  );
  const times = faults.reduce((sum, _, i) => sum + timesOf(faults, i), 0);
  const totals = { totalCollected: 1_000_000 + 10_000 * times, totalFees: 20_000 + 200 * times };
  return { ...books, wallet: { ...books.wallet, ...totals } };
}

test('any faults, corrected in any way and order, are due what their operations ask for', async () => {
  await assertProperty(
    fc.property(worlds, ({ faults, shared, order }) => {
      const names = faults.map(({ fault }) => fault);
      const { findings } = auditBooks(booksOf(names, []));
      const roots = names.map(
        (_, i) =>
          findings.find(
            (one) => one.causedBy === null && one.operationReference === `GUI-CI-${i + 1}`,
          )!,
      );
      const own = faults.map(
        ({ fault, correction: { way, naming, kind } }, i): readonly CorrectingLine[] => {
          const root = roots[i]!;
          const off = FAULTY[fault].off * timesOf(names, i);
          if (way === 'not at all' || off === 0) return [];
          // A reversal that is posted for the operation is a line of it.
          const isOfWords = kind === 'REVERSAL' && naming === 'reference' ? 'text' : naming;
          return WAYS[way](off).map((effect) => ({ kind, naming: isOfWords, effect, root }));
        },
      );
      const offs = names.map((fault, i) => FAULTY[fault].off * timesOf(names, i));
      const both =
        shared === null || faults.length < 2 ? 0 : -Math.round((offs[0]! + offs[1]!) * shared);
      const lines = own.flat().map((line) => {
        const { reference, says } = namesOf(line);
        return [kindOf(line), Math.abs(line.effect), reference ?? '-', says] as const;
      });
      if (both !== 0)
        lines.push([
          both > 0 ? 'ADJUSTMENT_CREDIT' : 'ADJUSTMENT_DEBIT',
          Math.abs(both),
          '-',
          'Reprise GUI-CI-1 GUI-CI-2',
        ]);
      const keys = lines.map((line, i) => [order.next().value!, i, line] as const);
      const report = auditBooks(
        booksOf(
          names,
          keys.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, , line]) => line),
        ),
      );

      const asked = 980_000 + 9_800 * names.reduce((sum, _, i) => sum + timesOf(names, i), 0);
      expect(report.due!.balance).toBe(String(asked));
      expect(report.due!.unexplained).toEqual(NOTHING);
      const left = offs.map((off, i) => off + own[i]!.reduce((sum, { effect }) => sum + effect, 0));
      const open = report.findings.filter(
        ({ item, settledBy }) => item !== null && settledBy === null,
      );
      const items = open.reduce((sum, { item }) => sum + Number(item!.balance), 0);
      expect(items).toBe(left.reduce((sum, one) => sum + one, both));
      const isSettled = (i: number) => left[i] === 0 && offs[i] !== 0;
      if (both === 0) {
        roots.forEach(({ fingerprint }, i) => {
          const after = report.findings.find((finding) => finding.fingerprint === fingerprint)!;
          expect([after.settledBy !== null, isSettled(i) ? '0' : after.item!.balance]).toEqual([
            isSettled(i),
            String(left[i]),
          ]);
          if (after.proposal !== null) expect(movedBy(after)).toBe(-left[i]!);
        });
        expect(report.verdict).toBe(roots.every((_, i) => isSettled(i)) ? 'clean' : 'broken');
      } else {
        expect(report.verdict).toBe('broken');
        for (const root of open)
          if (root.proposal !== null) expect(movedBy(root)).toBe(-Number(root.item!.balance));
      }
    }),
    { runs: ALL_POLICIES ? 4_000 : 400 },
  );
}, 600_000);
