// What is said of an operation does not depend on how many lines lie between its own: settled, forgotten and recalled, it
// is judged as one that was at hand all the time.

import { expect, test } from 'vitest';
import { readSample } from '../../../src/reconcile/sample.ts';
import { auditSnapshot } from '../../../src/workflows/audit-snapshot.ts';
import { memoryOptions, memorySnapshot } from '../../support/memory-snapshot.ts';

/** The kinds said of a cash-out whose hold says `direction`, and that is released again after so many cash-ins. */
async function kindsWith(between: number, direction: string): Promise<readonly string[]> {
  const rows = [
    'line 1 CASHIN_CREDIT 5000 5000/0 CI-1',
    `line 2 CASHOUT_HOLD 1000 5000/1000 CO-2 direction=${direction}`,
    'line 3 CASHOUT_DEBIT 1000 4000/0 CO-2',
    'op CI-1 SUCCEEDED 5000',
    'op CO-2 SUCCEEDED 1000 completedAt=+3m',
  ];
  for (let i = 1; i <= between; i += 1) {
    rows.push(`line ${3 + i} CASHIN_CREDIT 1 ${4000 + i}/0 CI-S${i}`, `op CI-S${i} SUCCEEDED 1`);
  }
  rows.push(`line ${4 + between} CASHOUT_RELEASE 1000 ${4000 + between}/-1000 CO-2`);
  const sample = readSample(rows.join('\n'));
  const report = await auditSnapshot(
    memorySnapshot(sample, { keepsAll: false, batchRows: 100 }),
    memoryOptions(sample),
  );
  return report.findings.map(({ kind }) => kind).sort();
}

test.each(['DEBIT', 'RELEASE', 'CREDIT', 'HOLD'])(
  'a second release is said of a hold of direction %s, near and far',
  async (direction) => {
    const near = await kindsWith(10, direction);
    expect(near).toContain('RELEASE_EXCEEDS_HOLD');
    expect(await kindsWith(3000, direction)).toEqual(near);
  },
);
