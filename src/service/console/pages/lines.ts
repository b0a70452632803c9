// Lines of the ledger, as a finding and an operation show them.

import { nameCode } from '../../../core/words/names.ts';
import type { FollowedLine as Line } from '../../workflows/operators/operator-backend.ts';
import { type Column, instantCell, operationLink } from '../port/cells.ts';
import type { Visit } from '../port/visit.ts';

/** Recorded figures as the service served them, and by how much they do not follow from the line before. */
export function lineColumns(visit: Visit, merchant: string): readonly Column<Line>[] {
  const { labels, wording, words } = visit;
  const heads = labels.ledgerColumns;
  const amount = (head: string, pick: (line: Line) => number): Column<Line> => ({
    head,
    cell: (line) => wording.amount(pick(line)),
    isFigure: true,
  });
  const offOf = ({ off }: Line): string | null =>
    off === null ? null : wording.amount(off.balance === 0 ? off.reserved : off.balance);
  return [
    { head: heads.sequence, cell: (one) => one.sequence, isFigure: true },
    { head: heads.moment, cell: ({ createdAt }) => instantCell(visit, createdAt) },
    { head: heads.kind, cell: ({ kind }) => nameCode(labels, 'kinds', kind) },
    { head: heads.reference, cell: (one) => operationLink(one.operationReference, merchant) },
    { head: heads.label, cell: ({ description }) => description },
    amount(heads.amount, (one) => one.amount),
    amount(heads.recordedBalance, (one) => one.balanceAfter),
    amount(heads.recordedReserved, (one) => one.reservedAfter),
    { head: words.columns.off, cell: offOf, isFigure: true },
  ];
}
