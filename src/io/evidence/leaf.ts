// The texts of the log's leaves (docs/EVIDENCE.md, "Leaves"): the outcome of a night, a statement
// or a day of decisions, in fixed records. Not JSON, so that a verifier can read a leaf by
// splitting it at line feeds and tabs.

import { hash, randomBytes } from 'node:crypto';
import type { AuditReport } from '../../core/domain/finding.ts';
import type { DecisionTerms } from '../../core/domain/settlement.ts';
import type { ChainMark } from '../../core/domain/snapshot.ts';
import { recordText } from './line-text.ts';

export interface NightLeaf {
  readonly runId: number;
  readonly report: AuditReport;
  /** True when `report` contains every finding of the run; false when the store left them out. */
  readonly hasFindings: boolean;
  readonly chain: ChainMark;
  readonly engine: string;
  /**
   * Epoch milliseconds, by the source's clock; `null` when the run did not read the source to its
   * end.
   */
  readonly readAt: number | null;
}

export function nightLeaf({
  runId,
  report,
  hasFindings,
  chain,
  engine,
  readAt,
}: NightLeaf): string {
  const { merchant, verdict, recorded, currency } = report;
  return textOf('night', [
    ['merchant', merchant],
    ['run', runId],
    ['lines', chain.lines],
    ['chain', Buffer.from(chain.head, 'hex').toString('base64')],
    ['sequences', report.firstSequence, report.lastSequence],
    ['recorded', recorded.balance, recorded.reserved, currency],
    ['verdict', verdict],
    ['findings', hasFindings ? digest(findingsText(report)) : null],
    ['coverage', digest(coverageText(report))],
    ['rules', digest(rulesText(report))],
    ['engine', engine],
    ['read', readAt],
  ]);
}

export interface StatementLeaf {
  readonly merchant: string;
  readonly period: string;
  readonly revision: number;
  /** The SHA-256 that every page of the statement bears, in hexadecimal. */
  readonly hash: string;
  /** SHA-256 in hexadecimal. */
  readonly files: readonly { readonly name: string; readonly sha256: string }[];
}

export function statementLeaf({
  merchant,
  period,
  revision,
  hash: own,
  files,
}: StatementLeaf): string {
  return textOf('statement', [
    ['merchant', merchant],
    ['period', period],
    ['revision', revision],
    ['hash', own],
    ...files.map(({ name, sha256 }) => ['file', name, sha256]),
  ]);
}

/**
 * A decision of a person about a finding, a held report, a month to close, or lines to read anew.
 */
export interface Decision {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly act: string;
  /** The subject: a finding's fingerprint, a month, or the first sequence that is read anew. */
  readonly about: string;
  /**
   * The number of the decision about its finding, of the revision, or of the reread; `null` for a
   * closed month, which has only one.
   */
  readonly number: number | null;
  readonly person: string;
  readonly reason: string | null;
  /** The finding's state before the decision; `null` for other subjects, and so is `after`. */
  readonly before: string | null;
  readonly after: string | null;
  readonly terms: DecisionTerms | null;
}

/** A merchant's decisions of one day, UTC, `YYYY-MM-DD`. */
export interface DecisionDay {
  readonly merchant: string;
  readonly day: string;
  readonly decisions: readonly Decision[];
}

export function decisionsLeaf(day: DecisionDay): string {
  return textOf('decisions', decisionRecords(day));
}

/**
 * Returns whether every decision in the leaf is among the day's decisions. Salts are not compared.
 */
export function isLeafOf(leaf: string, day: DecisionDay): boolean {
  const stored = new Set(partsOf(textOf('decisions', decisionRecords(day))));
  return partsOf(leaf).every((part) => stored.has(part));
}

/** Splits the text of a leaf into its head (merchant and day) and one part for each decision. */
function partsOf(leaf: string): readonly string[] {
  return leaf.replace(/^salt\t[^\t\n]*\n$/m, '').split(/^(?=decision\t)/m);
}

/** Returns the records of a day's decisions, sorted by instant, act, subject and number. */
function decisionRecords({ merchant, day, decisions }: DecisionDay): readonly LeafRecord[] {
  const records = decisions.map(
    ({ at, act, about, number, person, reason, before, after, terms }) => ({
      key: [String(at).padStart(15, '0'), act, about, String(number ?? 0).padStart(9, '0')].join(
        '\t',
      ),
      own: [
        ['decision', at, act, about, number, person, reason, before, after],
        ...termRecords(terms),
      ],
    }),
  );
  records.sort((a, b) => (a.key < b.key ? -1 : 1));
  return [['merchant', merchant], ['day', day], ...records.flatMap(({ own }) => own)];
}

function termRecords(terms: DecisionTerms | null): readonly LeafRecord[] {
  if (terms === null) return [];
  const { balance, reserved, difference, limit, until, evidence, lines } = terms;
  return [
    ['terms', balance, reserved, difference, limit, until],
    ...evidence.map((one) => ['evidence', one]),
    ...lines.map(({ sequence, kind, direction, amount, at }) => [
      'line',
      sequence,
      kind,
      direction,
      amount,
      at,
    ]),
  ];
}

type LeafRecord = readonly (string | number | null)[];

/**
 * Writes the text of a leaf. A random salt is its last record, because without it the leaf's hash
 * could be guessed from the few values that a leaf may have.
 */
function textOf(kind: string, records: readonly LeafRecord[]): string {
  const salt = ['salt', randomBytes(16).toString('base64')];
  return ['pointage-leaf/v1\n', ...[['kind', kind], ...records, salt].map(recordText)].join('');
}

function digest(text: string): string {
  return hash('sha256', text, 'base64');
}

/**
 * One record for each finding, sorted by fingerprint: its kind, place, figures, and the root it
 * follows from.
 */
export function findingsText({ findings }: AuditReport): string {
  const sorted = [...findings].sort((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1));
  return sorted
    .map(({ fingerprint, kind, severity, status, sequence, operationReference, ...rest }) => {
      const { expected, actual, difference, causedBy } = rest;
      const place = [kind, severity, status, sequence, operationReference];
      return recordText([fingerprint, ...place, expected, actual, difference, causedBy]);
    })
    .join('');
}

/** One record for each part that was not checked, in the order of the report. */
export function coverageText({ notChecked }: AuditReport): string {
  return notChecked
    .map(({ what, why, incomplete, code }) =>
      recordText([what, code ?? null, incomplete ? 'incomplete' : 'noted', why]),
    )
    .join('');
}

/** One record for each open question, sorted: the question and the interpretations that applied. */
export function rulesText({ assumptions }: AuditReport): string {
  const questions = Object.keys(assumptions).sort();
  return questions
    .map((question) => recordText([question, [assumptions[question]].flat().join(' ')]))
    .join('');
}
