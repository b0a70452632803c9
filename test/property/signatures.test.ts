// Operations of one signature are sound together, vote alike and add the same multiples of amount
// and fees. A line of a view that is taken for plain is applied as any other. The checks themselves
// say what is right, over books of several policies, with every fault that can be planted, and with
// each field that a check reads changed a little and much.

import { expect, test } from 'vitest';
import { EVERY_INTERPRETATION, type Standing } from '../../src/core/domain/assumptions.ts';
import { DAY, HOUR, MINUTE } from '../../src/core/domain/instant.ts';
import type { LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import { isFinal, type Operation } from '../../src/core/domain/operation.ts';
import { viewBatches } from '../../src/core/domain/rows/batch-view.ts';
import { allocateBatch, BATCH_ROWS, openBatch } from '../../src/core/domain/rows/column-batch.ts';
import { ENTRY_LOOKS, ENTRY_TABLE } from '../../src/core/domain/rows/entry-fields.ts';
import { hashText } from '../../src/core/domain/rows/hash-bytes.ts';
import { writeRow } from '../../src/core/domain/rows/row-store.ts';
import { createWordCodes } from '../../src/core/domain/rows/word-codes.ts';
import { caseOf, isSound, isTooNew } from '../../src/core/kernel/checks/judge-operation.ts';
import { beginBooks, type ReconcileSettings } from '../../src/core/kernel/reconcile/books.ts';
import {
  finishEntries,
  type Memory,
  openMemory,
  takeEntries,
  takeOperations,
} from '../../src/core/kernel/reconcile/memory.ts';
import { addLike, likenessOf, signatureAt } from '../../src/core/kernel/reconcile/signature.ts';
import { sumLines } from '../../src/core/kernel/reconcile/sums.ts';
import { fitInterpretations } from '../../src/core/kernel/replay/fit-interpretations.ts';
import { requiredBalance } from '../../src/core/kernel/replay/operation-facts.ts';
import { carriedReplay } from '../../src/core/kernel/replay/replay-state.ts';
import { eachTally, tableOf } from '../../src/core/kernel/replay/tallies-seen.ts';
import type { Tally } from '../../src/core/kernel/replay/tally.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { type Books, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { HOLD_RULES, LAWFUL_POLICIES } from '../../src/sandbox/model/policy.ts';
import { drawFrom, seedRandom } from '../../src/sandbox/model/random.ts';
import { runsOf } from '../support/assert-property.ts';
import { type DecodedBooks, decodeBooks, settingsOf } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { TEST_SEED } from '../support/test-seed.ts';

const KEY = { first: 1, second: 2 };
const hashOf = (text: string): number => hashText(KEY, text);

const PRICES = [
  { cashinFeeBps: 175, cashinFeeFlat: 0, cashoutFeeBps: 100, cashoutFeeFlat: 50 },
  { cashinFeeBps: 150, cashinFeeFlat: 25, cashoutFeeBps: 0, cashoutFeeFlat: 0 },
  { cashinFeeBps: 0, cashinFeeFlat: 0, cashoutFeeBps: 120, cashoutFeeFlat: 0 },
];

const shops: readonly Books[] = HOLD_RULES.map((rule, i) => {
  const random = seedRandom(`${TEST_SEED}/signatures/${i}`);
  const kept = LAWFUL_POLICIES.filter(
    (policy) =>
      policy.holdSettlement === rule.holdSettlement && policy.holdAmount === rule.holdAmount,
  );
  const plan = planMerchant({
    reference: `SHOP_${i}`,
    policy: drawFrom(random, kept),
    pricing: PRICES[i % PRICES.length]!,
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 12, reversalRate: 0.1, cashoutShare: 0.5 },
  });
  return simulateBooks(plan, { seed: `${TEST_SEED}/${i}`, until: plan.opensAt + 8 * DAY });
});

/** One in so many faults is planted into a shop; each fault is planted into at least one shop. */
const SHARE = runsOf(1) > 1 ? 3 : 6;

/**
 * Yields the books of one shop: as they are, and with its share of the faults, one after the other.
 */
function* booksOf(shop: Books): Generator<DecodedBooks> {
  yield decodeBooks(shop);
  for (const fault of FAULTS.filter((_, i) => i % SHARE === shops.indexOf(shop) % SHARE)) {
    const planted = fault.plant(shop, seedRandom(`${TEST_SEED}/${fault.name}`));
    if (planted !== null) yield decodeBooks(planted.books);
  }
}

function openFor(settings: ReconcileSettings, standing: Standing): Memory {
  return openMemory(beginBooks(standing), settings, { resumed: false, cut: null, hashOf });
}

const batchOf = <Row>(rows: readonly Row[]) => ({ rows, rejected: [], view: null });

function replayed(books: DecodedBooks, settings: ReconcileSettings, standing: Standing): Memory {
  const memory = openFor({ ...settings, keepsAll: true }, standing);
  takeEntries(memory, batchOf(books.entries.toSorted((a, b) => a.sequence - b.sequence)));
  const operations = books.operations.map((operation) => ({ operation, previous: null }));
  takeOperations(memory, batchOf(operations));
  finishEntries(memory);
  return memory;
}

/** Yields tallies with one field changed; of the lines, those of the first and the last. */
function* neighbours(tally: Tally): Generator<Tally> {
  yield tally;
  const { operation, lines } = tally;
  if (operation === null) return;
  const { amount, fees, createdAt, completedAt, expiresAt } = operation;
  const instants = [
    -DAY - 1,
    -HOUR - MINUTE - 1,
    -MINUTE,
    -1,
    1,
    5_001,
    MINUTE + 1,
    HOUR + 1,
    HOUR + MINUTE + 1,
    DAY + 1,
  ];
  const figures = [
    -1,
    0,
    1,
    fees,
    amount,
    amount + fees,
    amount - fees,
    2 * amount,
    amount + 1,
    fees + 1,
    2 ** 45,
  ];
  const around = (instant: number | null) => [
    null,
    ...instants.map((by) => (instant ?? createdAt) + by),
  ];
  const changes: { readonly [Name in keyof Operation]: readonly Operation[Name][] } = {
    type: ['CASHIN', 'CASHOUT'],
    status: [
      'CREATED',
      'PENDING',
      'AWAITING_PAYER',
      'SUCCEEDED',
      'FAILED',
      'EXPIRED',
      'CANCELLED',
      'REVERSED',
    ],
    ...{
      amount: figures,
      fees: [...figures, Math.ceil(amount / 8), Math.floor(amount / 8)],
      netAmount: figures,
    },
    ...{ currency: ['XOF', 'XAF', 'EUR'], country: ['CI', 'CM', 'GN', 'FR'] },
    reference: ['X-1', 'GUI-CI-1', 'GUI-CO-1', 'GUI-CX-1', 'gui-ci-1'],
    ...{ payerActionUrl: [null, 'https://pay.example'], requiresPayerAction: [true, false] },
    failureCode: [null, 'OPERATOR_TIMEOUT', 'STRANGE'],
    ...{ operator: ['WAVE', 'NOKIA'], externalReference: [null, 'X'] },
    createdAt: instants.map((by) => createdAt + by),
    ...{
      completedAt: around(completedAt),
      expiresAt: around(expiresAt),
      updatedAt: around(completedAt).map(Number),
    },
  };
  for (const [name, values] of Object.entries(changes)) {
    for (const value of values) {
      const reference = name === 'reference' ? String(value) : tally.reference;
      yield { ...tally, reference, operation: { ...operation, [name]: value } };
    }
  }
  for (const availableBefore of [null, 0, amount - 1, amount, amount + fees - 1, amount + fees]) {
    yield { ...tally, availableBefore };
  }
  for (const at of new Set([0, lines.length - 1].filter((i) => i >= 0 && i < lines.length))) {
    const line = lines[at]!;
    const { entry } = line;
    const put = (changed: Tally['lines'][number]) => ({ ...tally, lines: lines.with(at, changed) });
    for (const kind of [
      'CASHIN_CREDIT',
      'CASHIN_FEE',
      'CASHOUT_HOLD',
      'CASHOUT_DEBIT',
      'CASHOUT_RELEASE',
      'REVERSAL_DEBIT',
      'REVERSAL_CREDIT',
      'ADJUSTMENT_DEBIT',
      'STRANGE',
    ])
      yield put({ ...line, entry: { ...entry, kind } });
    for (const direction of ['CREDIT', 'DEBIT', 'STRANGE'])
      yield put({ ...line, entry: { ...entry, direction } });
    for (const other of figures) yield put({ ...line, entry: { ...entry, amount: other } });
    for (const move of [null, ...figures, ...figures.map((one) => -one)]) {
      yield put({ ...line, reservedMove: move });
      if (move !== null) yield put({ ...line, heldMove: move });
      if (move !== null) yield put({ ...line, heldMove: move, reservedMove: move });
    }
    for (const by of instants)
      yield put({ ...line, entry: { ...entry, createdAt: entry.createdAt + by } });
    for (const after of [-1, 0, amount]) {
      yield put({ ...line, entry: { ...entry, reservedAfter: after } });
      yield put({ ...line, entry: { ...entry, balanceAfter: after } });
    }
    yield put({ ...line, entry: { ...entry, sequence: lines[0]!.entry.sequence } });
    yield { ...tally, lines: lines.toSpliced(at, 1) };
    yield { ...tally, lines: [...lines, line] };
    yield { ...tally, lines: lines.toReversed() };
  }
}

/**
 * Returns what the checks and the sums make of a tally, and what its likeness to another one adds.
 */
function judge({ books, context }: Memory, tally: Tally) {
  const subject = caseOf({ ...tally, operation: tally.operation! });
  const { operation, facts, type } = subject;
  const isKnown = isFinal(operation.status) && facts.unknown.lines.length === 0;
  if (!isKnown || !isSound(subject, context)) return { subject: null, made: 'unsound' };
  const added = beginBooks(books.standing);
  sumLines(added.lineSums, subject, 1);
  const made = [added.lineSums, fitInterpretations(operation, facts, type)];
  return {
    subject,
    made: JSON.stringify([made, requiredBalance(operation, facts, context.standing, type)]),
  };
}

function compare(
  memory: Memory,
  tallies: Iterable<Tally>,
  count: { alike: number; odd: number },
): void {
  const { context, signatures } = memory;
  const firsts = new Map<
    number,
    { readonly tally: Tally; readonly judged: ReturnType<typeof judge> }
  >();
  for (const tally of tallies) {
    if (tally.operation === null || tally.held !== 0 || isTooNew(tally.operation, context))
      continue;
    const table = tableOf([tally], hashOf);
    const signature = signatureAt(signatures, table, 0);
    const judged = judge(memory, tally);
    if (signature < 0 && judged.subject !== null) count.odd += 1;
    if (signature < 0) continue;
    const first = firsts.get(signature) ?? { tally, judged };
    firsts.set(signature, first);
    count.alike += 1;
    const about = () => JSON.stringify([first.tally, tally]);
    expect(judged.subject === null, about()).toBe(first.judged.subject === null);
    if (judged.subject === null || first.judged.subject === null) continue;
    const like = beginBooks(memory.books.standing);
    const likeness = likenessOf(like, first.judged.subject, false);
    addLike(like, likeness, tally.operation.amount, tally.operation.fees, 1);
    expect(
      JSON.stringify([[like.lineSums, likeness.fits], like.requiredBalance.low]),
      about(),
    ).toBe(judged.made);
  }
}

test.each(shops.map((shop, i) => [i, shop] as const))(
  'one signature, one judgement: shop %i',
  { timeout: 120_000 },
  (i, shop) => {
    const own = decodeBooks(shop);
    const random = seedRandom(`${TEST_SEED}/standings/${i}`);
    const settings = { ...settingsOf(own), clockTolerance: i % 2 === 0 ? 0 : MINUTE };
    const profiles =
      i % 3 === 0
        ? []
        : i % 3 === 1
          ? [own.profile]
          : [own.profile, { ...own.profile, allowedCountries: [] }];
    const one = (set: number): number =>
      drawFrom(
        random,
        [1, 2, 4, 8, 16].filter((bit) => (bit & set) !== 0),
      );
    const single = Object.fromEntries(
      Object.entries(EVERY_INTERPRETATION).map(([name, set]) => [name, one(set)]),
    );
    const count = { alike: 0, odd: 0 };
    for (const standing of [EVERY_INTERPRETATION, single as Standing]) {
      // Take enough operations of each kind, and every operation that a fault changes.
      const memory = openFor({ ...settings, profiles }, standing);
      const seen = new Set<string>();
      const tallies = function* () {
        for (const books of booksOf(shop)) {
          for (const tally of eachTally(
            replayed(books, { ...settings, profiles }, standing).books.replay.tallies,
          )) {
            const text = JSON.stringify([
              tally.operation,
              tally.lines.map(({ entry, ...moves }) => [entry.kind, entry.amount, moves]),
            ]);
            if (seen.has(text)) continue;
            seen.add(text);
            if (seen.size % 5 === 0 || seen.size > 120) yield* neighbours(tally);
            else yield tally;
          }
        }
      };
      compare(memory, tallies(), count);
    }
    expect(count.alike).toBeGreaterThan(1_000);
    expect(count.odd).toBeLessThan(count.alike);
  },
);

test('a view is replayed as its lines are', () => {
  for (const shop of shops) {
    for (const books of booksOf(shop)) {
      const settings = settingsOf(books);
      const lines = books.entries.toSorted((a, b) => a.sequence - b.sequence).slice(0, BATCH_ROWS);
      const [whole, viewed] = [
        openFor(settings, EVERY_INTERPRETATION),
        openFor(settings, EVERY_INTERPRETATION),
      ];
      takeEntries(whole, batchOf(lines));
      const batch = openBatch<LedgerEntry>(ENTRY_TABLE, allocateBatch(ENTRY_TABLE, 2 ** 20));
      const writer = { table: ENTRY_TABLE, key: KEY, codes: createWordCodes(ENTRY_TABLE) };
      for (const line of lines) expect(writeRow(writer, batch, line, 0)).toBe(true);
      for (const piece of viewBatches({ batch, rejected: [], release: () => {} }, ENTRY_LOOKS))
        takeEntries(viewed, piece);
      const [expected, actual] = [whole, viewed].map((memory) => {
        finishEntries(memory);
        const { replay, ...others } = memory.books;
        const { tallies, ...carried } = carriedReplay(replay);
        return { others, carried, tallies: [...tallies.values()] };
      });
      expect(actual).toEqual(expected);
    }
  }
});

test('figures that may add up to each other have no signature', () => {
  const books = decodeBooks(shops[0]!);
  const memory = replayed(books, settingsOf(books), EVERY_INTERPRETATION);
  const tallies = eachTally(memory.books.replay.tallies);
  const sound = tallies.find(
    ({ operation }) => operation?.type === 'CASHIN' && operation.status === 'SUCCEEDED',
  )!;
  const signatureOf = (amount: number, fees: number): number => {
    const tally = {
      ...sound,
      lines: [],
      operation: { ...sound.operation!, amount, fees, netAmount: amount + fees },
    };
    return signatureAt(memory.signatures, tableOf([tally], hashOf), 0);
  };
  // Eight fees are as many as six lines can add, take away or stand against.
  for (let times = 0; times <= 8; times += 1) expect(signatureOf(times * 100, 100)).toBe(-1);
  expect(signatureOf(801, 100)).toBeGreaterThan(0);
  expect(signatureOf(801, 0)).toBeGreaterThan(0);
});
