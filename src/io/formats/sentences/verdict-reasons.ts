// Says in words what a verdict comes from: the items in suspense, each in one line, open roots
// without an item, and how many findings there are. The words are the same on the first page, in
// the workbook, in the JSON form and in the mail.

import { isGrave } from '../../../core/domain/finding.ts';
import type { FindingKind } from '../../../core/domain/finding-kind.ts';
import { labelOf, parseDay } from '../../../core/domain/period.ts';
import {
  type ExplainedCounts,
  explainCounts,
} from '../../../core/statements/reconciliation/finding-section.ts';
import type {
  FoundItem,
  StatementFinding,
  SuspenseItem,
  TransitItem,
} from '../../../core/statements/section-reconciliation.ts';
import type { Language, Statement } from '../../../core/statements/statement.ts';
import { type FindingSpeech, fill, wordFinding } from '../../../core/words/finding.ts';
import { type Labels, LINKED } from '../../../core/words/tree.ts';
import { type DocumentContext, wordingOf } from '../port/wording.ts';
import { linkOutcome, owedByLink } from './link-sentences.ts';
import { verdictSentences } from './verdict-sentences.ts';

const MOST_NAMED = 5;

export interface Reason {
  readonly words: string;
  /** True when a reader of the verdict must see this reason first. */
  readonly isStrong: boolean;
}

/**
 * Returns the items, which lead from the recorded balance to the balance due, then roots without an
 * item, and the number of findings. Never empty, because a statement without findings says so.
 */
export function verdictReasons(
  statement: Pick<Statement, 'due' | 'findings' | 'summary'>,
  { due: words, verdict }: Pick<Labels, 'due' | 'verdict'>,
  speech: FindingSpeech,
): readonly Reason[] {
  const { items, others } = statement.due;
  const shown = items.slice(0, MOST_NAMED).map((item) => itemLine(item, words, speech));
  const beyond = items.length - shown.length + others.count;
  const roots = rootsWithoutItem(statement)
    .slice(0, MOST_NAMED - shown.length)
    .map(({ kind, figures }) => wordFinding(speech, kind, figures));
  const more =
    beyond === 0 ? [] : [fill(words.otherItems, { count: speech.number(String(beyond)) })];
  return [
    ...[...shown, ...more, ...roots].map((said) => ({ words: said, isStrong: false })),
    ...findingCounts(statement, verdict, speech),
  ];
}

/** Kinds of findings about our own store, which the service cannot answer for. */
const OF_STORE: readonly FindingKind[] = ['MIRROR_TAMPERED', 'CLOSED_PERIOD_CHANGED'];

/** Returns what is open in a month: its items, then roots without an item that break the month. */
export function openPosts(
  statement: Pick<Statement, 'due' | 'findings'>,
): readonly (FoundItem | StatementFinding)[] {
  const items = statement.due.items.filter((item) => item.kind !== null);
  return [
    ...items.filter(({ state }) => state === 'open'),
    ...rootsWithoutItem(statement).filter(({ kind }) => !OF_STORE.includes(kind)),
  ];
}

/**
 * Returns whether the service must still answer for it. It must not, once the fault was put right.
 */
export function asksAnswer(post: FoundItem | StatementFinding): boolean {
  return !('settledSince' in post) || post.settledSince === undefined;
}

function rootsWithoutItem({
  due,
  findings,
}: Pick<Statement, 'due' | 'findings'>): readonly StatementFinding[] {
  const itemOf = new Set(due.items.map(({ fingerprint }) => fingerprint));
  return findings.rows.filter((row) => breaks(row) && !itemOf.has(row.fingerprint));
}

/**
 * Says how many findings there are, in the month and before it. Never empty, because a statement
 * without findings says so.
 */
export function findingCounts(
  statement: Pick<Statement, 'findings' | 'summary'>,
  words: Labels['verdict'],
  speech: FindingSpeech,
): readonly Reason[] {
  const counts = explainCounts(statement).map((one) => ({
    words: countsOf(one, words, speech),
    isStrong: one.isReason,
  }));
  return counts.length > 0 ? counts : [{ words: words.noFindings, isStrong: false }];
}

/** Says something in both languages in our own words, whatever an operator's template has. */
export function inOurWords<Said>(statement: Statement, say: (context: DocumentContext) => Said) {
  const saidIn = (language: Language): Said => {
    const labels = LINKED[language][statement.months === null ? 'labels' : 'annual'];
    const words = wordingOf(statement.period.zone, { labels, language });
    return say({ statement, language, labels, words });
  };
  return { fr: saidIn('fr'), en: saidIn('en') };
}

/**
 * Returns the verdict and its reasons in words. `links` says what is owed for payments by link,
 * with what limits the figure, and how the service's report compares.
 */
export function verdictInWords(statement: Statement) {
  return inOurWords(statement, ({ labels, language, words }) => {
    const { amount, speech } = words;
    const reasons = verdictReasons(statement, labels, speech).map(({ words }) => words);
    const verdict = verdictSentences(statement.summary, labels, amount);
    const { paymentsByLink: section, days } = statement;
    if (section === null) return { verdict, reasons, links: [] };
    const day = labelOf(parseDay(days.at(-1)!.day)!, language);
    const owed = owedByLink(section, { labels, words }, { day, page: null });
    const compared = section.comparison === null ? [] : linkOutcome(section, labels.links, speech);
    return { verdict, reasons, links: [owed, ...compared.map(({ text }) => text)] };
  });
}

function breaks({ severity, causedBy, state, when }: StatementFinding): boolean {
  return isGrave({ severity }) && causedBy === null && state === 'open' && when !== 'standing';
}

/**
 * Says how many findings there are. Findings without a date are counted without their severity,
 * because they weigh nothing in a month's verdict.
 */
function countsOf(
  { when, counts }: ExplainedCounts,
  words: Labels['verdict'],
  speech: FindingSpeech,
): string {
  const { total, roots, settled = 0, accepted = 0, critical, error, warning, info } = counts;
  const open =
    when === 'standing'
      ? { open: critical + error + warning + info }
      : { critical, error, warning, info };
  const all = Object.entries({ ...open, settled, accepted, followers: total - roots });
  const parts = all
    .filter(([, count]) => count > 0)
    .map(([name, count]) => fill(words.parts[name as keyof typeof words.parts], { count }, speech));
  const phrase = {
    month: words.findings,
    earlier: words.earlierFindings,
    standing: words.standingFindings,
  }[when];
  return fill(phrase, { parts: parts.join(', ') });
}

/**
 * Returns an item in suspense as one line: what it adds to the recorded figure, what it comes from,
 * and what became of it.
 */
export function itemLine(item: SuspenseItem, words: Labels['due'], speech: FindingSpeech): string {
  const { balance, reserved, figures, state } = item;
  if (item.kind === null) return transitLine(item, words, speech);
  const message = wordFinding(speech, item.kind, figures);
  // The item is off by 0 where lines are missing that the recorded figures have rightly included.
  // It then adds nothing to them.
  if (balance === 0 && reserved === 0 && state === 'open') return message;
  const said = { amount: correctionOf(item, words, speech), message };
  return [heading(item, said, words, speech), ...sinceSentences(item, words, speech)].join(' ');
}

function heading(
  { toJustify, state, settledBy, acceptedBy, balance, reserved }: FoundItem,
  said: { readonly amount: string; readonly message: string },
  words: Labels['due'],
  speech: FindingSpeech,
): string {
  if (toJustify === true && state === 'open' && settledBy === null)
    return fill(words.itemToJustify, {
      ...said,
      figure: figureOf(balance === 0 ? reserved : balance, speech),
    });
  if (settledBy === null)
    return state === 'accepted'
      ? fill(words.accepted, { ...said, ...acceptedBy! }, speech)
      : fill(words.item, said);
  const { lines, person, reason } = settledBy;
  if (state !== 'settled')
    return fill(words.settledInPart, { ...said, lines: numbers(lines, speech) });
  if (lines.length === 0)
    return fill(words.settledByPerson, { ...said, person: person ?? '', reason: reason ?? '' });
  return fill(words.settled, { ...said, person, lines: numbers(lines, speech) }, speech);
}

/** Says what is known by now and was not known at the cut-off, or not for sure. */
function sinceSentences(
  { state, reserved, acceptedBy, settledSince, candidate }: FoundItem,
  words: Labels['due'],
  speech: FindingSpeech,
): readonly string[] {
  const linesOf = (lines: readonly string[]): string | null =>
    lines.length === 0 ? null : numbers(lines, speech);
  const one = candidate?.ambiguous === true ? words.candidates : words.candidate;
  const found = reserved === 0 ? one : words.candidateInBalance;
  return [
    ...(acceptedBy === undefined || state === 'accepted'
      ? []
      : [fill(words.acceptedSince, { ...acceptedBy }, speech)]),
    ...(settledSince === undefined
      ? []
      : [
          fill(words.settledSince, { ...settledSince, lines: linesOf(settledSince.lines) }, speech),
        ]),
    ...(candidate === undefined
      ? []
      : [
          fill(
            found,
            { count: candidate.lines.length, lines: numbers(candidate.lines, speech) },
            speech,
          ),
        ]),
  ];
}

function numbers(lines: readonly string[], speech: FindingSpeech): string {
  return lines.map((line) => speech.number(line)).join(', ');
}

/**
 * Says by how much the figure is too high or too low, in words and without a sign, because only
 * amounts in columns have signs.
 */
function correctionOf(
  { balance, reserved }: SuspenseItem,
  words: Labels['due'],
  speech: FindingSpeech,
): string {
  const off = balance === 0 ? reserved : balance;
  const isReserved = String(balance === 0 && reserved !== 0);
  const said = { figure: figureOf(off, speech), isMore: String(off < 0), isReserved };
  return fill(words.correction, said, speech);
}

function figureOf(amount: number, speech: FindingSpeech): string {
  return speech.number(String(Math.abs(amount)));
}

/**
 * Names an item in transit: an operation that ended in a month and was posted in the next, so that
 * no finding is about it.
 */
function transitLine(item: TransitItem, words: Labels['due'], speech: FindingSpeech): string {
  const { sequence, operationReference: reference, state, settledBy } = item;
  const amount = correctionOf(item, words, speech);
  if (settledBy === null)
    return fill(words.ahead, { amount, sequence: speech.number(String(sequence)) }, speech);
  const said = { amount, reference, lines: numbers(settledBy.lines, speech), at: settledBy.at };
  return fill(state === 'transit' ? words.inTransit : words.arrived, said, speech);
}
