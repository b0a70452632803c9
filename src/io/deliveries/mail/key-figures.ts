// The key figures of a month as rows that add up, from opening to closing, and what they are worth. Does no arithmetic but
// to turn the sign of what left the wallet.

import type { MonthFigures } from '../../../core/domain/delivery/delivery-channel.ts';
import type { MailTemplate } from '../../formats/port/template.ts';
import { figureWordingOf } from '../../formats/port/wording.ts';
import { closingSteps } from '../../formats/sentences/closing-steps.ts';
import { verdictSentences } from '../../formats/sentences/verdict-sentences.ts';

/** A part of a mail, one under the other. */
export type Block =
  | { readonly line: string; readonly title?: string }
  | { readonly note: string }
  | { readonly rows: readonly FigureRow[] };

export interface FigureRow {
  readonly name: string;
  readonly figure: string;
  /** Stands out: a balance, and not a movement. */
  readonly isBalance: boolean;
}

/** Opening + movements = closing, each with its sign; movements that most months lack are left out at 0. */
export function figureRows(figures: MonthFigures, { words, numbers, due }: MailTemplate): readonly FigureRow[] {
  const { statement } = words;
  const { amount } = figureWordingOf(numbers);
  const row = (name: string, value: number, isBalance = false): FigureRow => ({
    name,
    figure: amount(value),
    isBalance,
  });
  const { reversals, adjustments, otherMovements } = figures;
  // 0 − x and not −x: there is no −0 in an account.
  return [
    row(statement.opening, figures.openingBalance, true),
    row(statement.collected, figures.collected),
    row(statement.disbursed, 0 - figures.disbursed),
    row(statement.fees, 0 - figures.fees),
    ...(reversals === 0 ? [] : [row(statement.reversals, reversals)]),
    ...(adjustments === 0 ? [] : [row(statement.adjustments, adjustments)]),
    ...(otherMovements === 0 ? [] : [row(statement.otherMovements, otherMovements)]),
    row(statement.closing, figures.closingBalance, true),
    ...closingSteps(figures)
      .filter(({ balance, isBalance }) => isBalance || balance !== 0)
      .map(({ name, balance, isBalance }) => row(due.closing[name], balance, isBalance)),
    row(statement.reserved, figures.closingReserved),
    row(statement.available, figures.availableAtClose, true),
  ];
}

/** The verdict in the statement's own sentences. */
export function verdictLines(figures: MonthFigures, { numbers, due, speech }: MailTemplate): readonly string[] {
  const { amount } = figureWordingOf(numbers);
  return verdictSentences(figures, { due, notChecked: speech.words.notChecked }, amount);
}
