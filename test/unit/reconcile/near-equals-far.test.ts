// What is said of an operation does not depend on how many lines lie between its own. Settled,
// forgotten and recalled, it is judged like one that was in memory all the time.

import { expect, test } from 'vitest';
import { readSample } from '../../../src/core/samples/read-sample.ts';
import { auditSnapshot } from '../../../src/service/workflows/audit/audit-snapshot.ts';
import { memoryOptions, memorySnapshot } from '../../support/memory-snapshot.ts';

/**
 * What is said, and where, of a cash-out that has a later line of its own after so many sound
 * cash-ins.
 */
interface Told {
  readonly hold: string;
  /** The last row, without its sequence and balance. */
  readonly last: {
    readonly kind: string;
    readonly amount: number;
    readonly effect: number;
    readonly reserved: number;
  };
}

async function saidOf(
  { hold, last }: Told,
  between: number,
  keepsAll = false,
): Promise<readonly string[]> {
  const rows = [
    'line 1 CASHIN_CREDIT 5000 5000/0 CI-1',
    `line 2 ${hold} CO-2`,
    'line 3 CASHOUT_DEBIT 1000 4000/0 CO-2',
    'line 4 CASHOUT_FEE 10 3990/0 CO-2',
    'op CI-1 SUCCEEDED 5000',
    'op CO-2 SUCCEEDED 1000 fees=10 completedAt=+4m',
    'line 5 CASHOUT_HOLD 505 3990/505 CO-3',
    'line 6 CASHOUT_DEBIT 500 3490/0 CO-3',
    'line 7 CASHOUT_FEE 5 3485/0 CO-3',
    'op CO-3 SUCCEEDED 500 fees=5',
  ];
  for (let i = 1; i <= between; i += 1) {
    rows.push(`line ${7 + i} CASHIN_CREDIT 1 ${3485 + i}/0 CI-S${i}`, `op CI-S${i} SUCCEEDED 1`);
  }
  const balance = 3485 + between + last.effect;
  rows.push(`line ${8 + between} ${last.kind} ${last.amount} ${balance}/${last.reserved} CO-2`);
  const sample = readSample(rows.join('\n'));
  const report = await auditSnapshot(
    memorySnapshot(sample, { keepsAll, batchRows: 100 }),
    memoryOptions(sample),
  );
  return report.findings
    .map(({ kind, sequence, causedBy }) => {
      const cause =
        report.findings.find(({ fingerprint }) => fingerprint === causedBy)?.kind ?? '-';
      return [kind, sequence === null ? '-' : Number(sequence) > 7 ? 'last' : sequence, cause].join(
        ' ',
      );
    })
    .sort();
}

async function expectAlike(told: Told, kind: string): Promise<void> {
  const near = await saidOf(told, 10);
  expect(near.map((one) => one.split(' ')[0])).toContain(kind);
  expect(await saidOf(told, 1500)).toEqual(near);
  expect(await saidOf(told, 1500, true)).toEqual(near);
}

test.each(['DEBIT', 'RELEASE', 'CREDIT', 'HOLD'])(
  'a hold of direction %s has a second release, near and far',
  async (direction) => {
    const hold = `CASHOUT_HOLD 1010 5000/1010 direction=${direction}`;
    const last = { kind: 'CASHOUT_RELEASE', amount: 1010, effect: 0, reserved: -1010 };
    await expectAlike({ hold, last }, 'RELEASE_EXCEEDS_HOLD');
  },
);

test('a second debit that takes another part of the reserved amount than its hold was drifts, near and far', async () => {
  const last = { kind: 'CASHOUT_DEBIT', amount: 1000, effect: -1000, reserved: -500 };
  await expectAlike({ hold: 'CASHOUT_HOLD 1010 5000/1010', last }, 'RESERVED_DRIFT');
});

test('one wrong date makes no operation owe what a declared opening holds, wherever a batch of lines ends', async () => {
  const lines = Array.from({ length: 12 }, (_, i) => i + 1).flatMap((n) => [
    `line ${100 + n} CASHIN_CREDIT 1000 ${10_000 + 1_000 * n}/0 CI-${n} at=${n === 6 ? '2026-09-01T00:00:00Z' : `+${100 + n}m`}`,
    `op CI-${n} SUCCEEDED 1000 createdAt=+100m completedAt=+101m`,
  ]);
  const before = 'op CI-13 SUCCEEDED 5000 createdAt=+10m completedAt=+11m';
  const sample = readSample([...lines, before, 'wallet 22000/0', 'at +2d'].join('\n'));
  const options = { ...memoryOptions(sample), opening: { balance: 10_000, reserved: 0 } };
  for (const batchRows of [1, 2, 3, 6, 100]) {
    const report = await auditSnapshot(
      memorySnapshot(sample, { keepsAll: false, batchRows }),
      options,
    );
    const kinds = report.findings.map(({ kind }) => kind);
    expect([batchRows, report.due!.balance, ...kinds]).toEqual([
      batchRows,
      '22000',
      'ENTRY_TIME_IMPOSSIBLE',
    ]);
  }
});
