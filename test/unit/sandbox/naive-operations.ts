// The naive opinion, second half: operations against their lines, states, limits and the wallet
// (catalogue, sections B to D), with the policy known.

import { currencyOf } from '../../../src/core/domain/amount.ts';
import { FAILURE_CODES } from '../../../src/core/domain/operation.ts';
import type { Books } from '../../../src/sandbox/model/plan.ts';
import type { ServedEntry, ServedOperation } from '../../../src/sandbox/model/served.ts';
import type { Seen } from './naive-lines.ts';

const HOUR = 3_600_000;
const FINAL = ['SUCCEEDED', 'FAILED', 'EXPIRED', 'CANCELLED', 'REVERSED'];

export function lookAtOperations(books: Books): Seen[] {
  const lines = Map.groupBy(books.entries, (line) => line.operationReference);
  const known = new Set(books.operations.map((operation) => operation.reference));
  const unknown = [...lines].filter(([reference]) => reference !== null && !known.has(reference));
  const live = books.operations.filter(
    ({ status }) => !['FAILED', 'EXPIRED', 'CANCELLED'].includes(status),
  );
  const taken = new Set<string>();
  const [blocked] = books.merchant.status === 'PENDING' ? books.operations : [];
  return [
    ...(blocked === undefined
      ? []
      : [
          { kind: 'OPERATED_WHILE_BLOCKED', sequence: null, operationReference: blocked.reference },
        ]),
    ...unknown.map(([, [line]]) => place('OPERATION_UNKNOWN', line!)),
    ...books.operations.flatMap((operation) => {
      const own = lines.get(operation.reference) ?? [];
      const kinds = [...lookAtSelf(books, operation), ...lookAtMoney(books, operation, own)];
      return kinds.map((kind) =>
        typeof kind === 'string'
          ? { kind, sequence: null, operationReference: operation.reference }
          : kind,
      );
    }),
    ...live.flatMap(({ reference, externalReference }) => {
      const isTaken = externalReference !== null && taken.has(externalReference);
      if (externalReference !== null) taken.add(externalReference);
      return isTaken
        ? [{ kind: 'EXTERNAL_REFERENCE_DUPLICATED', sequence: null, operationReference: reference }]
        : [];
    }),
  ];
}

function place(kind: string, { sequence, operationReference }: ServedEntry): Seen {
  return { kind, sequence, operationReference };
}

/** What an operation says of itself. */
function lookAtSelf(
  { merchant, wallet, policy, asOf }: Books,
  operation: ServedOperation,
): string[] {
  const isCashin = operation.type === 'CASHIN';
  const isFinal = FINAL.includes(operation.status);
  const { limits, pricing } = merchant;
  const [least, most] = isCashin
    ? [limits.minCashinAmount, limits.maxCashinAmount]
    : [limits.minCashoutAmount, limits.maxCashoutAmount];
  const parts = operation.amount * (isCashin ? pricing.cashinFeeBps : pricing.cashoutFeeBps);
  const round = {
    FLOOR: Math.floor,
    CEILING: Math.ceil,
    HALF_UP: Math.round,
    HALF_EVEN: roundHalfEven,
  }[policy.feeRounding];
  const fees = round(parts / 10_000) + (isCashin ? pricing.cashinFeeFlat : pricing.cashoutFeeFlat);
  const lifetime = Date.parse(operation.expiresAt!) - Date.parse(operation.createdAt);
  const url = operation.payerActionUrl;
  return Object.entries({
    FEE_NOT_AS_PRICED: operation.fees !== fees,
    NET_AMOUNT_INCONSISTENT:
      operation.netAmount !== operation.amount + (isCashin ? -1 : 1) * operation.fees,
    COUNTRY_CURRENCY_MISMATCH:
      operation.currency !== currencyOf(operation.country) ||
      operation.currency !== wallet.currency,
    OPERATION_OVERDUE: !isFinal && asOf > Date.parse(operation.expiresAt!),
    EXPIRY_WINDOW_WRONG: lifetime !== (isCashin ? HOUR / 2 : 6 * HOUR),
    COMPLETION_TIME_INCONSISTENT:
      isFinal !== (operation.completedAt !== null) ||
      (operation.status === 'EXPIRED' && operation.completedAt! < operation.expiresAt!) ||
      (operation.status === 'SUCCEEDED' && operation.completedAt! > operation.expiresAt!),
    FAILURE_DETAIL_INCONSISTENT:
      (operation.status === 'FAILED') !== (operation.failure !== null) ||
      (operation.failure !== null &&
        !(FAILURE_CODES as readonly string[]).includes(operation.failure.code)),
    PAYER_ACTION_INCONSISTENT:
      (!isCashin && url !== null) ||
      (operation.requiresPayerAction && url === null) ||
      operation.requiresPayerAction !== (operation.status === 'AWAITING_PAYER'),
    AMOUNT_OUT_OF_BOUNDS: operation.amount < least || operation.amount > most,
    COUNTRY_NOT_ALLOWED: !merchant.allowedCountries.includes(operation.country),
    REFERENCE_TYPE_MISMATCH: !operation.reference.startsWith(isCashin ? 'GUI-CI-' : 'GUI-CO-'),
  }).flatMap(([kind, holds]) => (holds ? [kind] : []));
}

function roundHalfEven(value: number): number {
  return value % 1 === 0.5 ? 2 * Math.round(value / 2) : Math.round(value);
}

function lookAtMoney(
  books: Books,
  operation: ServedOperation,
  own: readonly ServedEntry[],
): (string | Seen)[] {
  const of = (kind: string) => own.filter((line) => line.kind === kind);
  const sum = (kind: string) => of(kind).reduce((total, line) => total + line.amount, 0);
  const settled = operation.status === 'SUCCEEDED' || operation.status === 'REVERSED';
  const isCashin = operation.type === 'CASHIN';
  const [name, principal, fee] = isCashin
    ? ['CREDIT', 'CASHIN_CREDIT', 'CASHIN_FEE']
    : ['DEBIT', 'CASHOUT_DEBIT', 'CASHOUT_FEE'];
  const net = isCashin && books.policy.cashinCredit === 'NET';
  const wanted = net ? operation.netAmount : operation.amount;
  const fees = net ? 0 : operation.fees;
  const [paid, charged] = [of(principal), of(fee)];
  const times = sum(principal) / wanted;
  return [
    ...(settled && paid.length === 0 ? [`${name}_MISSING`] : []),
    ...(!settled && paid.length > 0 ? [place(`${name}_WITHOUT_SUCCESS`, paid[0]!)] : []),
    ...(settled && paid.length > 1 && Number.isInteger(times)
      ? [place(`${name}_DUPLICATED`, paid[1]!)]
      : []),
    ...(settled && paid.length > 0 && !Number.isInteger(times)
      ? [place(`${name}_AMOUNT_MISMATCH`, paid[0]!)]
      : []),
    ...(settled && fees > 0 && charged.length === 0 ? ['FEE_MISSING'] : []),
    ...(settled && charged.length > 0 && sum(fee) !== fees
      ? [place('FEE_AMOUNT_MISMATCH', charged[0]!)]
      : []),
    ...(!settled && charged.length > 0 ? [place('FEE_WITHOUT_SUCCESS', charged[0]!)] : []),
    ...lookAtReversal(books, operation, own),
    ...(isCashin ? [] : lookAtHold(books, operation, own)),
  ];
}

function lookAtReversal(
  { policy }: Books,
  operation: ServedOperation,
  own: readonly ServedEntry[],
): (string | Seen)[] {
  const undoing = own.filter((line) => line.kind.startsWith('REVERSAL'));
  const reversed = operation.status === 'REVERSED';
  if (undoing.length === 0) return reversed ? ['REVERSAL_MISSING'] : [];
  if (!reversed) return [place('REVERSAL_UNANNOUNCED', undoing[0]!)];
  const direction = operation.type === 'CASHIN' ? 'DEBIT' : 'CREDIT';
  if (undoing[0]!.direction !== direction) return [place('REVERSAL_WRONG_DIRECTION', undoing[0]!)];
  const undone = own.find((line) => ['CASHIN_CREDIT', 'CASHOUT_DEBIT'].includes(line.kind));
  if (undone !== undefined && undone.sequence > undoing[0]!.sequence)
    return [place('REVERSAL_BEFORE_ORIGINAL', undoing[0]!)];
  const moved = undoing.reduce(
    (sum, line) => sum + (line.direction === direction ? line.amount : -line.amount),
    0,
  );
  const wanted = policy.reversal === 'PRINCIPAL' ? operation.amount : operation.netAmount;
  const count =
    policy.reversal === 'LINES' &&
    operation.fees > 0 &&
    (direction === 'CREDIT' || policy.cashinCredit !== 'NET')
      ? 2
      : 1;
  if (moved === wanted) return [];
  const line = undoing[count] ?? undoing[0]!;
  return [place(moved < wanted ? 'REVERSAL_INCOMPLETE' : 'REVERSAL_EXCESSIVE', line)];
}

function lookAtHold(
  { policy, asOf }: Books,
  operation: ServedOperation,
  own: readonly ServedEntry[],
): (string | Seen)[] {
  const of = (kind: string) => own.filter((line) => line.kind === kind);
  const sum = (kind: string) => of(kind).reduce((total, line) => total + line.amount, 0);
  const wanted = policy.holdAmount === 'NET' ? operation.netAmount : operation.amount;
  const [held, released, debited] = [
    of('CASHOUT_HOLD'),
    of('CASHOUT_RELEASE'),
    of('CASHOUT_DEBIT'),
  ];
  const lapsed = ['FAILED', 'EXPIRED', 'CANCELLED'].includes(operation.status);
  const overdue = !FINAL.includes(operation.status) && asOf > Date.parse(operation.expiresAt!);
  const used = policy.holdSettlement.startsWith('RELEASE')
    ? 0
    : policy.holdSettlement === 'DEBIT_ALL' && debited.length > 0
      ? sum('CASHOUT_HOLD')
      : sum('CASHOUT_DEBIT') + (policy.holdSettlement === 'DEBIT_AND_FEE' ? sum('CASHOUT_FEE') : 0);
  const left = sum('CASHOUT_HOLD') - sum('CASHOUT_RELEASE') - used;
  return [
    ...(held.length === 0 && operation.status !== 'CREATED' ? ['HOLD_MISSING'] : []),
    ...(held.length === 1 && held[0]!.amount !== wanted
      ? [place('HOLD_AMOUNT_MISMATCH', held[0]!)]
      : []),
    ...(held.length > 1 ? [place('HOLD_DUPLICATED', held[1]!)] : []),
    ...(FINAL.includes(operation.status) && left > 0 ? ['HOLD_NOT_RELEASED'] : []),
    ...(overdue && left > 0 ? ['HOLD_PAST_EXPIRY'] : []),
    ...(held.length === 0 && released.length > 0
      ? [place('RELEASE_WITHOUT_HOLD', released[0]!)]
      : []),
    ...(held.length > 0 && sum('CASHOUT_RELEASE') > sum('CASHOUT_HOLD')
      ? [place('RELEASE_EXCEEDS_HOLD', released.at(-1)!)]
      : debited.length === 1 && !lapsed && used > 0 && left < 0 && released.length > 0
        ? [place('RELEASE_EXCEEDS_HOLD', released[0]!)]
        : []),
    ...(held.length === 0 && debited.length > 0 && !lapsed
      ? [place('DEBIT_WITHOUT_HOLD', debited[0]!)]
      : []),
  ];
}
