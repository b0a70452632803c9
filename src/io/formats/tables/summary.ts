// The figures of Report.summary in words: what operations state, and what the ledger's lines add up to, kept apart.

import { hasOperations } from '../../../core/statements/statement.ts';
import type { PerpetualTotals } from '../../../core/statements/summary.ts';
import type { Form, Value } from '../../../core/statements/tables/table.ts';
import type { Labels } from '../../../core/words/tree.ts';
import type { DocumentContext } from '../port/wording.ts';
import { type Block, heading, note, type Pair, SHEET } from './block.ts';

const FINDING_COUNTS = ['total', 'roots', 'critical', 'error', 'warning', 'info', 'settled', 'accepted'] as const;

/** `formulas`: in a workbook, what the figures come from, by their keys. */
export function figureBlocks(
  { statement, labels }: DocumentContext,
  formulas: Readonly<Partial<Record<string, string>>> = {},
): readonly Block[] {
  const { summary } = statement;
  const said = labels.summary;
  const { byStatus, findings } = summary;
  const pair = (key: keyof typeof said & keyof typeof summary, form: Form = 'amount'): Pair => {
    return { key, name: said[key] as string, value: summary[key] as Value, form, formula: formulas[key] ?? null };
  };
  const states = Object.entries(byStatus).map(
    ([status, value]): Pair => ({ name: said.status[status as keyof typeof byStatus], value, form: 'count' }),
  );
  const counts = { ...findings, followers: findings.total - findings.roots };
  const counted = [...FINDING_COUNTS, 'followers' as const].flatMap((name): readonly Pair[] => {
    const value = counts[name] ?? 0;
    return value === 0 ? [] : [{ name: said.counts[name], value, form: 'count' }];
  });
  const isRead = hasOperations(statement);
  return [
    ...(isRead
      ? [
          heading(said.operationsPopulation),
          { form: 'pairs', pairs: [pair('paymentCount', 'count'), pair('totalAmount'), pair('totalFees')] } as const,
        ]
      : [note(labels.document.operationsUnread)]),
    heading(said.linesPopulation),
    {
      form: 'pairs',
      pairs: [
        pair('collected'),
        pair('disbursed'),
        pair('fees'),
        pair('reversals'),
        pair('adjustments'),
        pair('otherMovements'),
        pair('availableAtClose'),
        pair('entryCount', 'count'),
        pair('firstSequence', 'serial'),
        pair('lastSequence', 'serial'),
      ],
    },
    ...perpetualBlocks(summary.perpetual, said.perpetual),
    ...(isRead ? [heading(said.statuses), { form: 'pairs', pairs: states } as const] : []),
    ...(counted.length > 0
      ? [heading(said.findingCounts), { form: 'pairs', pairs: counted } as const]
      : [heading(said.findingCounts, SHEET), note(labels.verdict.noFindings, SHEET)]),
  ];
}

function perpetualBlocks(totals: PerpetualTotals | undefined, said: Labels['summary']['perpetual']): readonly Block[] {
  if (totals === undefined) return [];
  const pairs = (['creditCount', 'credits', 'debitCount', 'debits'] as const).map((key): Pair => {
    return { key, name: said[key], value: totals[key], form: key.endsWith('Count') ? 'count' : 'amount' };
  });
  return [heading(said.heading), { form: 'pairs', pairs }];
}
