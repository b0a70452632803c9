// What a figure of a report's summary counts. The document shows no names ("total amount, number of payments, breakdown
// per operator and similar"), so there is a closed list of them in English and French; any other name is not interpreted.

import type { PaymentStatus } from '../../domain/payment.ts';

export type Measure = 'amount' | 'count';

export interface Meaning {
  /** Both, where a name does not say which: bare numbers of a breakdown, `total`, `volume`. */
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

/** Totals in money or in payments, whichever fits. */
const EITHER_NAMES = ['total', 'volume'];

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
  const measures = rest.length === 1 ? measuresNamed(plain(rest[0]!)) : [];
  return status === null || measures.length === 0 ? null : { ...ALL, status, measures };
}

/** What an object or a list breaks down by, by its own name; null: it is no breakdown. */
export function breakdownAt(path: readonly string[]): Breakdown | null {
  const [first, ...rest] = path;
  if (first === undefined) return null;
  const name = plain(first);
  if (rest.length === 0) return breakdownOf(name)?.kind ?? null;
  return WRAPPERS.includes(name) ? breakdownAt(rest) : null;
}

/** Lists under such a name (`payments`) are no figure that is written badly. */
export function isWrapper(path: readonly string[]): boolean {
  return path.length === 0 || WRAPPERS.includes(plain(path.at(-1)!));
}

export interface MemberPlace {
  /** The breakdown, in parts. */
  readonly breakdown: readonly string[];
  /** In lower case; of a day its `YYYY-MM-DD`. */
  readonly member: string;
  /** What else the figure's name has; empty for a bare number. */
  readonly measure: readonly string[];
}

/** The breakdown that a figure belongs to, and its member; null for a figure of the whole. */
export function memberOf(path: readonly string[]): MemberPlace | null {
  const at = path.findIndex((_, i) => breakdownAt(path.slice(0, i + 1)) !== null);
  if (at < 0 || at + 1 >= path.length) return null;
  const breakdown = path.slice(0, at + 1);
  const named = path[at + 1]!;
  const member = breakdownAt(breakdown) === 'day' ? (dayNamed(named) ?? named) : named;
  return { breakdown, member, measure: path.slice(at + 2) };
}

/** The day that a text names: `YYYY-MM-DD`, alone or at the beginning of a date-time. Null: it is not written so. */
export function dayNamed(text: string): string | null {
  return /^(\d{4}-\d{2}-\d{2})(?!\d)/.exec(text)?.[1] ?? null;
}

function meaningOfTotal(name: string): Meaning | null {
  const measures = measuresNamed(name);
  if (measures.length > 0) return { ...ALL, measures };
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
  const bare: readonly Measure[] = measure === null ? ['count', 'amount'] : [measure];
  const measures = rest.length === 0 ? bare : measuresNamed(plain(rest[0]!));
  if (measures.length === 0) return null;
  if (kind !== 'status') return { ...ALL, measures, [kind]: member! };
  const status = statusNamed(plain(member!));
  return status === null ? null : { ...ALL, measures, status };
}

function breakdownOf(name: string): { readonly kind: Breakdown; readonly measure: Measure | null } | null {
  const parts = BREAKDOWN.exec(name);
  if (parts === null) return null;
  return { kind: BREAKDOWN_OF[parts[2]!]!, measure: parts[1] === undefined ? null : measureNamed(parts[1]) };
}

/** Empty for a name that is not known. */
function measuresNamed(name: string): readonly Measure[] {
  if (EITHER_NAMES.includes(name)) return ['amount', 'count'];
  const measure = measureNamed(name);
  return measure === null ? [] : [measure];
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
