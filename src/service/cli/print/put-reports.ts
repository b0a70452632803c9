// What a run or an audit answers: tables and sentences for people, the whole document as JSON, or a row a merchant as CSV or
// workbook.

import type { AuditDocument } from '../../../core/reconcile/audit-document.ts';
import type { Stage } from '../command.ts';
import { type ListingFlags, printListing } from './listing.ts';
import { putText } from './put.ts';

/** Findings of one merchant that people are shown. */
const MOST_FINDINGS = 20;

/** People have their own form of it. */
const FOR_PROGRAMS = { table: [], none: '', notes: [] };

export async function putReports(stage: Stage, flags: ListingFlags, document: AuditDocument): Promise<void> {
  const { format, out: file } = flags;
  const noun = 'report';
  if (format === 'json') return putText(stage.terminal, file, { noun, text: `${JSON.stringify(document, null, 2)}\n` });
  if (format !== 'text') {
    const { REPORT_COLUMNS } = await import('./report-columns.ts');
    const rows = document.merchants;
    return printListing(stage, flags, { title: 'Merchants', rows, columns: REPORT_COLUMNS, ...FOR_PROGRAMS });
  }
  const lines: string[] = [];
  const paper = { ...stage.terminal, colour: false, width: null, out: (text: string) => void lines.push(text) };
  // Loaded when it is needed: a program that reads JSON does not wait for tables.
  const { printReports } = await import('./report.ts');
  printReports(file === undefined ? stage.terminal : paper, document.merchants, { most: MOST_FINDINGS });
  if (file !== undefined) await putText(stage.terminal, file, { noun, text: lines.join('') });
}
