// A month's verdict in words: whether its books agree, who owes whom how much, what is reserved
// wrongly, and whether the month is closed. The first page, the workbook, the JSON form and the
// mail have the same sentences, which rest on the summary alone.

import { formatInstant } from '../../../core/domain/instant.ts';
import type { Circumstances } from '../../../core/statements/statement.ts';
import type { StatementSummary } from '../../../core/statements/summary.ts';
import { type FindingSpeech, fill } from '../../../core/words/finding.ts';
import { nameUnchecked } from '../../../core/words/names.ts';
import type { Labels } from '../../../core/words/tree.ts';

/** The parts of the summary that the sentences are made from. */
export type VerdictFigures = Pick<
  StatementSummary,
  'currency' | 'recorded' | 'due' | 'inTransit' | 'ahead' | 'toJustify' | 'verdict'
>;

/**
 * Returns the figure due with its label, which says at the end of which day it is due. Where it is
 * not known what is due, returns the figure that the service recorded.
 */
export function heroOf(
  { due, recorded, verdict, currency }: VerdictFigures,
  day: string,
  words: Labels['firstPage'],
  amount: (figure: number) => string,
): { readonly label: string; readonly figure: string } {
  const phrase =
    due === null ? words.recorded : verdict.state === 'incomplete' ? words.dueAsRead : words.due;
  const figure = amount((due ?? recorded).balance);
  return { label: fill(phrase, { day }), figure: fill(words.sum, { figure, currency }) };
}

/**
 * Returns the sentences; the first is the verdict itself. `amount` must write a figure in the
 * language of the words.
 */
export function verdictSentences(
  figures: VerdictFigures,
  { due: words, notChecked }: Pick<Labels, 'due' | 'notChecked'>,
  amount: (figure: number) => string,
): readonly string[] {
  const { currency, recorded, due, verdict } = figures;
  const said = { currency, recorded: amount(recorded.balance) };
  const passing = partSentences(figures, { words, amount });
  const isOff =
    due !== null && (offOf(figures, due, 'balance') !== 0 || offOf(figures, due, 'reserved') !== 0);
  if (verdict.state === 'clean' && due !== null && !isOff) {
    const sound = due.balance === recorded.balance ? words.sound : words.soundInTransit;
    return [fill(sound, { ...said, due: amount(due.balance) }), ...passing];
  }
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
    ...passing,
  ];
}

const NOTHING = { balance: 0, reserved: 0 };

/**
 * Returns the recorded figure less the figure due, without what is in transit, what is dated after
 * the cut-off, and what is to be justified, because no one owes that yet.
 */
function offOf(figures: VerdictFigures, due: Due, side: 'balance' | 'reserved'): number {
  const { recorded, inTransit = NOTHING, ahead = NOTHING, toJustify = NOTHING } = figures;
  return recorded[side] + inTransit[side] - ahead[side] - toJustify[side] - due[side];
}

function partSentences(figures: VerdictFigures, { words, amount }: Wording): readonly string[] {
  const { currency, inTransit = NOTHING, ahead = NOTHING, toJustify = NOTHING } = figures;
  const parts = [
    [words.balanceToJustify, toJustify.balance],
    [words.reservedToJustify, toJustify.reserved],
    [words.balanceInTransit, inTransit.balance],
    [words.reservedInTransit, inTransit.reserved],
    [words.balanceAhead, ahead.balance],
    [words.reservedAhead, ahead.reserved],
  ] as const;
  return parts.flatMap(([phrase, sum]) =>
    sum === 0 ? [] : [fill(phrase, { currency, difference: amount(sum) })],
  );
}

interface Wording {
  readonly words: Labels['due'];
  readonly amount: (figure: number) => string;
}

type Due = NonNullable<VerdictFigures['due']>;

function balanceSentence(all: VerdictFigures, due: Due, { words, amount }: Wording): string {
  const { currency, recorded } = all;
  const off = offOf(all, due, 'balance');
  const even = recorded.balance === due.balance ? words.balanceStands : words.balances;
  const phrase = off === 0 ? even : off > 0 ? words.owedToService : words.owedToMerchant;
  const figures = { recorded: amount(recorded.balance), due: amount(due.balance) };
  return fill(phrase, { currency, difference: amount(Math.abs(off)), ...figures });
}

function reservedSentence(
  all: VerdictFigures,
  due: Due,
  { words, amount }: Wording,
): readonly string[] {
  const { currency, recorded } = all;
  const off = offOf(all, due, 'reserved');
  if (off === 0) return [];
  const figures = { recorded: amount(recorded.reserved), due: amount(due.reserved) };
  const phrase = off > 0 ? words.reservedTooHigh : words.reservedTooLow;
  return [fill(phrase, { currency, difference: amount(Math.abs(off)), ...figures })];
}

/** Says that the month is closed, and which lines came late; none where it is open. */
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
      : [
          fill(
            words.lateLines,
            { count: late.count, lines, more: late.count - late.sequences.length },
            speech,
          ),
        ]),
  ];
}
