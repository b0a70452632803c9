// Blocks on the month's money by operator and country, by day, and in a year by month. The
// collections that operations state stand beside them. These are two populations and are never
// mixed in one table; payments by link are a third.

import type { OperatorRow } from '../../../core/statements/section-movements.ts';
import { hasOperations } from '../../../core/statements/statement.ts';
import type { Collections } from '../../../core/statements/summary.ts';
import { bridgeTable, type NamedRow } from '../../../core/statements/tables/bridge.ts';
import {
  DAYS,
  type DayLine,
  dayLines,
  MONTHS,
  PAGE_DAYS,
  periodLine,
} from '../../../core/statements/tables/days.ts';
import { COLLECTED, PAID } from '../../../core/statements/tables/money.ts';
import { COUNTRIES, OPERATORS, rowsBy } from '../../../core/statements/tables/operators.ts';
import { fill } from '../../../core/words/finding.ts';
import type { DocumentContext } from '../port/wording.ts';
import { accountSentences, doubtsOf, linkNote, linkOutcome } from '../sentences/link-sentences.ts';
import {
  type Block,
  heading,
  note,
  PAGE,
  pairs,
  SHEET,
  sentence,
  type TableRows,
  tableOf,
} from './block.ts';
import { differenceBlocks } from './circumstances.ts';

export function operatorBlocks({ statement, labels }: DocumentContext): readonly Block[] {
  const titles = labels.operators;
  const { rows, byCountry, total } = statement.operators;
  const {
    paymentCount: count,
    totalAmount: amount,
    totalFees: fees,
    ...summary
  } = statement.summary;
  const collected = { titles, total: { count, amount, fees } };
  const byOperator = rowsBy(statement.operators, 'operator');
  const countries = tableOf('byCountry', COUNTRIES, {
    titles,
    rows: rowsBy(statement.operators, 'country'),
    total,
  });
  const isRead = hasOperations(statement);
  const isRepeated =
    isRead &&
    isAlike(total, { count, amount, fees }) &&
    summary.byOperator.every((one) =>
      rows.some((row) => row.operator === one.operator && isAlike(row, one)),
    ) &&
    summary.byCountry.every((one) =>
      byCountry.some((row) => row.country === one.country && isAlike(row, one)),
    );
  const placed = isRead && !isRepeated ? {} : SHEET;
  const ofCountry = summary.byCountry.length > 1 ? placed : SHEET;
  const collections = isRepeated ? titles.collectionsRepeated : titles.collectionsNote;
  const given = { titles, rows, total };
  // A page leaves out an empty table when there are payments by link, because those come below it.
  const isLeftOut = rows.length === 0 && isRead && statement.paymentsByLink !== null;
  const none = isLeftOut ? SHEET : {};
  return [
    note(titles.note, none),
    ...(isLeftOut ? [] : [note(isRead ? collections : labels.document.operationsUnread, PAGE)]),
    { ...tableOf('byBoth', OPERATORS, given), ...none },
    heading(titles.byOperator, SHEET),
    { ...tableOf('byOperator', OPERATORS, { titles, rows: byOperator, total }), on: 'sheet' },
    ...(byCountry.length > 1
      ? [heading(titles.byCountry), countries]
      : [heading(titles.byCountry, SHEET), { ...countries, ...SHEET }]),
    heading(titles.collections, isRepeated ? SHEET : {}),
    note(isRead ? titles.collectionsNote : labels.document.operationsUnread, SHEET),
    {
      ...tableOf('collectedByOperator', COLLECTED.byOperator, {
        ...collected,
        rows: summary.byOperator,
      }),
      ...placed,
    },
    heading(titles.collectionsByCountry, { ...ofCountry, isBeside: true }),
    {
      ...tableOf('collectedByCountry', COLLECTED.byCountry, {
        ...collected,
        rows: summary.byCountry,
      }),
      ...ofCountry,
    },
  ];
}

const isAlike = (
  { countIn, grossIn, feesIn }: OperatorRow,
  { count, amount, fees }: Collections,
): boolean => countIn === count && grossIn === amount && feesIn === fees;

/**
 * Shows each day with what operations state as collected on it. Only a workbook also shows
 * collections on days of no month. With `isShort`, a page shows only days with a movement.
 */
export function dayBlocks(
  { statement, labels, words }: DocumentContext,
  { isShort = false }: { readonly isShort?: boolean } = {},
): readonly Block[] {
  const titles = { ...labels.operators, ...labels.days };
  const lines = dayLines(statement);
  const proper = lines.slice(0, statement.days.length);
  const given = { titles, total: periodLine(statement) };
  const moved = proper.filter((day) => !isQuiet(day));
  const isLeftOut = isShort && moved.length > 0 && moved.length < proper.length;
  const rows = isLeftOut
    ? moved.map((day) => ({ ...day, name: words.day(day.day) }))
    : foldQuiet(proper, words.day);
  return [
    note(labels.days.note, SHEET),
    note(isLeftOut ? `${labels.days.note} ${labels.days.quiet}` : labels.days.note, PAGE),
    note(labels.operators.collectionsNote, SHEET),
    {
      ...tableOf('days', DAYS, { ...given, rows: lines, proper: proper.length, totalAbove: true }),
      ...SHEET,
    },
    { ...tableOf('days', PAGE_DAYS, { ...given, rows }), ...PAGE },
  ];
}

const isQuiet = ({ entryCount, collections }: DayLine): boolean =>
  entryCount === 0 && collections.count === 0;

/** Makes one row of days without a movement that follow each other. */
function foldQuiet(
  days: readonly DayLine[],
  wordDay: (day: string) => string,
): readonly (DayLine & { readonly name: string })[] {
  return days.flatMap((row, i) => {
    if (isQuiet(row) && days[i + 1] !== undefined && isQuiet(days[i + 1]!)) return [];
    const first = days.findLastIndex((one, j) => j < i && !isQuiet(one)) + 1;
    const name =
      isQuiet(row) && first < i
        ? `${wordDay(days[first]!.day.slice(5))} – ${wordDay(row.day.slice(5))}`
        : wordDay(row.day);
    return [{ ...row, name }];
  });
}

type MonthFormula = TableRows<never, (typeof MONTHS.columns)[number]['key']>['formulaOf'];

/** Shows the months of a year. `formulaOf` returns the formulas that sum up their days. */
export function monthBlocks(
  { statement, labels }: DocumentContext,
  formulaOf?: MonthFormula,
): readonly Block[] {
  const titles = { ...labels.operators, ...labels.days, ...labels.months };
  const total = periodLine(statement);
  const rows = statement.months!;
  return [
    note(labels.months.note),
    note(labels.operators.collectionsNote, SHEET),
    tableOf('months', MONTHS, { titles, rows, total, totalAbove: true, formulaOf }),
  ];
}

/**
 * Shows payments by link as a column of their own, from what the service owed for them to what it
 * owes now; nothing where there are none.
 */
export function linkColumn({
  statement,
  labels,
  words,
  language,
}: DocumentContext): readonly Block[] {
  const { paymentsByLink: section, period } = statement;
  if (section === null) return [];
  const { links } = labels;
  const { paymentCount: count, totalAmount, currency } = section.summary;
  const { account } = section;
  const figures = { count: account?.unknownCount ?? 0, ...doubtsOf(section, links, words) };
  const said = (text: string): string => fill(text, figures, words.speech);
  const row = (
    key: keyof typeof links.column,
    amount: number,
    more: Partial<NamedRow> = {},
  ): NamedRow => {
    return { key, name: said(links.column[key]), amount, compared: [], ...more };
  };
  const spent = (['commissions', 'paidOut', 'payoutFees'] as const).map((key) =>
    row(key, 0 - (account?.[key] ?? 0)),
  );
  const paid = row('collected', account?.collected ?? totalAmount, {
    count: count + (account?.late?.count ?? 0),
  });
  const moved = [paid, ...spent.filter((one) => one.amount !== 0)];
  const bound = (key: 'opening' | 'closing', more: Partial<NamedRow> = {}) =>
    account === null ? [] : [row(key, account[key], { tone: 'strong', ...more })];
  const formula = `SUM(opening:${moved.at(-1)!.key})`;
  const rows = [...bound('opening'), ...moved, ...bound('closing', { formula })];
  const titles = {
    name: links.heading,
    count: links.count,
    amount: `${period.label[language]}, ${currency}`,
  };
  return [
    tableOf('links', bridgeTable(0), { titles, rows }),
    note(links.apart),
    ...linkOutcome(section, links, words.speech).map(({ text, isAlert }) =>
      sentence(text, isAlert),
    ),
  ];
}

/**
 * Shows what `linkColumn` does not; nothing where the statement has no payments by link. The days
 * of a year are only in the workbook.
 */
export function linkBlocks(context: DocumentContext): readonly Block[] {
  const { statement, labels, words } = context;
  const { paymentsByLink: section, months } = statement;
  if (section === null) return [];
  const titles = labels.links;
  const {
    byOperator,
    byCountry,
    byDay,
    byStatus,
    paymentCount: count,
    totalAmount: amount,
  } = section.summary;
  const of = { titles, total: { count, amount } };
  const states = Object.entries(byStatus)
    .filter(([, value]) => value > 0)
    .map(
      ([status, value]) =>
        [titles.states[status as keyof typeof byStatus], value, 'count'] as const,
    );
  // Operators are written in capitals, as those of the wallet are.
  const operators = byOperator.map((row) => ({ ...row, operator: row.operator.toUpperCase() }));
  const { differences = [], allowed = [] } = section.comparison ?? {};
  const placed = months === null ? {} : SHEET;
  return [
    heading(titles.heading, PAGE),
    note(linkNote(section, titles, words.speech)),
    heading(titles.operator),
    tableOf('byOperator', PAID.byOperator, { ...of, rows: operators }),
    heading(titles.country, { isBeside: true }),
    tableOf('byCountry', PAID.byCountry, { ...of, rows: byCountry }),
    heading(titles.day, placed),
    { ...tableOf('byDay', PAID.byDay, { ...of, rows: byDay }), ...placed },
    ...(states.length === 0 ? [] : [heading(titles.state), pairs(...states)]),
    heading(titles.account),
    ...accountSentences(section, titles, words).map(({ text, isAlert }) => sentence(text, isAlert)),
    ...differenceBlocks(
      context,
      [...differences, ...allowed],
      'paymentsByLink.',
      heading(titles.report),
    ),
  ];
}
