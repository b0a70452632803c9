// The law of the cut for every fault that can be planted, alone and with another one. What is said
// of October is the same whether its books are read in December or were cut when October ended,
// with the end after, within and before the rows that the fault touches. Faults of reports are left
// out, because a report is of another population. TEST_POLICIES=all draws ten times as many cases.

import { describe, expect, test } from 'vitest';
import { judgeInMemory } from '../../src/core/kernel/reconcile-in-memory.ts';
import type { Statement } from '../../src/core/statements/statement.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import type { Fault } from '../../src/sandbox/model/plan.ts';
import { drawFrom, seedRandom } from '../../src/sandbox/model/random.ts';
import {
  type CutCase,
  drawCase,
  drawSound,
  openShop,
  SIDES,
  type Side,
} from '../support/books-at-the-cut.ts';
import { ALL_POLICIES } from '../support/in-turn.ts';
import { judgeAtCut, saidBy, stateBooks } from '../support/month-of-books.ts';
import { settingsOf } from '../support/sandbox-books.ts';
import { END } from '../support/straddling-books.ts';
import { TEST_SEED } from '../support/test-seed.ts';

const TIMES = ALL_POLICIES ? 10 : 1;
const turns = Array.from({ length: TIMES }, (_, i) => i);
const shops = Array.from({ length: 8 * TIMES }, (_, i) => openShop(`${TEST_SEED}/cut`, i));
const planted = FAULTS.filter(({ name }) => !/^(EVENT|REPORT)_/.test(name));

/**
 * Faults that have no end on a side: those that touch one instant, within which no end lies, or the
 * first line of all, before which no month ends.
 */
const NEVER: Readonly<Record<Side, RegExp>> = {
  before: /^$/,
  astride:
    /^(AMOUNT_NOT_POSITIVE\/inserted|UNKNOWN_KIND|ADJUSTMENT_UNEXPLAINED|OPERATION_UNKNOWN\/phantom)$/,
  after:
    /^(HOLD_EXCEEDS_AVAILABLE\/fees|BALANCE_NEGATIVE|AVAILABLE_NEGATIVE|PRICING_CHANGED|OPERATED_WHILE_BLOCKED|OPEN_HOLDS_MISMATCH|OPENING_BALANCE_UNEXPLAINED)$/,
};
/**
 * Findings that are said otherwise of a month. It does not depend on the wallet, which is of
 * December; and few operations do not show a price.
 */
const SAID_OTHERWISE = /^(WALLET_|TOTAL_|PRICING_CHANGED|OPEN_HOLDS_MISMATCH)/;

/** Draws a case with another fault that leaves a place to both. */
function drawTwo(fault: Fault, side: Side, seed: string): CutCase | null {
  const random = seedRandom(seed);
  const others = planted.filter((one) => one !== fault && !NEVER[side].test(one.name));
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const faults = [fault, drawFrom(random, others)];
    const one = drawCase(shops, { faults, side, seed: `${seed}/${attempt}` });
    if (one !== null) return one;
  }
  return null;
}

async function compare({ books, cut, isOutOfStep }: CutCase): Promise<ReturnType<typeof saidBy>> {
  const { statement } = await stateBooks(books, { period: '2026-10' });
  const [now, then] = [
    saidBy(statement),
    saidBy((await stateBooks(cut, { period: '2026-10' })).statement),
  ];
  if (isOutOfStep) expect(apartFromOrder(now)).toEqual(apartFromOrder(then));
  else expect(now).toEqual(then);
  expectSameAudit(books, statement);
  return now;
}

/**
 * Returns what is said without what depends on the sequence: the recorded figures and what is below
 * zero in them, free numbers, and moves that were too early.
 */
function apartFromOrder({ recorded: _, findings, items, ...rest }: ReturnType<typeof saidBy>) {
  return {
    ...rest,
    findings: findings.filter((one) => !/^(SEQUENCE_GAP|\w+_NEGATIVE) /.test(one)),
    items: items.filter((one) => !one.startsWith(' ')),
  };
}

/** Checks that the audit as of the end says what the statement says. */
function expectSameAudit(books: CutCase['books'], { summary, due }: Statement): void {
  const { report } = judgeAtCut(books, { end: END, closed: [], withWallet: false, opening: null });
  const figuresOf = (
    one: { readonly balance: unknown; readonly reserved: unknown } | null | undefined,
  ) => (one == null ? null : [one.balance, one.reserved].map(Number));
  const audited = [report.verdict, figuresOf(report.recorded), figuresOf(report.due)];
  expect(audited).toEqual([summary.verdict.state, figuresOf(due.recorded), figuresOf(due.due)]);
}

describe.each(SIDES)(`a fault %s the end (TEST_SEED=${TEST_SEED})`, (side) => {
  for (const [nth, fault] of planted.entries()) {
    test.each(turns)(`${fault.name} (%i)`, async (turn) => {
      const one = drawCase(shops, {
        faults: [fault],
        side,
        seed: `${TEST_SEED}/${side}/${nth}/${turn}`,
      });
      expect(one !== null || NEVER[side].test(fault.name), 'a place is found').toBe(true);
      if (one === null) return;
      const { findings } = await compare(one);
      const isSaid = findings.some((finding) => finding.startsWith(`${one.expected[0]!.kind} `));
      if (side === 'before')
        expect(isSaid || SAID_OTHERWISE.test(fault.name), 'it is said').toBe(true);
      if (side !== 'after' || one.isOutOfStep) return;
      const sound = one.soundCut();
      expect([one.cut.entries, one.cut.operations]).toEqual([sound.entries, sound.operations]);
    });
  }
});

describe(`two faults (TEST_SEED=${TEST_SEED})`, () => {
  for (const [nth, fault] of planted.entries()) {
    const sides = ALL_POLICIES ? SIDES : [SIDES[nth % SIDES.length]!];
    const cases = turns.flatMap((turn) => sides.map((side) => [side, turn] as const));
    test.each(cases)(`${fault.name} and another one, %s the end (%i)`, async (side, turn) => {
      const one = drawTwo(fault, side, `${TEST_SEED}/two/${side}/${nth}/${turn}`);
      expect(one !== null || NEVER[side].test(fault.name), 'a place is found').toBe(true);
      if (one !== null) await compare(one);
    });
  }
});

describe.each(SIDES)(`a fault of a notification %s the end (TEST_SEED=${TEST_SEED})`, (side) => {
  const notified = FAULTS.filter(({ name }) => name.startsWith('EVENT_'));
  test.each(notified.flatMap(({ name }) => turns.map((turn) => [name, turn] as const)))(
    '%s (%i)',
    (name, turn) => {
      const faults = notified.filter((fault) => fault.name === name);
      const one = drawCase(shops, {
        faults,
        side,
        seed: `${TEST_SEED}/notified/${name}/${side}/${turn}`,
      })!;
      expect(auditOf(one.books)).toEqual(auditOf(one.cut));
    },
  );
});

/** Audits the books as of the end, with the notifications. */
function auditOf(books: CutCase['books']) {
  const { entries, operations, wallet, notifications } = books;
  const rows = { entries, operations, wallet, rejected: [], absent: [], notifications };
  const { report } = judgeInMemory(rows, settingsOf(books), {
    end: END,
    closed: [],
    withWallet: false,
  });
  const found = report.findings.filter(({ kind }) => kind !== 'SEQUENCE_GAP');
  return [
    report.verdict,
    found.map(({ kind, sequence, operationReference, status }) => [
      kind,
      sequence,
      operationReference,
      status,
    ]),
  ];
}

describe(`sound books are clean, wherever the month ends (TEST_SEED=${TEST_SEED})`, () => {
  test.each(Array.from({ length: 60 * TIMES }, (_, i) => i))('%i', async (turn) => {
    const { verdict } = await compare(drawSound(shops, `${TEST_SEED}/sound/${turn}`));
    expect(verdict.state).toBe('clean');
  });
});
