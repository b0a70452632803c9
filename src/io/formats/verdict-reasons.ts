// What a verdict comes from, in words: the items in suspense, open roots that no item is of, and how many findings there are,
// what was put right apart from what is open. The same on the first page, in the workbook, in the JSON form and in the mail.

import { type ExplainedCounts, explainCounts } from '../../core/statements/reconciliation/finding-section.ts';
import type { StatementFinding } from '../../core/statements/section-reconciliation.ts';
import type { Language, Statement } from '../../core/statements/statement.ts';
import { type FindingSpeech, wordFinding } from '../../core/words/finding.ts';
import { fill } from '../../core/words/message.ts';
import { type Labels, LINKED } from '../../core/words/tree.ts';
import { itemLine } from './item-line.ts';
import { linkOutcome } from './link-sentences.ts';
import { wordingOf } from './pdf/wording.ts';
import { verdictSentences } from './verdict-sentences.ts';

const MOST_NAMED = 5;

export interface Reason {
  readonly words: string;
  /** A reader of the verdict must see it first. */
  readonly isStrong: boolean;
}

/** Items with their sign: recorded too high or too low. Never empty: a statement without findings says so. */
export function verdictReasons(
  statement: Pick<Statement, 'due' | 'findings' | 'summary'>,
  { due: words, verdict }: Pick<Labels, 'due' | 'verdict'>,
  speech: FindingSpeech,
): readonly Reason[] {
  const { items, others } = statement.due;
  const shown = items.slice(0, MOST_NAMED).map((item) => itemLine(item, words, speech));
  const beyond = items.length - shown.length + others.count;
  const itemOf = new Set(items.map(({ fingerprint }) => fingerprint));
  const roots = statement.findings.rows
    .filter((row) => breaks(row) && !itemOf.has(row.fingerprint))
    .slice(0, MOST_NAMED - shown.length)
    .map(({ kind, figures }) => wordFinding(speech, kind, figures));
  const more = beyond === 0 ? [] : [fill(words.otherItems, { count: speech.number(String(beyond)) })];
  const counts = explainCounts(statement).map((one) => ({
    words: countsOf(one, verdict, speech),
    isStrong: one.isReason,
  }));
  return [
    ...[...shown, ...more, ...roots].map((said) => ({ words: said, isStrong: false })),
    ...(counts.length > 0 ? counts : [{ words: verdict.noFindings, isStrong: false }]),
  ];
}

/** In our own words, whatever an operator's template says. */
export function verdictInWords(statement: Statement): Readonly<Record<Language, VerdictInWords>> {
  const said = (language: Language): VerdictInWords => {
    const labels = LINKED[language][statement.months === null ? 'labels' : 'annual'];
    const { amount, speech } = wordingOf(statement.period.zone, { labels, language });
    const reasons = verdictReasons(statement, labels, speech).map(({ words }) => words);
    const { paymentsByLink: section } = statement;
    const links = (section?.comparison ?? null) === null ? [] : linkOutcome(section!, labels.links, speech);
    const verdict = verdictSentences(statement.summary, labels, amount);
    return { verdict, reasons, links: links.map(({ text }) => text) };
  };
  return { fr: said('fr'), en: said('en') };
}

interface VerdictInWords {
  readonly verdict: readonly string[];
  readonly reasons: readonly string[];
  /** What the service's report of payments by link says beside the statement. */
  readonly links: readonly string[];
}

function breaks({ severity, causedBy, state, when }: StatementFinding): boolean {
  const isGrave = severity === 'critical' || severity === 'error';
  return isGrave && causedBy === null && state === 'open' && when !== 'standing';
}

/** Findings without a date show no severity: they weigh nothing in a month's verdict. */
function countsOf({ when, counts }: ExplainedCounts, words: Labels['verdict'], speech: FindingSpeech): string {
  const { total, roots, settled = 0, accepted = 0, critical, error, warning, info } = counts;
  const open = when === 'standing' ? { open: critical + error + warning + info } : { critical, error, warning, info };
  const all = Object.entries({ ...open, settled, accepted, followers: total - roots });
  const parts = all
    .filter(([, count]) => count > 0)
    .map(([name, count]) => fill(words.parts[name as keyof typeof words.parts], { count }, speech));
  const phrase = { month: words.findings, earlier: words.earlierFindings, standing: words.standingFindings }[when];
  return fill(phrase, { parts: parts.join(', ') });
}
