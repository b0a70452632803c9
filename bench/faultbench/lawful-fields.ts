// The rules that hold under every interpretation: the chain of balances, the fields of lines and
// operations, prices and bounds, the wallet.

import { type Books, totalsOf } from '../../src/sandbox/model/plan.ts';
import { FEE_ROUNDINGS, TOTALS } from '../../src/sandbox/model/policy.ts';
import { feeOf } from '../../src/sandbox/model/postings.ts';
import type { ServedEntry, ServedOperation } from '../../src/sandbox/model/served.ts';
import { DAY, HOUR } from './draw-ledger.ts';

const MINUTE = 60_000;

const DIRECTIONS: Readonly<Record<string, string>> = {
  CASHIN_CREDIT: 'CREDIT',
  REVERSAL_CREDIT: 'CREDIT',
  ADJUSTMENT_CREDIT: 'CREDIT',
  CASHIN_FEE: 'DEBIT',
  CASHOUT_DEBIT: 'DEBIT',
  CASHOUT_FEE: 'DEBIT',
  REVERSAL_DEBIT: 'DEBIT',
  ADJUSTMENT_DEBIT: 'DEBIT',
  CASHOUT_HOLD: 'HOLD',
  CASHOUT_RELEASE: 'RELEASE',
};

const CURRENCIES: Readonly<Record<string, string>> = {
  CI: 'XOF',
  BF: 'XOF',
  ML: 'XOF',
  SN: 'XOF',
  TG: 'XOF',
  BJ: 'XOF',
  NE: 'XOF',
  CM: 'XAF',
  GN: 'GNF',
};

const FAILURES = [
  'OPERATOR_INSUFFICIENT_FUNDS',
  'OPERATOR_ACCOUNT_UNKNOWN',
  'OPERATOR_ACCOUNT_LIMIT_REACHED',
  'PAYER_CANCELLED',
  'OPERATOR_TIMEOUT',
  'OPERATOR_REFUSED',
  'UPSTREAM_UNAVAILABLE',
  'SETTLEMENT_ACCOUNT_UNAVAILABLE',
  'INTERNAL_ERROR',
];

const OPEN = ['CREATED', 'PENDING', 'AWAITING_PAYER'];
const LAPSED = ['FAILED', 'EXPIRED', 'CANCELLED'];

/** Returns the offences against these rules. `lines` must be in ascending sequence, each once. */
export function offencesOfFields(books: Books, lines: readonly ServedEntry[]): readonly string[] {
  return [
    ...offencesOfChain(lines),
    ...offencesOfLines(books, lines),
    ...books.operations.flatMap((operation) => offencesOfOperation(operation, books)),
    ...offencesAmongOperations(books),
    ...offencesOfPrice(books),
    ...offencesOfWallet(books, lines.at(-1)),
  ];
}

/** Checks balances, which must follow from 0, and that each number and each id is there once. */
function offencesOfChain(lines: readonly ServedEntry[]): readonly string[] {
  const offences: string[] = [];
  const ids = new Set<string>();
  let [sequence, balance, isExcused] = [0, 0, false];
  lines.forEach((line, i) => {
    const sign = line.direction === 'CREDIT' ? 1 : line.direction === 'DEBIT' ? -1 : 0;
    if (line.balanceAfter !== balance + sign * line.amount) offences.push(`balance ${line.id}`);
    if (line.sequence <= sequence) offences.push(`sequence ${line.id}`);
    if (ids.has(line.id)) offences.push(`id ${line.id}`);
    ids.add(line.id);
    isExcused ||= /^(ADJUSTMENT|REVERSAL)_DEBIT$/.test(line.kind);
    const endsGroup = lines[i + 1]?.operationReference !== line.operationReference;
    const isBelow = line.balanceAfter < 0 || (endsGroup && line.balanceAfter < line.reservedAfter);
    if (line.reservedAfter < 0 || (isBelow && !isExcused)) offences.push(`below zero ${line.id}`);
    [sequence, balance] = [line.sequence, line.balanceAfter];
  });
  return offences;
}

function offencesOfLines(
  { wallet, merchant, operations, asOf }: Books,
  lines: readonly ServedEntry[],
) {
  const known = new Map(operations.map((operation) => [operation.reference, operation]));
  const opened = Date.parse(merchant.createdAt);
  return lines.flatMap((line, i) => {
    const { kind, operationReference, id } = line;
    const at = Date.parse(line.createdAt);
    const isAdjustment = kind.startsWith('ADJUSTMENT_');
    const operation = known.get(operationReference ?? '');
    const apart = [lines[i - 1], lines[i + 1]].map((other) =>
      other === undefined ? null : Math.abs(Date.parse(other.createdAt) - at),
    );
    const gaps = apart.filter((gap) => gap !== null);
    const offences = [
      !Number.isSafeInteger(line.amount) || line.amount <= 0 ? 'amount' : null,
      DIRECTIONS[kind] !== line.direction ? 'direction' : null,
      line.currency !== wallet.currency ? 'currency' : null,
      at > asOf + 5 * MINUTE || at < opened ? 'time' : null,
      gaps.length === 2 && gaps.every((gap) => gap > 30 * DAY) ? 'time apart' : null,
      isAdjustment && line.description === null ? 'unexplained' : null,
      !isAdjustment && operationReference === null ? 'no reference' : null,
      operationReference !== null && operation === undefined ? 'unknown operation' : null,
      operation !== undefined && at < Date.parse(operation.createdAt) - 5 * MINUTE
        ? 'before its operation'
        : null,
      operation !== undefined && /^CASH/.test(kind) && !kind.startsWith(`${operation.type}_`)
        ? 'kind of operation'
        : null,
    ];
    return offences.filter((one) => one !== null).map((one) => `${one} ${id}`);
  });
}

function offencesOfOperation(
  operation: ServedOperation,
  { wallet, merchant, asOf }: Books,
): readonly string[] {
  const { type, status, amount, fees, netAmount, currency, country, reference, failure } =
    operation;
  const [created, expires] = [
    Date.parse(operation.createdAt),
    Date.parse(operation.expiresAt ?? ''),
  ];
  const completed = operation.completedAt === null ? null : Date.parse(operation.completedAt);
  const isCashin = type === 'CASHIN';
  const isFinal = !OPEN.includes(status);
  const { limits } = merchant;
  const [least, most] = isCashin
    ? [limits.minCashinAmount, limits.maxCashinAmount]
    : [limits.minCashoutAmount, limits.maxCashoutAmount];
  const { payerActionUrl, requiresPayerAction } = operation;
  const offences = [
    netAmount !== (isCashin ? amount - fees : amount + fees) ? 'net amount' : null,
    currency !== wallet.currency || CURRENCIES[country] !== currency ? 'currency' : null,
    !merchant.allowedCountries.includes(country) ? 'country' : null,
    !reference.startsWith(isCashin ? 'GUI-CI-' : 'GUI-CO-') ? 'prefix' : null,
    amount < least || (most > 0 && amount > most) ? 'bounds' : null,
    expires - created !== (isCashin ? 30 * MINUTE : 6 * HOUR) ? 'expiry' : null,
    isFinal !== (completed !== null) ? 'completion' : null,
    status === 'SUCCEEDED' && completed !== null && completed > expires + HOUR
      ? 'late success'
      : null,
    status === 'EXPIRED' && completed !== null && completed < expires ? 'early expiry' : null,
    !isFinal && expires < asOf ? 'overdue' : null,
    (status === 'FAILED') !== (failure !== null) ? 'failure' : null,
    failure !== null && !FAILURES.includes(failure.code) ? 'failure code' : null,
    !isCashin && (payerActionUrl !== null || requiresPayerAction) ? 'payer action' : null,
    requiresPayerAction && (payerActionUrl === null || isFinal) ? 'payer action' : null,
  ];
  return offences.filter((one) => one !== null).map((one) => `${one} ${reference}`);
}

/**
 * Returns the offences that several operations show together: shared references, the daily ceiling,
 * an account that may not operate.
 */
function offencesAmongOperations({ operations, merchant }: Books): readonly string[] {
  const live = operations.filter(
    ({ status, externalReference }) => externalReference !== null && !LAPSED.includes(status),
  );
  const shared = [
    ...Map.groupBy(live, ({ externalReference }) => externalReference).values(),
  ].filter(({ length }) => length > 1);
  const isBlocked = merchant.status === 'PENDING' && operations.length > 0;
  const { dailyCashoutLimit } = merchant.limits;
  const isBeyond =
    dailyCashoutLimit > 0 &&
    (['createdAt', 'completedAt'] as const).every(
      (clock) => busiestDay(operations, clock) > dailyCashoutLimit,
    );
  return [
    ...shared.map((all) => `external reference ${all.at(-1)!.reference}`),
    ...(isBlocked ? ['blocked'] : []),
    ...(isBeyond ? ['daily ceiling'] : []),
  ];
}

/** Returns the largest sum of executed cash-outs within 24 hours. */
function busiestDay(
  operations: readonly ServedOperation[],
  clock: 'createdAt' | 'completedAt',
): number {
  const executed = operations
    .filter(({ type, status }) => type === 'CASHOUT' && status === 'SUCCEEDED')
    .map((operation) => ({ amount: operation.amount, at: Date.parse(operation[clock] ?? '') }))
    .sort((a, b) => a.at - b.at);
  let [first, sum, most] = [0, 0, 0];
  for (const { amount, at } of executed) {
    sum += amount;
    for (; executed[first]!.at <= at - DAY; first += 1) sum -= executed[first]!.amount;
    most = Math.max(most, sum);
  }
  return most;
}

/**
 * Returns the operations that do not fit the price, under the way of rounding that leaves the
 * fewest.
 */
function offencesOfPrice({ operations, merchant: { pricing } }: Books): readonly string[] {
  const byRounding = FEE_ROUNDINGS.map((rounding) =>
    operations.filter((operation) => operation.fees !== feeOf(operation, { pricing, rounding })),
  );
  const [fewest] = byRounding.sort((a, b) => a.length - b.length);
  return fewest!.map(({ reference }) => `price ${reference}`);
}

function offencesOfWallet(
  { wallet, operations, policy }: Books,
  head: ServedEntry | undefined,
): readonly string[] {
  const { balance, reserved, available } = wallet;
  const lawful = TOTALS.flatMap((totals) =>
    (['LINES', 'PRINCIPAL'] as const).map((reversal) =>
      totalsOf(operations, { ...policy, totals, reversal }),
    ),
  );
  const names = ['totalCollected', 'totalDisbursed', 'totalFees'] as const;
  return [
    ...(available === balance - reserved ? [] : ['available']),
    ...(balance === (head?.balanceAfter ?? 0) ? [] : ['wallet balance']),
    ...(reserved === (head?.reservedAfter ?? 0) ? [] : ['wallet reserved']),
    ...names.filter((name) => lawful.every((totals) => totals[name] !== wallet[name])),
  ];
}
