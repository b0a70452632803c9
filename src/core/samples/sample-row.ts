// One row of a sample: its first word, its plain words, and its key=value words. Instants are
// written as +2m, +1h, +5d after 2026-10-01T00:00:00Z, or in full: 2026-11-04T10:00:00Z.

import { DAY, HOUR, type Instant, MINUTE, parseInstant, SECOND } from '../domain/instant.ts';

export const START: Instant = Date.UTC(2026, 9, 1);
const UNITS: Readonly<Record<string, number>> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY };

export interface Row {
  readonly text: string;
  readonly word: string;
  readonly words: readonly string[];
  readonly extras: Readonly<Record<string, string>>;
}

export function readRow(text: string): Row {
  const [word, ...rest] = text.split(/\s+/);
  const isExtra = (one: string): boolean => /^[a-zA-Z.]+=/.test(one);
  const pairs = rest
    .filter(isExtra)
    .map((one) => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]);
  return {
    text,
    word: word!,
    words: rest.filter((one) => !isExtra(one)),
    extras: Object.fromEntries(pairs),
  };
}

export function readInstant(text: string): Instant {
  const parts = /^\+(\d+)([smhd])$/.exec(text);
  const instant = parseInstant(text);
  if (instant !== null) return instant;
  if (parts === null)
    throw new Error(`a sample instant looks like +2m, +5d or 2026-11-04T10:00:00Z: '${text}'`);
  return START + Number(parts[1]) * UNITS[parts[2]!]!;
}

/**
 * Returns the instant under a key; `null` when the row has the word `null` there, `absent` when it
 * does not have the key.
 */
export function instantIn<Absent>(
  { extras }: Row,
  key: string,
  absent: Absent,
): Instant | Absent | null {
  const text = extras[key];
  return text === undefined ? absent : text === 'null' ? null : readInstant(text);
}

export function textIn<Absent>(
  { extras }: Row,
  key: string,
  absent: Absent,
): string | Absent | null {
  const text = extras[key];
  return text === undefined ? absent : text === 'null' ? null : text;
}

/** Returns the number under a key; `null` when the row does not have the key. */
export function numberIn({ extras }: Row, key: string): number | null {
  const text = extras[key];
  return text === undefined ? null : Number(text);
}
