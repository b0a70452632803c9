// What a run or an audit says of each merchant as a row of figures, for programs and spreadsheets.

import type { AuditReport } from '../../../core/domain/finding.ts';
import { figureOf, type ListColumn } from '../../../io/formats/list-column.ts';
import { isOpenRoot } from './stand.ts';

/** Keys are a contract with programs: they are added, never renamed. */
export const REPORT_COLUMNS: readonly ListColumn<AuditReport>[] = [
  { key: 'merchant', kind: 'text', of: ({ merchant }) => merchant },
  { key: 'currency', kind: 'text', of: ({ currency }) => currency },
  { key: 'verdict', kind: 'text', of: ({ verdict }) => verdict },
  { key: 'lines', kind: 'count', of: ({ entries }) => entries },
  { key: 'operations', kind: 'count', of: ({ operations }) => operations },
  ...(['recorded', 'recomputed', 'due'] as const).flatMap((which) =>
    (['balance', 'reserved', 'available'] as const).map((side): ListColumn<AuditReport> => {
      const key = `${which}${side[0]!.toUpperCase()}${side.slice(1)}`;
      return { key, kind: 'amount', of: (report) => figureOf(report[which]?.[side]) };
    }),
  ),
  { key: 'unexplainedBalance', kind: 'amount', of: ({ unexplained }) => figureOf(unexplained.balance) },
  { key: 'unexplainedReserved', kind: 'amount', of: ({ unexplained }) => figureOf(unexplained.reserved) },
  { key: 'openRoots', kind: 'count', of: ({ findings }) => findings.filter(isOpenRoot).length },
  { key: 'notChecked', kind: 'count', of: ({ notChecked }) => notChecked.length },
];
