// What every sheet is made from: the statement, the words, the zone of its dates; and the heading that sheets share.

import { invariant } from '../../../core/domain/invariant.ts';
import { openZone, type Zone } from '../../../core/domain/zone.ts';
import type { FindingSpeech } from '../../../core/words/finding.ts';
import { fill } from '../../../core/words/message.ts';
import type { Labels } from '../../../core/words/tree.ts';
import type { FormatOptions, StatementDocument } from '../format.ts';
import { type Wording, wordingOf } from '../pdf/wording.ts';
import { labelsOf } from '../template.ts';
import { spread, text } from './cell.ts';
import type { SheetDraft } from './sheet-plan.ts';

export interface SheetContext extends StatementDocument, FormatOptions {
  readonly labels: Labels;
  readonly zone: Zone;
  readonly speech: FindingSpeech;
  /** As the other forms of a statement write figures inside sentences, and local times. */
  readonly words: Wording;
}

export function openContext(document: StatementDocument, options: FormatOptions): SheetContext {
  const { zone: name } = document.statement.period;
  const zone = openZone(name);
  invariant(zone !== null, `the statement's zone ${name} is not known`);
  const { template, language } = options;
  invariant(template !== undefined, 'a caller that asks for a workbook hands a template over');
  const labels = labelsOf(template, document.statement)[language];
  const words = wordingOf(name, { labels, language });
  return { ...document, ...options, labels, zone, speech: words.speech, words };
}

/** Up to so many lines, the texts of ledger and journal are kept in memory, to stand in the file once. */
const MOST_SHARED_LINES = 2_000;

export function hasManyTexts({ statement }: SheetContext): boolean {
  return statement.summary.entryCount > MOST_SHARED_LINES;
}

/** The two lines above every table: what it is, and whose. */
export function addHeading(sheet: SheetDraft, context: SheetContext, title: string): void {
  const { statement, labels, language } = context;
  const { merchant, period, currency, revision } = statement;
  sheet.add([text(`${title} — ${period.label[language]}`, 'title')]);
  const who = merchant.name === null ? merchant.reference : `${merchant.name} · ${merchant.reference}`;
  const issue = fill(labels.workbook.frame.revision, { revision: revision.number });
  sheet.add([text(`${who} · ${currency} · ${period.zone} · ${issue}`, 'note')]);
}

/** A line over `columns` columns that begins a part of a sheet, after an empty row. */
export function addSection(sheet: SheetDraft, title: string, columns: number): void {
  sheet.skip();
  sheet.add(spread(columns, 'section', { 1: text(title, 'section') }));
}
