// Sound books of three cash-ins, and one cash-out that was cancelled, with the notifications that a
// test wants beside them.

import type { AuditReport } from '../../src/core/domain/finding.ts';
import { MINUTE } from '../../src/core/domain/instant.ts';
import { auditSnapshot } from '../../src/service/workflows/audit/audit-snapshot.ts';
import { judgeServed } from '../../src/service/workflows/notifications/judge-served.ts';
import { type Raw, rawEntry, rawEvent, rawOperation, rawWallet } from '../contract/source-rows.ts';
import { type Files, openFiles, toLines } from './book-folder.ts';

export const AS_OF = Date.UTC(2026, 0, 20);
const OPERATIONS = ['A', 'B', 'C'].map((name) => `GUI-CI-${name}`);
export const operations = toLines([
  ...OPERATIONS.map((reference) => rawOperation({ reference, fees: 0, netAmount: 1_000 })),
  rawOperation({
    reference: 'GUI-CO-Z',
    type: 'CASHOUT',
    status: 'CANCELLED',
    createdAt: '2026-01-18T08:00:00.000Z',
    updatedAt: '2026-01-18T08:00:01.000Z',
    completedAt: '2026-01-18T08:00:01.000Z',
    expiresAt: '2026-01-18T14:00:00.000Z',
    netAmount: 1_020,
  }),
]);
export const SOUND: Files = {
  'ledger.jsonl': toLines(
    OPERATIONS.map((reference, i) => rawEntry({ sequence: i + 1, operationReference: reference })),
  ),
  'operations.jsonl': operations,
  'wallet.json': JSON.stringify(
    rawWallet({
      balance: 3_000,
      reserved: 0,
      available: 3_000,
      totalCollected: 3_000,
      totalFees: 0,
    }),
  ),
};

export const notified = (name: string, frame: Raw = {}, change: Raw = {}): Raw =>
  rawEvent(
    { reference: `GUI-CI-${name}`, fees: 0, netAmount: 1_000, ...change },
    { id: `evt_${name}`, ...frame },
  );
/** Each is notified as succeeded, one a line. */
export const ALL = ['A', 'B', 'C'].map((name) => JSON.stringify(notified(name)));

export async function judge(
  events: string | Buffer,
  asOf = AS_OF,
  files: Files = {},
): Promise<AuditReport> {
  const snapshot = await openFiles({ ...SOUND, 'events.jsonl': events, ...files });
  const judging = {
    asOf,
    grace: 0,
    clockTolerance: 5 * MINUTE,
    pinned: {},
    opening: null,
    onProgress: () => {},
  };
  return auditSnapshot(snapshot, { ...judging, judgeNotified: judgeServed });
}
