// Makes the accounting entry of a ledger line (docs/GLOSSARY.md). Every entry balances in itself, and its wallet row
// is the line's effect: so the wallet's account always equals the wallet.

import type { Amount } from '../domain/amount.ts';
import { invariant } from '../domain/invariant.ts';
import type { LedgerEntry } from '../domain/ledger-entry.ts';
import { type OperationType, typeOfReference } from '../domain/operation.ts';
import { plus, sumOf } from './exact.ts';
import {
  ACCOUNT_ROLES,
  type AccountRole,
  type AccountTotals,
  type JournalEntry,
  type JournalRow,
  type JournalSection,
  type JournalSettings,
} from './journal.ts';

/** What an entry needs to know of its line's operation. */
export interface EntryOperation {
  readonly type: OperationType;
  readonly amount: Amount;
  readonly fees: Amount;
}

export interface EntryPlace {
  /** Rank of the entry in the month: 1, 2, 3 … */
  readonly rank: number;
  /** `YYYY-MM`. */
  readonly period: string;
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** The service posts collections net of their commission. */
  readonly creditsAreNet: boolean;
}

/** Signed amounts against accounts: positive is a debit. Without the wallet's own, which takes what is left. */
type Against = readonly (readonly [AccountRole, Amount])[];

/** `effect` is not 0. */
export function entryOf(
  line: { readonly entry: LedgerEntry; readonly effect: Amount; readonly operation: EntryOperation | null },
  place: EntryPlace,
  settings: JournalSettings,
): JournalEntry {
  const { entry, effect } = line;
  const against = withTax(againstOf(line, place.creditsAreNet), settings);
  invariant(sumOf(against, ([, amount]) => amount) === -effect, 'an accounting entry balances');
  const wallet = [['wallet', effect]] as const;
  const signed = [...wallet, ...against].filter(([, amount]) => amount !== 0);
  const rows = signed.map(([role, amount]) => rowOf(role, amount, settings));
  return {
    number: `${settings.code}-${place.period}-${String(place.rank).padStart(6, '0')}`,
    date: place.day,
    piece: entry.operationReference ?? `LINE-${entry.sequence}`,
    // Debits first, as a journal is read.
    rows: [...rows.filter((row) => row.debit > 0), ...rows.filter((row) => row.credit > 0)],
  };
}

function againstOf(line: Parameters<typeof entryOf>[0], creditsAreNet: boolean): Against {
  const { entry, effect, operation } = line;
  switch (entry.kind) {
    case 'CASHIN_CREDIT':
      if (effect <= 0) return inSuspense(effect);
      // Posted net of its fee: what the customer paid and what the service kept are both stated.
      if (creditsAreNet && operation !== null && operation.fees > 0 && effect === operation.amount - operation.fees) {
        return [
          ['customers', -operation.amount],
          ['fees', operation.fees],
        ];
      }
      return [['customers', -effect]];
    case 'CASHIN_FEE':
    case 'CASHOUT_FEE':
      return effect < 0 ? [['fees', -effect]] : inSuspense(effect);
    case 'CASHOUT_DEBIT':
      return effect < 0 ? [['suppliers', -effect]] : inSuspense(effect);
    case 'REVERSAL_CREDIT':
    case 'REVERSAL_DEBIT':
      return againstReversal(entry, effect, operation);
    default:
      return inSuspense(effect);
  }
}

/** The inverse of what is undone: the principal, the fee, or both in one line. */
function againstReversal(entry: LedgerEntry, effect: Amount, operation: EntryOperation | null): Against {
  const type = operation?.type ?? typeOfReference(entry.operationReference ?? '');
  if (type === null) return inSuspense(effect);
  const principal = type === 'CASHIN' ? 'customers' : 'suppliers';
  const undone = type === 'CASHIN' ? -1 : 1;
  const { amount, fees } = operation ?? { amount: 0, fees: 0 };
  if (operation === null || effect === undone * amount) return [[principal, -effect]];
  if (effect === fees) return [['fees', -fees]];
  const net = type === 'CASHIN' ? fees - amount : amount + fees;
  if (fees > 0 && effect === net) {
    return [
      [principal, -undone * amount],
      ['fees', -fees],
    ];
  }
  return Math.sign(effect) === undone ? [[principal, -effect]] : inSuspense(effect);
}

/** Until somebody explains it. */
function inSuspense(effect: Amount): Against {
  return effect > 0 ? [['suspenseCredit', -effect]] : [['suspenseDebit', -effect]];
}

/** The tax that a commission contains is stated by itself, rounded half up. */
function withTax(against: Against, { feeTaxBps }: JournalSettings): Against {
  if (feeTaxBps === 0) return against;
  return against.flatMap(([role, amount]): Against => {
    if (role !== 'fees') return [[role, amount]];
    const rate = BigInt(feeTaxBps);
    const whole = BigInt(Math.abs(amount));
    const tax = Math.sign(amount) * Number((2n * whole * rate + 10_000n + rate) / (2n * (10_000n + rate)));
    return [
      ['fees', amount - tax],
      ['feeTax', tax],
    ];
  });
}

function rowOf(role: AccountRole, amount: Amount, { accounts }: JournalSettings): JournalRow {
  const { number, label } = accounts[role];
  const [debit, credit] = amount > 0 ? [amount, 0] : [0, -amount];
  return { role, account: number, accountLabel: label, debit, credit };
}

export interface JournalSums {
  readonly settings: JournalSettings;
  readonly byRole: Map<AccountRole, { debit: Amount; credit: Amount }>;
  count: number;
  first: string | null;
  last: string | null;
}

export function beginJournal(settings: JournalSettings): JournalSums {
  return { settings, byRole: new Map([['wallet', { debit: 0, credit: 0 }]]), count: 0, first: null, last: null };
}

export function addEntry(sums: JournalSums, { number, rows }: JournalEntry): void {
  sums.count += 1;
  sums.first ??= number;
  sums.last = number;
  for (const { role, debit, credit } of rows) {
    const known = sums.byRole.get(role) ?? { debit: 0, credit: 0 };
    known.debit = plus(known.debit, debit);
    known.credit = plus(known.credit, credit);
    sums.byRole.set(role, known);
  }
}

/** `wallet`: balances at the month's two ends. */
export function journalSection(
  sums: JournalSums,
  wallet: { readonly opening: Amount; readonly closing: Amount },
): JournalSection {
  const { settings } = sums;
  const accounts = ACCOUNT_ROLES.flatMap((role): AccountTotals[] => {
    const total = sums.byRole.get(role);
    if (total === undefined) return [];
    const { number, label } = settings.accounts[role];
    return [{ role, account: number, label, ...total, balance: plus(total.debit, -total.credit) }];
  });
  const debit = sumOf(accounts, (account) => account.debit);
  const credit = sumOf(accounts, (account) => account.credit);
  const own = sums.byRole.get('wallet')!;
  const closing = plus(wallet.opening, plus(own.debit, -own.credit));
  invariant(debit === credit, 'a journal balances');
  invariant(closing === wallet.closing, "the wallet's account equals the wallet at the month's end");
  return {
    code: settings.code,
    label: settings.label,
    entryCount: sums.count,
    firstNumber: sums.first,
    lastNumber: sums.last,
    accounts: accounts.sort((a, b) => (a.account === b.account ? 0 : a.account < b.account ? -1 : 1)),
    debit,
    credit,
    wallet: {
      account: settings.accounts.wallet.number,
      opening: wallet.opening,
      debit: own.debit,
      credit: own.credit,
      closing,
      difference: 0,
      isInCredit: closing < 0,
    },
  };
}
