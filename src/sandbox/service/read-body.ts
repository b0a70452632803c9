// Bodies of calls, read strictly: JSON of the documented form, with every field that is wrong named. Numbers must be written
// as whole numbers, for an amount "100.0" has a decimal.

import type { z } from 'zod';
import { invalidRequest } from './api-error.ts';

const LARGEST_WHOLE = /^-?\d{1,15}$/;

/** What the form makes of the text; an empty text is an empty object. Throws 400 VALIDATION_ERROR. */
export function readBody<Form extends z.ZodType>(text: string, form: Form): z.output<Form> {
  return readForm(readJson(text), form);
}

/** The same of a value that was read already. */
export function readForm<Form extends z.ZodType>(value: unknown, form: Form): z.output<Form> {
  const read = form.safeParse(value);
  if (!read.success) throw invalidRequest(read.error.issues.map(sayIssue));
  return read.data;
}

/**
 * As JSON has it, but for two things. An `amount` of the body itself that is not written as a whole number stays a text, to be
 * refused. A number with more digits than this language holds stays as it was written: free data is returned unchanged. Throws 400
 * VALIDATION_ERROR.
 */
export function readJson(text: string): unknown {
  if (text.trim() === '') return {};
  const amounts: { readonly holder: unknown; readonly written: string }[] = [];
  function revive(this: unknown, name: string, value: unknown, context?: { readonly source?: string }): unknown {
    const written = context?.source;
    if (typeof value !== 'number' || written === undefined) return value;
    if (name === 'amount' && !LARGEST_WHOLE.test(written)) amounts.push({ holder: this, written });
    return isHeld(value, written) ? value : rawJson(written);
  }
  try {
    const body: unknown = JSON.parse(text, revive);
    const amount = amounts.find(({ holder }) => holder === body);
    return amount === undefined ? body : { ...(body as object), amount: amount.written };
  } catch {
    throw invalidRequest(['the body must be JSON']);
  }
}

/** A double holds any fifteen digits, but for what is far too large or too small. */
function isHeld(value: number, written: string): boolean {
  const digits = written
    .replace(/[eE].*$/, '')
    .replace(/\D/g, '')
    .replace(/^0+/, '');
  return digits.length <= 15 && Number.isFinite(value) && (value !== 0 || digits === '');
}

/** Written by JSON.stringify as it is. */
function rawJson(text: string): unknown {
  return (JSON as { readonly rawJSON?: (text: string) => unknown }).rawJSON?.(text);
}

function sayIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `${issue.keys.join(', ')} is not a field of this call`;
  const field = issue.path.join('.');
  return field === '' ? 'the body must be an object' : `${field} ${issue.message}`;
}
