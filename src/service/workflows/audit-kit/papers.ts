// The working papers of an audit kit, made from the months as they were issued and from what the
// mirror knows around them. Each issued document is read twice, operations before lines, and is
// never held in memory.

import { hash } from 'node:crypto';
import type { LedgerEntry } from '../../../core/domain/ledger-entry.ts';
import { documentName } from '../../../core/domain/naming/names.ts';
import type { Operation } from '../../../core/domain/operation.ts';
import { formatPeriod } from '../../../core/domain/period.ts';
import { shownText } from '../../../core/statements/mask-phone-numbers.ts';
import {
  compareMonths,
  linesAbout,
  openTests,
  type Sizes,
  testCutOff,
} from '../../../core/statements/papers/audit-papers.ts';
import type { IssuedStatement } from '../../../core/statements/revision.ts';
import type { Statement } from '../../../core/statements/statement.ts';
import type { StatementLine, StatementOperation } from '../../../core/statements/statement-line.ts';
import type { KitPart } from '../../../io/evidence/audit-kit.ts';
import {
  type ConfirmationTerms,
  writeConfirmation,
} from '../../../io/formats/attestation/confirmation.ts';
import { type AuditPapers, writePapers } from '../../../io/formats/papers/papers-workbook.ts';
import type { FormatOptions, StatementDocument } from '../../../io/formats/port/format.ts';
import { linesOf, statementIn } from '../../../io/formats/read-back/read-back.ts';
import { listDecisions } from '../../../io/storage/evidence/decisions.ts';
import { readReportFile } from '../../../io/storage/issued/report-files.ts';
import { listReports, type ReportRecord } from '../../../io/storage/issued/reports.ts';
import {
  loadLines,
  loadLinesAround,
  loadMirrored,
  loadNotifications,
  loadVersions,
  type MirroredLine,
  type MirroredMerchant,
} from '../../../io/storage/operators/operation-history.ts';
import { listRunsOf } from '../../../io/storage/operators/run-records.ts';
import { listTrail } from '../../../io/storage/operators/trail.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import { type KitContext, missingMonths, type Parts } from './write-kit.ts';

/**
 * `options` must have a template. `seed` selects the samples; `null` for the head of the hash chain
 * over the merchant's lines.
 */
interface PapersTask extends KitContext {
  readonly options: FormatOptions;
  readonly seed: string | null;
  readonly sizes: Sizes;
  /** Terms of the confirmation; the papers leave a term open where it is `null`. */
  readonly confirmation: ConfirmationTerms;
  /** By currency: the amounts above which two people must decide. */
  readonly limits: Readonly<Record<string, number>>;
}

export async function paperParts(task: PapersTask): Promise<Parts> {
  const papers = await gatherPapers(task);
  const nameOf = (kind: string): string =>
    documentName(kind, task.merchant, formatPeriod(task.period));
  const options = { ...task.options, ...task.confirmation };
  const workbook: KitPart['write'] = (out) => writePapers(papers, options, out);
  const confirm: KitPart['write'] = (out) =>
    writeConfirmation(papers.statements.at(-1)!, options, out);
  const confirmation = { path: `papers/${nameOf('CONFIRMATION')}.pdf`, write: confirm };
  return { parts: [{ path: `papers/${nameOf('DOSSIER')}.xlsx`, write: workbook }, confirmation] };
}

async function gatherPapers(task: PapersTask): Promise<AuditPapers> {
  const { merchant, books, reports, bounds, seed, sizes, limits, period: wanted } = task;
  const { store } = task.evidence;
  const inForce = [...new Map(reports.map((report) => [report.period, report])).values()];
  const months = await Promise.all(inForce.map((report) => monthOf(store, report)));
  const { statement: last } = months.at(-1)!;
  const tested = await testMonths(months, {
    seed: seed ?? books.chain?.head ?? last.integrity.chainHead,
    sizes,
    hash: (text) => hash('sha256', text),
    limit: limits[last.currency] ?? null,
  });
  const mirrored = (await loadMirrored(store, merchant))!;
  const notified = tested.items.map(async ({ reference }) => {
    const [first] = await loadNotifications(store, mirrored, reference);
    return [reference, first?.receivedAt ?? null] as const;
  });
  // Newest first.
  const issued = (await listReports(store, merchant))
    .filter(({ status }) => status === 'READY')
    .toReversed();
  return {
    ...tested,
    missing: missingMonths(wanted, inForce)[0]?.which ?? null,
    notifiedAt: new Map(await Promise.all(notified)),
    cutOff: await cutOffOf(store, mirrored, tested.statements),
    months: compareMonths(
      new Map(issued.map((report) => [report.period, (report.issued as IssuedStatement).summary])),
      inForce.map(({ period }) => period),
    ),
    runs: await listRunsOf(store, merchant, { start: bounds.start, end: task.now }),
    corrections: await correctionsOf(store, mirrored, last),
    changes: reports.flatMap(({ period: month, revision, generatedAt: at, issued: own }) =>
      (own as IssuedStatement).revision.changes.map((change) => ({
        ...change,
        at,
        month,
        revision,
      })),
    ),
    deeds: await deedsOf(store, task),
  };
}

/** Tests the issued months by themselves. Each stream is read once and never held in memory. */
export async function testMonths(
  months: readonly StatementDocument[],
  wish: Parameters<typeof openTests>[1],
) {
  const statements = months.map(({ statement }) => statement);
  const tests = openTests(statements, wish);
  for (const { statement, operations } of months)
    for await (const batch of operations())
      for (const operation of batch) tests.takeOperation(operation, statement.period);
  for (const { lines } of months)
    for await (const batch of lines()) for (const line of batch) tests.takeLine(line);
  return tests.end();
}

async function monthOf(store: Store, report: ReportRecord): Promise<StatementDocument> {
  return {
    statement: (await statementIn(readReportFile(store, report, 'json')))!,
    operations: () => rowsIn<StatementOperation>(store, report, 'operations'),
    lines: () => rowsIn<StatementLine>(store, report, 'lines'),
  };
}

/** Streams the rows of an issued document; its JSON form has one row in each line. */
async function* rowsIn<Row>(
  store: Store,
  report: ReportRecord,
  list: 'lines' | 'operations',
): AsyncGenerator<[Row]> {
  let isIn = false;
  for await (const text of linesOf(readReportFile(store, report, 'json'))) {
    if (text.startsWith('"')) isIn = text.startsWith(`"${list}":[`);
    else if (isIn && text.startsWith('{')) yield [JSON.parse(text.replace(/,$/, '')) as Row];
  }
}

const judgedIn = (lines: readonly MirroredLine[]): readonly LedgerEntry[] =>
  lines.flatMap(({ entry, isJudged }) => (isJudged ? [entry] : []));

/**
 * Returns reversals and adjustments dated after the period that belong to an operation created
 * before its end, or to none.
 */
async function correctionsOf(
  store: Store,
  mirrored: MirroredMerchant,
  { period, phoneNumbers }: Statement,
) {
  const lines = judgedIn(await loadLines(store, mirrored, { correctedSince: period.end }));
  const operations = await operationsOf(store, mirrored, lines);
  const rows = lines.map(({ createdAt: at, direction, amount, description, ...line }) => {
    const concerns = operations.get(line.operationReference ?? '')?.createdAt ?? null;
    const effect = direction === 'CREDIT' ? amount : 0 - amount;
    return { ...line, at, effect, concerns, label: shownText(phoneNumbers, description) };
  });
  return rows.filter(({ concerns }) => concerns === null || concerns < period.end);
}

/**
 * Matches entries of the trail that gave files away: commands that write files, and downloads
 * (`nameDownload`).
 */
const HANDS_OUT = /^(audit-kit|statement send|deliveries|.* r\d+ [0-9a-f]{64}) /;

/**
 * Returns what people decided, what was issued, and which files were given away, in order of time.
 */
async function deedsOf(store: Store, { merchant, bounds, now, reports }: PapersTask) {
  const { start } = bounds;
  const trail = await listTrail(store, { merchant, from: start, to: now, limit: 5_000 });
  const sent = trail
    .filter(
      ({ action, subject, status }) =>
        [0, 200].includes(status) && HANDS_OUT.test(`${action} ${subject} `),
    )
    .map(({ at, subject, operator: person, via: reason }) => {
      return { at, act: 'sent', about: subject!.replace(/[0-9a-f]{52}\b/, '…'), person, reason };
    });
  const issued = reports.map(({ generatedAt, period, revision }) => {
    return { at: generatedAt!, act: 'issue', about: `${period} r${revision}` };
  });
  const decided = (await listDecisions(store.pool, merchant)).filter(
    ({ at }) => at >= start && at < now,
  );
  const order = ({ at, act, about }: { at: number; act: string; about: string | null }) =>
    `${at} ${act} ${about}`;
  return [...decided, ...sent, ...issued].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/**
 * Lines of any kind that are read on each side of a bound; they include those of twenty operations.
 */
const READ_A_SIDE = 250;

async function cutOffOf(
  store: Store,
  mirrored: MirroredMerchant,
  statements: readonly Statement[],
) {
  const [first, last] = [statements[0]!, statements.at(-1)!];
  const bounds = [
    { bound: 'start', at: first.period.start, from: first.summary.firstSequence },
    {
      bound: 'end',
      at: last.period.end,
      from: last.summary.lastSequence && last.summary.lastSequence + 1,
    },
  ] as const;
  const tested = bounds.map(async ({ from: sequence, ...bound }) => {
    if (sequence === null) return [];
    const around = await loadLinesAround(store, mirrored, {
      sequence,
      before: READ_A_SIDE,
      after: READ_A_SIDE,
    });
    const moving = judgedIn(around).filter(({ direction }) => /^(CREDIT|DEBIT)$/.test(direction));
    const lines = linesAbout(moving, bound.at);
    const operations = await operationsOf(store, mirrored, lines);
    return testCutOff(lines, operations, bound);
  });
  return (await Promise.all(tested)).flat();
}

/** Returns the newest version of each operation, by reference. Unknown operations are left out. */
async function operationsOf(
  store: Store,
  mirrored: MirroredMerchant,
  lines: readonly LedgerEntry[],
) {
  const operations = new Map<string, Operation>();
  for (const reference of new Set(
    lines.flatMap(({ operationReference }) => operationReference ?? []),
  )) {
    const newest = (await loadVersions(store, mirrored, reference)).at(-1);
    if (newest !== undefined) operations.set(reference, newest.operation);
  }
  return operations;
}
