// Lisez-moi: what the workbook is, whether its books are sound, what it contains and how it can be checked. The first sheet, so
// that broken books are seen before any figure. Its verdict and bounds open the Synthèse as well.

import { fill } from '../../../../core/words/message.ts';
import { wordUnchecked } from '../../../../core/words/names.ts';
import { partyLines } from '../../sentences/parties.ts';
import { verdictReasons } from '../../sentences/verdict-reasons.ts';
import { closedSentences, verdictSentences } from '../../sentences/verdict-sentences.ts';
import { type CellStyle, spread, text, wrapped } from '../sheet/cell.ts';
import {
  addHeading,
  addSection,
  planOf,
  type SheetContext,
  type SheetDraft,
  type SheetPlan,
  startSheet,
} from '../sheet/sheet.ts';

const WIDTHS = [28, 110];

export function planReadMe(context: SheetContext): SheetPlan {
  const { labels, statement, speech } = context;
  const words = labels.workbook.readMe;
  const sheet = startSheet(labels.workbook.sheets.readMe);
  addHeading(sheet, context, labels.workbook.frame.title);
  sheet.add([text(periodText(context), 'note')]);
  for (const [name, line] of partyLines(context)) sheet.add([text(name), wrapped(line)]);
  sheet.skip();
  addVerdict(sheet, context, WIDTHS.length);
  addRevision(sheet, context);
  addSection(sheet, words.sheets, WIDTHS.length);
  for (const [name, about] of Object.entries(words.about)) {
    if (name === 'months' && statement.months === null) continue;
    if (name === 'links' && statement.paymentsByLink === null) continue;
    sheet.add([text(labels.workbook.sheets[name as keyof typeof words.about]), wrapped(about)]);
  }
  addSection(sheet, words.conventions, WIDTHS.length);
  for (const { term, rule } of words.rules) {
    const { zone } = statement.period;
    sheet.add([text(term), wrapped(fill(rule, { currency: statement.currency, zone }))]);
  }
  addSection(sheet, words.limits, WIDTHS.length);
  const { notChecked } = statement.circumstances;
  if (notChecked.length === 0) sheet.add([text(labels.workbook.metadata.allChecked, 'note')]);
  for (const note of notChecked) {
    const { what, why } = wordUnchecked(speech, note);
    sheet.add([text(what), wrapped(why)]);
  }
  addVerification(sheet, context);
  return planOf(sheet, { widths: WIDTHS, onOnePage: true });
}

function addRevision(sheet: SheetDraft, { labels, statement, speech }: SheetContext): void {
  const { number, previous, changes } = statement.revision;
  if (previous === null) return;
  const said = fill(
    labels.workbook.readMe.revised,
    { number, previous: previous.number, count: changes.length },
    speech,
  );
  sheet.add(spread(WIDTHS.length, 'bad', { 1: text(said, 'bad') }));
}

function addVerification(sheet: SheetDraft, { labels, statement, verifyAt }: SheetContext): void {
  const words = labels.workbook.readMe;
  const { contentHash, documentHash, chainHead } = statement.integrity;
  addSection(sheet, words.verification, WIDTHS.length);
  sheet.add([text(labels.workbook.metadata.documentHash), text(documentHash)]);
  sheet.add([text(labels.workbook.metadata.contentHash), text(contentHash)]);
  sheet.add([text(labels.workbook.metadata.chainHead), text(chainHead)]);
  if (verifyAt !== null) sheet.add([text(words.verifyAt), text(`${verifyAt}${documentHash}`)]);
  sheet.add([text(words.recalculate), wrapped(words.recalculateText)]);
}

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
