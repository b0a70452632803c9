// The month's verdict and bounds in words, for the sheets that open the workbook.

import { fill } from '../../../../core/words/message.ts';
import { closedSentences } from '../../closed-sentence.ts';
import { verdictReasons } from '../../verdict-reasons.ts';
import { verdictSentences } from '../../verdict-sentences.ts';
import { type CellStyle, spread, text } from '../cell.ts';
import type { SheetContext } from '../sheet-context.ts';
import type { SheetDraft } from '../sheet-plan.ts';

/** The verdict's sentences, coloured; then what it comes from. */
export function addVerdict(
  sheet: SheetDraft,
  { labels, statement, speech, words }: SheetContext,
  columns: number,
): void {
  const style: CellStyle = statement.summary.verdict.state === 'clean' ? 'good' : 'bad';
  for (const sentence of verdictSentences(statement.summary, labels, words.amount)) {
    sheet.add(spread(columns, style, { 1: text(sentence, style) }));
  }
  for (const said of closedSentences(statement.circumstances, labels, speech)) sheet.add([text(said, 'note')]);
  for (const { words: said, isStrong } of verdictReasons(statement, labels, speech)) {
    sheet.add(isStrong ? spread(columns, style, { 1: text(said, style) }) : [text(said, 'note')]);
  }
}

/** From the first instant to the first one after the month, by the zone's clocks. */
export function periodText({ labels, statement, words }: SheetContext): string {
  const { startText, endText, zone, boundsFrom } = statement.period;
  const [start, end] = [words.time(startText.local), words.time(endText.local)];
  const bounds = fill(labels.workbook.period, { start, end, zone });
  return `${bounds} ${labels.workbook.boundsFrom[boundsFrom]}`;
}
