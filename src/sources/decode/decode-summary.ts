// Takes a report's summary out of its row: any JSON object, within bounds, every number exact or kept as its text. Its
// form is the service's own; it is not interpreted here.

import type { Summary, SummaryValue } from '../../domain/service-report.ts';
import { inexactTextOf } from '../../rows/json-number.ts';
import { type Fields, fieldsOf, isNothing, LONGEST_ID, LONGEST_TEXT, own, refuse } from '../../rows/take-fields.ts';

/** Values in one summary, at every level. */
const MOST_VALUES = 5_000;
/** Objects and lists inside each other, the summary itself counted. */
const DEEPEST_SUMMARY = 8;

class TooMuch extends Error {}

/** Null where the row has none. What passes a bound is a fault of the row, named with the bound. */
export function decodeSummary(fields: Fields, name: string): Summary | null {
  const value = own(fields.row, name);
  if (isNothing(value)) return null;
  if (fieldsOf(value).fault !== null) return refuse(fields, name, 'an object', null);
  const budget = { left: MOST_VALUES };
  try {
    return copyOf(value, budget, 1) as Summary;
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    fields.fault ??= `${fields.prefix}${name} ${error.message}`;
    return null;
  }
}

function copyOf(value: unknown, budget: { left: number }, depth: number): SummaryValue {
  budget.left -= 1;
  if (budget.left < 0) throw new TooMuch(`holds more than ${MOST_VALUES} values`);
  const inexact = inexactTextOf(value);
  if (inexact !== null) return textOf(inexact);
  if (typeof value === 'bigint') return textOf(value.toString());
  if (typeof value === 'string') return textOf(value);
  if (typeof value !== 'object' || value === null) return typeof value === 'number' ? numberOf(value) : scalarOf(value);
  if (depth > DEEPEST_SUMMARY) throw new TooMuch(`is nested deeper than ${DEEPEST_SUMMARY} levels`);
  if (Array.isArray(value)) return value.map((item) => copyOf(item, budget, depth + 1));
  const entries = Object.entries(value).map(([key, inner]) => {
    if (key.length > LONGEST_ID) throw new TooMuch(`has a key of ${key.length} characters, more than ${LONGEST_ID}`);
    return [textOf(key), copyOf(inner, budget, depth + 1)] as const;
  });
  return Object.fromEntries(entries);
}

function textOf(text: string): string {
  if (text.length > LONGEST_TEXT) throw new TooMuch(`holds a text of ${text.length} characters`);
  if (text.includes('\u0000')) throw new TooMuch('holds a text with U+0000');
  return text;
}

function numberOf(value: number): number {
  if (!Number.isFinite(value)) throw new TooMuch(`holds ${value}, which is no number`);
  return value;
}

function scalarOf(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}
