// An item in suspense in one line: its figure with its sign, what it comes from, and what became of it.

import type { ProposedSettlement } from '../../core/domain/settlement.ts';
import type { FoundItem, SuspenseItem, TransitItem } from '../../core/statements/section-reconciliation.ts';
import { type FindingSpeech, wordFinding } from '../../core/words/finding.ts';
import { fill } from '../../core/words/message.ts';
import type { Labels } from '../../core/words/tree.ts';

export function itemLine(item: SuspenseItem, words: Labels['due'], speech: FindingSpeech): string {
  const { balance, reserved, figures, state } = item;
  const figure = balance === 0 ? reserved : balance;
  if (item.kind === null) return transitLine(item, words, speech);
  const message = wordFinding(speech, item.kind, figures);
  // What is missing in the lines, and in the recorded figures rightly, weighs nothing.
  if (balance === 0 && reserved === 0 && state === 'open') return message;
  const said = { amount: signed(figure, speech), message };
  return [heading(item, said, words, speech), ...sinceSentences(item, words, speech)].join(' ');
}

function heading(
  { toJustify, state, settledBy, acceptedBy }: FoundItem,
  said: { readonly amount: string; readonly message: string },
  words: Labels['due'],
  speech: FindingSpeech,
): string {
  if (toJustify === true && state === 'open' && settledBy === null) return fill(words.itemToJustify, said);
  if (settledBy === null)
    return state === 'accepted' ? fill(words.accepted, { ...said, ...acceptedBy! }, speech) : fill(words.item, said);
  const { lines, person, reason } = settledBy;
  if (state !== 'settled') return fill(words.settledInPart, { ...said, lines: numbers(lines, speech) });
  if (lines.length === 0) return fill(words.settledByPerson, { ...said, person: person ?? '', reason: reason ?? '' });
  return fill(words.settled, { ...said, person, lines: numbers(lines, speech) }, speech);
}

/** What is known by now and was not at the cut-off, or not for sure. */
function sinceSentences(
  { state, reserved, acceptedBy, settledSince, candidate }: FoundItem,
  words: Labels['due'],
  speech: FindingSpeech,
): readonly string[] {
  const linesOf = (lines: readonly string[]): string | null => (lines.length === 0 ? null : numbers(lines, speech));
  return [
    ...(acceptedBy === undefined || state === 'accepted' ? [] : [fill(words.acceptedSince, { ...acceptedBy }, speech)]),
    ...(settledSince === undefined
      ? []
      : [fill(words.settledSince, { ...settledSince, lines: linesOf(settledSince.lines) }, speech)]),
    ...(candidate === undefined ? [] : [candidateSentence(candidate, reserved !== 0, { words, speech })]),
  ];
}

function candidateSentence(
  { lines, ambiguous }: ProposedSettlement,
  isHeldToo: boolean,
  { words, speech }: { readonly words: Labels['due']; readonly speech: FindingSpeech },
): string {
  const phrase = isHeldToo ? words.candidateInBalance : ambiguous ? words.candidates : words.candidate;
  return fill(phrase, { count: lines.length, lines: numbers(lines, speech) }, speech);
}

function numbers(lines: readonly string[], speech: FindingSpeech): string {
  return lines.map(speech.number).join(', ');
}

function signed(figure: number, speech: FindingSpeech): string {
  return `${figure > 0 ? '+' : ''}${speech.number(String(figure))}`;
}

/** An operation of a month's end that was posted in the next: no finding is about it. */
function transitLine(item: TransitItem, words: Labels['due'], speech: FindingSpeech): string {
  const { sequence, balance, reserved, operationReference: reference, state, settledBy } = item;
  const amount = signed(balance === 0 ? reserved : balance, speech);
  if (settledBy === null) return fill(words.ahead, { amount, sequence: speech.number(String(sequence)) }, speech);
  const { lines, at } = settledBy;
  const said = { amount, reference, lines: numbers(lines, speech), at };
  return fill(state === 'transit' ? words.inTransit : words.arrived, said, speech);
}
