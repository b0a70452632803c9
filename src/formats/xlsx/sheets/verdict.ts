// The month's verdict and bounds in words, for the sheets that open the workbook.

import { explainCounts } from '../../../statements/finding-counts.ts';
import { fill } from '../../phrase.ts';
import { type CellStyle, spread, text } from '../cell.ts';
import { groupDigits } from '../labels.ts';
import type { SheetContext } from '../sheet-context.ts';
import type { SheetDraft } from '../sheet-plan.ts';

/**
 * One coloured line, the verdict, and how many findings there are, of the month and from elsewhere. Those from elsewhere are
 * coloured too, and stand right below the verdict, where it is they that it comes from.
 */
export function addVerdict(sheet: SheetDraft, { labels, statement }: SheetContext, columns: number): void {
  const { verdict } = statement.findings;
  const { control } = statement.summary;
  const style: CellStyle = verdict === 'clean' ? 'good' : 'bad';
  sheet.add(spread(columns, style, { 1: text(labels.verdicts[verdict], style) }));
  for (const { when, counts, isReason } of explainCounts(statement)) {
    const { total, critical, error } = counts;
    const said = fill(labels.verdictCounts[when], { total, critical, error });
    sheet.add(isReason ? spread(columns, style, { 1: text(said, style) }) : [text(said, 'note')]);
  }
  const { recordedMinusRecomputed: balance, reservedRecordedMinusRecomputed: reserved } = control;
  if (balance === 0 && reserved === 0) return;
  const said = fill(labels.recordedDiffers, {
    balance: groupDigits(balance),
    reserved: groupDigits(reserved),
    currency: statement.currency,
  });
  sheet.add(spread(columns, 'bad', { 1: text(said, 'bad') }));
}

/** From the first instant to the first one after the month, by the zone's clocks. */
export function periodText({ labels, statement }: SheetContext): string {
  const { startText, endText, zone, boundsFrom } = statement.period;
  const bounds = fill(labels.period, { start: startText.local, end: endText.local, zone });
  return `${bounds} ${labels.boundsFrom[boundsFrom]}`;
}
