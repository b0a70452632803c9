// Ledgers that are unusual and lawful: nothing may be raised. Each is a change to a clean ledger,
// or to the plan that it is drawn from; null where the ledger offers no place.

import { CREDIT_TAKEN_BACK } from '../../src/sandbox/faults/named/money.ts';
import {
  addOperation,
  alterLine,
  alterOperation,
  fabricateOperation,
  insertLines,
  type Movement,
  movementsOf,
  postAt,
  repost,
  shiftFrom,
  withMovements,
} from '../../src/sandbox/faults/port/edit-books.ts';
import { casesOf, lapsedHolds, pick, slackOf } from '../../src/sandbox/faults/port/find-cases.ts';
import { type Books, type MerchantPlan, NO_TOTALS } from '../../src/sandbox/model/plan.ts';
import { credit, debit, hold, postsFor, release } from '../../src/sandbox/model/postings.ts';
import { drawInteger, type Random } from '../../src/sandbox/model/random.ts';
import type { ServedEntry, ServedOperation } from '../../src/sandbox/model/served.ts';
import { DAY, HOUR } from './draw-ledger.ts';

export interface Oddity {
  readonly name: string;
  readonly alterPlan?: (plan: MerchantPlan) => MerchantPlan;
  readonly change?: (books: Books, random: Random) => Books | null;
  /**
   * `true` for a fault that was put right, and for a price that is no longer in the profile,
   * because the rules of a single row do not let these pass.
   */
  readonly isBeyondRules?: true;
  /** `true` where a line corrects another: what is due is what was due before both. */
  readonly isDueAsBefore?: true;
}

const MINUTE = 60_000;

export const ODDITIES: readonly Oddity[] = [
  { name: 'nothing ever happened', change: withoutRows },
  // Numbers and order
  {
    name: 'one number skipped',
    change: (books, random) => shiftFrom(books, indexOf(books, random), { step: 1 }),
  },
  {
    name: 'a thousand million numbers skipped',
    change: (books, random) => shiftFrom(books, indexOf(books, random), { step: 1e9 }),
  },
  { name: 'numbers begin at 4711', change: (books) => shiftFrom(books, 0, { step: 4_710 }) },
  {
    name: 'every second number skipped',
    change: (books) =>
      withMovements(
        books,
        movementsOf(books).map((one) => ({ ...one, step: 2 })),
      ),
  },
  { name: 'numbers skipped at random', change: skipAtRandom },
  {
    name: 'one line delivered twice',
    change: (books, random) => deliverAgain(books, indexOf(books, random), 1),
  },
  {
    name: 'a page delivered twice',
    change: (books) => deliverAgain(books, Math.floor(books.entries.length / 2), 20),
  },
  {
    name: 'all lines delivered twice',
    change: (books) => deliverAgain(books, 0, books.entries.length),
  },
  {
    name: 'newest line first',
    change: (books) => ({ ...books, entries: books.entries.toReversed() }),
  },
  {
    name: 'lines in no order',
    change: (books, random) => ({ ...books, entries: shuffle(books.entries, random) }),
  },
  {
    name: 'operations in no order',
    change: (books, random) => ({ ...books, operations: shuffle(books.operations, random) }),
  },
  {
    name: 'ids that are numbers with holes',
    change: (books) => mapLines(books, (_, i) => ({ id: String(1_000 + 7 * i) })),
  },
  // Times
  { name: 'neighbours dated in exchange', change: exchangeTimes },
  { name: 'lines four minutes before their operation', change: beforeItsOperation },
  {
    name: 'a ledger clock two minutes fast',
    change: (books) => mapLines(books, (line) => later(line, 2 * MINUTE, books)),
  },
  { name: 'lines of one instant', change: inOneInstant },
  {
    name: 'times without milliseconds',
    change: (books) =>
      mapLines(books, ({ createdAt }) => ({ createdAt: `${createdAt.slice(0, 19)}Z` })),
  },
  { name: 'lines committed hours late', change: commitLate },
  { name: 'success fifty minutes after expiry', change: succeedLate },
  // Money
  {
    name: 'no fees at all',
    alterPlan: (plan) => ({
      ...plan,
      pricing: { cashinFeeBps: 0, cashinFeeFlat: 0, cashoutFeeBps: 0, cashoutFeeFlat: 0 },
    }),
  },
  {
    name: 'flat fees alone',
    alterPlan: (plan) => ({
      ...plan,
      pricing: { ...plan.pricing, cashinFeeBps: 0, cashoutFeeBps: 0 },
    }),
  },
  {
    name: 'fees that nearly always need rounding',
    alterPlan: (plan) => ({
      ...plan,
      pricing: { ...plan.pricing, cashinFeeBps: 137, cashoutFeeBps: 73 },
    }),
  },
  {
    name: 'another price from one day on',
    isBeyondRules: true,
    alterPlan: (plan) => {
      const pricing = { ...plan.pricing, cashinFeeBps: plan.pricing.cashinFeeBps + 45 };
      return { ...plan, priceChange: { at: plan.opensAt + 3 * DAY, pricing } };
    },
  },
  { name: 'amounts of hundreds of millions', alterPlan: enlarge },
  {
    name: 'no ceilings',
    change: (books) => {
      const limits = {
        ...books.merchant.limits,
        maxCashinAmount: 0,
        maxCashoutAmount: 0,
        dailyCashoutLimit: 0,
      };
      return { ...books, merchant: { ...books.merchant, limits } };
    },
  },
  {
    name: 'an adjustment with a description',
    change: (books, random) => adjust(books, random, 'CREDIT'),
  },
  {
    name: 'an adjustment down with a description',
    change: (books, random) => adjust(books, random, 'DEBIT'),
  },
  { name: 'an adjustment takes all there is and more', change: adjustBelowZero },
  {
    name: 'a hold released in two parts',
    change: (books, random) => releaseInParts(books, random, 2),
  },
  {
    name: 'a hold released in five parts',
    change: (books, random) => releaseInParts(books, random, 5),
  },
  { name: 'an open transfer partly released', change: releasePartly },
  {
    name: 'a second credit taken back by name',
    isBeyondRules: true,
    isDueAsBefore: true,
    change: (books, random) => CREDIT_TAKEN_BACK.plant(books, random)?.books ?? null,
  },
  // Operations
  { name: 'two equal collections in one minute', change: collectTwice },
  { name: 'the order of a failed collection tried again', change: tryAgain },
  {
    name: 'no references of partners',
    change: (books) => mapOperations(books, () => ({ externalReference: null })),
  },
  { name: 'most operations fail', alterPlan: (plan) => withTraffic(plan, { failureRate: 0.9 }) },
  { name: 'many reversals', alterPlan: (plan) => withTraffic(plan, { reversalRate: 0.5 }) },
  { name: 'collections alone', alterPlan: (plan) => withTraffic(plan, { cashoutShare: 0 }) },
  { name: 'a transfer just recorded, nothing held yet', change: recordOnly },
  { name: 'a transfer cancelled before anything was held', change: cancelEarly },
  { name: 'two operations posted between each other', change: interleave },
  {
    name: 'a wallet frozen at the end',
    change: (books) => ({
      ...books,
      wallet: { ...books.wallet, status: 'FROZEN', updatedAt: new Date(books.asOf).toISOString() },
    }),
  },
  {
    name: 'an account suspended at the end',
    change: (books) => ({ ...books, merchant: { ...books.merchant, status: 'SUSPENDED' } }),
  },
  {
    name: 'descriptions with commas, quotes and line feeds',
    change: (books) =>
      mapLines(books, ({ description }, i) =>
        i % 3 === 0 ? { description: `"Café, n° ${i}"\n=1+1 ‮😀` } : { description },
      ),
  },
];

function indexOf({ entries }: Books, random: Random): number {
  return drawInteger(random, { from: 0, to: entries.length - 1 });
}

function withoutRows(books: Books): Books {
  const wallet = { ...books.wallet, ...NO_TOTALS, balance: 0, reserved: 0, available: 0 };
  return { ...books, wallet, entries: [], operations: [] };
}

function skipAtRandom(books: Books, random: Random): Books {
  const movements = movementsOf(books).map((one) => ({
    ...one,
    step: drawInteger(random, { from: 1, to: 9 }),
  }));
  return withMovements(books, movements);
}

function deliverAgain(books: Books, from: number, count: number): Books {
  const again = books.entries.slice(from, from + count);
  return { ...books, entries: books.entries.toSpliced(from + count, 0, ...again) };
}

function shuffle<Item>(items: readonly Item[], random: Random): readonly Item[] {
  const shuffled = [...items];
  for (let i = shuffled.length - 1; i > 0; i -= 1) {
    const other = drawInteger(random, { from: 0, to: i });
    [shuffled[i], shuffled[other]] = [shuffled[other]!, shuffled[i]!];
  }
  return shuffled;
}

function mapLines(
  books: Books,
  changes: (line: ServedEntry, index: number) => Partial<ServedEntry>,
): Books {
  return { ...books, entries: books.entries.map((line, i) => ({ ...line, ...changes(line, i) })) };
}

function mapOperations(
  books: Books,
  changes: (operation: ServedOperation) => Partial<ServedOperation>,
): Books {
  return {
    ...books,
    operations: books.operations.map((operation) => ({ ...operation, ...changes(operation) })),
  };
}

/** Dates the line later, but never after the reading. */
function later({ createdAt }: ServedEntry, by: number, { asOf }: Books): Partial<ServedEntry> {
  return { createdAt: new Date(Math.min(Date.parse(createdAt) + by, asOf - 1)).toISOString() };
}

function exchangeTimes(books: Books, random: Random): Books | null {
  if (books.entries.length < 2) return null;
  const places = [...books.entries.keys()].slice(1).filter((index) => {
    const [one, other] = [books.entries[index - 1]!, books.entries[index]!];
    return Math.abs(Date.parse(other.createdAt) - Date.parse(one.createdAt)) < 3 * MINUTE;
  });
  const index = pick(random, places);
  if (index === null) return null;
  const [one, other] = [books.entries[index - 1]!, books.entries[index]!];
  return alterLine(alterLine(books, index, { createdAt: one.createdAt }), index - 1, {
    createdAt: other.createdAt,
  });
}

function beforeItsOperation(books: Books): Books {
  const created = new Map(
    books.operations.map(({ reference, createdAt }) => [reference, Date.parse(createdAt)]),
  );
  return mapLines(books, ({ kind, operationReference, createdAt }) => {
    const at = created.get(operationReference ?? '');
    return {
      createdAt:
        kind !== 'CASHOUT_HOLD' || at === undefined
          ? createdAt
          : new Date(at - 4 * MINUTE).toISOString(),
    };
  });
}

function inOneInstant(books: Books): Books {
  const first = new Map<string, string>();
  return mapLines(books, ({ operationReference, kind, createdAt }) => {
    const key = `${operationReference} ${/HOLD|REVERSAL/.test(kind) ? kind.slice(0, 8) : ''}`;
    if (operationReference === null) return {};
    if (!first.has(key)) first.set(key, createdAt);
    return { createdAt: first.get(key)! };
  });
}

/** Lets the lines of a collection come behind those of the next six hours. */
function commitLate(books: Books, random: Random): Books | null {
  const slack = slackOf(books);
  const movements = movementsOf(books);
  const fitting = casesOf(books, 'CASHIN').flatMap(({ operation, lines }) => {
    const [first] = lines;
    const from = Date.parse(operation.completedAt!);
    const to = movements.findLastIndex(
      ({ entry }) => Date.parse(entry.createdAt) < from + 6 * HOUR,
    );
    return first !== undefined && slack[first]! > operation.amount && to > lines.at(-1)!
      ? [{ lines, to }]
      : [];
  });
  const one = pick(random, fitting);
  if (one === null) return null;
  const createdAt = movements[one.to]!.entry.createdAt;
  const late = one.lines.map((line) => ({
    ...movements[line]!,
    step: 1,
    entry: { ...movements[line]!.entry, createdAt },
  }));
  const order: readonly Movement[] = movements
    .slice(0, one.to + 1)
    .filter((_, line) => !one.lines.includes(line));
  const all = [...order, ...late, ...movements.slice(one.to + 1)].map((movement) => ({
    ...movement,
    step: 1,
  }));
  return withMovements(books, all);
}

function succeedLate(books: Books, random: Random): Books | null {
  const one = pick(
    random,
    casesOf(books, 'CASHIN').filter(
      ({ operation }) => Date.parse(operation.expiresAt!) < books.asOf - 2 * HOUR,
    ),
  );
  if (one === null) return null;
  const completedAt = new Date(Date.parse(one.operation.expiresAt!) + 50 * MINUTE).toISOString();
  return alterOperation(books, one.operation.reference, { completedAt, updatedAt: completedAt });
}

function withTraffic(plan: MerchantPlan, changes: Partial<MerchantPlan['traffic']>): MerchantPlan {
  return { ...plan, traffic: { ...plan.traffic, ...changes } };
}

function enlarge(plan: MerchantPlan): MerchantPlan {
  const limits = {
    ...plan.limits,
    maxCashinAmount: 9e11,
    maxCashoutAmount: 9e11,
    dailyCashoutLimit: 0,
  };
  return withTraffic({ ...plan, limits }, { typicalAmount: 300_000_000 });
}

function adjust(books: Books, random: Random, sense: 'CREDIT' | 'DEBIT'): Books | null {
  const amount = drawInteger(random, { from: 100, to: 9_000 });
  const slack = slackOf(books);
  const index = pick(
    random,
    [...books.entries.keys()]
      .slice(1)
      .filter((line) => sense === 'CREDIT' || slack[line - 1]! > amount),
  );
  if (index === null) return null;
  const post =
    sense === 'CREDIT' ? credit('ADJUSTMENT_CREDIT', amount) : debit('ADJUSTMENT_DEBIT', amount);
  return insertLines(books, random, {
    index,
    posts: [post],
    like: explained(books.entries[index]!),
  });
}

function explained(line: ServedEntry): ServedEntry {
  return { ...line, operationReference: null, description: 'Geste commercial' };
}

function adjustBelowZero(books: Books, random: Random): Books | null {
  const last = books.entries.at(-1);
  if (last === undefined || last.balanceAfter < 1) return null;
  const posts = [
    debit('ADJUSTMENT_DEBIT', last.balanceAfter + drawInteger(random, { from: 1, to: 500 })),
  ];
  return insertLines(books, random, { index: books.entries.length, posts, like: explained(last) });
}

function releaseInParts(books: Books, random: Random, parts: number): Books | null {
  const one = pick(
    random,
    lapsedHolds(books).filter(({ released }) => books.entries[released]!.amount >= parts),
  );
  if (one === null) return null;
  const line = books.entries[one.released]!;
  const part = Math.floor(line.amount / parts);
  const first = repost(books, one.released, release(line.amount - (parts - 1) * part));
  const posts = Array.from({ length: parts - 1 }, () => release(part));
  return insertLines(first, random, { index: one.released + 1, posts, like: line });
}

/**
 * Adds a pending transfer of the least amount, an hour before the reading. A part of its hold is
 * free again.
 */
function releasePartly(books: Books, random: Random): Books | null {
  const pending = newTransfer(books, random, 'PENDING');
  if (pending === null) return null;
  const held = postsFor('REQUEST', pending, books.policy)[0]!.amount;
  const posts = [hold(held), release(Math.floor(held / 3))];
  return postAt(addOperation(books, pending), random, {
    at: Date.parse(pending.createdAt),
    posts,
    operation: pending,
  }).books;
}

function newTransfer(
  books: Books,
  random: Random,
  status: 'CREATED' | 'CANCELLED' | 'PENDING',
): ServedOperation | null {
  const amount = books.merchant.limits.minCashoutAmount;
  if ((slackOf(books).at(-1) ?? 0) < 3 * amount) return null;
  const createdAt = books.asOf - HOUR;
  return fabricateOperation(books, random, {
    type: 'CASHOUT',
    status,
    amount,
    createdAt,
    movedAt: createdAt + MINUTE,
  });
}

function recordOnly(books: Books, random: Random): Books | null {
  const operation = newTransfer(books, random, 'CREATED');
  return operation === null ? null : addOperation(books, operation);
}

function cancelEarly(books: Books, random: Random): Books | null {
  const operation = newTransfer(books, random, 'CANCELLED');
  return operation === null ? null : addOperation(books, operation);
}

/** Adds a collection of the same amount a minute after another. Each has its own lines. */
function collectTwice(books: Books, random: Random): Books | null {
  const one = pick(random, casesOf(books, 'CASHIN'));
  if (one === null) return null;
  const { amount, createdAt, completedAt } = one.operation;
  const [from, to] = [Date.parse(createdAt) + MINUTE, Date.parse(completedAt!) + MINUTE];
  if (to >= books.asOf) return null;
  const twin = fabricateOperation(books, random, {
    type: 'CASHIN',
    status: 'SUCCEEDED',
    amount,
    createdAt: from,
    movedAt: to,
  });
  const posts = postsFor('SUCCESS', twin, books.policy);
  return postAt(addOperation(books, twin), random, { at: to, posts, operation: twin }).books;
}

function tryAgain(books: Books, random: Random): Books | null {
  const failed = pick(random, casesOf(books, 'CASHIN', ['FAILED']));
  const uses = Map.groupBy(books.operations, ({ externalReference }) => externalReference);
  const fresh = casesOf(books, 'CASHIN').filter(
    ({ operation }) => uses.get(operation.externalReference)!.length === 1,
  );
  const done = pick(random, fresh);
  if (failed === null || done === null) return null;
  const externalReference = `ORDER-${drawInteger(random, { from: 1, to: 1e6 })}`;
  const first = alterOperation(books, failed.operation.reference, { externalReference });
  return alterOperation(first, done.operation.reference, { externalReference });
}

/** Puts the credit of the next collection between the credit and the commission of a collection. */
function interleave(books: Books, random: Random): Books | null {
  const movements = movementsOf(books);
  const places = [...movements.keys()].slice(0, -2).filter((index) => {
    const [one, two, three] = [0, 1, 2].map((i) => movements[index + i]!.entry);
    return (
      one!.kind === 'CASHIN_CREDIT' && two!.kind === 'CASHIN_FEE' && three!.kind === 'CASHIN_CREDIT'
    );
  });
  const index = pick(random, places);
  if (index === null) return null;
  const [fee, next] = [movements[index + 1]!, movements[index + 2]!];
  return withMovements(books, movements.with(index + 1, next).with(index + 2, fee));
}
