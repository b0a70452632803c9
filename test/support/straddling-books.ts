// Small books around the end of October 2026: sound operations, and odd ones whose lines are right,
// late, split, too much, too little, twice or never, on either side of the end. Each operation has
// a life, so that the books can be had as they were when October ended, by other code than the
// engine's.

import fc from 'fast-check';
import { DAY, HOUR, type Instant, MINUTE, SECOND } from '../../src/core/domain/instant.ts';
import { directionOf, type LedgerEntry } from '../../src/core/domain/ledger-entry.ts';
import {
  lifetimeOf,
  type Operation,
  type OperationStatus,
  type OperationType,
} from '../../src/core/domain/operation.ts';
import { totalsOf } from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES, type Policy } from '../../src/sandbox/model/policy.ts';
import {
  credit,
  debit,
  moneyOf,
  type Phase,
  type Post,
  postsFor,
} from '../../src/sandbox/model/postings.ts';
import type { ServedOperation } from '../../src/sandbox/model/served.ts';
import { line, operation as operationOf, profile, wallet } from './database-books.ts';
import type { DecodedBooks } from './sandbox-books.ts';

export const END = Date.UTC(2026, 10, 1);
export const READ_AT = Date.UTC(2026, 11, 1);

const HOWS = [
  'right',
  'split',
  'much',
  'little',
  'twice',
  'never',
  'halfBack',
  'allBack',
  'tooMuchBack',
] as const;
export type How = (typeof HOWS)[number];

/** How the lines of one phase are posted. */
interface Posting {
  readonly how: How;
  /** Milliseconds from when the lines were due to when they are posted. */
  readonly late: number;
  /** Milliseconds from then to their second part. */
  readonly later: number;
}

const ENDINGS = ['SUCCEEDED', 'FAILED', 'EXPIRED', 'CANCELLED', 'REVERSED', 'OPEN'] as const;

export interface OddOperation {
  readonly type: OperationType;
  readonly ending: (typeof ENDINGS)[number];
  readonly thousands: number;
  /** Milliseconds from the end of October to the end of the operation. */
  readonly endsAt: number;
  /** Milliseconds from when it was created to its end. */
  readonly lasts: number;
  /** Milliseconds from its end to its reversal. */
  readonly reversedAfter: number;
  /** Whether `completedAt` is the time of the reversal. */
  readonly isOneDate: boolean;
  /** Milliseconds after which the operation is touched once more, as by a note; 0: never. */
  readonly touchedAfter: number;
  readonly settling: Posting;
  readonly reversal: Posting;
}

export interface StraddlingWorld {
  readonly policy: Policy;
  readonly sound: number;
  readonly odd: readonly OddOperation[];
}

const delays = fc.constantFrom(0, SECOND, MINUTE, 2 * HOUR, 20 * HOUR, 3 * DAY, 12 * DAY);
const around = fc.constantFrom(
  -20 * DAY,
  -3 * DAY,
  -20 * HOUR,
  -2 * HOUR,
  -MINUTE,
  -SECOND,
  0,
  SECOND,
  MINUTE,
  2 * HOUR,
  3 * DAY,
);
const posting: fc.Arbitrary<Posting> = fc.record({
  how: fc.constantFrom(...HOWS),
  late: delays,
  later: delays,
});

export const straddlingWorlds: fc.Arbitrary<StraddlingWorld> = fc.record({
  policy: fc.constantFrom(...LAWFUL_POLICIES),
  sound: fc.integer({ min: 3, max: 9 }),
  odd: fc.array(
    fc.record({
      type: fc.constantFrom('CASHIN', 'CASHOUT'),
      ending: fc.constantFrom(...ENDINGS),
      thousands: fc.integer({ min: 5, max: 90 }),
      endsAt: around,
      lasts: fc.constantFrom(MINUTE, 20 * MINUTE),
      reversedAfter: fc.constantFrom(HOUR, 20 * HOUR, 4 * DAY, 25 * DAY),
      isOneDate: fc.boolean(),
      touchedAfter: fc.constantFrom(0, 0, 5 * DAY),
      settling: posting,
      reversal: posting,
    }),
    { minLength: 1, maxLength: 2 },
  ) as fc.Arbitrary<OddOperation[]>,
});

interface Posted {
  readonly at: Instant;
  readonly post: Post;
  readonly reference: string;
  readonly says: string | null;
}

interface Life {
  /** The operation as it was served, from each instant on. */
  readonly versions: readonly { readonly from: Instant; readonly operation: Operation }[];
  readonly lines: readonly Posted[];
}

const PROFILE = profile({
  reference: 'A_CHEVAL',
  allowedCountries: ['CI'],
  pricing: { cashin: { bps: 200, flat: 0 }, cashout: { bps: 150, flat: 0 } },
  limits: {
    minCashinAmount: 1,
    maxCashinAmount: 1e9,
    minCashoutAmount: 1,
    maxCashoutAmount: 1e9,
    dailyCashoutLimit: 0,
  },
  createdAt: Date.UTC(2026, 0, 1),
});

const PRICES = { cashinFeeBps: 200, cashinFeeFlat: 0, cashoutFeeBps: 150, cashoutFeeFlat: 0 };

export interface Straddling {
  /** The books as they are read in December. */
  readonly books: DecodedBooks;
  /**
   * The books as they were when October ended: the lines that were posted or on their way within
   * the lawful delay, and the operations as they stood.
   */
  readonly cut: DecodedBooks;
}

export function straddlingBooks({ policy, sound, odd }: StraddlingWorld): Straddling {
  // The books open with enough money, and with operations of both types, which show how the service
  // posts. Some operations are of November.
  const lives = Array.from({ length: sound }, (_, i) => i).flatMap((i) => [
    lifeOf(
      `GUI-CI-S${i}`,
      soundOf('CASHIN', 800 + 37 * i, END - (28 - i) * DAY + i * HOUR),
      policy,
    ),
    lifeOf(
      `GUI-CO-S${i}`,
      soundOf(
        'CASHOUT',
        20 + 7 * i,
        END - (17 - i) * DAY + i * HOUR,
        i % 3 === 2 ? 'REVERSED' : 'SUCCEEDED',
      ),
      policy,
    ),
    lifeOf(`GUI-CI-N${i}`, soundOf('CASHIN', 60 + 13 * i, END + (2 + i) * DAY), policy),
  ]);
  for (const [i, one] of odd.entries())
    lives.push(lifeOf(`GUI-${one.type === 'CASHIN' ? 'CI' : 'CO'}-ODD${i}`, one, policy));
  const inOrder = lives.flatMap(({ lines }) => lines).toSorted((a, b) => a.at - b.at);
  const sequences = new Map(inOrder.map((one, i) => [one, i + 1]));
  const made = { sequences, policy };
  return { books: booksOf(lives, made), cut: booksOf(lives.map(livedUntilEnd), made) };
}

function soundOf(
  type: OperationType,
  thousands: number,
  at: Instant,
  ending: 'SUCCEEDED' | 'REVERSED' = 'SUCCEEDED',
): OddOperation {
  const right: Posting = { how: 'right', late: 0, later: 0 };
  return {
    type,
    ending,
    thousands,
    endsAt: at - END,
    lasts: MINUTE,
    reversedAfter: 2 * HOUR,
    isOneDate: false,
    touchedAfter: 0,
    settling: right,
    reversal: right,
  };
}

function lifeOf(reference: string, wish: OddOperation, policy: Policy): Life {
  const { type, ending, thousands } = wish;
  // Amounts are odd, so that no fee, half or net amount equals that of another operation by chance.
  const money = moneyOf(
    { type, amount: thousands * 1_000 + 10 * (reference.length % 7) },
    { pricing: PRICES, rounding: policy.feeRounding },
  );
  const endedAt = END + wish.endsAt;
  const createdAt = endedAt - wish.lasts;
  const served = (
    status: OperationStatus,
    updatedAt: Instant,
    completedAt: Instant | null,
  ): Operation =>
    operationOf(0, {
      reference,
      ...money,
      status,
      createdAt,
      updatedAt,
      completedAt,
      externalReference: null,
      failureCode: status === 'FAILED' ? 'OPERATOR_TIMEOUT' : null,
      expiresAt: createdAt + lifetimeOf(type),
    });
  const versions = [{ from: createdAt, operation: served('PENDING', createdAt, null) }];
  const of = (phase: Phase, at: Instant, how: Posting): readonly Posted[] =>
    postedBy(postsFor(phase, money, policy), { at, reference, ...how });
  const right: Posting = { how: 'right', late: 0, later: 0 };
  const lines = [...of('REQUEST', createdAt, right)];
  if (ending !== 'OPEN') {
    const first = ending === 'REVERSED' ? 'SUCCEEDED' : ending;
    // An operation that is EXPIRED ends when its time is over.
    versions.push({ from: endedAt, operation: served(first, endedAt, endedAt) });
    lines.push(...of(first === 'SUCCEEDED' ? 'SUCCESS' : 'LAPSE', endedAt, wish.settling));
  }
  if (ending === 'REVERSED') {
    const at = endedAt + wish.reversedAfter;
    // Where neither the operation's life nor a line says whether it had succeeded, nobody can know
    // that afterwards.
    const isKnown =
      endedAt >= END ||
      END > createdAt + lifetimeOf(type) ||
      lines.some((one) => one.at < END && SETTLES.includes(one.post.kind));
    versions.push({
      from: at,
      operation: served('REVERSED', at, wish.isOneDate && isKnown ? at : endedAt),
    });
    lines.push(...of('REVERSAL', at, wish.reversal));
  }
  const last = versions.at(-1)!;
  if (wish.touchedAfter > 0 && ending !== 'OPEN' && ending !== 'REVERSED') {
    const from = last.from + wish.touchedAfter;
    versions.push({ from, operation: { ...last.operation, updatedAt: from } });
  }
  return {
    versions: versions.filter(({ from }) => from < READ_AT),
    lines: lines.filter(({ at }) => at < READ_AT),
  };
}

function postedBy(
  posts: readonly Post[],
  {
    at,
    reference,
    how,
    late,
    later,
  }: Posting & { readonly at: Instant; readonly reference: string },
): readonly Posted[] {
  const first = at + late;
  const second = first + later + SECOND;
  const post = (one: Post, when: Instant, says: string | null = null): Posted => ({
    at: when,
    post: one,
    reference,
    says,
  });
  const scaled = (one: Post, by: number): Post => {
    const amount = Math.floor(one.amount * by);
    const part = (move: number): number => Math.sign(move) * Math.floor(Math.abs(move) * by);
    return { ...one, amount, balance: part(one.balance), reserved: part(one.reserved) };
  };
  const rest = (one: Post): Post => {
    const half = scaled(one, 0.5);
    return {
      ...one,
      amount: one.amount - half.amount,
      balance: one.balance - half.balance,
      reserved: one.reserved - half.reserved,
    };
  };
  const [main, ...others] = posts;
  if (main === undefined) return [];
  const right = posts.map((one) => post(one, first));
  const fix = (by: number): readonly Posted[] => {
    const [moved] = posts.filter(({ balance }) => balance !== 0);
    if (moved === undefined) return [];
    const amount = Math.floor(Math.abs(moved.balance) * by);
    const back =
      moved.balance > 0 ? debit('ADJUSTMENT_DEBIT', amount) : credit('ADJUSTMENT_CREDIT', amount);
    return [post(back, second, `Correction ${reference}`)];
  };
  switch (how) {
    case 'right':
      return right;
    case 'split':
      return [
        post(scaled(main, 0.5), first),
        post(rest(main), second),
        ...others.map((one) => post(one, second)),
      ];
    case 'much':
      return [post(scaled(main, 1.25), first), ...others.map((one) => post(one, first))];
    case 'little':
      return [post(scaled(main, 0.75), first), ...others.map((one) => post(one, second))];
    case 'twice':
      return [
        ...right,
        ...posts.filter(({ balance }) => balance !== 0).map((one) => post(one, second)),
      ];
    case 'never':
      return [];
    case 'halfBack':
      return [
        ...right,
        ...posts
          .filter(({ balance }) => balance !== 0)
          .slice(0, 1)
          .map((one) => post(one, first)),
        ...fix(0.5),
      ];
    case 'allBack':
      return [
        ...right,
        ...posts
          .filter(({ balance }) => balance !== 0)
          .slice(0, 1)
          .map((one) => post(one, first)),
        ...fix(1),
      ];
    case 'tooMuchBack':
      return [
        ...right,
        ...posts
          .filter(({ balance }) => balance !== 0)
          .slice(0, 1)
          .map((one) => post(one, first)),
        ...fix(1.5),
      ];
  }
}

const TOLERANCE = 5 * MINUTE;
const SETTLES = ['CASHIN_CREDIT', 'CASHOUT_DEBIT', 'CASHOUT_RELEASE'];

/**
 * Returns a life as it was known when October ended, with the lines that were on their way then.
 */
function livedUntilEnd({ versions, lines }: Life): Life {
  const before = lines.filter(({ at }) => at < END);
  // A line may be dated by another clock than the end of its operation. What it shows had happened.
  const hasHappened = ({ from, operation }: Life['versions'][number]): boolean => {
    if (from < END) return true;
    if (operation.updatedAt !== from || from >= END + TOLERANCE) return false;
    const kinds = operation.status === 'REVERSED' ? ['REVERSAL_DEBIT', 'REVERSAL_CREDIT'] : SETTLES;
    return before.some(({ post }) => kinds.includes(post.kind));
  };
  const known = versions.filter(hasHappened);
  const then = known.at(-1)?.operation;
  if (then === undefined) return { versions: [], lines: before };
  const askedFor = (kind: string): Instant | null => {
    if (then.status === 'PENDING') return null;
    if (kind.startsWith('REVERSAL_')) return then.status === 'REVERSED' ? then.updatedAt : null;
    if (then.status === 'REVERSED' && then.completedAt === then.updatedAt) return null;
    return ['CASHIN_FEE', 'CASHOUT_FEE', ...SETTLES].includes(kind) ? then.completedAt : null;
  };
  const comes = ({ at, post }: Posted): boolean => {
    const asked = askedFor(post.kind);
    return at >= END && asked !== null && at - asked <= DAY;
  };
  return { versions: known, lines: [...before, ...lines.filter(comes)] };
}

/**
 * Makes the books. A line that is left out leaves its number free, as a transaction that was rolled
 * back does.
 */
function booksOf(
  lives: readonly Life[],
  {
    sequences,
    policy,
  }: { readonly sequences: ReadonlyMap<Posted, number>; readonly policy: Policy },
): DecodedBooks {
  const posted = lives.flatMap(({ lines }) => lines).filter(({ post }) => post.amount > 0);
  const entries: LedgerEntry[] = [];
  for (const one of posted.toSorted((a, b) => sequences.get(a)! - sequences.get(b)!)) {
    const { at, post, reference, says } = one;
    const last = entries.at(-1);
    const sequence = sequences.get(one)!;
    entries.push(
      line(sequence, {
        id: `line-${sequence}`,
        direction: directionOf(post.kind),
        kind: post.kind,
        amount: post.amount,
        balanceAfter: (last?.balanceAfter ?? 0) + post.balance,
        reservedAfter: (last?.reservedAfter ?? 0) + post.reserved,
        operationReference: reference,
        description: says,
        createdAt: at,
      }),
    );
  }
  const head = entries.at(-1);
  const [balance, reserved] = [head?.balanceAfter ?? 0, head?.reservedAfter ?? 0];
  const operations = lives.flatMap(({ versions }) => versions.at(-1)?.operation ?? []);
  // The totals do not look at instants, which a served operation has as text.
  const totals = totalsOf(operations as unknown as readonly ServedOperation[], policy);
  const figures = { balance, reserved, available: balance - reserved, ...totals };
  return {
    asOf: READ_AT,
    profile: PROFILE,
    wallet: wallet({
      walletId: 'w',
      merchantId: 'm',
      ...figures,
      updatedAt: head?.createdAt ?? END,
    }),
    entries,
    operations,
    payments: [],
    reports: [],
    notifications: [],
  };
}
