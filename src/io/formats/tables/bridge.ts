// What opens a statement on paper and as a workbook: the column that leads to what is due, in everyday words.

import { labelOf, parsePeriod, parseYear } from '../../../core/domain/period.ts';
import type { SuspenseItem } from '../../../core/statements/section-reconciliation.ts';
import { hasOperations } from '../../../core/statements/statement.ts';
import {
  type BridgeRow,
  bridgeOf,
  bridgeTable,
  measuresIn,
  type NamedRow,
} from '../../../core/statements/tables/bridge.ts';
import { fill, nameFinding } from '../../../core/words/finding.ts';
import { DASH, type DocumentContext } from '../port/wording.ts';
import { type TableBlock, tableOf } from './block.ts';

/** `formulaOf`: what sums up the lines of a movement, by its key. */
export function bridgeBlock(context: DocumentContext, formulaOf?: (row: string) => string | null): TableBlock {
  const { statement } = context;
  const { comparatives = [] } = statement.circumstances;
  const rows = bridgeOf(statement);
  return tableOf('bridge', bridgeTable(comparatives.length), {
    titles: columnTitles(context),
    rows: rows.map((row, i): NamedRow => ({ ...row, name: nameRow(context, row, i === rows.length - 1) })),
    formulaOf: ({ key }, index) => (key === 'amount' ? (formulaOf?.(rows[index]!.key) ?? null) : null),
  });
}

/** Each period, and which revision of it is compared. */
function columnTitles({ statement, labels, language }: DocumentContext) {
  const said = labels.firstPage;
  const { comparatives = [] } = statement.circumstances;
  const label = (period: string): string => labelOf((parsePeriod(period) ?? parseYear(period))!, language);
  const [before = '', yearBefore = ''] = comparatives.map(({ period, revision }) =>
    fill(said.column, { label: label(period), revision }),
  );
  return { name: said.movement, count: said.count, amount: statement.period.label[language], before, yearBefore };
}

function nameRow(context: DocumentContext, { of, item, count }: BridgeRow, isLast: boolean): string {
  const { statement, labels, words } = context;
  const { rows: said } = labels.firstPage;
  const { summary, journal, operators, movements } = statement;
  if (item !== undefined) return nameItem(context, item);
  if (of === 'recorded') return isLast && summary.due !== null ? said.both : said.recorded;
  const posted = movements.find(({ kind }) => kind === 'CASHIN_FEE')?.amount ?? 0;
  const withheld = operators.total.feesIn - posted;
  const figures = {
    withheld: withheld > 0 ? words.amount(withheld) : null,
    amount: words.amount(journal.wallet.opening - summary.openingBalance),
    sum: words.amount(summary.openingBalance),
    count,
  };
  return fill(said[of], figures, words.speech);
}

/** What it is, of which operation and line, and since when. */
function nameItem({ labels, words }: DocumentContext, item: SuspenseItem): string {
  const { rows: said } = labels.firstPage;
  const { operationReference: reference, sequence, at } = item;
  if (item.kind === null) return fill(reference === null ? said.ahead : said.transit, { reference });
  const day = at === null ? null : words.instant(at).slice(0, 10);
  const name = nameFinding(words.speech, item.kind);
  const state = item.toJustify === true ? 'justify' : item.state;
  return fill(said.item, { name, reference, sequence, day, state }, words.speech);
}

/** What an auditor compares first: how many collections, of how much, how many operations succeed, and what they cost. None where operations were not read. */
export function measureBlocks(context: DocumentContext): readonly TableBlock[] {
  const { statement, labels, words } = context;
  if (!hasOperations(statement)) return [];
  const said = labels.firstPage.measures;
  const { count, basket, success, rate } = measuresIn(statement);
  const rowOf = <Figure>(
    name: string,
    figures: readonly (Figure | null)[],
    write: (figure: Figure) => string,
  ): NamedRow => {
    const [amount, ...compared] = figures.map((figure) => (figure === null ? DASH : write(figure)));
    return { name, amount, compared };
  };
  const rows = [
    rowOf(said.count, count, words.amount),
    rowOf(said.basket, basket, words.amount),
    rowOf(said.success, success, words.percent),
    rowOf(said.rate, rate, words.rate),
  ];
  const titles = { ...columnTitles(context), name: said.name, count: '' };
  return [tableOf('measures', bridgeTable((statement.circumstances.comparatives ?? []).length), { titles, rows })];
}
