// The box on the first page of a statement whose books do not agree, or were not read whole. Draws nothing for books that
// are sound: silence there means that all was read and nothing differs.

import { type ExplainedCounts, explainCounts } from '../../../statements/finding-counts.ts';
import type { ReconciliationSide } from '../../../statements/section-reconciliation.ts';
import { fill } from '../../phrase.ts';
import { drawBand, roomInBand } from '../band.ts';
import type { Flow } from '../flow.ts';
import type { TextStyle } from '../pen.ts';

const MOST_NAMED = 4;

export function drawVerdictBox(flow: Flow): void {
  const { statement, labels, layout, regular, bold } = flow;
  const { verdict } = statement.findings;
  if (verdict === 'clean') return;
  const { body: size } = layout.sizes;
  const { text, alert, alertBand } = layout.colours;
  const room = { size, width: roomInBand(flow), mostLines: 2 };
  const reasons = verdict === 'broken' ? reasonsBroken(flow) : notChecked(flow);
  const plain: TextStyle = { face: regular, size, colour: text };
  const strong: TextStyle = { face: bold, size, colour: alert };
  const said = [...reasons, { words: labels.verdict.details, isStrong: false }];
  const lines = said.flatMap(({ words, isStrong }) => {
    const style = isStrong ? strong : plain;
    return style.face.wrap(words, room).map((run) => ({ run, style }));
  });
  const title = verdict === 'broken' ? labels.verdict.brokenTitle : labels.verdict.incompleteTitle;
  drawBand(flow, { title, colour: alert, background: alertBand, lines });
}

interface Sentence {
  readonly words: string;
  readonly isStrong: boolean;
}

/**
 * The findings that the verdict comes from, where they are not the month's; the difference in figures, then the differences
 * by name: what the recorded figures say, what the lines make; at last the other findings.
 */
function reasonsBroken(flow: Flow): readonly Sentence[] {
  const explained = explainCounts(flow.statement).map((one) => ({
    words: countsOf(one, flow),
    isStrong: one.isReason,
  }));
  return [
    ...explained.filter(({ isStrong }) => isStrong),
    ...differencesOf(flow).map((words) => ({ words, isStrong: false })),
    ...explained.filter(({ isStrong }) => !isStrong),
  ];
}

function countsOf({ when, counts }: ExplainedCounts, { labels, words }: Pick<Flow, 'labels' | 'words'>): string {
  const { findings, earlierFindings, standingFindings } = labels.verdict;
  const phrase = { month: findings, earlier: earlierFindings, standing: standingFindings }[when];
  return fill(phrase, Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, words.amount(count)])));
}

function differencesOf({ statement, labels, words }: Flow): readonly string[] {
  const { control } = statement.summary;
  const { balance, reserved } = statement.reconciliation;
  const { verdict } = labels;
  const sentences: string[] = [];
  const add = (phrase: string, side: ReconciliationSide, difference: number): void => {
    if (difference === 0 && side.remainder === 0) return;
    const [recorded, recomputed] = [words.amount(side.recorded), words.amount(side.recomputed)];
    sentences.push(fill(phrase, { recorded, recomputed, difference: words.amount(difference) }));
    sentences.push(...namesOf(side, { verdict, words }));
  };
  add(verdict.balance, balance, control.recordedMinusRecomputed);
  add(verdict.reserved, reserved, control.reservedRecordedMinusRecomputed);
  if (sentences.length === 0) sentences.push(verdict.untouched);
  return sentences;
}

function namesOf(
  side: ReconciliationSide,
  { verdict, words }: { verdict: Flow['labels']['verdict']; words: Flow['words'] },
): string[] {
  const { carriedForward, items, others, remainder } = side;
  const named = items
    .slice(0, MOST_NAMED)
    .map(({ sequence, amount, rootKind }) =>
      fill(verdict.item, { sequence: words.amount(sequence), amount: words.amount(amount), kind: rootKind }),
    );
  const beyond = items.length - named.length + others.count;
  if (carriedForward.count > 0) {
    const values = { count: words.amount(carriedForward.count), amount: words.amount(carriedForward.amount) };
    named.unshift(fill(verdict.carried, values));
  }
  if (beyond > 0) named.push(fill(verdict.others, { count: words.amount(beyond) }));
  named.push(fill(verdict.remainder, { amount: words.amount(remainder) }));
  return [named.join(' ')];
}

function notChecked({ statement, labels }: Flow): readonly Sentence[] {
  return statement.circumstances.notChecked
    .slice(0, MOST_NAMED)
    .map(({ what, why }) => ({ words: fill(labels.verdict.notChecked, { what, why }), isStrong: false }));
}
