// Fills the messages of the tree with values, and words findings. A message is an ICU message: it
// has placeholders, plurals, choices, and tags around codes that have a name. Each is parsed once.
// The `Speech` decides how figures and times are written. A finding's sentence has no figures but
// the finding's own, and a code without a name in the language stays as it is.

import { isList, type ReportedFigure, type ReportedFigures } from '../domain/figures.ts';
import type { FindingKind } from '../domain/finding-kind.ts';
import { type Instant, parseInstant } from '../domain/instant.ts';
import { invariant } from '../domain/invariant.ts';
import type { RefusalCode } from '../domain/refusal.ts';
import { type DecisionTerms, shownTerms } from '../domain/settlement.ts';
import { valueIn } from '../domain/value-in.ts';
import { type IcuMessage, type IcuValues, parseMessage, type Tag, writtenName } from '../icu.ts';
import { LABELS, type LabelLanguage, type Labels } from './tree.ts';

export interface Speech {
  readonly language: LabelLanguage;
  /** Writes `{x, number}`; `name` is `x`. */
  readonly number: (text: string, name?: string) => string;
  /** Writes `{x, time}`. */
  readonly time: (text: string) => string;
}

/** Values of placeholders. Whole numbers may be text, because they may pass 2^53. */
export type MessageValues = IcuValues;

const parsed = new Map<string, IcuMessage>();

/** Writes figures and times unchanged. */
const PLAIN: Speech = { language: 'fr', number: String, time: String };

/**
 * Matches a message with only words and placeholders. It is filled without the ICU library, which
 * need not be loaded then.
 */
const PLAIN_PLACES = /^[^{<']*(?:\{\w+\}[^{<']*)*$/;

/**
 * Fills the placeholders of a message. A placeholder without a value stays as it is, and values are
 * not searched for placeholders. Without `speech`, a message with plurals is refused, because each
 * language has its own plurals. Throws SyntaxError when the text is not a message.
 */
export function fill(text: string, values: MessageValues, speech: Speech = PLAIN): string {
  if (PLAIN_PLACES.test(text))
    return text.replace(/\{(\w+)\}/g, (place, name) =>
      Object.hasOwn(values, name) ? String(values[name] ?? '') : place,
    );
  const message = messageOf(text);
  invariant(
    speech !== PLAIN || !message.isCounted,
    `a text with plurals needs a language: ${text}`,
  );
  const whole: Record<string, IcuValues[string]> = { ...values };
  for (const name of message.names) if (!Object.hasOwn(values, name)) whole[name] = `{${name}}`;
  for (const name of message.numbers)
    whole[writtenName(name, 'number')] = speech.number(String(whole[name]), name);
  for (const name of message.times)
    whole[writtenName(name, 'time')] = speech.time(String(whole[name]));
  return message.format(speech.language, whole);
}

/**
 * Words how far a decision goes. The message `phrase` gets the text `null` for a term that the
 * decision does not have. Returns the text `null` when the decision has no terms.
 */
export function wordTerms(
  phrase: string,
  terms: DecisionTerms | null | undefined,
  {
    figure,
    instant,
    speech,
  }: { figure(text: string): string; instant(at: Instant): string; readonly speech: Speech },
): string {
  const shown = shownTerms(terms);
  if (shown === null) return 'null';
  const { limit, until, lines } = shown;
  const values = {
    limit: limit === null ? 'null' : figure(limit),
    until: until === null ? 'null' : instant(parseInstant(until)!),
    lines: lines.length === 0 ? 'null' : lines.join(', '),
  };
  return fill(phrase, values, speech);
}

/**
 * Returns the names for which a message has placeholders, choices or tags. Throws SyntaxError when
 * the text is not a message.
 */
export function namesIn(text: string): readonly string[] {
  return messageOf(text).names;
}

function messageOf(text: string): IcuMessage {
  return valueIn(parsed, text, parseMessage);
}

type Standing = 'open' | 'accepted' | 'settled';

export interface FindingSpeech extends Speech {
  readonly words: Pick<
    Labels,
    'findings' | 'codes' | 'notChecked' | 'refusals' | 'assumptions' | 'figures'
  >;
}

/**
 * Words a finding. `figures` must be those of the kind, as `draftOf` ensures and as a report keeps
 * them.
 */
export function wordFinding(
  speech: FindingSpeech,
  kind: FindingKind,
  figures: ReportedFigures,
): string {
  const { messages, gathered, corrected } = speech.words.findings;
  const sentences = [fill(messages[kind], valuesOf(figures, speech), speech)];
  for (const [text, more] of [
    [gathered, figures.gathered] as const,
    [corrected, figures.corrected] as const,
  ])
    if (isFigures(more)) sentences.push(fill(text, valuesOf(more, speech), speech));
  return sentences.join(' ');
}

/** Words a finding, and says before it whether the finding is settled or accepted. */
export function wordStanding(
  speech: FindingSpeech,
  {
    kind,
    figures,
    state,
  }: { readonly kind: FindingKind; readonly figures: ReportedFigures; readonly state: Standing },
): string {
  const message = wordFinding(speech, kind, figures);
  return state === 'open' ? message : fill(speech.words.findings.atRest[state], { message });
}

/** Returns the name of a kind; the kind itself when this version does not know it. */
export function nameFinding({ words }: Pick<FindingSpeech, 'words'>, kind: string): string {
  return Object.hasOwn(words.findings.names, kind)
    ? words.findings.names[kind as FindingKind]
    : kind;
}

/** Returns the name of a kind with the kind in parentheses, as in `pointage explain KIND`. */
export function nameWithKind(speech: Pick<FindingSpeech, 'words'>, kind: string): string {
  const name = nameFinding(speech, kind);
  return name === kind ? kind : `${name} (${kind})`;
}

/**
 * Returns the values by which a finding's message is filled. A list `x` becomes `{x}`, its items
 * joined, and `{xCount}`, their number. `{lines}` is the number of lines from `first` to `last`. A
 * code is named by tags of its sort: `<statuses>{status}</statuses>`. If `refusal` is given,
 * `{reason}` is worded from it in the language; otherwise `{reason}` is the given text, and
 * `{refusal}` is null.
 */
export function valuesOf(figures: ReportedFigures, speech: FindingSpeech): MessageValues {
  const values: Record<string, MessageValues[string]> = { ...tagsOf(speech) };
  for (const [name, figure] of Object.entries(figures)) {
    if (isList(figure)) {
      values[name] = figure.map((one) => wordOne(name, one, speech)).join(', ');
      values[`${name}Count`] = figure.length;
    } else if (!isFigures(figure)) values[name] = name === 'fault' ? choiceOf(figure) : figure;
  }
  const { first, last, reason, refusal } = figures;
  if (typeof reason === 'string') Object.assign(values, wordRefusal(reason, refusal, speech));
  if (typeof first === 'string' && typeof last === 'string')
    values.lines = String(BigInt(last) - BigInt(first) + 1n);
  return values;
}

function wordRefusal(
  reason: string,
  refusal: ReportedFigure | undefined,
  speech: FindingSpeech,
): MessageValues {
  const { refusals } = speech.words;
  const code = isFigures(refusal) ? String(refusal.code) : null;
  if (code === null || !Object.hasOwn(refusals, code)) return { reason, refusal: null };
  const said = fill(
    refusals[code as RefusalCode],
    valuesOf(refusal as ReportedFigures, speech),
    speech,
  );
  return { reason: said, refusal: code };
}

/** Returns the figure as a message can choose by it: names of choices in ICU have no hyphen. */
function choiceOf<Figure>(fault: Figure): Figure | string {
  return typeof fault === 'string' ? fault.replaceAll('-', '_') : fault;
}

function wordOne(list: string, one: ReportedFigure, speech: FindingSpeech): string {
  if (!isFigures(one)) return String(one);
  const { lists } = speech.words.findings;
  return fill(lists[list as keyof typeof lists], valuesOf(one, speech), speech);
}

const tags = new WeakMap<Labels['codes'], Readonly<Record<string, Tag>>>();

function tagsOf({ words: { codes } }: FindingSpeech): Readonly<Record<string, Tag>> {
  return valueIn(tags, codes, () => {
    const tagOf =
      (names: Readonly<Record<string, string>>): Tag =>
      (inner) =>
        named(names, inner.join(''));
    return Object.fromEntries(Object.entries(codes).map(([sort, names]) => [sort, tagOf(names)]));
  });
}

/** Returns the name of a code; the code itself when it has none. */
export function named(names: Readonly<Record<string, string>>, code: string): string {
  return Object.hasOwn(names, code) ? names[code]! : code;
}

function isFigures(figure: ReportedFigure | undefined): figure is ReportedFigures {
  return typeof figure === 'object' && figure !== null && !isList(figure);
}

// How reports and the command line speak: English, with digits in groups of three and instants as
// they are stored. `message` in reports is in this language, whatever the language of a document.

/** Writes a whole amount: `1 234 567`, with a plain space between groups, and a real minus sign. */
export function money(amount: string | number | bigint): string {
  const text = amount.toString();
  const digits = text.replace('-', '').replace(/\B(?=(\d{3})+$)/g, ' ');
  return text.startsWith('-') ? `−${digits}` : digits;
}

export const ENGLISH: FindingSpeech = {
  language: 'en',
  words: LABELS.en,
  // A figure from outside may not be a whole number, and may have any length.
  number: (text) => (/^-?\d+$/.test(text) ? money(text) : text).slice(0, 80),
  time: String,
};
