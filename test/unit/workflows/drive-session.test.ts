// What a session takes from a snapshot: how often its streams are asked for, and that none is left
// open.

import { expect, test } from 'vitest';
import type { AuditReport } from '../../../src/core/domain/finding.ts';
import { type Batch, OutOfOrder, type Snapshot } from '../../../src/core/domain/snapshot.ts';
import { hashOf } from '../../../src/io/threads/hash-key.ts';
import { auditSnapshot } from '../../../src/service/workflows/audit/audit-snapshot.ts';
import { BEGIN, line, operation, profile, wallet } from '../../support/database-books.ts';
import { optionsAt } from '../../support/nightly.ts';

interface Watched {
  opened: number;
  ended: number;
}

interface Served {
  readonly count: number;
  readonly batchRows: number;
  /** Returns the id of a line; absent: all ids differ. */
  readonly idOf?: (sequence: number) => string;
  /** An error that the lines throw after so many rows, the first time that they are read. */
  readonly breaks?: { readonly after: number; readonly by: Error };
}

/**
 * Serves cash-ins of 1,000 without a fee, one line each. Every stream counts how often it is opened
 * and ended.
 */
function serve({ count, batchRows, idOf = (n) => `entry-${n}`, breaks }: Served) {
  const watched = { entries: { opened: 0, ended: 0 }, operations: { opened: 0, ended: 0 } };
  async function* stream<Row>(
    of: Watched,
    rowOf: (number: number) => Row,
    broken = breaks,
  ): AsyncGenerator<Batch<Row>> {
    of.opened += 1;
    const isFirst = of.opened === 1;
    try {
      for (let from = 1; from <= count; from += batchRows) {
        if (isFirst && broken !== undefined && from > broken.after) throw broken.by;
        const rows = Array.from({ length: Math.min(batchRows, count - from + 1) }, (_, i) =>
          rowOf(from + i),
        );
        yield { rows, rejected: [] };
      }
    } finally {
      of.ended += 1;
    }
  }
  const total = count * 1_000;
  const free = { bps: 0, flat: 0 };
  const figures = { balance: total, reserved: 0, available: total };
  const totals = { totalCollected: total, totalDisbursed: 0, totalFees: 0 };
  const snapshot: Snapshot = {
    merchant: 'M001',
    profiles: [profile({ pricing: { cashin: free, cashout: free } })],
    moving: false,
    currency: 'XOF',
    watermark: null,
    absent: [],
    rejected: [],
    adjustedAt: null,
    notifications: null,
    hashOf,
    expectedEntries: null,
    entries: () => stream(watched.entries, (number) => line(number, { id: idOf(number) })),
    operations: () =>
      stream(watched.operations, (number) => ({ operation: operation(number), previous: null }), {
        after: count,
        by: new Error(),
      }),
    closing: async () => ({
      wallet: wallet({ ...figures, ...totals }),
      laterEntries: [],
      rejected: [],
    }),
    recall: async () => ({ entries: [], operations: [] }),
    close: async () => {},
  };
  return { snapshot, watched };
}

const told: number[] = [];

function audit(snapshot: Snapshot): Promise<AuditReport> {
  told.length = 0;
  return auditSnapshot(snapshot, {
    ...optionsAt(BEGIN + 1e9),
    onProgress: (entries) => told.push(entries),
  });
}

const ONCE = { opened: 1, ended: 1 };
const TWICE = { opened: 2, ended: 2 };

test('what a first pass has taken is not asked for again: small books and large are read once', async () => {
  for (const count of [3, 12_000]) {
    const { snapshot, watched } = serve({ count, batchRows: 700 });
    expect(await audit(snapshot)).toMatchObject({
      verdict: 'clean',
      entries: count,
      operations: count,
    });
    expect(watched).toEqual({ entries: ONCE, operations: ONCE });
    expect(told.at(-1)).toBe(count);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
  }
});

test('a first pass that took more than is kept is read again', async () => {
  const { snapshot, watched } = serve({ count: 50_100, batchRows: 60_000 });
  expect(await audit(snapshot)).toMatchObject({ verdict: 'clean', entries: 50_100 });
  expect(watched).toEqual({ entries: TWICE, operations: TWICE });
});

test('rows that turn out not to be in order are taken anew, in the first pass and after it', async () => {
  for (const after of [2_000, 11_000]) {
    const { snapshot, watched } = serve({
      count: 12_000,
      batchRows: 1_000,
      breaks: { after, by: new OutOfOrder() },
    });
    expect(await audit(snapshot)).toMatchObject({
      verdict: 'clean',
      entries: 12_000,
      operations: 12_000,
    });
    expect(watched).toEqual({ entries: TWICE, operations: TWICE });
  }
});

test('rows are passed once more where an id was seen twice', async () => {
  const { snapshot, watched } = serve({
    count: 100,
    batchRows: 7,
    idOf: (n) => `entry-${n === 100 ? 1 : n}`,
  });
  await audit(snapshot);
  expect(watched).toEqual({ entries: TWICE, operations: TWICE });
});

test('what a stream throws otherwise ends the audit, and no stream is left open', async () => {
  for (const after of [2_000, 11_000]) {
    const failure = new Error('the source broke off');
    const { snapshot, watched } = serve({
      count: 12_000,
      batchRows: 1_000,
      breaks: { after, by: failure },
    });
    await expect(audit(snapshot)).rejects.toBe(failure);
    expect(watched).toEqual({ entries: ONCE, operations: ONCE });
  }
});
