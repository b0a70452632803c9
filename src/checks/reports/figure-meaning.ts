// What a figure of a report's summary counts. The document shows no names ("total amount, number of payments, breakdown
// per operator and similar"), so there is a closed list of them in English and French; any other name is not interpreted.

import type { PaymentStatus } from '../../domain/payment.ts';

export type Measure = 'amount' | 'count';

export interface Meaning {
  /** Both, where a breakdown gives bare numbers that may be either. */
  readonly measures: readonly Measure[];
  readonly status: PaymentStatus | null;
  /** In lower case. */
  readonly operator: string | null;
  readonly country: string | null;
  readonly day: string | null;
}

export type Breakdown = 'operator' | 'country' | 'status' | 'day';

const ALL: Meaning = { measures: [], status: null, operator: null, country: null, day: null };

const MEASURE_NAMES: Readonly<Record<Measure, readonly string[]>> = {
  amount:
    'amount totalamount total montant montanttotal totalmontant volume totalvolume amounttotal paymentsamount sum'.split(
      ' ',
    ),
  count:
    'count paymentcount paymentscount totalcount totalpayments numberofpayments payments number nombre nombrepaiements nombredepaiements nbpaiements transactioncount transactionscount'.split(
      ' ',
    ),
};

const STATUS_NAMES: Readonly<Record<PaymentStatus, readonly string[]>> = {
  SUCCESS: 'success succeeded successful reussi reussis'.split(' '),
  FAILED: 'failed failure echoue echoues'.split(' '),
  PENDING: 'pending enattente'.split(' '),
};

/** `byOperator`, `operators`, `amountByOperator`, `parOperateur`, `operatorBreakdown`, … */
const BREAKDOWN =
  /^(amount|count|montant|nombre)?(?:by|per|par)?(operator|operateur|country|countrie|pays|status|statuse|statut|day|jour)s?(?:breakdown)?$/;
const BREAKDOWN_OF: Readonly<Record<string, Breakdown>> = {
  operator: 'operator',
  operateur: 'operator',
  country: 'country',
  countrie: 'country',
  pays: 'country',
  status: 'status',
  statuse: 'status',
  statut: 'status',
  day: 'day',
  jour: 'day',
};

/** Objects that only hold figures together. */
const WRAPPERS = 'breakdown breakdowns totals figures keyfigures chiffres summary all payments paiements'.split(' ');

/** Null for a figure that this list does not know: it is then not compared, and said so. */
export function meaningOf(path: readonly string[]): Meaning | null {
  const [first, ...rest] = path;
  if (first === undefined) return null;
  const name = plain(first);
  if (rest.length > 0 && (WRAPPERS.includes(name) || (rest.length === 1 && name === 'total'))) return meaningOf(rest);
  const breakdown = breakdownOf(name);
  if (breakdown !== null && rest.length > 0) return meaningInBreakdown(breakdown, rest);
  if (rest.length === 0) return meaningOfTotal(name);
  const status = statusNamed(name);
  const measure = rest.length === 1 ? measureNamed(plain(rest[0]!)) : null;
  return status === null || measure === null ? null : { ...ALL, status, measures: [measure] };
}

/** The breakdown that a figure belongs to, and its member as the summary has it; null for a figure of the whole. */
export function memberOf(path: readonly string[]): { readonly group: string; readonly member: string } | null {
  const at = path.findIndex((part) => breakdownOf(plain(part)) !== null);
  if (at < 0 || at + 1 >= path.length) return null;
  return { group: JSON.stringify([...path.slice(0, at + 1), ...path.slice(at + 2)]), member: path[at + 1]! };
}

function meaningOfTotal(name: string): Meaning | null {
  const measure = measureNamed(name);
  if (measure !== null) return { ...ALL, measures: [measure] };
  // successCount, failedAmount, pendingPayments
  const parts = /^([a-z]+?)(count|amount|payments|montant|nombre)?$/.exec(name);
  const status = parts === null ? null : statusNamed(parts[1]!);
  if (status === null) return null;
  return { ...ALL, status, measures: [measureNamed(parts![2] ?? 'count')!] };
}

function meaningInBreakdown(
  { kind, measure }: { readonly kind: Breakdown; readonly measure: Measure | null },
  [member, ...rest]: readonly string[],
): Meaning | null {
  if (rest.length > 1) return null;
  const named = rest.length === 0 ? null : measureNamed(plain(rest[0]!));
  if (rest.length === 1 && named === null) return null;
  const measures: readonly Measure[] = named !== null ? [named] : measure !== null ? [measure] : ['count', 'amount'];
  if (kind !== 'status') return { ...ALL, measures, [kind]: member! };
  const status = statusNamed(plain(member!));
  return status === null ? null : { ...ALL, measures, status };
}

function breakdownOf(name: string): { readonly kind: Breakdown; readonly measure: Measure | null } | null {
  const parts = BREAKDOWN.exec(name);
  if (parts === null) return null;
  return { kind: BREAKDOWN_OF[parts[2]!]!, measure: parts[1] === undefined ? null : measureNamed(parts[1]) };
}

function measureNamed(name: string): Measure | null {
  if (MEASURE_NAMES.amount.includes(name)) return 'amount';
  return MEASURE_NAMES.count.includes(name) ? 'count' : null;
}

function statusNamed(name: string): PaymentStatus | null {
  for (const status of ['SUCCESS', 'FAILED', 'PENDING'] as const) {
    if (STATUS_NAMES[status].includes(name)) return status;
  }
  return null;
}

/** Letters and digits alone, in lower case, without accents. */
function plain(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}
