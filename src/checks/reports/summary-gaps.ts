// What of a report's summary was not compared with payments, in words, as the note beside the verdict. What could not be
// read under a mapped key leaves the report in doubt; what it does not state, names nobody for, or is not mapped, does not.

import type { SummaryValue } from '../../domain/service-report.ts';
import type { NotChecked } from '../../domain/snapshot.ts';
import type { ReadSummary } from './read-summary.ts';
import type { Comparison } from './summary-differences.ts';

const MOST_NAMED = 8;
const LONGEST_NAME = 80;
const LONGEST_VALUE = 40;

/** Null when every figure was compared. */
export function gapsIn(
  read: ReadSummary,
  { unstated, empty }: Pick<Comparison, 'unstated' | 'empty'>,
): Omit<NotChecked, 'what'> | null {
  const unreadable = [...read.unreadable].map(([name, value]) => `${cut(name)} ${shown(value)}`);
  const gaps: readonly (readonly [string, readonly string[]])[] = [
    ['its summary holds what is no number', unreadable],
    ['it states nothing of', unstated],
    ['it names nobody in', [...read.unnamedRows]],
    ['it has days that are not written YYYY-MM-DD', [...read.uninterpretedDays]],
    ['it lists nothing in', empty],
    ['summaryKeys does not map', [...read.unmapped]],
  ];
  const said = gaps.filter(([, names]) => names.length > 0).map(([what, names]) => `${what}: ${listed(names)}`);
  if (said.length === 0) return null;
  return { why: `${said.join('; ')}; that was not compared`, incomplete: unreadable.length > 0 };
}

function listed(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return `${names.slice(0, MOST_NAMED).map(cut).join(', ')}${more}`;
}

function cut(name: string): string {
  return name.slice(0, LONGEST_NAME + LONGEST_VALUE);
}

/** As JSON, so that an empty text and control characters can be seen. */
function shown(value: SummaryValue): string {
  const text = JSON.stringify(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}
