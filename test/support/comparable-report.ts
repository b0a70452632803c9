// Reports and carried states in a form in which two are equal when they say the same: the order of
// evidence, and the order in which operations were met, do not matter.

import { totalOf } from '../../src/core/domain/amount.ts';
import type { AuditReport } from '../../src/core/domain/finding.ts';
import type { Books } from '../../src/core/kernel/reconcile/books.ts';
import { readBooks } from '../../src/core/kernel/reconcile/books-text.ts';
import { settledSums } from '../../src/core/kernel/reconcile/sums.ts';
import { carriedReplay } from '../../src/core/kernel/replay/replay-state.ts';
import { hashOf } from '../../src/io/threads/hash-key.ts';

export function comparable(report: AuditReport): unknown {
  return {
    ...report,
    findings: report.findings.map((finding) => ({
      ...finding,
      evidence: finding.evidence.map((one) => JSON.stringify(one)).sort(),
    })),
  };
}

/**
 * Returns what a checkpoint carries to the next run. Left out is what may lawfully depend on the
 * way to it: which identities were looked up, what the newest operations were called, and what was
 * available before the hold of an operation that was settled, because it was judged by that at the
 * time.
 */
export function comparableState(state: string): unknown {
  const books: Books = readBooks(state, hashOf)!;
  const replay = carriedReplay(books.replay);
  return {
    replay: {
      ...replay,
      waiting: replay.waiting.map((entry) => ({ ...entry, description: null })),
      recomputed: totalOf(replay.recomputed),
      held: totalOf(replay.held),
      redeliveries: null,
      tallies: [...replay.tallies.values()]
        .map((tally) => ({
          ...tally,
          judgedAt: null,
          lacksEarlierLines: null,
          availableBefore: null,
        }))
        .sort((a, b) => (a.reference < b.reference ? -1 : 1)),
    },
    standing: books.standing,
    atHand: [...books.atHand].sort(),
    votes: books.votes,
    operationSums: settledSums(books.operationSums),
    lineSums: settledSums(books.lineSums),
    requiredBalance: totalOf(books.requiredBalance),
    adjusted: [totalOf(books.adjusted.balance), totalOf(books.adjusted.reserved)],
    strays: books.strays,
    adjustments: books.adjustments,
    late: [...books.late.keys()].sort(),
    operations: books.operations,
    currencies: [...books.currencies].sort(),
    lineDrafts: books.lineDrafts,
    misfits: [...books.pricing.misfits.values()].sort((a, b) =>
      a.reference < b.reference ? -1 : 1,
    ),
    earlyFits: books.pricing.earlyFits,
    replayAgain: books.replayAgain,
    rejected: [books.rejectedCount, [...books.rejected.keys()]],
    notChecked: [...books.notChecked.keys()].sort(),
    leftOut: books.leftOut.map((entry) => ({ ...entry, description: null })),
    drifts: books.drifts,
    orphans: [...books.orphans],
    harmlessJumps: books.harmlessJumps,
  };
}
