// The table of the first page. It leads from the balance recorded when the period began, over the
// movements, to the balance recorded at its end, and over the items in suspense to the balance due.
// Each figure is the statement's, and rows without a figure are left out.

import type { Amount } from '../../domain/amount.ts';
import { formatPeriod, parsePeriod, periodBefore } from '../../domain/period.ts';
import { plus, safe, sumOf } from '../exact.ts';
import type { SuspenseItem } from '../section-reconciliation.ts';
import { hasOperations, type Statement } from '../statement.ts';
import type { ComparedPeriod, PeriodFigures } from '../summary.ts';
import { type Column, field, type Table, type Tone } from './table.ts';

/** Kinds of movement, each with the sign of its effect on the balance. */
export const MOVEMENTS = [
  ['collected', 1],
  ['fees', -1],
  ['disbursed', -1],
  ['reversals', 1],
  ['adjustments', 1],
  ['otherMovements', 1],
  ['ahead', 1],
  ['gap', 1],
] as const satisfies readonly (readonly [keyof PeriodFigures, 1 | -1])[];

type RowKind =
  | 'opening'
  | 'openingSince'
  | 'openingGap'
  | (typeof MOVEMENTS)[number][0]
  | 'recorded'
  | 'item'
  | 'suspense'
  | 'due';

export interface BridgeRow {
  /** Name of the row in formulas: `item1` is the first item. */
  readonly key: string;
  readonly of: RowKind;
  /** Number of lines; `null` where no line, or no whole number of lines, is behind the figure. */
  readonly count: number | null;
  /** Effect on the balance, or the balance; `null` for a remark, which adds nothing. */
  readonly amount: Amount | null;
  /**
   * Amounts of the compared periods, in their order; `null` where one is not known, or the row is
   * of this period only.
   */
  readonly compared: readonly (Amount | null)[];
  readonly item?: SuspenseItem;
  readonly tone: Tone;
  readonly formula?: string;
}

/** Returns what the first page shows of a period, and what later periods are compared with. */
export function periodFigures({
  summary,
  journal,
  operators,
  commissions,
}: Statement): PeriodFigures {
  const {
    collected,
    disbursed,
    fees,
    reversals,
    adjustments,
    otherMovements,
    paymentCount,
    totalAmount,
  } = summary;
  const { opening } = journal.wallet;
  const entries = journal.others
    .filter(({ source }) => source === 'ahead')
    .flatMap(({ rows }) => rows);
  const ahead = sumOf(entries, ({ role, debit, credit }) =>
    role === 'wallet' ? debit - credit : 0,
  );
  const { balance: recorded } = summary.recorded;
  const ofLines = plus(summary.closingBalance, -summary.openingBalance);
  const gap = plus(plus(recorded, -opening), -plus(ofLines, ahead));
  const moved = { collected, fees, disbursed, reversals, adjustments, otherMovements, ahead, gap };
  const due = summary.due?.balance ?? null;
  const rate = shareOf(commissions.total.charged, commissions.total.base, 10_000);
  const { percent: success } = operators.total.success;
  return { opening, ...moved, recorded, due, paymentCount, totalAmount, success, rate };
}

/** Most items with a row of their own; the others share one row. */
const MOST_ITEMS = 5;

/**
 * Returns the rows. In each column opening + movements = recorded, and recorded + items = due. The
 * last row is `recorded` when the recorded balance is the one due, or when it is not known what is
 * due.
 */
export function bridgeOf(statement: Statement): readonly BridgeRow[] {
  const own = periodFigures(statement);
  const others = (statement.circumstances.comparatives ?? []).map(({ figures }) => figures);
  const row = (
    of: RowKind,
    pick: (figures: PeriodFigures) => Amount | null,
    more: Partial<BridgeRow> = {},
  ): BridgeRow => {
    return {
      key: of,
      of,
      count: null,
      amount: pick(own),
      compared: others.map(pick),
      tone: 'plain',
      ...more,
    };
  };
  const counts = countsOf(statement);
  const isThere = ({ count, amount, compared }: BridgeRow) =>
    [count, amount, ...compared].some((one) => (one ?? 0) !== 0);
  const isSince = (periodIssuedBefore(statement)?.figures.recorded ?? own.opening) !== own.opening;
  const movements = [
    ...(isSince ? [row('openingSince', () => null, { tone: 'muted' })] : []),
    ...(own.opening === statement.summary.openingBalance
      ? []
      : [row('openingGap', () => null, { tone: 'muted' })]),
    ...MOVEMENTS.map(([of, sign]) =>
      row(of, (one) => 0 + sign * one[of], { count: counts[of] ?? null }),
    ).filter(isThere),
  ];
  const open = statement.due.items.filter(
    ({ state, balance }) => state !== 'settled' && balance !== 0,
  );
  const rest = { rows: open.slice(MOST_ITEMS), ...statement.due.others };
  const beyond = sumOf(rest.rows, ({ balance }) => balance);
  const between = ({ due, recorded }: PeriodFigures) =>
    due === null ? null : plus(due, -recorded);
  const suspense = [
    ...open.slice(0, MOST_ITEMS).map((item, i) => {
      return row('item', () => null, { key: `item${i + 1}`, amount: 0 - item.balance, item });
    }),
    row('suspense', between, {
      amount: 0 - plus(beyond, rest.balance),
      count: rest.rows.length + rest.count,
    }),
  ].filter(isThere);
  const end = own.due === null ? undefined : suspense.at(-1)?.key;
  return [
    row('opening', ({ opening }) => opening, { tone: 'strong' }),
    ...movements,
    row('recorded', ({ recorded }) => recorded, {
      tone: 'strong',
      formula: `SUM(opening:${movements.at(-1)?.key ?? 'opening'})`,
    }),
    ...(end === undefined
      ? []
      : [
          ...suspense,
          row('due', ({ due }) => due, { tone: 'strong', formula: `SUM(recorded:${end})` }),
        ]),
  ];
}

/**
 * Returns the period that ended where this one begins, as it was last issued. Its closing is this
 * period's opening, unless lines came since.
 */
export function periodIssuedBefore({
  period,
  circumstances,
}: Statement): ComparedPeriod | undefined {
  const month = parsePeriod(period.period);
  const before =
    month === null ? String(Number(period.period) - 1) : formatPeriod(periodBefore(month));
  return circumstances.comparatives?.find((one) => one.period === before);
}

function countsOf({
  movements,
  operators,
  summary,
}: Statement): Partial<Record<RowKind, number | null>> {
  const count = (start: string) =>
    sumOf(movements, (row) => (row.kind.startsWith(start) ? row.count : 0));
  const ofFees = movements.filter(({ kind }) => kind.endsWith('_FEE'));
  // A collection that is posted net has no line for its commission.
  const isPosted = sumOf(ofFees, ({ amount }) => amount) === summary.fees;
  return {
    collected: operators.total.countIn,
    fees: isPosted ? sumOf(ofFees, (row) => row.count) : null,
    disbursed: operators.total.countOut,
    reversals: count('REVERSAL_'),
    adjustments: count('ADJUSTMENT_'),
  };
}

/**
 * Returns the measures that an auditor compares first, of this period and then of each compared
 * period: the number of collections, their mean amount (`basket`), the success rate, and the rate
 * of commissions. A measure is `null` when it is not known, or would be divided by 0. Returns no
 * rows where operations were not read.
 */
export function measuresOf(statement: Statement) {
  const own = { period: statement.period.period, figures: periodFigures(statement) };
  const all = hasOperations(statement)
    ? [own, ...(statement.circumstances.comparatives ?? [])]
    : [];
  return all.map(
    ({ period, figures: { paymentCount: count, totalAmount, success, rate = null } }) => {
      return { period, count, basket: shareOf(totalAmount, count), success, rate };
    },
  );
}

export const MEASURES = {
  columns: [
    field('name', 'text', { width: 28, lines: 2 }),
    field('count', 'count', { width: 18 }),
    field('basket', 'amount', { width: 18, missing: 'none' }),
    field('success', 'percent', { width: 18, missing: 'none' }),
    field('rate', 'rate', { width: 24, missing: 'none' }),
  ],
} as const satisfies Table<
  Partial<ReturnType<typeof measuresOf>[number]> & { readonly name?: string }
>;

/** Returns part × times / whole, rounded half up; `null` when there is no whole. */
function shareOf(part: Amount, whole: Amount, times = 1): number | null {
  if (whole <= 0 || part < 0) return null;
  return safe((2n * BigInt(part) * BigInt(times) + BigInt(whole)) / (2n * BigInt(whole)));
}

/** A row with its name in a language. */
export interface NamedRow extends Partial<BridgeRow> {
  readonly name: string;
  readonly compared: BridgeRow['compared'];
}

/** Makes the table. `compared` is how many periods have a column, at most two. */
export function bridgeTable(compared: number): Table<NamedRow> {
  const others = ['before', 'yearBefore'].slice(0, compared);
  const columnOf = (key: string, i: number): Column<NamedRow> => {
    return { key, form: 'figure', width: 20, pick: (row) => row.compared[i] };
  };
  return {
    columns: [
      field('name', 'text', { width: 65, lines: 3 }),
      field('count', 'count', { width: 11 }),
      field('amount', 'figure', { width: 24 }),
      ...others.map(columnOf),
    ],
    toneOf: ({ tone = 'plain' }) => tone,
    keyOf: ({ key = '' }) => key,
    formulaOf: ({ formula }) => formula,
  };
}
