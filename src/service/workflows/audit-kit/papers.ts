// The working papers of an audit kit, out of the months as they were issued and of what the mirror knows around them. Each issued
// document is read twice, its operations before its lines, and never held.

import { createHash } from 'node:crypto';
import type { Operation } from '../../../core/domain/operation.ts';
import { formatPeriod, type StatedPeriod } from '../../../core/domain/period.ts';
import type { ChainMark } from '../../../core/domain/snapshot.ts';
import {
  beginDraw,
  beginLineTests,
  certifySequences,
  compareMonths,
  drawOperation,
  endDraw,
  type Sizes,
  testCutOff,
  testEntries,
  testLine,
} from '../../../core/statements/papers/audit-papers.ts';
import type { IssuedStatement } from '../../../core/statements/revision.ts';
import type { Statement } from '../../../core/statements/statement.ts';
import type { StatementLine, StatementOperation } from '../../../core/statements/statement-line.ts';
import type { KitPart } from '../../../io/evidence/audit-kit.ts';
import { writeConfirmation } from '../../../io/formats/attestation/confirmation.ts';
import { type AuditPapers, writePapers } from '../../../io/formats/papers/papers-workbook.ts';
import type { FormatOptions } from '../../../io/formats/port/format.ts';
import { linesOf } from '../../../io/formats/read-back/read-back.ts';
import { readStatement } from '../../../io/formats/text/json.ts';
import { readReportFile } from '../../../io/storage/issued/report-files.ts';
import { listReports, type ReportRecord } from '../../../io/storage/issued/reports.ts';
import {
  loadLinesAround,
  loadMirrored,
  loadNotifications,
  loadVersions,
  type MirroredMerchant,
} from '../../../io/storage/operators/operation-history.ts';
import type { Store } from '../../../io/storage/server/store.ts';

/** What papers need beside the books. `options`: with a template. `seed`: null, the head of the chain over the merchant's lines. */
export interface PapersSettings {
  readonly options: FormatOptions;
  readonly seed: string | null;
  readonly sizes: Sizes;
  /** Name and address; null: left open. */
  readonly auditor: string | null;
  /** By currency: amounts above which two people decide. */
  readonly limits: Readonly<Record<string, number>>;
}

/** `reports`: of each month of the period every revision that is READY, ascending. */
interface PapersTask extends PapersSettings {
  readonly evidence: { readonly store: Store };
  readonly merchant: string;
  readonly period: StatedPeriod;
  readonly books: { readonly chain?: ChainMark | null };
  readonly reports: readonly ReportRecord[];
}

export async function paperParts(task: PapersTask): Promise<{ readonly parts: readonly KitPart[] }> {
  const papers = await gatherPapers(task);
  const name = `${task.merchant.replace(/[^\w-]/g, '_')}_${formatPeriod(task.period)}`;
  const options = { ...task.options, auditor: task.auditor };
  const workbook: KitPart['write'] = (out) => writePapers(papers, options, out);
  const confirm: KitPart['write'] = (out) => writeConfirmation(papers.statements, options, out);
  const confirmation = { path: `papers/CONFIRMATION_${name}.pdf`, write: confirm };
  return { parts: [{ path: `papers/DOSSIER_${name}.xlsx`, write: workbook }, confirmation] };
}

async function gatherPapers({
  evidence: { store },
  merchant,
  books,
  reports,
  ...wish
}: PapersTask): Promise<AuditPapers> {
  const inForce = [...new Map(reports.map((report) => [report.period, report])).values()];
  const statements = await Promise.all(inForce.map((report) => headOf(store, report)));
  const draw = beginDraw(statements, {
    seed: wish.seed ?? books.chain?.head ?? statements.at(-1)!.integrity.chainHead,
    sizes: wish.sizes,
    hash: (text) => createHash('sha256').update(text).digest('hex'),
  });
  for (const [i, report] of inForce.entries())
    for await (const operation of rowsIn<StatementOperation>(store, report, 'operations'))
      drawOperation(draw, operation, statements[i]!.period);
  const items = endDraw(draw);
  const tests = beginLineTests();
  for (const report of inForce) {
    for await (const line of rowsIn<StatementLine>(store, report, 'lines')) {
      draw.seen.lines.get(line.operationReference ?? '')?.push(line);
      testLine(tests, line);
    }
  }
  const mirrored = (await loadMirrored(store, merchant))!;
  const notified = items.map(async ({ reference }) => {
    const [first] = await loadNotifications(store, mirrored, reference);
    return [reference, first?.receivedAt ?? null] as const;
  });
  // The newest first.
  const issued = (await listReports(store, merchant)).filter(({ status }) => status === 'READY').toReversed();
  const outside = new Set(statements.flatMap(({ crossing }) => crossing.rows.map(({ sequence }) => sequence)));
  return {
    statements,
    draw,
    items,
    notifiedAt: new Map(await Promise.all(notified)),
    cutOff: await cutOffOf(store, mirrored, statements),
    sequences: certifySequences(tests, outside),
    months: compareMonths(
      new Map(issued.map((report) => [report.period, (report.issued as IssuedStatement).summary])),
      inForce.map(({ period }) => period),
    ),
    entries: testEntries(tests, wish.limits[statements.at(-1)!.currency] ?? null),
    entryCount: tests.entryCount,
  };
}

async function headOf(store: Store, report: ReportRecord): Promise<Statement> {
  const head: string[] = [];
  for await (const line of linesOf(readReportFile(store, report, 'json'))) if (head.push(line) === 2) break;
  return readStatement(head)!;
}

/** Rows of an issued document, one a line of its JSON form. */
async function* rowsIn<Row>(store: Store, report: ReportRecord, list: 'lines' | 'operations'): AsyncGenerator<Row> {
  let isIn = false;
  for await (const text of linesOf(readReportFile(store, report, 'json'))) {
    if (text.startsWith('"')) isIn = text.startsWith(`"${list}":[`);
    else if (isIn && text.startsWith('{')) yield JSON.parse(text.replace(/,$/, '')) as Row;
  }
}

/** Lines that move the balance on each side of a bound, and lines of any kind that hold so many. */
const LINES_A_SIDE = 20;
const READ_A_SIDE = 100;

async function cutOffOf(store: Store, mirrored: MirroredMerchant, statements: readonly Statement[]) {
  const [first, last] = [statements[0]!, statements.at(-1)!];
  const bounds = [
    { bound: 'start', at: first.period.start, from: first.summary.firstSequence },
    { bound: 'end', at: last.period.end, from: last.summary.lastSequence && last.summary.lastSequence + 1 },
  ] as const;
  const tested = bounds.map(async ({ from: sequence, ...bound }) => {
    if (sequence === null) return [];
    const around = await loadLinesAround(store, mirrored, { sequence, before: READ_A_SIDE, after: READ_A_SIDE });
    const moving = around.flatMap(({ entry, isJudged }) =>
      isJudged && /^(CREDIT|DEBIT)$/.test(entry.direction) ? [entry] : [],
    );
    const start = moving.filter((entry) => entry.sequence < sequence).length;
    const lines = moving.slice(Math.max(0, start - LINES_A_SIDE), start + LINES_A_SIDE);
    const operations = new Map<string, Operation>();
    for (const reference of new Set(lines.flatMap(({ operationReference }) => operationReference ?? []))) {
      const newest = (await loadVersions(store, mirrored, reference)).at(-1);
      if (newest !== undefined) operations.set(reference, newest.operation);
    }
    return testCutOff(lines, operations, bound);
  });
  return (await Promise.all(tested)).flat();
}
