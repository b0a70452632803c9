// Lisez-moi: what the workbook is, whether its books are sound, what it contains and how it can be
// checked. The first sheet, so that broken books are seen before any figure.

import { fill } from '../../../../core/words/finding.ts';
import { partyLines } from '../../sentences/parties.ts';
import { verdictReasons } from '../../sentences/verdict-reasons.ts';
import { verdictSentences } from '../../sentences/verdict-sentences.ts';
import { type Block, heading, pairs } from '../../tables/block.ts';
import { uncheckedBlocks, verificationPairs } from '../../tables/circumstances.ts';
import { toDoLines } from '../../text/letter.ts';
import { type CellStyle, spread, text, wrapped } from '../sheet/cell.ts';
import {
  addHeading,
  planOf,
  type SheetContext,
  type SheetDraft,
  type SheetPlan,
  startSheet,
} from '../sheet/sheet.ts';
import { addBlocks } from '../sheet/table.ts';

const WIDTHS = [28, 110];

export function planReadMe(context: SheetContext): SheetPlan {
  const { labels, statement } = context;
  const sheet = startSheet(labels.workbook.sheets.readMe);
  addHeading(sheet, context, labels.workbook.frame.title);
  sheet.add([text(periodText(context), 'note')]);
  for (const [name, line] of partyLines(context)) sheet.add([text(name), wrapped(line)]);
  sheet.skip();
  addVerdict(sheet, context, WIDTHS.length);
  const { heading: toDo } = labels.firstPage.toDo;
  for (const [i, line] of toDoLines(context).entries())
    sheet.add([i === 0 ? text(toDo) : null, wrapped(line)]);
  const { number, previous, changes } = statement.revision;
  if (previous !== null) {
    const values = { number, previous: previous.number, count: changes.length };
    const revised = fill(labels.workbook.readMe.revised, values, context.words.speech);
    sheet.add(spread(WIDTHS.length, 'bad', { 1: text(revised, 'bad') }));
  }
  addBlocks(sheet, context, contentBlocks(context));
  return planOf(sheet, { widths: WIDTHS, onOnePage: true });
}

function contentBlocks(context: SheetContext): readonly Block[] {
  const { labels, statement, verifyAt } = context;
  const said = labels.workbook.readMe;
  const { period, currency, integrity, circumstances } = statement;
  const lacking: Readonly<Record<string, boolean>> = {
    months: statement.months === null,
    links: statement.paymentsByLink === null,
  };
  const about = Object.entries(said.about).filter(([name]) => lacking[name] !== true);
  const address =
    verifyAt === null ? [] : [[said.verifyAt, `${verifyAt}${integrity.documentHash}`] as const];
  return [
    heading(said.sheets),
    pairs(
      ...about.map(
        ([name, value]) =>
          [labels.workbook.sheets[name as keyof typeof said.about], value] as const,
      ),
    ),
    heading(said.conventions),
    pairs(
      ...said.rules.map(
        ({ term, rule }) => [term, fill(rule, { currency, zone: period.zone })] as const,
      ),
    ),
    heading(labels.annex.notChecked),
    ...uncheckedBlocks(context, labels.annex, circumstances.notChecked),
    heading(said.verification),
    verificationPairs(context),
    pairs(...address, [said.recalculate, said.recalculateText]),
  ];
}

/** The verdict's sentences, coloured; then what it comes from. */
export function addVerdict(
  sheet: SheetDraft,
  { labels, statement, words }: SheetContext,
  columns: number,
): void {
  const style: CellStyle = statement.summary.verdict.state === 'clean' ? 'good' : 'bad';
  const strong = (said: string): number =>
    sheet.add(spread(columns, style, { 1: text(said, style) }));
  for (const sentence of verdictSentences(statement.summary, labels, words.amount))
    strong(sentence);
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
