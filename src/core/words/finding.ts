// Words texts of the tree and findings. A text has places in braces, plurals, choices, and tags
// around codes that have a name, as an ICU message; each is parsed once. How figures and times are
// written is the speaker's. A finding fills the message of its kind with its figures: adds none,
// decides nothing, and leaves codes without a name in the language as they are.

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
  /** What `{x, number}` becomes; `name` is `x`. */
  readonly number: (text: string, name?: string) => string;
  /** What `{x, time}` becomes. */
  readonly time: (text: string) => string;
}

/** Whole numbers may come as text: they may pass 2^53. */
export type MessageValues = IcuValues;

const parsed = new Map<string, IcuMessage>();

/** Figures and times as they come. */
const PLAIN: Speech = { language: 'fr', number: String, time: String };

/**
 * Nothing but words and places: written without the library, which a file that is not there would
 * load.
 */
const PLAIN_PLACES = /^[^{<']*(?:\{\w+\}[^{<']*)*$/;

/**
 * A place without a value stays as it is; values are not searched for places. Without `speech` a
 * text is refused whose words depend on how many there are: each language counts in its own way.
 * Throws SyntaxError where the text is no message.
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
 * How far a decision goes, in that phrase, which selects by `null` what a decision lacks; itself
 * `null` where it has no terms.
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
 * The names that a text has places, choices or tags for. Throws SyntaxError where it is no message.
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
 * `figures` must be those of the kind: `draftOf` lets nothing else be made, and a report keeps them
 * as they were.
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

/** As `wordFinding`, and in front whether it is at rest. */
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

/** A kind that this version does not know is named by itself. */
export function nameFinding({ words }: Pick<FindingSpeech, 'words'>, kind: string): string {
  return Object.hasOwn(words.findings.names, kind)
    ? words.findings.names[kind as FindingKind]
    : kind;
}

/** With the kind behind it, as in `pointage explain KIND`. */
export function nameWithKind(speech: Pick<FindingSpeech, 'words'>, kind: string): string {
  const name = nameFinding(speech, kind);
  return name === kind ? kind : `${name} (${kind})`;
}

/**
 * A list `x` is `{x}`, one after the other, and its length `{xCount}`; `{lines}` is the number of
 * lines from `first` to `last`; a code is named between tags of its sort:
 * `<statuses>{status}</statuses>`. A `reason` is worded in the language where `refusal` has its
 * parts; else it keeps its text, and `{refusal}` is null.
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

/** What a message may choose by: ICU has no hyphen in the names of choices. */
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

/** What has no name is shown as it is. */
export function named(names: Readonly<Record<string, string>>, code: string): string {
  return Object.hasOwn(names, code) ? names[code]! : code;
}

function isFigures(figure: ReportedFigure | undefined): figure is ReportedFigures {
  return typeof figure === 'object' && figure !== null && !isList(figure);
}

// How reports and the command line speak: English, with amounts in threes and instants as they are
// stored. The language of `message` in reports, whatever the language of a document.

/** A whole amount: `1 234 567`, with a plain space, and a real minus sign. */
export function money(amount: string | number | bigint): string {
  const text = amount.toString();
  const digits = text.replace('-', '').replace(/\B(?=(\d{3})+$)/g, ' ');
  return text.startsWith('-') ? `−${digits}` : digits;
}

export const ENGLISH: FindingSpeech = {
  language: 'en',
  words: LABELS.en,
  // A figure from outside may be no whole number, and of any length.
  number: (text) => (/^-?\d+$/.test(text) ? money(text) : text).slice(0, 80),
  time: String,
};
