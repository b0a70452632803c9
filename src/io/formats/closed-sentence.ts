// What a document says of a month that is closed: when and by whom, and which lines came too late for it.

import { formatInstant } from '../../core/domain/instant.ts';
import type { Circumstances } from '../../core/statements/statement.ts';
import type { FindingSpeech } from '../../core/words/finding.ts';
import { fill } from '../../core/words/message.ts';
import type { Labels } from '../../core/words/tree.ts';

/** None where the month is open. */
export function closedSentences(
  { closed }: Pick<Circumstances, 'closed'>,
  { due: words }: Pick<Labels, 'due'>,
  speech: FindingSpeech,
): readonly string[] {
  if (closed === undefined) return [];
  const { at, by, late } = closed;
  const lines = late.sequences.map((sequence) => speech.number(String(sequence))).join(', ');
  return [
    fill(words.monthClosed, { at: formatInstant(at), by }, speech),
    ...(late.count === 0
      ? []
      : [fill(words.lateLines, { count: late.count, lines, more: late.count - late.sequences.length }, speech)]),
  ];
}
