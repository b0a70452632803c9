// What a finding is said in: one sentence or two for each kind, from its figures alone. A language is one value of this
// type; it adds no figure and decides nothing.

import type { FindingFigures, GatheredFigures } from '../checks/finding-figures.ts';
import type { Reported, ReportedFigures } from '../domain/figures.ts';
import type { FindingKind } from '../domain/finding-kind.ts';

type Wording = { readonly [Kind in FindingKind]: (figures: Reported<FindingFigures[Kind]>) => string };
/** Some of the kinds. */
export type WordsOf<Kind extends FindingKind> = Pick<Wording, Kind>;
export interface Words extends WordsOf<FindingKind> {
  /** What a finding adds that speaks for many operations. */
  readonly gathered: (figures: Reported<GatheredFigures>) => string;
}

/** `figures` must be those of the kind: `draftOf` lets nothing else be made, and a report keeps them as they were. */
export function wordFinding(words: Words, kind: FindingKind, figures: ReportedFigures): string {
  const say = words[kind] as (figures: ReportedFigures) => string;
  const { gathered } = figures;
  const sentence = say(figures);
  if (gathered === undefined) return sentence;
  return `${sentence} ${words.gathered(gathered as Reported<GatheredFigures>)}`;
}
