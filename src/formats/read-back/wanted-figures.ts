// Documents laid out for people: each figure of the summary must be somewhere in them as a number of its own. Which number
// stands beside which word is not judged here.

import { figuresIn } from '../../statements/revision.ts';
import type { StatementSummary } from '../../statements/summary.ts';
import type { FigureDifference } from './read-back.ts';

/** Figures not seen yet: the number's plain digits, with `-` for a minus → where the summary has it. */
export type WantedFigures = Map<string, readonly string[]>;

/** Every number of the summary but those under the keys left out. Words are not looked for. */
export function wantFigures(
  summary: StatementSummary,
  leftOut: readonly (keyof StatementSummary)[] = [],
): WantedFigures {
  const wanted: WantedFigures = new Map();
  const kept = Object.fromEntries(
    Object.entries(summary).filter(([key]) => !(leftOut as readonly string[]).includes(key)),
  );
  for (const [figure, text] of figuresIn(kept)) {
    if (text === null || !/^-?\d+$/.test(text)) continue;
    wanted.set(text, [...(wanted.get(text) ?? []), figure]);
  }
  return wanted;
}

export function sawFigure(wanted: WantedFigures, digits: string): void {
  wanted.delete(digits);
}

export function missingFigures(wanted: WantedFigures): readonly FigureDifference[] {
  return [...wanted].flatMap(([stated, figures]) => figures.map((figure) => ({ figure, stated, found: null })));
}
