// The books of one merchant as a play writes them: sound traffic, planted faults, and the lines
// that correct these. They say by themselves by how much each fault puts figures off and what the
// operations require; they know nothing of the engine, and ask it nothing.

import {
  formatInstant,
  HOUR,
  type Instant,
  MINUTE,
  SECOND,
} from '../../../src/core/domain/instant.ts';
import { directionOf, type EntryKind } from '../../../src/core/domain/ledger-entry.ts';
import { type HttpBooks, makeHttpBooks, makeOperation, type ServedJson } from '../http-books.ts';

export const FAULTS = [
  'CREDIT_DUPLICATED',
  'CREDIT_MISSING',
  'FEE_MISSING',
  'FEE_AMOUNT_MISMATCH',
  'HOLD_NOT_RELEASED',
  'BALANCE_DRIFT',
] as const;
export type FaultKind = (typeof FAULTS)[number];

/** Whole units by which the recorded figures are too high (+) or too low (−). */
export interface Money {
  readonly balance: number;
  readonly reserved: number;
}

/**
 * One fault, which is one root over its whole life. `moves` holds what its own lines, and the lines
 * that correct it, have moved so far.
 */
export interface Fault {
  readonly kind: FaultKind;
  /** The operation that is at fault; `null`: the line `sequence` is. */
  readonly reference: string | null;
  readonly sequence: number | null;
  readonly amount: number;
  readonly moves: (Money & {
    readonly at: Instant;
    readonly sequence: number;
    readonly isCorrection: boolean;
  })[];
}

export interface PlayBooks {
  readonly merchant: string;
  readonly served: HttpBooks;
  readonly faults: Fault[];
  /** What the operations require of the wallet. */
  readonly required: { balance: number; reserved: number };
  /** The figures of the last line. */
  readonly recorded: { balance: number; reserved: number };
  /** How many rows were ever added or changed. */
  rows: number;
}

/** Opens the books of a merchant who collected two million before anything else. */
export function openBooks(merchant: string, at: Instant): PlayBooks {
  const empty = makeHttpBooks(merchant, 0);
  const pricing = { cashinFeeBps: 200, cashinFeeFlat: 0, cashoutFeeBps: 100, cashoutFeeFlat: 0 };
  const limits = {
    ...(empty.profile.limits as object),
    maxCashinAmount: 5_000_000,
    maxCashoutAmount: 5_000_000,
  };
  const served = {
    ...empty,
    profile: { ...empty.profile, pricing, limits, createdAt: formatInstant(at - HOUR) },
  };
  const none = { balance: 0, reserved: 0 };
  const books = {
    merchant,
    served,
    faults: [],
    required: { ...none },
    recorded: { ...none },
    rows: 0,
  };
  addCashin(books, { at, amount: 2_000_000 });
  return books;
}

export function sumOf(moves: Fault['moves']): Money {
  const sum = (figure: keyof Money) => moves.reduce((total, move) => total + move[figure], 0);
  return { balance: sum('balance'), reserved: sum('reserved') };
}

/**
 * Adds three cash-ins and a cash-out within the six hours before `at`. Amounts are thousands, so
 * that commissions are whole.
 */
export function addTraffic(books: PlayBooks, at: Instant, thousands: readonly number[]): void {
  const amounts = thousands.map((count) => count * 1_000);
  for (const [i, amount] of amounts.slice(1).entries())
    addCashin(books, { at: at - (6 - i) * HOUR, amount });
  addCashout(books, { at: at - 2 * HOUR, amount: amounts[0]! });
}

/**
 * Plants a fault that is an hour old at `at`. It is in the newest operation; only a second credit
 * may be that of any earlier cash-in.
 */
export function plant(books: PlayBooks, kind: FaultKind, at: Instant, amount: number): Fault {
  const when = at - HOUR;
  const posted = (move: Partial<Money>) => moveOf(books, when, { ...move, isCorrection: false });
  const fault = (of: Pick<Fault, 'reference' | 'sequence' | 'moves'>): Fault => {
    const planted = { kind, amount, ...of };
    books.faults.push(planted);
    return planted;
  };
  switch (kind) {
    case 'CREDIT_DUPLICATED': {
      const reference = addCashin(books, { at: when - MINUTE, amount });
      post(books, { at: when, kind: 'CASHIN_CREDIT', amount, reference });
      return fault({ reference, sequence: null, moves: [posted({ balance: amount })] });
    }
    case 'CREDIT_MISSING': {
      const reference = addCashin(books, { at: when, amount, without: 'CASHIN_CREDIT' });
      return fault({ reference, sequence: null, moves: [posted({ balance: -amount })] });
    }
    case 'FEE_MISSING': {
      const reference = addCashin(books, { at: when, amount: amount * 50, without: 'CASHIN_FEE' });
      return fault({ reference, sequence: null, moves: [posted({ balance: amount })] });
    }
    case 'FEE_AMOUNT_MISMATCH': {
      const reference = addCashin(books, { at: when, amount: 50_000, overcharged: amount });
      return fault({ reference, sequence: null, moves: [posted({ balance: -amount })] });
    }
    case 'HOLD_NOT_RELEASED': {
      const reference = addCashout(books, { at: when, amount, fails: true });
      return fault({
        reference,
        sequence: null,
        moves: [posted({ reserved: amount + amount / 100 })],
      });
    }
    case 'BALANCE_DRIFT': {
      addCashin(books, { at: when, amount: 20_000, drift: amount });
      return fault({
        reference: null,
        sequence: books.served.ledger.length - 1,
        moves: [posted({ balance: amount })],
      });
    }
  }
}

/** Posts the same credit once more, so that the fault grows. */
export function plantAgain(books: PlayBooks, fault: Fault, at: Instant): void {
  post(books, {
    at: at - HOUR,
    kind: 'CASHIN_CREDIT',
    amount: fault.amount,
    reference: fault.reference,
  });
  fault.moves.push(moveOf(books, at - HOUR, { balance: fault.amount, isCorrection: false }));
}

/** Posts a line that names the fault and moves the balance by `moves`. */
export function correct(books: PlayBooks, fault: Fault, at: Instant, moves: number): void {
  const kind = moves > 0 ? 'ADJUSTMENT_CREDIT' : 'ADJUSTMENT_DEBIT';
  const { reference, sequence } = fault;
  const description = reference === null ? `Correction de la ligne ${sequence}` : 'Correction';
  post(books, { at: at - HOUR / 2, kind, amount: Math.abs(moves), reference, description });
  fault.moves.push(moveOf(books, at - HOUR / 2, { balance: moves, isCorrection: true }));
}

/** Releases after all the money that a fault holds. */
export function release(books: PlayBooks, fault: Fault, at: Instant): void {
  const { reserved } = sumOf(fault.moves);
  post(books, {
    at: at - HOUR / 2,
    kind: 'CASHOUT_RELEASE',
    amount: reserved,
    reference: fault.reference,
  });
  fault.moves.push(moveOf(books, at - HOUR / 2, { reserved: -reserved, isCorrection: true }));
}

function moveOf(
  { served }: PlayBooks,
  at: Instant,
  { isCorrection, balance = 0, reserved = 0 }: Partial<Money> & { readonly isCorrection: boolean },
): Fault['moves'][number] {
  return { at, sequence: served.ledger.length, isCorrection, balance, reserved };
}

function addCashin(
  books: PlayBooks,
  task: {
    readonly at: Instant;
    readonly amount: number;
    readonly without?: EntryKind;
    readonly overcharged?: number;
    readonly drift?: number;
  },
): string {
  const { at, amount, without, overcharged = 0, drift = 0 } = task;
  const fees = amount / 50;
  const reference = addOperation(books, 'CASHIN', { at, amount, fees, netAmount: amount - fees });
  const line = { at: at + 5 * SECOND, reference };
  if (without !== 'CASHIN_CREDIT') post(books, { ...line, kind: 'CASHIN_CREDIT', amount, drift });
  if (without !== 'CASHIN_FEE')
    post(books, { ...line, kind: 'CASHIN_FEE', amount: fees + overcharged });
  books.required.balance += amount - fees;
  return reference;
}

function addCashout(
  books: PlayBooks,
  {
    at,
    amount,
    fails = false,
  }: { readonly at: Instant; readonly amount: number; readonly fails?: boolean },
): string {
  const fees = amount / 100;
  const failed = { status: 'FAILED', failure: { code: 'OPERATOR_TIMEOUT', message: 'no answer' } };
  const otherwise = { expiresAt: formatInstant(at + 6 * HOUR), ...(fails ? failed : {}) };
  const reference = addOperation(
    books,
    'CASHOUT',
    { at, amount, fees, netAmount: amount + fees },
    otherwise,
  );
  post(books, { at: at + SECOND, reference, kind: 'CASHOUT_HOLD', amount: amount + fees });
  if (fails) return reference;
  post(books, { at: at + 5 * SECOND, reference, kind: 'CASHOUT_DEBIT', amount });
  post(books, { at: at + 5 * SECOND, reference, kind: 'CASHOUT_FEE', amount: fees });
  books.required.balance -= amount + fees;
  return reference;
}

function addOperation(
  { served, merchant }: PlayBooks,
  type: 'CASHIN' | 'CASHOUT',
  figures: Readonly<Record<'at' | 'amount' | 'fees' | 'netAmount', number>>,
  otherwise: ServedJson = {},
): string {
  const { at, ...money } = figures;
  const number = served.operations.length + 1;
  const reference = `GUI-${type === 'CASHIN' ? 'CI' : 'CO'}-${merchant}${String(number).padStart(6, '0')}`;
  const ended = formatInstant(at + 5 * SECOND);
  const instants = { createdAt: formatInstant(at), updatedAt: ended, completedAt: ended };
  const expiresAt = formatInstant(at + 30 * MINUTE);
  served.operations.push({
    ...makeOperation(number),
    reference,
    type,
    ...money,
    ...instants,
    expiresAt,
    ...otherwise,
  });
  return reference;
}

interface Posting {
  readonly at: Instant;
  readonly kind: EntryKind;
  readonly amount: number;
  readonly reference: string | null;
  readonly description?: string;
  /** Whole units by which the recorded balance is off from this line on. */
  readonly drift?: number;
}

function post(
  books: PlayBooks,
  { at, kind, amount, reference, description, drift = 0 }: Posting,
): void {
  const { served, recorded } = books;
  const direction = directionOf(kind);
  const sign = direction === 'CREDIT' ? 1 : direction === 'DEBIT' ? -1 : 0;
  const held =
    direction === 'HOLD' ? 1 : direction === 'RELEASE' || kind.startsWith('CASHOUT_') ? -1 : 0;
  recorded.balance += sign * amount + drift;
  recorded.reserved += held * amount;
  const sequence = served.ledger.length + 1;
  served.ledger.push({
    id: `00000000-0000-4000-8000-${String(sequence).padStart(12, '0')}`,
    sequence,
    direction,
    kind,
    amount,
    currency: 'XOF',
    balanceAfter: recorded.balance,
    reservedAfter: recorded.reserved,
    operationReference: reference,
    description: description ?? null,
    createdAt: formatInstant(at),
  });
  books.rows += 1;
  served.wallet = walletOf(books, at);
}

function walletOf({ served, recorded }: PlayBooks, at: Instant): ServedJson {
  const sum = (...kinds: readonly EntryKind[]) =>
    served.ledger.reduce(
      (total, line) => total + (kinds.includes(line.kind as EntryKind) ? Number(line.amount) : 0),
      0,
    );
  const { balance, reserved } = recorded;
  return {
    ...served.wallet,
    balance,
    reserved,
    available: balance - reserved,
    totalCollected: sum('CASHIN_CREDIT'),
    totalDisbursed: sum('CASHOUT_DEBIT'),
    totalFees: sum('CASHIN_FEE', 'CASHOUT_FEE'),
    updatedAt: formatInstant(at),
  };
}
