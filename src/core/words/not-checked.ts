// What was not checked, and why, in a language. A reason that is somebody else's words alone is quoted as a technical one.

import { type NamedFigures, reportFigures } from '../domain/figures.ts';
import type { ReasonCode } from '../domain/snapshot.ts';
import { type FindingSpeech, valuesOf } from './finding.ts';
import { fill } from './message.ts';
import type { Labels } from './tree.ts';

interface Unchecked {
  readonly what: string;
  readonly why: string;
  readonly code?: ReasonCode;
  readonly figures?: NamedFigures;
}

/** `reports`, `operation GUI-CI-1`: the last word may be a reference or a month, which stays. */
export function nameUnchecked({ notChecked }: Pick<Labels, 'notChecked'>, what: string): string {
  const names: Readonly<Record<string, string>> = notChecked.what;
  if (Object.hasOwn(names, what)) return names[what]!;
  const end = what.lastIndexOf(' ');
  const [noun, name] = [what.slice(0, end), what.slice(end + 1)];
  return Object.hasOwn(names, noun) ? `${names[noun]} ${name}` : what;
}

export function wordReason(speech: FindingSpeech, { why, code, figures }: Omit<Unchecked, 'what'>): string {
  const { notChecked } = speech.words;
  if (code === undefined) return fill(notChecked.technical, { why });
  return fill(notChecked.why[code], valuesOf(reportFigures(figures ?? {}), speech), speech);
}

export function wordUnchecked(speech: FindingSpeech, note: Unchecked): { readonly what: string; readonly why: string } {
  return { what: nameUnchecked(speech.words, note.what), why: wordReason(speech, note) };
}
