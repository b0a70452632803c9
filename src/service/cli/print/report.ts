// Prints what a run or an audit answers. For people: a table of merchants, then each finding under
// its root, with the difference explained. For programs: the whole document as JSON, or one row for
// each merchant as CSV or workbook. Also prints one finding with its evidence and history.

import { type AuditReport, type Finding, standingOf } from '../../../core/domain/finding.ts';
import { formatInstant } from '../../../core/domain/instant.ts';
import { printable } from '../../../core/domain/printable.ts';
import {
  type DecisionTerms,
  namedLines,
  type ProposedEntry,
  shownTerms,
} from '../../../core/domain/settlement.ts';
import { isMoney } from '../../../core/kernel/checks/port/kinds.ts';
import type { AuditDocument } from '../../../core/kernel/reconcile/audit-document.ts';
import { type Column, columnsOf, figureOf } from '../../../core/statements/tables/table.ts';
import { money } from '../../../core/words/finding.ts';
import type { DatedFinding, findOne } from '../../workflows/operators/decide-findings.ts';
import type { Stage } from '../stage/stage.ts';
import { paint, type Terminal } from '../stage/terminal.ts';
import { type ListingFlags, printListing, putText } from './listing.ts';
import { SPOKEN } from './spoken.ts';
import { type TableColumn, tableText } from './table.ts';

/** Findings of one merchant that people are shown. */
const MOST_FINDINGS = 20;

/** The parts of a listing that people read. They are empty, because people get another form. */
const FOR_PROGRAMS = { table: [], none: '', notes: [] };

export async function putReports(
  stage: Stage,
  flags: ListingFlags,
  document: AuditDocument,
): Promise<void> {
  const { format, out: file } = flags;
  const noun = 'report';
  if (format === 'json') return putText(stage.terminal, file, { noun, text: piecesOf(document) });
  if (format !== 'text') {
    const rows = document.merchants;
    return printListing(stage, flags, {
      title: 'Merchants',
      rows,
      columns: COLUMNS,
      ...FOR_PROGRAMS,
    });
  }
  const lines: string[] = [];
  const paper = {
    ...stage.terminal,
    colour: false,
    width: null,
    out: (text: string) => void lines.push(text),
  };
  printReports(file === undefined ? stage.terminal : paper, document.merchants, {
    most: MOST_FINDINGS,
  });
  if (file !== undefined) await putText(stage.terminal, file, { noun, text: lines.join('') });
}

/**
 * Characters of JSON that are written at once. A report of many findings may be longer than the
 * longest string of the engine, so that it must never be one string.
 */
const PIECE = 1 << 16;
/**
 * Values less deep than this are written part by part: the document, its merchants, their findings.
 */
const PARTED = 4;

/** Yields `JSON.stringify(document, null, 2)` and a line feed, in pieces. */
export function* piecesOf(document: AuditDocument): Generator<string, undefined> {
  let piece = '';
  for (const part of partsOf(document, 0)) {
    piece += part;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}\n`;
}

function* partsOf(value: unknown, depth: number): Generator<string, undefined> {
  const indent = `\n${'  '.repeat(depth)}`;
  const parts = Object.entries(value ?? {}).filter(([, part]) => part !== undefined);
  if (depth === PARTED || typeof value !== 'object' || parts.length === 0) {
    yield JSON.stringify(value, null, 2).replaceAll('\n', indent);
    return;
  }
  const isList = Array.isArray(value);
  let before = isList ? '[' : '{';
  for (const [key, part] of parts) {
    yield `${before}${indent}  ${isList ? '' : `${JSON.stringify(key)}: `}`;
    yield* partsOf(part, depth + 1);
    before = ',';
  }
  yield `${indent}${isList ? ']' : '}'}`;
}

/** Keys are a contract with programs: they are added, never renamed. */
const COLUMNS: readonly Column<AuditReport>[] = [
  ...columnsOf<AuditReport>(['merchant', 'currency', 'verdict']),
  { key: 'lines', form: 'count', pick: ({ entries }) => entries },
  { key: 'operations', form: 'count', pick: ({ operations }) => operations },
  ...(['recorded', 'recomputed', 'due'] as const).flatMap((which) =>
    (['balance', 'reserved', 'available'] as const).map((side): Column<AuditReport> => {
      const key = `${which}${side[0]!.toUpperCase()}${side.slice(1)}`;
      return { key, form: 'amount', pick: (report) => figureOf(report[which]?.[side]) };
    }),
  ),
  {
    key: 'unexplainedBalance',
    form: 'amount',
    pick: ({ unexplained }) => figureOf(unexplained.balance),
  },
  {
    key: 'unexplainedReserved',
    form: 'amount',
    pick: ({ unexplained }) => figureOf(unexplained.reserved),
  },
  { key: 'openRoots', form: 'count', pick: ({ findings }) => findings.filter(isOpenRoot).length },
  { key: 'notChecked', form: 'count', pick: ({ notChecked }) => notChecked.length },
];

const MARKS = {
  clean: { colour: 'green', text: '✓ clean' },
  broken: { colour: 'red', text: '✗ broken' },
  incomplete: { colour: 'yellow', text: '? incomplete' },
} as const;
/** Of more merchants than this, only those that are not clean are listed, and at most so many. */
const MOST_MERCHANTS = 40;
/**
 * At most so many notes of one reason are printed about several merchants, after notes that differ
 * only in their figures have been joined.
 */
const MOST_ALIKE = 3;
const SEVERITY_COLOURS = {
  critical: 'red',
  error: 'red',
  warning: 'yellow',
  info: 'grey',
} as const;

export function printReports(
  terminal: Terminal,
  reports: readonly AuditReport[],
  options: { readonly most: number },
): void {
  const shown =
    reports.length > MOST_MERCHANTS
      ? reports.filter(({ verdict }) => verdict !== 'clean')
      : reports;
  const listed = shown.slice(0, MOST_MERCHANTS);
  if (listed.length > 0 || reports.length === 0)
    terminal.out(`${tableText(terminal, merchantColumns(terminal), listed)}\n`);
  if (reports.length > 1) terminal.out(`${countVerdicts(reports, listed.length)}\n`);
  for (const report of listed) printFindings(terminal, report, options.most);
  printNotChecked(terminal, reports);
}

/**
 * Prints what was not checked. Of many merchants it prints a few notes of each reason, because
 * thousands of lines are too many to read.
 */
function printNotChecked(terminal: Terminal, reports: readonly AuditReport[]): void {
  const notes = reports.flatMap(({ notChecked }) => notChecked);
  if (notes.length === 0) return;
  terminal.out(`\n${paint(terminal, 'bold', 'Not checked')}\n`);
  const most = reports.length > 1 ? MOST_ALIKE : Number.POSITIVE_INFINITY;
  for (const alike of Map.groupBy(
    notes,
    ({ what, code, why }) => `${what}: ${code ?? why}`,
  ).values()) {
    const texts = alike.map(({ what, why }) => `${what}: ${why}`);
    const groups = Map.groupBy(texts, (text) =>
      reports.length > 1 ? text.replace(FIGURE, '0') : text,
    );
    const listed = [...groups.values()];
    for (const same of listed.slice(0, most)) {
      const merchants =
        reports.length > 1 ? ` (${same.length} of ${reports.length} merchants)` : '';
      terminal.out(`  · ${withRanges(same)}${merchants}\n`);
    }
    const left = listed.length - most;
    if (left > 0) terminal.out(`    and ${money(left)} more like it; --format json has all\n`);
  }
}

/** Matches a number that is no part of a name, a date, a time or a decimal. */
const FIGURE = /(?<![\w.:/-])(?:\d{1,3}(?:[ \u{a0}\u{202f}]\d{3})+|\d+)(?![\w:/-]|\.\d)/gu;

/**
 * Returns one sentence for several that differ in their figures alone, with ranges like `12 to
 * 508`.
 */
function withRanges(texts: readonly string[]): string {
  const rows = texts.map((text) => text.match(FIGURE) ?? []);
  let column = -1;
  return texts[0]!.replace(FIGURE, (figure) => {
    column += 1;
    const values = rows.map((row) => Number(row[column]!.replace(/\D/g, ''))).sort((a, b) => a - b);
    const [least, most] = [values[0]!, values.at(-1)!];
    return least === most ? figure : `${money(least)} to ${money(most)}`;
  });
}

function countVerdicts(reports: readonly AuditReport[], listed: number): string {
  const count = (wanted: AuditReport['verdict']): string =>
    money(reports.filter(({ verdict }) => verdict === wanted).length);
  const all = `${money(reports.length)} merchants: ${count('clean')} clean, ${count('broken')} broken, ${count('incomplete')} incomplete.`;
  const left = reports.length - listed;
  return left === 0 ? all : `${all} The ${money(left)} that are not listed are in --format json.`;
}

function merchantColumns(terminal: Terminal): readonly TableColumn<AuditReport>[] {
  const figures = (key: 'balance' | 'reserved' | 'available'): TableColumn<AuditReport> => ({
    head: key,
    align: 'right',
    cell: (report) =>
      [report.recorded, report.recomputed, ...dueOf(report)]
        .map((one) => SPOKEN.amount(one[key]))
        .join('\n'),
  });
  return [
    {
      head: 'merchant',
      cell: ({ merchant, currency }) =>
        `${printable(merchant)}\n${paint(terminal, 'grey', currency ?? '?')}`,
    },
    { head: 'lines', align: 'right', cell: ({ entries }) => money(entries) },
    {
      head: 'verdict',
      cell: ({ verdict }) => paint(terminal, MARKS[verdict].colour, MARKS[verdict].text),
    },
    {
      head: '',
      cell: (report) =>
        paint(terminal, 'grey', `recorded\nrecomputed${dueOf(report).length === 0 ? '' : '\ndue'}`),
    },
    figures('balance'),
    figures('reserved'),
    figures('available'),
    { head: 'findings', cell: countFindings },
  ];
}

/**
 * Returns what is due. Returns nothing where that is unknown, or where the books are clean, because
 * the recomputed figures are due then.
 */
function dueOf({ verdict, due }: AuditReport): readonly NonNullable<AuditReport['due']>[] {
  return verdict === 'clean' || due === null ? [] : [due];
}

function countFindings({ findings }: AuditReport): string {
  const roots = findings.filter(
    (finding) => finding.causedBy === null && finding.severity !== 'info',
  );
  const open = findings.filter(isOpenRoot);
  const count = (some: number, word: string): string[] => (some > 0 ? [`${some} ${word}`] : []);
  const counts = new Map<string, number>();
  for (const { kind } of open) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const named = [...counts]
    .slice(0, 3)
    .map(([kind, count]) => (count === 1 ? kind : `${count} × ${kind}`));
  const infos = findings.filter((finding) => finding.severity === 'info').length;
  return [
    ...named,
    ...(counts.size > 3 ? [`… ${counts.size - 3} more kinds`] : []),
    ...count(roots.filter(({ settledBy }) => settledBy !== null).length, 'settled'),
    ...count(roots.filter(({ accepted }) => accepted !== null).length, 'accepted'),
    ...count(infos, 'info'),
  ].join('\n');
}

function printFindings(terminal: Terminal, report: AuditReport, most: number): void {
  const grave = report.findings.filter((finding) => finding.severity !== 'info');
  const roots = grave.filter((finding) => finding.causedBy === null);
  if (roots.length === 0) return;
  terminal.out(`\n${paint(terminal, 'bold', printable(report.merchant))}\n`);
  for (const root of roots.slice(0, most)) {
    printFinding(terminal, root, '  ');
    for (const finding of grave.filter((one) => one.causedBy === root.fingerprint).slice(0, 5)) {
      terminal.out(`      ${paint(terminal, 'grey', `└ ${finding.kind}: ${finding.message}`)}\n`);
    }
  }
  if (roots.length > most)
    terminal.out(`  … ${roots.length - most} more; --format json has them all\n`);
  printExplanation(terminal, report);
}

function printFinding(terminal: Terminal, finding: Finding, indent: string): void {
  const label = paint(
    terminal,
    SEVERITY_COLOURS[finding.severity],
    `${finding.severity} ${finding.kind}`,
  );
  const provisional = finding.status === 'provisional' ? ' (provisional)' : '';
  terminal.out(
    `${indent}${label}${provisional} ${paint(terminal, 'grey', finding.fingerprint)}\n${indent}  ${finding.message}\n`,
  );
  const off = itemSentence(finding);
  if (off !== null) terminal.out(`${indent}  ${off}\n`);
  for (const sentence of decisionSentences(finding)) terminal.out(`${indent}  ${sentence}\n`);
}

/**
 * Returns by how much the root makes the recorded figures wrong; `null` where they are right in
 * spite of it.
 */
function itemSentence({ item }: Finding): string | null {
  const clauses = (['balance', 'reserved'] as const).flatMap((side) => {
    const off = BigInt(item?.[side] ?? 0);
    return off === 0n
      ? []
      : [`${side} ${off > 0n ? `${money(off)} too high` : `${money(-off)} too low`}`];
  });
  return clauses.length === 0 ? null : `Off because of it: ${clauses.join(', ')}.`;
}

function printExplanation(
  terminal: Terminal,
  { recorded, recomputed, unexplained, due }: AuditReport,
): void {
  for (const key of ['balance', 'reserved'] as const) {
    const [stated, replayed, left] = [recorded[key], recomputed[key], unexplained[key]];
    if (stated === null || replayed === null || left === null) continue;
    const difference = BigInt(stated) - BigInt(replayed);
    const text = `  ${key}: recorded ${SPOKEN.amount(stated)} − recomputed ${SPOKEN.amount(replayed)} = ${money(difference)}; unexplained ${SPOKEN.amount(left)}\n`;
    if (difference !== 0n || left !== '0')
      terminal.out(paint(terminal, left === '0' ? 'cyan' : 'red', text));
    const rest = due?.unexplained[key] ?? '0';
    const doubt = `  ${key}: due ${SPOKEN.amount(due?.[key] ?? null)} is not what the operations require; unexplained ${SPOKEN.amount(rest)}\n`;
    if (rest !== '0') terminal.out(paint(terminal, 'red', doubt));
  }
}

/** Whether the verdict weighs the finding: it is a root that is neither settled nor accepted. */
function isOpenRoot(finding: Finding): boolean {
  return finding.causedBy === null && finding.severity !== 'info' && standingOf(finding) === 'open';
}

/** Returns what was decided about a root, in sentences. Empty for a finding that is no root. */
function decisionSentences(finding: Finding): readonly string[] {
  const { settledBy, accepted, proposedSettlement } = finding;
  if (settledBy !== null) {
    const { lines, at, person, reason } = settledBy;
    const by = lines.length === 0 ? 'without a line' : `by ${namedLines(lines)}`;
    const who = person === null ? '' : `, said ${printable(person)}: ${printable(reason ?? '')}`;
    return [`Settled ${by} on ${at}${who}.`];
  }
  const sentences: string[] = [];
  if (accepted !== null) {
    const { person, reason, limit, until } = accepted;
    const most = limit === null ? 'as it is' : `up to ${money(BigInt(limit))}`;
    const end = until === null ? '' : `, until ${until}`;
    sentences.push(`Accepted ${most}${end} by ${printable(person)}: ${printable(reason)}.`);
  }
  if (proposedSettlement !== null) {
    const { lines, ambiguous } = proposedSettlement;
    const by =
      ambiguous && lines.length > 1
        ? `by one of lines ${lines.join(', ')}`
        : `by ${namedLines(lines)}`;
    const other = ambiguous && lines.length === 1 ? ', which fits another root too' : '';
    const side = finding.item?.reserved === '0' ? '' : ', in its balance';
    sentences.push(`Perhaps settled ${by}${side}${other}: pointage findings settle says so.`);
  }
  return sentences;
}

/**
 * Returns the entries that would put the finding right, in a sentence; `null` where no entry would,
 * or none is needed.
 */
function proposalSentence({ proposal }: Finding): string | null {
  return proposal === null ? null : `Would be put right by ${proposal.map(entryWords).join(', ')}.`;
}

function entryWords({ kind, amount, operationReference, description }: ProposedEntry): string {
  const of = operationReference === null ? '' : ` of ${printable(operationReference)}`;
  return `${kind} ${money(BigInt(amount))}${of} (“${printable(description)}”)`;
}

export function sentencesOf({ finding, lastDecision, lastComment, ...work }: DatedFinding): string {
  const followed = finding.causedBy === null ? [] : [`Follows from ${finding.causedBy}.`];
  const decided =
    lastDecision === null || decisionSentences(finding).length > 0
      ? []
      : [
          `${printable(lastDecision.by)}: ${lastDecision.action} (${printable(lastDecision.reason)})`,
        ];
  const commented =
    lastComment === null ? [] : [`${printable(lastComment.by)}: ${printable(lastComment.reason)}`];
  const sentences = [...decisionSentences(finding), ...decided, ...commented, ...workWords(work)];
  return [finding.message, ...followed, ...sentences, proposalSentence(finding)]
    .filter((sentence) => sentence !== null)
    .join('\n');
}

/** Returns one line with the finding's owner, due day and labels, or none. */
function workWords({
  owner,
  labels,
  dueDay,
}: Pick<DatedFinding, 'owner' | 'labels' | 'dueDay'>): readonly string[] {
  const words = [
    owner === null ? null : `Owner: ${printable(owner)}`,
    dueDay === null ? null : `due ${dueDay}`,
    ...labels.map((label) => `#${printable(label)}`),
  ].filter((word) => word !== null);
  return words.length === 0 ? [] : [words.join(' · ')];
}

/**
 * Returns the reason and the terms of a decision in brackets, after a space; empty without either.
 */
function grounds({
  reason,
  terms,
}: {
  readonly reason: string | null;
  readonly terms?: DecisionTerms | null;
}): string {
  const words = [printable(reason ?? ''), termsText(terms)].filter(Boolean);
  return words.length === 0 ? '' : ` (${words.join('; ')})`;
}

/**
 * Returns the terms of a decision in words, like `up to 900 000, until 2026-11-05T00:00:00.000Z`;
 * empty without terms.
 */
export function termsText(terms: DecisionTerms | null | undefined): string {
  const { limit = null, until = null, lines = [] } = shownTerms(terms) ?? {};
  const words = [
    limit === null ? '' : `up to ${money(limit)}`,
    until === null ? '' : `until ${until}`,
    lines.length === 0 ? '' : namedLines(lines),
  ];
  return words.filter(Boolean).join(', ');
}

/** Prints one finding whole, with its evidence and history. */
export function printFound(
  terminal: Terminal,
  found: Awaited<ReturnType<typeof findOne>> & DatedFinding,
): void {
  const { finding, merchant, state, decisions, due, currency, waiting, earlier } = found;
  const { concerned, item } = finding;
  const figure = (text: string | null): string | null =>
    text !== null && isMoney(finding) ? SPOKEN.amount(text, currency) : text;
  const row = (name: string, value: string | null): void => {
    if (value !== null) terminal.out(`  ${name.padEnd(11)} ${value}\n`);
  };
  terminal.out(
    `${paint(terminal, 'bold', finding.kind)} ${finding.severity}, ${finding.status}, ${state} · ${merchant} · ${finding.fingerprint}\n`,
  );
  terminal.out(`${finding.message}\n`);
  row('line', finding.sequence);
  row('operation', finding.operationReference);
  row('dated', finding.itemAt);
  row('expected', figure(finding.expected));
  row('actual', figure(finding.actual));
  row('difference', figure(finding.difference));
  row('concerned', concerned === null ? null : SPOKEN.amount(concerned, currency));
  row('caused by', finding.causedBy);
  if (item !== null && (item.balance !== '0' || item.reserved !== '0'))
    row(
      'off by',
      `balance ${SPOKEN.amount(item.balance, currency)}, reserved ${SPOKEN.amount(item.reserved, currency)}`,
    );
  if (due !== null)
    row(
      'due',
      `balance ${SPOKEN.amount(due.balance, currency)}, reserved ${SPOKEN.amount(due.reserved, currency)}`,
    );
  for (const sentence of [
    ...workWords(found),
    ...decisionSentences(finding),
    proposalSentence(finding),
  ]) {
    if (sentence !== null) terminal.out(`  ${sentence}\n`);
  }
  for (const { what, sequence, reference, note } of finding.evidence)
    row('evidence', [what, sequence, reference, note].filter((part) => part !== null).join(' '));
  for (const { action, by, wish, id } of waiting)
    terminal.out(
      `  Waits for a second person: ${action}, proposed by ${printable(by)}${grounds(wish)}: ${id}\n`,
    );
  for (const { at, by, action, ...said } of [...earlier, ...decisions])
    terminal.out(`  ${formatInstant(at)} ${printable(by)}: ${action}${grounds(said)}\n`);
  terminal.out(`  See also: pointage explain ${finding.kind}\n`);
}
