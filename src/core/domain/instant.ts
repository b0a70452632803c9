// Instants: milliseconds since 1970-01-01T00:00:00Z. Refuses text that is not an RFC 3339 date-time
// with a zone.

/** Milliseconds since the epoch, UTC, an integer. */
export type Instant = number;

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):?(\d\d))$/;

/**
 * Reads a date-time as the source documents write it (ISO 8601 with a zone; fractions below a
 * millisecond are cut). Returns null when the text is not one, names a day that does not exist, or
 * has no zone.
 */
export function parseInstant(text: string): Instant | null {
  const parts = DATE_TIME.exec(text);
  if (parts === null) return null;
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map((i) =>
    Number(parts[i]),
  ) as number[];
  const millisecond = parts[7] === undefined ? 0 : Number(parts[7].slice(0, 3).padEnd(3, '0'));
  if (hour! > 23 || minute! > 59 || second! > 59) return null;
  const local = Date.UTC(year!, month! - 1, day!, hour, minute, second, millisecond);
  const check = new Date(local);
  if (
    check.getUTCFullYear() !== year ||
    check.getUTCMonth() !== month! - 1 ||
    check.getUTCDate() !== day
  )
    return null;
  if (parts[8] === undefined) return local;
  if (Number(parts[9]) > 23 || Number(parts[10]) > 59) return null;
  const offset = (Number(parts[9]) * 60 + Number(parts[10])) * MINUTE;
  return parts[8] === '+' ? local - offset : local + offset;
}

/**
 * Returns the midnight in UTC that begins the day `2026-11-15`; `null` when the text is not a day
 * of the calendar.
 */
export function parseDay(text: string): Instant | null {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? parseInstant(`${text}T00:00:00Z`) : null;
}

/**
 * Reads an instant as people write it: a date-time with a zone, or a day, which means its midnight
 * in UTC. Returns `null` for any other text.
 */
export function parseInstantOrDay(text: string): Instant | null {
  return parseDay(text) ?? parseInstant(text);
}

export function formatInstant(instant: Instant): string {
  return new Date(instant).toISOString();
}

export function formatKnown(instant: Instant | null): string | null {
  return instant === null ? null : formatInstant(instant);
}
