// Names, in a language, of codes and keys that a reader meets outside of sentences. A code without
// a name is shown as it is.

import { reportFigures } from '../domain/figures.ts';
import type { ReportWording } from '../domain/report-wording.ts';
import type { CodedNote, NotChecked } from '../domain/snapshot.ts';
import { ENGLISH, type FindingSpeech, fill, named, valuesOf, wordFinding } from './finding.ts';
import type { Labels } from './tree.ts';

type Names = Readonly<Record<string, string>>;

/** Returns the name of a code. `sort` says which codes it belongs to. */
export function nameCode(
  { codes }: Pick<Labels, 'codes'>,
  sort: keyof Labels['codes'],
  code: string,
): string {
  return named(codes[sort], code);
}

/**
 * Returns the name of a figure in a statement's summary, by its path: `closingBalance`,
 * `byOperator.ORANGE.amount`, `paymentsByLink.totalAmount`.
 */
export function nameFigure(speech: FindingSpeech, path: string): string {
  const { figures } = speech.words;
  if (Object.hasOwn(figures.names, path)) return named(figures.names, path);
  const isOfLinks = path.startsWith(OF_LINKS);
  const groups = isOfLinks ? figures.withinLinks : figures.within;
  const figure = isOfLinks ? path.slice(OF_LINKS.length) : path;
  const [first, last] = [figure.indexOf('.'), figure.lastIndexOf('.')];
  const group = figure.slice(0, first);
  if (first === last || !Object.hasOwn(groups, group)) return figure;
  const measure = named(figures.measures, figure.slice(last + 1));
  return fill(
    groups[group as keyof typeof groups],
    { name: figure.slice(first + 1, last), measure },
    speech,
  );
}

const OF_LINKS = 'paymentsByLink.';

/** Returns a figure's value before or after a revision, in words if it is a verdict. */
export function nameFigureValue(
  { words }: Pick<FindingSpeech, 'words'>,
  path: string,
  value: string | null,
): string | null {
  return value !== null && path === 'verdict.state' ? named(words.figures.verdicts, value) : value;
}

/**
 * Returns the name of a question that the documents leave open, and of its answer: one
 * interpretation, several that fit equally, or one for each of the wallet's totals.
 */
export function nameAnswer(
  speech: FindingSpeech,
  question: string,
  answer: unknown,
): readonly [question: string, answer: string] {
  const { assumptions } = speech.words;
  const answers: Names = namesOf(assumptions.answers, question);
  const said = (one: unknown): string => {
    if (Array.isArray(one))
      return one.length === 0 ? assumptions.none : one.map(said).join(assumptions.or);
    if (typeof one !== 'object' || one === null)
      return named(answers, String(one ?? assumptions.none));
    return Object.entries(one)
      .map(([total, own]) =>
        fill(
          assumptions.each,
          { name: named(assumptions.totals, total), answer: said(own) },
          speech,
        ),
      )
      .join(' ');
  };
  return [named(assumptions.questions, question), said(answer)];
}

function namesOf(names: Readonly<Record<string, Names>>, key: string): Names {
  return Object.hasOwn(names, key) ? names[key]! : {};
}

// What was not checked, and why, in a language. A reason without a code is quoted as a technical
// one.

/** Returns the note with its reason in English, as a report has it. */
export function wordNote(note: CodedNote | NotChecked): NotChecked {
  if ('why' in note) return note;
  const { what, incomplete = false, ...reason } = note;
  return { what, why: wordReason(ENGLISH, reason), incomplete, ...reason };
}

/** The English sentences of an `AuditReport`, whatever the language of a document made from it. */
export const ENGLISH_WORDING: ReportWording = {
  finding: (kind, figures) => wordFinding(ENGLISH, kind, figures),
  note: wordNote,
};

type Unchecked = Omit<NotChecked, 'incomplete'>;

/**
 * Returns the name of a part that was not checked: `reports`, or `operation GUI-CI-1`, where the
 * last word is a reference or a month and stays as it is.
 */
export function nameUnchecked({ notChecked }: Pick<Labels, 'notChecked'>, what: string): string {
  const names: Readonly<Record<string, string>> = notChecked.what;
  if (Object.hasOwn(names, what)) return names[what]!;
  const end = what.lastIndexOf(' ');
  const [noun, name] = [what.slice(0, end), what.slice(end + 1)];
  return Object.hasOwn(names, noun) ? `${names[noun]} ${name}` : what;
}

export function wordReason(
  speech: FindingSpeech,
  reason: Omit<Unchecked, 'what'> | Omit<CodedNote, 'what'>,
): string {
  const { notChecked } = speech.words;
  const { code, figures } = reason;
  if (code === undefined) return fill(notChecked.technical, { why: reason.why });
  return fill(notChecked.why[code], valuesOf(reportFigures(figures ?? {}), speech), speech);
}

export function wordUnchecked(
  speech: FindingSpeech,
  note: Unchecked,
): { readonly what: string; readonly why: string } {
  return { what: nameUnchecked(speech.words, note.what), why: wordReason(speech, note) };
}

/** As `wordUnchecked`, for readers who never saw the files: names none. */
export function wordOnPaper(
  speech: FindingSpeech,
  note: Unchecked,
): ReturnType<typeof wordUnchecked> {
  const words = wordUnchecked(speech, note);
  const { onPaper } = speech.words.notChecked;
  const isNamed = note.code !== undefined && Object.hasOwn(onPaper, note.code);
  return isNamed ? { ...words, why: onPaper[note.code as keyof typeof onPaper] } : words;
}
