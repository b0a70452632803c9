// The month's verdict and bounds in words, for the sheets that open the workbook.

import { fill } from '../../../words/message.ts';
import { closedSentences } from '../../closed-sentence.ts';
import { verdictReasons } from '../../verdict-reasons.ts';
import { verdictSentences } from '../../verdict-sentences.ts';
import { type CellStyle, spread, text } from '../cell.ts';
import { groupDigits } from '../labels.ts';
import type { SheetContext } from '../sheet-context.ts';
import type { SheetDraft } from '../sheet-plan.ts';

/** The verdict's sentences, coloured; then what it comes from. */
export function addVerdict(
  sheet: SheetDraft,
  { due, verdict, statement, speech }: SheetContext,
  columns: number,
): void {
  const style: CellStyle = statement.summary.verdict.state === 'clean' ? 'good' : 'bad';
  for (const sentence of verdictSentences(
    statement.summary,
    { due, notChecked: speech.words.notChecked },
    groupDigits,
  )) {
    sheet.add(spread(columns, style, { 1: text(sentence, style) }));
  }
  for (const said of closedSentences(statement.circumstances, { due }, speech)) sheet.add([text(said, 'note')]);
  for (const { words, isStrong } of verdictReasons(statement, { due, verdict }, speech)) {
    sheet.add(isStrong ? spread(columns, style, { 1: text(words, style) }) : [text(words, 'note')]);
  }
}

/** From the first instant to the first one after the month, by the zone's clocks. */
export function periodText({ labels, statement }: SheetContext): string {
  const { startText, endText, zone, boundsFrom } = statement.period;
  const bounds = fill(labels.period, { start: startText.local, end: endText.local, zone });
  return `${bounds} ${labels.boundsFrom[boundsFrom]}`;
}
