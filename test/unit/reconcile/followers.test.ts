// A drift takes no followers that it did not cause. Beside each fault of the same line or the same
// operation that moves no money, the drift is one root and the fault another, and each puts off
// what it does when it is alone.

import { describe, expect, test } from 'vitest';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';

/**
 * What stands in the rows of a cash-in or a cash-out, or of the profile, in place of what is right.
 */
interface Fault {
  readonly kind: string;
  /** The type that has the fault; absent: either type. */
  readonly on?: 'CI' | 'CO';
  readonly line?: string;
  readonly operation?: string;
  readonly profile?: string;
}

const OTHERS: readonly Fault[] = [
  { kind: 'ENTRY_TIME_IMPOSSIBLE', line: 'at=2025-01-01T00:00:00Z' },
  {
    kind: 'ENTRY_TIME_IMPOSSIBLE',
    line: 'at=2024-01-01T00:00:00Z',
    profile: 'createdAt=2024-06-01T00:00:00Z',
  },
  { kind: 'ENTRY_TIME_IMPOSSIBLE', line: 'at=+40d' },
  { kind: 'ENTRY_BEFORE_OPERATION', operation: 'createdAt=+3h expiresAt=+3h completedAt=+4h' },
  { kind: 'EXPIRY_WINDOW_WRONG', operation: 'expiresAt=+20h' },
  { kind: 'COMPLETION_TIME_INCONSISTENT', operation: 'completedAt=+15d' },
  { kind: 'FAILURE_DETAIL_INCONSISTENT', operation: 'failureCode=OPERATOR_TIMEOUT' },
  { kind: 'PAYER_ACTION_INCONSISTENT', on: 'CO', operation: 'payerActionUrl=https://pay' },
  { kind: 'NET_AMOUNT_INCONSISTENT', operation: 'netAmount=77' },
  { kind: 'COUNTRY_CURRENCY_MISMATCH', operation: 'country=CM' },
  { kind: 'COUNTRY_NOT_ALLOWED', operation: 'country=ZZ' },
  { kind: 'AMOUNT_OUT_OF_BOUNDS', profile: 'minCashinAmount=50000 minCashoutAmount=50000' },
];

const DRIFTS = ['balance', 'reserved'] as const;

/**
 * The first line that drifts, by type of operation. For a cash-out's balance it is the line that
 * takes the money.
 */
const DRIFTS_FROM = { CI: { balance: 2, reserved: 2 }, CO: { balance: 4, reserved: 3 } } as const;

/** Returns a cash-in and a cash-out, of which one has the fault and the drift. */
function rowsOf(
  type: 'CI' | 'CO',
  {
    drift,
    fault,
  }: { readonly drift: (typeof DRIFTS)[number] | null; readonly fault: Fault | null },
): string {
  const faultOf = (what: 'line' | 'operation', reference: string): string =>
    (reference.startsWith(type) ? fault?.[what] : null) ?? '';
  const drifted = (figure: (typeof DRIFTS)[number], n: number): number =>
    figure === drift && n >= DRIFTS_FROM[type][figure] ? 7 : 0;
  const figures = (n: number, balance: number, reserved: number): string =>
    `${balance + drifted('balance', n)}/${reserved + drifted('reserved', n)}`;
  return [
    `profile ${fault?.profile ?? ''}`,
    `line 1 ADJUSTMENT_CREDIT 100000 ${figures(1, 100_000, 0)} - description=opening at=+1m`,
    `line 2 CASHIN_CREDIT 10000 ${figures(2, 110_000, 0)} CI-2 ${faultOf('line', 'CI-2') || 'at=+2m'}`,
    `line 3 CASHOUT_HOLD 5000 ${figures(3, 110_000, 5_000)} CO-3 ${faultOf('line', 'CO-3') || 'at=+3m'}`,
    `line 4 CASHOUT_DEBIT 5000 ${figures(4, 105_000, 0)} CO-3 at=+4m`,
    `op CI-2 SUCCEEDED 10000 createdAt=+1m completedAt=+2m ${faultOf('operation', 'CI-2')}`,
    `op CO-3 SUCCEEDED 5000 createdAt=+2m completedAt=+4m ${faultOf('operation', 'CO-3')}`,
    `wallet ${figures(4, 105_000, 0)} updatedAt=+4m`,
  ].join('\n');
}

const rootsOf = (text: string): readonly string[] =>
  reconcileSample(text)
    .findings.filter(({ causedBy }) => causedBy === null)
    .map(({ kind, item }) => `${kind} ${item!.balance}/${item!.reserved}`)
    .sort();

describe.each(DRIFTS)('a drift of the %s', (drift) => {
  test.each(
    OTHERS.flatMap(({ on, ...fault }) =>
      (['CI', 'CO'] as const).flatMap((type) =>
        on !== undefined && on !== type ? [] : [{ type, ...fault }],
      ),
    ),
  )('beside $kind of $type ($line $operation $profile)', ({ type, ...fault }) => {
    const faultAlone = rootsOf(rowsOf(type, { drift: null, fault }));
    expect(faultAlone.map((one) => one.split(' ')[0])).toContain(fault.kind);
    const driftAlone = rootsOf(rowsOf(type, { drift, fault: null }));
    expect(driftAlone).toHaveLength(1);
    expect(rootsOf(rowsOf(type, { drift, fault }))).toEqual([...faultAlone, ...driftAlone].sort());
  });
});
