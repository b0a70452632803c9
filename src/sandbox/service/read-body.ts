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

/** As JSON has it, but for numbers that are not written as whole ones in `amount`: those stay texts. Throws 400 VALIDATION_ERROR. */
export function readJson(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text, (name, value, context?: { readonly source?: string }) => {
      const isWritten = typeof value === 'number' && name === 'amount' && context?.source !== undefined;
      return isWritten && !LARGEST_WHOLE.test(context.source) ? context.source : value;
    });
  } catch {
    throw invalidRequest(['the body must be JSON']);
  }
}

function sayIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `${issue.keys.join(', ')} is not a field of this call`;
  const field = issue.path.join('.');
  return field === '' ? 'the body must be an object' : `${field} ${issue.message}`;
}
