// Reads the text of a JSON number without ever rounding it: a number that a double cannot hold exactly keeps its text,
// so that a caller that asked for a whole number can refuse it by name, and one that ignores the field loses nothing.

const INEXACT = Symbol('inexact number');

/** A number that no double holds exactly; only its text is kept. No JSON text can forge one: the key is a symbol. */
export interface InexactNumber {
  readonly [INEXACT]: string;
}

/** Every decimal of up to 15 significant digits has a double of its own, so none of them is mistaken for another. */
const EXACT_DIGITS = 15;
const SMALLEST_EXPONENT = -300;

const PARTS = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** The text of an inexact number as it was written, or null for any other value. */
export function inexactTextOf(value: unknown): string | null {
  return typeof value === 'object' && value !== null && INEXACT in value ? (value as InexactNumber)[INEXACT] : null;
}

/**
 * Reads `text`, a valid JSON number. JSON knows one kind of number, so 1000, 1000.0 and 1e3 are the same whole number
 * and are read as such; -0 is 0. A whole number past 2^53 − 1, or a fraction of more than 15 digits, stays inexact.
 */
export function readJsonNumber(text: string): number | InexactNumber {
  const parts = PARTS.exec(text)!;
  const fraction = parts[3] ?? '';
  if (fraction === '' && parts[4] === undefined && text.length <= EXACT_DIGITS) return Number(text) + 0;
  const { digits, dropped } = trimZeros(parts[2]! + fraction);
  if (digits === '') return 0;
  const exponent = Number(parts[4] ?? 0) - fraction.length + dropped;
  if (exponent < 0) {
    const exact = digits.length <= EXACT_DIGITS && exponent > SMALLEST_EXPONENT;
    return exact ? Number(text) : { [INEXACT]: text };
  }
  if (digits.length + exponent > EXACT_DIGITS + 1) return { [INEXACT]: text };
  const whole = Number(`${parts[1]}${digits}${'0'.repeat(exponent)}`);
  return Number.isSafeInteger(whole) ? whole : { [INEXACT]: text };
}

/** Takes the zeros off both ends; `dropped` counts those taken off the right. Loops, for a pattern could go quadratic. */
function trimZeros(digits: string): { readonly digits: string; readonly dropped: number } {
  let start = 0;
  let end = digits.length;
  while (start < end && digits.charCodeAt(start) === 48) start += 1;
  while (end > start && digits.charCodeAt(end - 1) === 48) end -= 1;
  return { digits: digits.slice(start, end), dropped: digits.length - end };
}
