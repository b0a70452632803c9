// What opens the Lisez-moi and the Synthèse: the bounds of the month, and the verdict on it.

import { fill } from '../../../../core/words/message.ts';
import { verdictReasons } from '../../sentences/verdict-reasons.ts';
import { closedSentences, verdictSentences } from '../../sentences/verdict-sentences.ts';
import { type CellStyle, spread, text } from '../sheet/cell.ts';
import type { SheetContext, SheetDraft } from '../sheet/sheet.ts';

/** The verdict's sentences, coloured; then what it comes from. */
export function addVerdict(sheet: SheetDraft, { labels, statement, words }: SheetContext, columns: number): void {
  const style: CellStyle = statement.summary.verdict.state === 'clean' ? 'good' : 'bad';
  const strong = (said: string): number => sheet.add(spread(columns, style, { 1: text(said, style) }));
  for (const sentence of verdictSentences(statement.summary, labels, words.amount)) strong(sentence);
  for (const said of closedSentences(statement.circumstances, labels, words.speech)) sheet.add([text(said, 'note')]);
  for (const { words: said, isStrong } of verdictReasons(statement, labels, words.speech)) {
    if (isStrong) strong(said);
    else sheet.add([text(said, 'note')]);
  }
}

/** From the first instant to the first one after the month, by the zone's clocks. */
export function periodText({ labels, statement, words }: SheetContext): string {
  const { startText, endText, zone, boundsFrom } = statement.period;
  const [start, end] = [words.time(startText.local), words.time(endText.local)];
  const bounds = fill(labels.workbook.period, { start, end, zone });
  return `${bounds} ${labels.workbook.boundsFrom[boundsFrom]}`;
}
