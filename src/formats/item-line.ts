// An item in suspense in one line: its figure with its sign, what it comes from, and what became of it.

import type { SuspenseItem } from '../statements/reconciliation/section-due.ts';
import { type FindingSpeech, wordFinding } from '../words/finding.ts';
import { fill } from '../words/message.ts';
import type { Labels } from '../words/tree.ts';

export function itemLine(item: SuspenseItem, words: Labels['due'], speech: FindingSpeech): string {
  const { balance, reserved, kind, figures, state, settledBy } = item;
  const figure = balance === 0 ? reserved : balance;
  const message = wordFinding(speech, kind, figures);
  // What is missing in the lines, and in the recorded figures rightly, weighs nothing.
  if (balance === 0 && reserved === 0 && state === 'open') return message;
  const said = { amount: `${figure > 0 ? '+' : ''}${speech.number(String(figure))}`, message };
  if (state !== 'settled' || settledBy === null) return fill(state === 'open' ? words.item : words.accepted, said);
  const { lines, reason } = settledBy;
  if (lines.length === 0) return fill(words.settledByPerson, { ...said, reason: reason ?? '' });
  return fill(words.settled, { ...said, lines: lines.join(', ') });
}
