// What of a report's summary was not compared with payments, in words, as the note beside the verdict. What could not be
// read under a mapped key leaves the report in doubt; what it does not state, names nobody for, or is not mapped, does not.

import type { NamedFigures } from '../../domain/figures.ts';
import type { SummaryValue } from '../../domain/service-report.ts';
import type { NotChecked } from '../../domain/snapshot.ts';
import type { ReadSummary } from './read-summary.ts';
import type { Comparison } from './summary-differences.ts';

const MOST_NAMED = 8;
const LONGEST_NAME = 80;
const LONGEST_VALUE = 40;

const SAID = {
  unreadable: 'its summary holds what is no number',
  unstated: 'it states nothing of',
  unnamed: 'it names nobody in',
  oddDays: 'it has days that are not written YYYY-MM-DD',
  empty: 'it lists nothing in',
  unmapped: 'summaryKeys does not map',
} as const;

type Gap = keyof typeof SAID;
const GAPS = Object.keys(SAID) as readonly Gap[];

/** `figures`: the names of each gap as one text, null where there are none. */
export type Gaps = Omit<NotChecked, 'what' | 'code'> & { readonly code: 'REPORT_GAPS'; readonly figures: NamedFigures };

/** Null when every figure was compared. */
export function gapsIn(read: ReadSummary, { unstated, empty }: Pick<Comparison, 'unstated' | 'empty'>): Gaps | null {
  const names: Readonly<Record<Gap, readonly string[]>> = {
    unreadable: [...read.unreadable].map(([name, value]) => `${cut(name)} ${shown(value)}`),
    unstated,
    unnamed: [...read.unnamedRows],
    oddDays: [...read.uninterpretedDays],
    empty,
    unmapped: [...read.unmapped],
  };
  const said = GAPS.filter((gap) => names[gap].length > 0).map((gap) => {
    const beyond = names[gap].length - MOST_NAMED;
    return `${SAID[gap]}: ${listed(names[gap])}${beyond > 0 ? ` and ${beyond} more` : ''}`;
  });
  if (said.length === 0) return null;
  const figures = Object.fromEntries(GAPS.map((gap) => [gap, figureOf(names[gap])]));
  const why = `${said.join('; ')}; that was not compared`;
  return { why, incomplete: names.unreadable.length > 0, code: 'REPORT_GAPS', figures: { doubt: null, ...figures } };
}

function listed(names: readonly string[]): string {
  return names.slice(0, MOST_NAMED).map(cut).join(', ');
}

/** In no language: those beyond are counted behind dots. */
function figureOf(names: readonly string[]): string | null {
  if (names.length === 0) return null;
  return names.length > MOST_NAMED ? `${listed(names)}, … (${names.length})` : listed(names);
}

function cut(name: string): string {
  return name.slice(0, LONGEST_NAME + LONGEST_VALUE);
}

/** As JSON, so that an empty text and control characters can be seen. */
function shown(value: SummaryValue): string {
  const text = JSON.stringify(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}
