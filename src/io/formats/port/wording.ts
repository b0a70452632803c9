// Writes figures, dates and sentences as a reader of one language expects them, with the signs that
// the labels give. Knows no locale of the machine.

import type { FindingKind } from '../../../core/domain/finding-kind.ts';
import { type Instant, parseInstant } from '../../../core/domain/instant.ts';
import { labelOf, parsePeriod } from '../../../core/domain/period.ts';
import { localText, openZone } from '../../../core/domain/zone.ts';
import type { Language, Statement } from '../../../core/statements/statement.ts';
import type { Form } from '../../../core/statements/tables/table.ts';
import { type FindingSpeech, fill, nameFinding } from '../../../core/words/finding.ts';
import { nameCode } from '../../../core/words/names.ts';
import { LABELS, type Labels } from '../../../core/words/tree.ts';

/** Writes figures and dates with the signs of a language. */
export interface FigureWording {
  /** Whole units with grouped digits: `1 234 567`, with U+2212 for the minus. */
  amount(amount: number): string;
  /**
   * Writes a figure that comes as text. A text that is no number stays as it is; `null` becomes a
   * dash.
   */
  figure(text: string | null): string;
  /** `97.4` as `97,4 %`; a dash for null. */
  percent(text: string | null): string;
  /** 175 basis points as `1,75 %`: whole basis points, so two decimals are exact. */
  rate(basisPoints: number): string;
  /** Writes `YYYY-MM-DD`, or `MM-DD`. */
  day(day: string): string;
  /** Writes `YYYY-MM-DD HH:MM:SS`; the year and the seconds may be left out. */
  time(localTime: string): string;
}

export interface Wording extends FigureWording {
  /** Writes an instant in the document's zone; a dash for `null`. */
  instant(instant: Instant | null): string;
  /** Returns the name of a code of that form. A text of any other form stays as it is. */
  code(form: Form, code: string): string;
  /** How sentences with plurals, and those of findings, are worded. */
  readonly speech: FindingSpeech;
}

/** What parts of a document are made from. */
export interface DocumentContext {
  readonly statement: Statement;
  readonly language: Language;
  readonly labels: Labels;
  readonly words: Wording;
}

export const DASH = '–';
const MOST_DAYS = 1_000;

export type SpokenLabels = Pick<
  Labels,
  'numbers' | 'summary' | 'monthOperations' | 'reconciliation'
> &
  FindingSpeech['words'];

/**
 * Returns the wording of a language. `zoneName` is an IANA name; instants are in UTC when it is not
 * known.
 */
export function wordingOf(
  zoneName: string,
  { labels, language }: { readonly labels: SpokenLabels; readonly language: Language },
): Wording {
  const zone = openZone(zoneName);
  const figures = figureWordingOf(labels.numbers);
  const instant = (at: Instant | null): string => {
    if (at === null) return DASH;
    if (zone !== null) return figures.time(localText(zone, at));
    return `${figures.time(new Date(at).toISOString().slice(0, 19))} UTC`;
  };
  const time = (text: string): string => {
    const at = parseInstant(text);
    return at === null ? text : instant(at);
  };
  // A figure that the service states may be no whole number, and of any length, so it is cut.
  const number = (text: string): string => figures.figure(text).slice(0, 80);
  const speech: FindingSpeech = { language, words: labels, number, time };
  const names: Readonly<Partial<Record<Form, Readonly<Record<string, string>>>>> = {
    kind: labels.codes.kinds,
    status: labels.codes.statuses,
    type: labels.monthOperations.types,
    state: labels.monthOperations.states,
    severity: labels.summary.severity,
    when: labels.reconciliation.when,
  };
  const code = (form: Form, own: string): string => {
    const known = names[form];
    if (known !== undefined) return Object.hasOwn(known, own) ? known[own]! : own;
    if (form === 'month') return labelOf(parsePeriod(own)!, language);
    return form === 'finding' ? nameFinding(speech, own as FindingKind) : own;
  };
  return { ...figures, instant, code, speech };
}

/**
 * Returns what people call a kind of lines, in our own words. A kind that the service's document
 * does not know is named by its code.
 */
export function nameKind(kind: string, language: Language): string {
  return nameCode(LABELS[language], 'kinds', kind);
}

/**
 * Says what a kind of finding means and what to do about it; `null` for a kind that this version
 * does not know.
 */
export function explainKind(kind: string, language: Language): string | null {
  const { explanations } = LABELS[language].catalogue;
  return Object.hasOwn(explanations, kind) ? explanations[kind as FindingKind] : null;
}

export function figureWordingOf(numbers: Labels['numbers']): FigureWording {
  const grouped = (digits: string): string => {
    let text = digits.slice(0, ((digits.length - 1) % 3) + 1);
    for (let i = text.length; i < digits.length; i += 3)
      text += numbers.group + digits.slice(i, i + 3);
    return text;
  };
  const figure = (text: string | null): string => {
    if (text === null) return DASH;
    const number = /^([-−]?)(\d+)(?:\.(\d+))?$/.exec(text);
    if (number === null) return text;
    const [, sign, whole, rest] = number;
    return `${sign === '' ? '' : '−'}${grouped(whole!)}${rest === undefined ? '' : `${numbers.decimal}${rest}`}`;
  };
  // Days are kept, because a month has few days and thousands of lines on each.
  const days = new Map<string, string>();
  const day = (text: string): string => {
    const known = days.get(text);
    if (known !== undefined) return known;
    const [date, month, year = ''] = text.split('-').reverse();
    const worded = fill(numbers.date, { year, month: month!, day: date! }).replaceAll(
      /^[^\d]+|[^\d]+$/g,
      '',
    );
    if (days.size < MOST_DAYS) days.set(text, worded);
    return worded;
  };
  const percent = (text: string | null): string =>
    text === null ? DASH : `${text.replace('.', numbers.decimal)}\u00a0%`;
  return {
    amount: (amount) => {
      if (!Number.isSafeInteger(amount)) return figure(String(amount));
      return amount < 0 ? `−${grouped(String(-amount))}` : grouped(String(amount));
    },
    figure,
    percent,
    rate: (basisPoints) => {
      const hundredths = String(basisPoints).padStart(3, '0');
      return percent(`${hundredths.slice(0, -2)}.${hundredths.slice(-2)}`);
    },
    day,
    time: (text) => text.replace(/^([\d-]+)[ T]/, (_, date) => `${day(date)} `),
  };
}
