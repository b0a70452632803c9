// The text of a line that is hashed (docs/EVIDENCE.md, "A line"): fields in a fixed order with tabs
// between them. Refuses text that UTF-8 cannot hold, and changes no text: no Unicode normalisation.

import { invariant } from '../../core/domain/invariant.ts';
import type { LedgerEntry } from '../../core/domain/ledger-entry.ts';

export interface StoredLine {
  readonly entry: LedgerEntry;
  /**
   * 0 for the first content under its sequence. Other contents are 1, 2, … when they came in the
   * same reading as the first, and −1, −2, … when they came in a later one.
   */
  readonly variant: number;
}

/**
 * Returns the text of a line in the form LE1, with a line feed at the end. The fields and their
 * order must never change: other fields would be a new form, LE2.
 */
export function lineText({ entry, variant }: StoredLine): string {
  const { sequence, amount, balanceAfter, reservedAfter, createdAt } = entry;
  const named = `LE1\t${variant}\t${escaped(entry.id)}\t${sequence}\t${escaped(entry.direction)}\t${escaped(entry.kind)}`;
  const figures = `${amount}\t${escaped(entry.currency)}\t${balanceAfter}\t${reservedAfter}`;
  return `${named}\t${figures}\t${escaped(entry.operationReference)}\t${escaped(entry.description)}\t${createdAt}\n`;
}

/**
 * Returns one record of a text that is hashed: the fields with tabs between them, `\N` for `null`,
 * and a line feed at the end.
 */
export function recordText(fields: readonly (string | number | null)[]): string {
  return `${fields.map((field) => (typeof field === 'number' ? String(field) : escaped(field))).join('\t')}\n`;
}

const SPECIAL = /[\\\t\n\r]/;
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

function escaped(text: string | null): string {
  if (text === null) return '\\N';
  invariant(text.isWellFormed(), 'a text that is hashed has no lone surrogate');
  return SPECIAL.test(text) ? text.replace(/[\\\t\n\r]/g, (found) => ESCAPES[found]!) : text;
}
