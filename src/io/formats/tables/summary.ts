// The figures of Report.summary in words. What operations state and what the ledger's lines add up
// to are kept apart.

import { hasOperations } from '../../../core/statements/statement.ts';
import type { PerpetualTotals } from '../../../core/statements/summary.ts';
import type { Form, Value } from '../../../core/statements/tables/table.ts';
import type { Labels } from '../../../core/words/tree.ts';
import type { DocumentContext } from '../port/wording.ts';
import { type Block, heading, note, type Pair, SHEET } from './block.ts';

const FINDING_COUNTS = [
  'total',
  'roots',
  'critical',
  'error',
  'warning',
  'info',
  'settled',
  'accepted',
] as const;

/**
 * Shows the figures. `formulas` says, by the figures' keys, what they are computed from in a
 * workbook.
 */
export function figureBlocks(
  { statement, labels }: DocumentContext,
  formulas: Readonly<Partial<Record<string, string>>> = {},
): readonly Block[] {
  const { summary } = statement;
  const said = labels.summary;
  const { byStatus, findings } = summary;
  const pair = (key: keyof typeof said & keyof typeof summary, form: Form = 'amount'): Pair => {
    return {
      key,
      name: said[key] as string,
      value: summary[key] as Value,
      form,
      formula: formulas[key] ?? null,
    };
  };
  const states = Object.entries(byStatus).map(
    ([status, value]): Pair => ({
      name: said.status[status as keyof typeof byStatus],
      value,
      form: 'count',
    }),
  );
  const counts = { ...findings, followers: findings.total - findings.roots };
  const counted = [...FINDING_COUNTS, 'followers' as const].flatMap((name): readonly Pair[] => {
    const value = counts[name] ?? 0;
    return value === 0 ? [] : [{ name: said.counts[name], value, form: 'count' }];
  });
  const isRead = hasOperations(statement);
  const lines = (
    ['collected', 'disbursed', 'fees', 'reversals', 'adjustments', 'otherMovements'] as const
  ).map((key) => pair(key));
  return [
    ...(isRead
      ? grouped(
          said.operationsPopulation,
          [pair('totalAmount'), pair('totalFees')],
          [pair('paymentCount', 'count')],
        )
      : [note(labels.document.operationsUnread)]),
    ...grouped(
      said.linesPopulation,
      [
        pair('entryCount', 'count'),
        pair('firstSequence', 'serial'),
        pair('lastSequence', 'serial'),
        pair('openingReserved'),
        {
          name: said.control,
          value: summary.control.openingPlusMovementsMinusClosing,
          form: 'check',
        },
      ],
      [...lines, pair('availableAtClose')],
    ),
    ...perpetualBlocks(summary.perpetual, said.perpetual),
    ...(isRead ? grouped(said.statuses, states) : []),
    ...(counted.length > 0
      ? [heading(said.findingCounts), { form: 'pairs', pairs: counted } as const]
      : [heading(said.findingCounts, SHEET), note(labels.verdict.noFindings, SHEET)]),
  ];
}

/**
 * Shows the figures of a group. Figures of 0 are left off a page, and so are those in `elsewhere`,
 * which the first page or its tables have. A sheet has them all, because formulas of other sheets
 * name them.
 */
function grouped(
  title: string,
  pairs: readonly Pair[],
  elsewhere: readonly Pair[] = [],
): readonly Block[] {
  const isShown = ({ value, form }: Pair): boolean => form === 'check' || (value ?? 0) !== 0;
  const shown = pairs.filter(isShown);
  const others = [...pairs.filter((pair) => !isShown(pair)), ...elsewhere];
  return [
    heading(title, shown.length === 0 ? SHEET : {}),
    ...(shown.length === 0 ? [] : [{ form: 'pairs', pairs: shown } as const]),
    { form: 'pairs', pairs: others, ...SHEET },
  ];
}

function perpetualBlocks(
  totals: PerpetualTotals | undefined,
  said: Labels['summary']['perpetual'],
): readonly Block[] {
  if (totals === undefined) return [];
  const pairs = (['creditCount', 'credits', 'debitCount', 'debits'] as const).map((key): Pair => {
    return {
      key,
      name: said[key],
      value: totals[key],
      form: key.endsWith('Count') ? 'count' : 'amount',
    };
  });
  return grouped(said.heading, pairs);
}
