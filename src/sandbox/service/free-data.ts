// Free data that callers bring along, which both APIs return unchanged: any object, with all of its names and numbers.

import { z } from 'zod';

/** At most so many characters as JSON. What goes through `z.record` would lose `__proto__`, and numbers kept as they were written. */
export function freeObject(longest: number, error: string) {
  return z
    .unknown()
    .refine(isObject, { error })
    .refine((value) => (JSON.stringify(value) ?? '').length <= longest, {
      error: `must have at most ${longest} characters as JSON`,
    })
    .meta({ type: 'object' })
    .transform((value) => value as Readonly<Record<string, unknown>>);
}

/** As JSON has them: a number that is kept as it was written is none. */
function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
