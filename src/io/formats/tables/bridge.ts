// The table that opens a statement, on paper and in a workbook: the column that leads to the
// balance due, in everyday words.

import type { FindingKind } from '../../../core/domain/finding-kind.ts';
import { labelOf, parsePeriod, parseYear } from '../../../core/domain/period.ts';
import type { SuspenseItem } from '../../../core/statements/section-reconciliation.ts';
import type { Statement } from '../../../core/statements/statement.ts';
import {
  type BridgeRow,
  bridgeOf,
  bridgeTable,
  MEASURES,
  measuresOf,
  type NamedRow,
  periodIssuedBefore,
} from '../../../core/statements/tables/bridge.ts';
import { fill, nameFinding } from '../../../core/words/finding.ts';
import { DASH, type DocumentContext } from '../port/wording.ts';
import { type TableBlock, tableOf } from './block.ts';

/**
 * Makes the table. `formulaOf` returns the formula that sums up the lines of a movement, by its
 * row's key.
 */
export function bridgeBlock(
  context: DocumentContext,
  formulaOf?: (row: string) => string | null,
): TableBlock {
  const { statement, labels } = context;
  const { comparatives = [] } = statement.circumstances;
  const rows = bridgeOf(statement);
  const { movement, count } = labels.firstPage;
  const [amount = '', before = '', yearBefore = ''] = periodNames(context);
  return tableOf('bridge', bridgeTable(comparatives.length), {
    titles: { name: movement, count, amount, before, yearBefore },
    rows: rows.map(
      (row, i): NamedRow => ({ ...row, name: nameRow(context, row, i === rows.length - 1) }),
    ),
    formulaOf: ({ key }, index) =>
      key === 'amount' ? (formulaOf?.(rows[index]!.key) ?? null) : null,
  });
}

/** Names each period, with the revision that is compared. */
function periodNames({ statement, labels, language }: DocumentContext): readonly string[] {
  const { comparatives = [] } = statement.circumstances;
  const compared = comparatives.map(({ period, revision }) => {
    const label = labelOf((parsePeriod(period) ?? parseYear(period))!, language);
    return fill(labels.firstPage.column, { label, revision });
  });
  return [statement.period.label[language], ...compared];
}

function nameRow(
  context: DocumentContext,
  { of, item, count }: BridgeRow,
  isLast: boolean,
): string {
  const { statement, labels, words } = context;
  const { rows: said } = labels.firstPage;
  const { summary, journal, operators, movements } = statement;
  if (item !== undefined) return nameItem(context, item);
  if (of === 'recorded') return isLast && summary.due !== null ? said.both : said.recorded;
  const posted = movements.find(({ kind }) => kind === 'CASHIN_FEE')?.amount ?? 0;
  const withheld = operators.total.feesIn - posted;
  if (of === 'openingSince') {
    const { recorded } = periodIssuedBefore(statement)!.figures;
    const amount = words.amount(journal.wallet.opening - recorded);
    return fill(said.openingSince, {
      amount,
      sum: words.amount(recorded),
      period: periodNames(context)[1]!,
    });
  }
  const kind = of === 'collected' ? 'CREDIT_DUPLICATED' : 'DEBIT_DUPLICATED';
  const figures = {
    doubled: countDoubled(statement, kind),
    withheld: withheld > 0 ? words.amount(withheld) : null,
    amount: words.amount(journal.wallet.opening - summary.openingBalance),
    sum: words.amount(summary.openingBalance),
    count,
  };
  return fill(said[of], figures, words.speech);
}

/** Counts the lines of the month that post an operation more often than allowed. */
function countDoubled({ findings }: Statement, kind: FindingKind): number {
  return findings.rows
    .filter((row) => row.kind === kind && row.when === 'month')
    .reduce((sum, { figures }) => sum + Math.max(1, Number(figures.times) - 1 || 1), 0);
}

/** Names an item: what it is, of which operation and line, and since when. */
function nameItem({ labels, words }: DocumentContext, item: SuspenseItem): string {
  const { rows: said } = labels.firstPage;
  const { operationReference: reference, sequence, at } = item;
  if (item.kind === null)
    return fill(reference === null ? said.ahead : said.transit, { reference });
  const day = at === null ? null : words.instant(at).slice(0, 10);
  const name = nameFinding(words.speech, item.kind);
  const state = item.toJustify === true ? 'justify' : item.state;
  return fill(said.item, { name, reference, sequence, day, state }, words.speech);
}

/**
 * Makes the table of measures, with a row for each period; none where there is nothing to measure.
 */
export function measureBlocks(context: DocumentContext): readonly TableBlock[] {
  const names = periodNames(context);
  const rows = measuresOf(context.statement).map((row, i) => ({ ...row, name: names[i]! }));
  const titles = { ...context.labels.firstPage.measures, none: DASH };
  return rows.length === 0 ? [] : [tableOf('measures', MEASURES, { titles, rows })];
}
