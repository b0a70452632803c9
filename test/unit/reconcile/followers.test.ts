// A drift takes no followers that it did not cause: beside each fault of the same line or the same operation that moves no money, it
// is one root and the other is another, with what each puts off when it is alone.

import { describe, expect, test } from 'vitest';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';

/** One of the operation's lines, or the operation itself, with another value; `of` CI-2 or CO-3. */
interface Fault {
  readonly kind: string;
  readonly on?: 'CI' | 'CO';
  readonly line?: string;
  readonly operation?: string;
  readonly profile?: string;
}

const OTHERS: readonly Fault[] = [
  { kind: 'ENTRY_TIME_IMPOSSIBLE', line: 'at=2025-01-01T00:00:00Z' },
  { kind: 'ENTRY_TIME_IMPOSSIBLE', line: 'at=2024-01-01T00:00:00Z', profile: 'createdAt=2024-06-01T00:00:00Z' },
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

function rowsOf(
  type: 'CI' | 'CO',
  { drift, fault }: { readonly drift: (typeof DRIFTS)[number] | null; readonly fault: Fault | null },
): string {
  const [balance, reserved] = [drift === 'balance' ? 7 : 0, drift === 'reserved' ? 7 : 0];
  const own = (reference: string): string => (reference.startsWith(type) ? (fault?.line ?? '') : '');
  const of = (reference: string): string => (reference.startsWith(type) ? (fault?.operation ?? '') : '');
  const at = (n: number): string => `at=+${n}m`;
  const line = (n: number, text: string, reference: string): string =>
    `line ${n} ${text} ${reference} ${own(reference) || at(n)}`;
  const [b, r] = type === 'CI' ? [balance, reserved] : [0, 0];
  return [
    `profile ${fault?.profile ?? ''}`,
    `line 1 ADJUSTMENT_CREDIT 100000 100000/0 - description=opening ${at(1)}`,
    line(2, `CASHIN_CREDIT 10000 ${110_000 + b}/${r}`, 'CI-2'),
    line(3, `CASHOUT_HOLD 5000 ${110_000 + b}/${5_000 + r + (type === 'CO' ? reserved : 0)}`, 'CO-3'),
    `line 4 CASHOUT_DEBIT 5000 ${105_000 + balance}/${reserved} CO-3 ${at(4)}`,
    `op CI-2 SUCCEEDED 10000 createdAt=+1m completedAt=+2m ${of('CI-2')}`,
    `op CO-3 SUCCEEDED 5000 createdAt=+2m completedAt=+4m ${of('CO-3')}`,
    `wallet ${105_000 + balance}/${reserved} updatedAt=+4m`,
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
      (['CI', 'CO'] as const).flatMap((type) => (on !== undefined && on !== type ? [] : [{ type, ...fault }])),
    ),
  )('beside $kind of $type ($line $operation $profile)', ({ type, ...fault }) => {
    const alone = rootsOf(rowsOf(type, { drift: null, fault }));
    expect(alone.map((one) => one.split(' ')[0])).toContain(fault.kind);
    const both = rootsOf(rowsOf(type, { drift, fault }));
    expect(both).toEqual([...alone, ...rootsOf(rowsOf(type, { drift, fault: null }))].sort());
  });
});
