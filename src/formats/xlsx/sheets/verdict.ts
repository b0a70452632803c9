// The month's verdict and bounds in words, for the sheets that open the workbook.

import { explainCounts } from '../../../statements/reconciliation/finding-counts.ts';
import { fill } from '../../../words/message.ts';
import { verdictSentences } from '../../verdict-sentences.ts';
import { type CellStyle, spread, text } from '../cell.ts';
import { groupDigits } from '../labels.ts';
import type { SheetContext } from '../sheet-context.ts';
import type { SheetDraft } from '../sheet-plan.ts';

/** The verdict's sentences, coloured; then how many findings there are, of the month and from elsewhere, what breaks it first. */
export function addVerdict(sheet: SheetDraft, { labels, due, statement, speech }: SheetContext, columns: number): void {
  const style: CellStyle = statement.summary.verdict.state === 'clean' ? 'good' : 'bad';
  for (const sentence of verdictSentences(
    statement.summary,
    { due, notChecked: speech.words.notChecked },
    groupDigits,
  )) {
    sheet.add(spread(columns, style, { 1: text(sentence, style) }));
  }
  for (const { when, counts, isReason } of explainCounts(statement)) {
    const { total, critical, error } = counts;
    const said = fill(labels.verdictCounts[when], { total, critical, error });
    sheet.add(isReason ? spread(columns, style, { 1: text(said, style) }) : [text(said, 'note')]);
  }
}

/** From the first instant to the first one after the month, by the zone's clocks. */
export function periodText({ labels, statement }: SheetContext): string {
  const { startText, endText, zone, boundsFrom } = statement.period;
  const bounds = fill(labels.period, { start: startText.local, end: endText.local, zone });
  return `${bounds} ${labels.boundsFrom[boundsFrom]}`;
}
