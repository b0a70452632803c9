// The engine and the naive model, which share nothing but the domain's types, find the same faults
// in the same books, for every fault that the sandbox can plant, alone and with others. Wrong lines
// do not change what a wallet must be.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AuditReport, Finding } from '../../src/core/domain/finding.ts';
import type { FindingKind } from '../../src/core/domain/finding-kind.ts';
import { KINDS } from '../../src/core/kernel/checks/port/kinds.ts';
import { reconcileInMemory } from '../../src/core/kernel/reconcile-in-memory.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import type { Books } from '../../src/sandbox/model/plan.ts';
import { HOLD_RULES, LAWFUL_POLICIES, namePolicy } from '../../src/sandbox/model/policy.ts';
import { NAIVE_KINDS, naiveAudit } from '../naive/naive-audit.ts';
import type { NaiveBooks } from '../naive/naive-books.ts';
import { openOf } from '../naive/naive-corrections.ts';
import { naiveDue, naiveSettled } from '../naive/naive-due.ts';
import { assertProperty } from '../support/assert-property.ts';
import { plantInTurn } from '../support/in-turn.ts';
import {
  interpretationsOf,
  naiveBooksOf,
  saidByEngine,
  textsOf,
} from '../support/naive-comparison.ts';
import { type DecodedBooks, decodeBooks, settingsOf } from '../support/sandbox-books.ts';
import {
  booksOfWorld,
  correctionWishes,
  type FaultyWorld,
  faultyWorlds,
  type MadeBooks,
} from '../support/split-worlds.ts';
import { numericSeed, TEST_SEED } from '../support/test-seed.ts';

function reportOn(books: DecodedBooks) {
  const { entries, operations, wallet, notifications } = books;
  return reconcileInMemory(
    { entries, operations, wallet, rejected: [], absent: [], notifications },
    settingsOf(books),
  );
}

/**
 * Kinds whose money the engine leaves as it is recorded, because nothing else tells of it. It does
 * the same with money that is missing beside another fault, because this may belong to no
 * operation.
 */
const STANDS_AS_RECORDED = ['OPENING_BALANCE_UNEXPLAINED', 'UNKNOWN_KIND', 'LINES_MISSING'];

/** Returns what the engine says that operations and adjustments require. */
function requiredBy({ due }: AuditReport) {
  const { balance, reserved, unexplained } = due!;
  return {
    balance: Number(balance) - Number(unexplained.balance),
    reserved: Number(reserved) - Number(unexplained.reserved),
  };
}

/** Checks that engine and model agree, and returns what both say. */
function expectAgreement(
  { books, sound, planted }: Omit<MadeBooks, 'faultAt'>,
  context: string,
): readonly string[] {
  const decoded = decodeBooks(books);
  const report = reportOn(decoded);
  const standing = interpretationsOf(report);
  const naive = naiveBooksOf(decoded);
  const found = naiveAudit(naive, standing);
  const said = textsOf(found);
  const due = naiveDue(naive, standing);
  expect(saidByEngine(report), context).toEqual(said);
  // Where lines are missing, the few operations that are left may show wrongly how the books are
  // kept.
  const isUnderstood =
    standing.reversal.includes(books.policy.reversal) &&
    standing.holdAmount.includes(books.policy.holdAmount);
  if (isUnderstood && isMadeByOperationsAlike(books, sound)) {
    const { balance, reserved } = sound.wallet;
    if (due !== null) {
      expect(due, context).toMatchObject({ balance, reserved });
      // Beside numbers that are left out, a drift may be the money of these lines.
      const told = [...planted, ...report.findings.filter(({ causedBy }) => causedBy === null)];
      if (!told.some(({ kind }) => STANDS_AS_RECORDED.includes(kind)))
        expect(requiredBy(report), context).toEqual({ balance, reserved });
    }
  }
  expect(report.due!.unexplained, context).toEqual({ balance: '0', reserved: '0' });
  if (isUnderstood && due !== null) expectSettledAlike(report, { naive, found }, context);
  return said;
}

/** Checks what both know to be off and put right, by the lines that did it. */
function expectSettledAlike(
  report: AuditReport,
  { naive, found }: { readonly naive: NaiveBooks; readonly found: ReturnType<typeof naiveAudit> },
  context: string,
): void {
  // The model does not know what a fee may be by its price, nor which breaks of the chain come from
  // one line that is missing.
  if (report.findings.some(({ kind }) => kind === 'FEE_NOT_AS_PRICED' || kind === 'LINES_MISSING'))
    return;
  // Faults of several operations may have one root; the model knows each by itself.
  const operationsOf = ({ itemParts }: Finding) =>
    new Set(itemParts.flatMap((part) => part.operationReference ?? [])).size;
  if (report.findings.some((finding) => finding.settledBy !== null && operationsOf(finding) > 1))
    return;
  const byEngine = report.findings.flatMap(({ settledBy }) => settledBy?.lines ?? []).map(Number);
  const settled = naiveSettled(naive, interpretationsOf(report));
  const byNaive = settled.flatMap(({ by }) => by.map(({ sequence }) => sequence));
  expect(
    byEngine.toSorted((a, b) => a - b),
    context,
  ).toEqual(byNaive.toSorted((a, b) => a - b));
  // A figure below zero may be excused, which the model does not know.
  if (report.findings.some(({ kind }) => kind.endsWith('_NEGATIVE'))) return;
  // An impossible date is an error where it changes the month of its line, which the model does not
  // know.
  if (
    report.findings.some(
      ({ kind, severity }) => kind === 'ENTRY_TIME_IMPOSSIBLE' && severity === 'error',
    )
  )
    return;
  const open = openOf(found, settled);
  const isGrave = ({ kind }: { readonly kind: string }) =>
    ['critical', 'error'].includes(KINDS[kind as FindingKind].severity);
  // The model says nothing of kinds that it does not know.
  const isTold = report.findings.filter(isGrave).every(({ kind }) => NAIVE_KINDS.includes(kind));
  if (isTold) expect(report.verdict === 'broken', context).toBe(open.some(isGrave));
}

/**
 * Whether nothing was done to the operations, nor to the adjustments, of which no operation says
 * anything.
 */
function isMadeByOperationsAlike(books: Books, sound: Books): boolean {
  const adjustments = ({ entries }: Books) =>
    entries
      .filter(({ kind }) => kind.startsWith('ADJUSTMENT_'))
      .map(({ kind, amount, direction }) => [kind, amount, direction]);
  const operations = ({ operations: all }: Books) =>
    all.map(({ externalReference: _, ...operation }) => operation);
  return (
    JSON.stringify(operations(books)) === JSON.stringify(operations(sound)) &&
    JSON.stringify(adjustments(books)) === JSON.stringify(adjustments(sound))
  );
}

function nameOf(world: FaultyWorld): string {
  return `${namePolicy(LAWFUL_POLICIES[world.policy]!)} ${JSON.stringify(world)}`;
}

/**
 * Returns sound books, two under each way to hold money. Every fault is planted in one after
 * another.
 */
function soundBooks(): readonly Books[] {
  const perRule = LAWFUL_POLICIES.length / HOLD_RULES.length;
  return Array.from({ length: 2 * HOLD_RULES.length }, (_, i) => {
    const seed = Math.abs(numericSeed() % 1_000_000) + i;
    const policy = (i % HOLD_RULES.length) * perRule + ((seed * 37) % perRule);
    return booksOfWorld({ ...PLAIN, seed, policy }, 'ONE_FAULT').sound;
  });
}

/** Faults that leave money of the balance where it should not be. */
const CORRECTABLE = FAULTS.map(({ name }) => name).filter((name) =>
  /^(CREDIT_|FEE_[^N]|DEBIT_|REVERSAL_|OPERATION_UNKNOWN|BALANCE_DRIFT)/.test(name),
);

const PLAIN = { days: 8, gaps: false, ceiling: 0, faults: [], strays: [], corrections: [] };

describe(`the naive model agrees (TEST_SEED=${TEST_SEED})`, () => {
  const worlds = soundBooks();
  test.each(FAULTS.map((fault, turn) => ({ name: fault.name, fault, turn })))(
    'on books with $name',
    ({ fault, turn }) => {
      const seedOf = (index: number) => `${TEST_SEED}/${index}/${fault.name}`;
      for (const { index, sound, planted } of plantInTurn(fault, worlds, { turn, seedOf })) {
        const { books, expected } = planted;
        const context = `${namePolicy(sound.policy)} ${index} ${JSON.stringify(expected)}`;
        const said = expectAgreement({ books, sound, planted: [expected] }, context).map(
          (one) => one.split(' ')[0],
        );
        if (NAIVE_KINDS.includes(expected.kind)) expect(said, context).toContain(expected.kind);
      }
    },
  );

  test('on sound books, of which what is due is what is recorded', () => {
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const world = {
        ...PLAIN,
        seed,
        policy: (seed * 37) % LAWFUL_POLICIES.length,
        gaps: seed % 2 === 0,
      };
      const made = booksOfWorld(world, 'SOUND');
      expectAgreement(made, nameOf(world));
      expect(
        saidByEngine(reportOn(decodeBooks(made.books))).filter(
          (one) => !one.startsWith('SEQUENCE_GAP'),
        ),
      ).toEqual([]);
    }
  });

  test('on books with one fault, and lines that are to put it right', () => {
    const wishes = fc.record({
      fault: fc.constantFrom(...CORRECTABLE),
      seed: fc.nat(1_000_000),
      corrections: correctionWishes,
    });
    assertProperty(
      fc.property(wishes, ({ fault, seed, corrections }) => {
        const world = {
          ...PLAIN,
          seed,
          policy: (seed * 37) % LAWFUL_POLICIES.length,
          faults: [fault],
          corrections,
        };
        expectAgreement(booksOfWorld(world, 'CORRECTED'), nameOf(world));
      }),
      { runs: 15 },
    );
  }, 3_600_000);

  test('on books with several faults and with lines posted once more', () => {
    assertProperty(
      fc.property(
        faultyWorlds,
        (world) => void expectAgreement(booksOfWorld(world, 'SEVERAL'), nameOf(world)),
      ),
      { runs: 15 },
    );
  }, 3_600_000);
});
