// The text of a line that is hashed (docs/EVIDENCE.md, "A line"): fields in a fixed order with tabs
// between them. Refuses text that UTF-8 cannot hold, and changes no text: no Unicode normalisation.

import { invariant } from '../../core/domain/invariant.ts';
import type { LedgerEntry } from '../../core/domain/ledger-entry.ts';

export interface StoredLine {
  readonly entry: LedgerEntry;
  /**
   * 0 for the first content under its sequence; of others 1, 2, … where they came in one reading,
   * −1, −2, … in a later one.
   */
  readonly variant: number;
}

/**
 * LE1. Ends with a line feed. The fields and their order never change: other fields make an LE2.
 */
export function lineText({ entry, variant }: StoredLine): string {
  const { sequence, amount, balanceAfter, reservedAfter, createdAt } = entry;
  const named = `LE1\t${variant}\t${escaped(entry.id)}\t${sequence}\t${escaped(entry.direction)}\t${escaped(entry.kind)}`;
  const figures = `${amount}\t${escaped(entry.currency)}\t${balanceAfter}\t${reservedAfter}`;
  return `${named}\t${figures}\t${escaped(entry.operationReference)}\t${escaped(entry.description)}\t${createdAt}\n`;
}

/**
 * One record of a text that is hashed: fields with tabs between them, null as `\N`, a line feed at
 * the end.
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
