// What a workbook has beside its sheets: who made it and when, and the foot of every page.

import type { Workbook } from 'exceljs';
import { fill } from '../../../core/words/message.ts';
import type { StatementDocument } from '../port/format.ts';
import type { WorkbookLabels } from './sheet/address.ts';
import { cellText } from './sheet/cell-text.ts';
import type { SheetPlan } from './sheet/sheet.ts';
import type { StyleOf } from './sheet/styles.ts';

/** A workbook ready to be written: sheets in their order, each consumed before the next is asked for. */
export interface WorkbookPlan {
  readonly sheets: Iterable<SheetPlan>;
  readonly styleOf: StyleOf;
  readonly footer: string;
  readonly title: string;
  readonly engine: string;
  /** The only time in the file: when the statement was made. */
  readonly madeAt: Date;
}

export type WorkbookFrame = Omit<WorkbookPlan, 'sheets' | 'styleOf'>;

const LONGEST_FOOTER_TEXT = 80;

export function frameOf(
  { statement }: StatementDocument,
  labels: WorkbookLabels,
  language: 'fr' | 'en',
): WorkbookFrame {
  const { merchant, period, revision, integrity, engine, generatedAt } = statement;
  const label = period.label[language];
  const reference = cellText(merchant.reference).slice(0, LONGEST_FOOTER_TEXT).replaceAll('&', '&&');
  const page = fill(labels.frame.page, { page: '&P', pages: '&N' });
  const issue = fill(labels.frame.issue, { period: period.period, revision: revision.number });
  return {
    // The space ends the size: digits that follow it at once would be read as part of it.
    footer: `&L&8 ${reference} · ${issue}&C&8 ${integrity.documentHash.slice(0, 12)}&R&8 ${page}`,
    title: cellText(`${labels.frame.title} ${label} · ${merchant.reference}`),
    engine,
    madeAt: new Date(generatedAt),
  };
}

export function nameWorkbook(workbook: Workbook, { title, engine, madeAt }: WorkbookFrame): void {
  workbook.creator = engine;
  workbook.lastModifiedBy = engine;
  workbook.created = madeAt;
  workbook.modified = madeAt;
  workbook.title = title;
  workbook.views = [{ x: 0, y: 0, width: 28_000, height: 16_000, firstSheet: 0, activeTab: 0, visibility: 'visible' }];
}
