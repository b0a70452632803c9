// Blocks on what was open at the cut-off and what reaches over it: money still held, operations
// that are not final, reversals of earlier months' operations, and lines whose date and sequence
// lie on different sides of a bound.

import { hasOperations } from '../../../core/statements/statement.ts';
import {
  CORRECTIONS,
  CROSSING,
  EARLIER_REVERSALS,
  OPEN_HOLDS,
  OPEN_OPERATIONS,
  SUSPENSE,
} from '../../../core/statements/tables/open-items.ts';
import { fill } from '../../../core/words/finding.ts';
import type { DocumentContext } from '../port/wording.ts';
import { type Block, heading, tableOf } from './block.ts';

export function openItemBlocks({ statement, labels, words }: DocumentContext): readonly Block[] {
  const { reconciliation: said } = labels;
  const titles = said.columns;
  const { openHolds, openOperations, earlierReversals, crossing, journal } = statement;
  const titled = (name: string, count: number, sum: number): string =>
    count === 0 ? name : fill(labels.document.counted, { name, count, sum }, words.speech);
  const crossed = crossing.rows.map((line) => ({
    ...line,
    remark: said.crossings[line.bound][line.datedBefore ? 'before' : 'after'],
  }));
  const held = { titles, ...openHolds, total: { held: openHolds.total } };
  const begun = { titles, ...openOperations, total: { amount: openOperations.amount } };
  const reversed = { titles, ...earlierReversals, total: { amount: earlierReversals.total } };
  return [
    ...(journal.suspense === undefined
      ? []
      : [
          heading(said.suspense.heading),
          tableOf('suspense', SUSPENSE, { titles: said.suspense, ...journal.suspense }),
        ]),
    heading(titled(said.openHolds, openHolds.count, openHolds.total)),
    tableOf('openHolds', OPEN_HOLDS, held),
    ...(hasOperations(statement)
      ? [
          heading(titled(said.openOperations, openOperations.count, openOperations.amount)),
          tableOf('openOperations', OPEN_OPERATIONS, begun),
        ]
      : []),
    heading(titled(said.earlierReversals, earlierReversals.count, earlierReversals.total)),
    tableOf('earlierReversals', EARLIER_REVERSALS, reversed),
    ...(crossing.count === 0
      ? []
      : [
          heading(
            fill(labels.document.pair, {
              name: said.crossing,
              value: words.amount(crossing.count),
            }),
          ),
          tableOf('crossing', CROSSING, { titles, rows: crossed, count: crossing.count }),
        ]),
  ];
}

/** Lists again, with the whole reason, the adjustments and reversals that have one. */
export function correctionBlocks({ statement, labels }: DocumentContext): readonly Block[] {
  const { rows: all, count } = statement.corrections;
  const rows = all.filter(({ reason }) => reason !== null);
  if (rows.length === 0) return [];
  const titles = { ...labels.reconciliation.columns, ...labels.ledger.corrections };
  return [
    heading(titles.heading),
    tableOf('corrections', CORRECTIONS, { titles, rows, count: rows.length + count - all.length }),
  ];
}
