// Compares what operations were charged with every price that the profile is known to have had.

import { interpretationsIn } from '../../domain/assumptions.ts';
import { sharesOf } from '../../domain/decimal.ts';
import type { Price } from '../../domain/merchant.ts';
import { OPERATION_TYPES, type Operation, type OperationType } from '../../domain/operation.ts';
import { plus, sumOf } from '../exact.ts';
import type { MonthSettings } from '../month-settings.ts';
import type {
  CommissionDifference,
  CommissionRow,
  CommissionSection,
} from '../section-commissions.ts';

type MutableRow = { -readonly [K in keyof CommissionRow]: CommissionRow[K] };

export interface CommissionSums {
  /**
   * The rows of each type, one for each price, in the order in which prices became known; the last
   * is the newest.
   */
  readonly rows: Readonly<Record<OperationType, readonly MutableRow[]>>;
  /** Bit i is set when rounding i of the `feeRounding` interpretations stood. */
  readonly roundings: number;
  readonly differences: CommissionDifference[];
  differenceCount: number;
}

const DIFFERENCES_KEPT = 200;

export function beginCommissions({ profiles, standing }: MonthSettings): CommissionSums {
  const rowsOf = (type: OperationType): readonly MutableRow[] => {
    const prices = profiles.map(({ pricing }) =>
      type === 'CASHIN' ? pricing.cashin : pricing.cashout,
    );
    const distinct = prices.filter(
      (price, i) =>
        prices.findLastIndex(({ bps, flat }) => bps === price.bps && flat === price.flat) === i,
    );
    return (distinct.length === 0 ? [null] : distinct).map((price) => emptyRow(type, price));
  };
  return {
    rows: { CASHIN: rowsOf('CASHIN'), CASHOUT: rowsOf('CASHOUT') },
    roundings: standing.feeRounding,
    differences: [],
    differenceCount: 0,
  };
}

function emptyRow(type: OperationType, price: Price | null): MutableRow {
  const sums = { count: 0, base: 0, charged: 0, recomputed: 0, difference: 0, differenceCount: 0 };
  return { type, price: price === null ? null : { bps: price.bps, flat: price.flat }, ...sums };
}

/** Adds an operation that succeeded in the month. */
export function chargeOperation(sums: CommissionSums, operation: Operation): void {
  const { amount, fees, type } = operation;
  const rows = sums.rows[type];
  const fitting = rows.findLast(
    (row) => row.price === null || feesOf(amount, row.price, sums).includes(fees),
  );
  const row = fitting ?? rows.at(-1)!;
  const recomputed = fitting !== undefined ? fees : feesOf(amount, row.price!, sums)[0]!;
  row.count += 1;
  row.base = plus(row.base, amount);
  row.charged = plus(row.charged, fees);
  row.recomputed = plus(row.recomputed, recomputed);
  row.difference = plus(row.charged, -row.recomputed);
  if (fitting !== undefined) return;
  row.differenceCount += 1;
  sums.differenceCount += 1;
  if (sums.differences.length >= DIFFERENCES_KEPT) return;
  const difference = plus(fees, -recomputed);
  sums.differences.push({
    operationReference: operation.reference,
    type,
    amount,
    charged: fees,
    recomputed,
    difference,
  });
}

/** Returns the fee of an amount under each rounding that stood, in their order. */
function feesOf(amount: number, price: Price, { roundings }: CommissionSums): readonly number[] {
  const shares = sharesOf(amount, price.bps).filter((_, i) => (roundings & (1 << i)) !== 0);
  return shares.map((share) => plus(share, price.flat));
}

/**
 * Returns the section. Prices without an operation are left out, except the newest of each type.
 */
export function commissionSection(
  sums: CommissionSums,
  posted: CommissionSection['posted'],
): CommissionSection {
  const rows = OPERATION_TYPES.flatMap((type) =>
    sums.rows[type].filter((row, i, all) => row.count > 0 || i === all.length - 1),
  );
  const total = (pick: (row: CommissionRow) => number): number => sumOf(rows, pick);
  return {
    rows,
    total: {
      count: total((row) => row.count),
      base: total((row) => row.base),
      charged: total((row) => row.charged),
      recomputed: total((row) => row.recomputed),
      difference: total((row) => row.difference),
    },
    posted,
    roundings: interpretationsIn('feeRounding', sums.roundings),
    differences: sums.differences,
    differenceCount: sums.differenceCount,
  };
}
