// A month's verdict in words: whether its books agree, who owes whom what, and what is reserved wrongly. The same sentences
// stand on the first page, in the workbook, in the JSON form and in the mail. They rest on the summary alone.

import type { StatementSummary } from '../statements/summary.ts';
import { fill } from '../words/message.ts';
import { nameUnchecked } from '../words/not-checked.ts';
import type { Labels } from '../words/tree.ts';

/** What the sentences are made from. */
export type VerdictFigures = Pick<StatementSummary, 'currency' | 'recorded' | 'due' | 'verdict'>;

/** `amount` writes a figure in the words' language. The first sentence is the verdict itself. */
export function verdictSentences(
  figures: VerdictFigures,
  { due: words, notChecked }: Pick<Labels, 'due' | 'notChecked'>,
  amount: (figure: number) => string,
): readonly string[] {
  const { currency, recorded, due, verdict } = figures;
  const said = { currency, recorded: amount(recorded.balance) };
  const isOff = due !== null && (due.balance !== recorded.balance || due.reserved !== recorded.reserved);
  if (verdict.state === 'clean' && due !== null && !isOff) return [fill(words.sound, said)];
  const state = {
    clean: words.soundAsChecked,
    broken: words.broken,
    incomplete: fill(words.incomplete, {
      missing: verdict.missing.map((what) => nameUnchecked({ notChecked }, what)).join(', '),
    }),
  }[verdict.state];
  if (due === null) return [state, fill(words.unknown, said)];
  return [
    state,
    balanceSentence(figures, due, { words, amount }),
    ...reservedSentence(figures, due, { words, amount }),
  ];
}

interface Wording {
  readonly words: Labels['due'];
  readonly amount: (figure: number) => string;
}

type Due = NonNullable<VerdictFigures['due']>;

function balanceSentence({ currency, recorded }: VerdictFigures, due: Due, { words, amount }: Wording): string {
  const off = recorded.balance - due.balance;
  const phrase = off === 0 ? words.balanceStands : off > 0 ? words.owedToService : words.owedToMerchant;
  const figures = { recorded: amount(recorded.balance), due: amount(due.balance) };
  return fill(phrase, { currency, difference: amount(Math.abs(off)), ...figures });
}

function reservedSentence(
  { currency, recorded }: VerdictFigures,
  due: Due,
  { words, amount }: Wording,
): readonly string[] {
  const off = recorded.reserved - due.reserved;
  if (off === 0) return [];
  const figures = { recorded: amount(recorded.reserved), due: amount(due.reserved) };
  const phrase = off > 0 ? words.reservedTooHigh : words.reservedTooLow;
  return [fill(phrase, { currency, difference: amount(Math.abs(off)), ...figures })];
}
