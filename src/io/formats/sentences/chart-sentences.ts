// What the two charts of a month show, in words: for programs that read a page or a sheet aloud.

import { fill } from '../../../core/words/finding.ts';
import type { DocumentContext } from '../port/wording.ts';

/** Returns the opening, the closing, the lowest and the highest balance of the month's days. */
export function balanceText({ statement, labels, language, words }: DocumentContext): string {
  const { openingBalance, closingBalance } = statement.summary;
  const closings = statement.days.map(({ closing }) => closing);
  return fill(labels.workbook.charts.balanceText, {
    period: statement.period.label[language],
    opening: words.amount(openingBalance),
    closing: words.amount(closingBalance),
    lowest: words.amount(Math.min(...closings)),
    highest: words.amount(Math.max(...closings)),
  });
}

/** Returns each operator with what was collected by it. */
export function operatorText({ statement, labels, language, words }: DocumentContext): string {
  const list = statement.summary.byOperator
    .map(({ operator, amount }) => `${operator} ${words.amount(amount)}`)
    .join(', ');
  return fill(labels.workbook.charts.operatorText, {
    period: statement.period.label[language],
    list,
  });
}
