// An item in suspense in one line: its figure with its sign, what it comes from, and what became of it.

import type { SuspenseItem, TransitItem } from '../statements/reconciliation/section-due.ts';
import { type FindingSpeech, wordFinding } from '../words/finding.ts';
import { fill } from '../words/message.ts';
import type { Labels } from '../words/tree.ts';

export function itemLine(item: SuspenseItem, words: Labels['due'], speech: FindingSpeech): string {
  const { balance, reserved, kind, figures, state, settledBy } = item;
  const figure = balance === 0 ? reserved : balance;
  if (kind === null) return transitLine(item, words, speech);
  const message = wordFinding(speech, kind, figures);
  // What is missing in the lines, and in the recorded figures rightly, weighs nothing.
  if (balance === 0 && reserved === 0 && state === 'open') return message;
  const said = { amount: signed(figure, speech), message };
  if (settledBy === null) return fill(state === 'accepted' ? words.accepted : words.item, said);
  const { lines, reason } = settledBy;
  if (state !== 'settled') return fill(words.settledInPart, { ...said, lines: numbers(lines, speech) });
  if (lines.length === 0) return fill(words.settledByPerson, { ...said, reason: reason ?? '' });
  return fill(words.settled, { ...said, lines: numbers(lines, speech) });
}

function numbers(lines: readonly string[], speech: FindingSpeech): string {
  return lines.map(speech.number).join(', ');
}

function signed(figure: number, speech: FindingSpeech): string {
  return `${figure > 0 ? '+' : ''}${speech.number(String(figure))}`;
}

/** An operation of a month's end that was posted in the next: no finding is about it. */
function transitLine(item: TransitItem, words: Labels['due'], speech: FindingSpeech): string {
  const { balance, reserved, operationReference: reference, state, settledBy } = item;
  const { lines, at } = settledBy!;
  const said = {
    amount: signed(balance === 0 ? reserved : balance, speech),
    reference,
    lines: numbers(lines, speech),
    at,
  };
  return fill(state === 'transit' ? words.inTransit : words.arrived, said, speech);
}
