// Hides phone numbers in free texts: `+225 07 •• •• •• 45`. Statements are passed on, and they must
// not tell who paid. Where it is not clear whether a number is a phone number, it is hidden.
// Callers must not pass amounts or references of the service.

import { isList, type ReportedFigure, type ReportedFigures } from '../domain/figures.ts';

/**
 * Country codes of the nine countries of the service. A number of another country shows its first
 * three digits as if they were a country code.
 */
export const COUNTRY_CODES = ['221', '223', '224', '225', '226', '227', '228', '229', '237'];

/** Runs of 8 to 17 digits with at most two separators between digits, not inside a word. */
const DIGITS =
  /(?<![\p{L}\p{N}_])(?:(?:\+|00)[ \u00a0\u202f]?\(?)?\d(?:[ .\-()\u00a0\u202f]{0,2}\d){7,16}(?![\p{L}\p{N}_])/gu;
const PAIRS = /^\d{2}(?:[ .\-\u00a0\u202f]\d{2}){3,4}$/u;
const SENEGALESE = /^\d{2}[ .\-\u00a0\u202f]\d{3}(?:[ .\-\u00a0\u202f]\d{2}){2}$/u;

/** `2 250 712 345` is an amount, `225 071 234 564` begins with a country code. */
const AMOUNT = /^\d{1,2}(?:[ \u00a0\u202f]\d{3})+$/u;

/**
 * Hides numbers after `+` or `00`; numbers that begin with one of the nine country codes and have
 * 10 to 13 digits; ten digits that begin with 0 (Côte d'Ivoire, Bénin); and digits in pairs, or
 * grouped 2-3-2-2, as national numbers are written.
 */
export function maskPhoneNumbers(text: string): string {
  return text.replace(DIGITS, (found) => masked(found) ?? found);
}

/** Returns a text as documents show it. */
export function shownText(phoneNumbers: PhoneNumbers, text: string | null): string | null {
  return text === null || phoneNumbers === 'whole' ? text : maskPhoneNumbers(text);
}

/** Returns the number of an account as documents show it. */
export function shownNumber(phoneNumbers: PhoneNumbers, number: string | null): string | null {
  return number === null || phoneNumbers === 'whole' ? number : maskAccountNumber(number);
}

/**
 * Hides a number that is known to be an account's, even in a form in which a free text would show
 * it.
 */
export function maskAccountNumber(number: string): string {
  if (!/^[+\d][\d .\-()\u00a0\u202f]*$/u.test(number)) return maskPhoneNumbers(number);
  const digits = number.replace(/\D/gu, '');
  return masked(number) ?? (digits.length > 4 ? national(digits) : number);
}

/**
 * Names of the figures of a finding that hold texts from outside. Digits in other figures are
 * amounts, counts and numbers of lines.
 */
const FREE_TEXTS = new Set(['id', 'externalReference', 'code', 'reason', 'place']);

export function maskFigures(figures: ReportedFigures): ReportedFigures {
  const isFree = (name: string): boolean =>
    FREE_TEXTS.has(name) ||
    (figures.of === 'externalReference' && (name === 'stated' || name === 'due'));
  return Object.fromEntries(
    Object.entries(figures).map(([name, figure]) => [name, maskFigure(figure, isFree(name))]),
  );
}

function maskFigure(figure: ReportedFigure, isFree: boolean): ReportedFigure {
  if (typeof figure === 'string')
    return isFree || !/^-?\d+$/.test(figure) ? maskPhoneNumbers(figure) : figure;
  if (typeof figure === 'boolean' || figure === null) return figure;
  return isList(figure) ? figure.map((one) => maskFigure(one, isFree)) : maskFigures(figure);
}

function masked(found: string): string | null {
  const digits = found.replace(/\D/gu, '');
  if (found.startsWith('+')) return international(digits);
  if (found.startsWith('00') && digits.length >= 10) return international(digits.slice(2));
  if (AMOUNT.test(found)) return null;
  if (COUNTRY_CODES.includes(digits.slice(0, 3)) && digits.length >= 10 && digits.length <= 13) {
    return international(digits);
  }
  const isNational =
    (digits.startsWith('0') && digits.length === 10) || PAIRS.test(found) || SENEGALESE.test(found);
  return isNational ? national(digits) : null;
}

function international(digits: string): string {
  return `+${digits.slice(0, 3)} ${national(digits.slice(3))}`;
}

/** Shows the first two digits and the last two, and hides the others. */
function national(digits: string): string {
  const hidden = '•'.repeat(Math.max(2, digits.length - 4)).match(/.{1,2}/gu)!;
  return [digits.slice(0, 2), ...hidden, digits.slice(-2)].join(' ');
}

/** `masked` shows `+225 07 •• •• •• 45`; `whole` shows all digits. */
export type PhoneNumbers = 'masked' | 'whole';
