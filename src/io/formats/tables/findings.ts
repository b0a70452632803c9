// Blocks on the confirmed findings of the month, and on the named differences between the recorded
// and the recomputed figures.

import type { ReconciliationSide } from '../../../core/statements/section-reconciliation.ts';
import { FINDINGS, NAMED_DIFFERENCES } from '../../../core/statements/tables/findings.ts';
import { fill, wordFinding, wordStanding } from '../../../core/words/finding.ts';
import type { DocumentContext } from '../port/wording.ts';
import { type Block, heading, tableOf } from './block.ts';

export function findingBlocks({ statement, labels, words }: DocumentContext): readonly Block[] {
  const { findings: title, columns: titles, root, consequence } = labels.reconciliation;
  const { rows, count } = statement.findings;
  const worded = rows.map((row) => {
    const message = wordStanding(words.speech, row);
    if (row.causedBy === null) return { ...row, message, rank: root };
    return {
      ...row,
      message: fill(labels.document.pair, { name: consequence, value: message }),
      rank: consequence,
    };
  });
  return [heading(title), tableOf('findings', FINDINGS, { titles, rows: worded, count })];
}

/**
 * Shows the named differences of the balance, then those of the reserved amount, each with its
 * message, for which the table of steps has no room.
 */
export function differenceTables(context: DocumentContext): readonly Block[] {
  return (['balance', 'reserved'] as const).flatMap((side) => sideBlocks(context, side));
}

function sideBlocks(
  { statement, labels, words }: DocumentContext,
  side: 'balance' | 'reserved',
): readonly Block[] {
  const { items, others } = statement.reconciliation[side];
  const { columns: titles, items: title, root, consequence, ...said } = labels.reconciliation;
  const rows = items.map((item) => {
    const isRoot = item.rootFingerprint === item.fingerprint;
    const message = wordFinding(words.speech, item.findingKind, item.figures);
    return { ...item, message, rank: isRoot ? root : consequence };
  });
  const total = { amount: namedIn({ items, others }) };
  return [
    heading(fill(labels.document.pair, { name: title, value: said[side] })),
    tableOf(side, NAMED_DIFFERENCES, { titles, rows, count: rows.length + others.count, total }),
  ];
}

/** Returns the sum of the month's named differences, including those beyond the list. */
export function namedIn({ items, others }: Pick<ReconciliationSide, 'items' | 'others'>): number {
  return items.reduce((sum, item) => sum + item.amount, others.amount);
}
