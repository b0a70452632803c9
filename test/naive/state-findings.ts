// Sections C and D of the catalogue: what an operation says of itself against time and the profile,
// and the wallet against the head of its ledger.

import { FAILURE_CODES, type Operation } from '../../src/core/domain/operation.ts';
import {
  CLOCKS_DIFFER,
  isFinal,
  MINUTE,
  type NaiveBooks,
  type NaiveFinding,
} from './naive-books.ts';
import type { Replayed } from './naive-replay.ts';

export const STATE_KINDS = [
  'OPERATION_OVERDUE',
  'EXPIRY_WINDOW_WRONG',
  'COMPLETION_TIME_INCONSISTENT',
  'FAILURE_DETAIL_INCONSISTENT',
  'PAYER_ACTION_INCONSISTENT',
  'AMOUNT_OUT_OF_BOUNDS',
  'COUNTRY_NOT_ALLOWED',
  'WALLET_IDENTITY_BROKEN',
  'WALLET_BALANCE_MISMATCH',
  'WALLET_RESERVED_MISMATCH',
  'OPEN_HOLDS_MISMATCH',
] as const;

export function stateFindings(books: NaiveBooks): readonly NaiveFinding[] {
  const found: NaiveFinding[] = [];
  for (const operation of books.operations) {
    for (const kind of wrongStates(operation, books)) {
      found.push({ kind, sequence: null, operationReference: operation.reference });
    }
  }
  return found;
}

const COUNTRIES = ['CI', 'BF', 'ML', 'SN', 'TG', 'BJ', 'NE', 'CM', 'GN'];
const CODES: readonly string[] = FAILURE_CODES;

function wrongStates(operation: Operation, { profile, asOf }: NaiveBooks): readonly string[] {
  const kinds: string[] = [];
  const {
    type,
    status,
    amount,
    failureCode,
    createdAt,
    completedAt,
    expiresAt,
    payerActionUrl,
    requiresPayerAction,
  } = operation;
  if (!isFinal(operation) && expiresAt !== null && asOf > expiresAt)
    kinds.push('OPERATION_OVERDUE');
  const window = type === 'CASHIN' ? 30 * MINUTE : 360 * MINUTE;
  if (expiresAt !== null && Math.abs(expiresAt - createdAt - window) > MINUTE)
    kinds.push('EXPIRY_WINDOW_WRONG');
  if ((completedAt !== null) !== isFinal(operation) || isOutOfTime(operation)) {
    kinds.push('COMPLETION_TIME_INCONSISTENT');
  }
  const waits = status === 'AWAITING_PAYER';
  const isOfCashin = type === 'CASHOUT' && (waits || payerActionUrl !== null);
  const isUnsaid = waits && (payerActionUrl === null || !requiresPayerAction);
  const isOver = requiresPayerAction && (payerActionUrl === null || isFinal(operation));
  if (isOfCashin || isUnsaid || isOver) kinds.push('PAYER_ACTION_INCONSISTENT');
  if (
    (failureCode !== null) !== (status === 'FAILED') ||
    (failureCode !== null && !CODES.includes(failureCode))
  ) {
    kinds.push('FAILURE_DETAIL_INCONSISTENT');
  }
  const { limits } = profile;
  const [least, most] =
    type === 'CASHIN'
      ? [limits.minCashinAmount, limits.maxCashinAmount]
      : [limits.minCashoutAmount, limits.maxCashoutAmount];
  if (amount < least || amount > most) kinds.push('AMOUNT_OUT_OF_BOUNDS');
  // An account that lists none allows the nine; what it lists it allows, whatever the document
  // names.
  const allowed = profile.allowedCountries.length > 0 ? profile.allowedCountries : COUNTRIES;
  if (!allowed.includes(operation.country)) kinds.push('COUNTRY_NOT_ALLOWED');
  return kinds;
}

/**
 * It was over before it began, expired before its time, or succeeded more than an hour after it.
 */
function isOutOfTime({ status, createdAt, completedAt, expiresAt }: Operation): boolean {
  if (completedAt === null) return false;
  if (completedAt < createdAt - CLOCKS_DIFFER) return true;
  if (expiresAt === null) return false;
  if (status === 'EXPIRED') return completedAt < expiresAt - CLOCKS_DIFFER;
  return status === 'SUCCEEDED' && completedAt > expiresAt + 60 * MINUTE + CLOCKS_DIFFER;
}

export function walletFindings(
  { wallet }: NaiveBooks,
  { steps, held }: Replayed,
): readonly NaiveFinding[] {
  const head = steps.at(-1)?.line;
  const kinds: string[] = [];
  if (wallet.available !== wallet.balance - wallet.reserved) kinds.push('WALLET_IDENTITY_BROKEN');
  if (wallet.balance !== (head?.balanceAfter ?? 0)) kinds.push('WALLET_BALANCE_MISMATCH');
  if (wallet.reserved !== (head?.reservedAfter ?? 0)) kinds.push('WALLET_RESERVED_MISMATCH');
  const open = [...held.values()].reduce((sum, one) => sum + one, 0) + heldForNobody(steps);
  if ((head?.reservedAfter ?? 0) !== open) kinds.push('OPEN_HOLDS_MISMATCH');
  return kinds.map((kind) => ({ kind, sequence: null, operationReference: null }));
}

/** A hold whose line names no operation is open all the same. */
function heldForNobody(steps: Replayed['steps']): number {
  return steps
    .filter(({ line }) => line.operationReference === null)
    .reduce((sum, { move }) => sum + move, 0);
}
