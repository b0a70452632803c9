// Builds the table by operator and country: the effects of ledger lines, by the operator and
// country of their operation, and how many operations succeeded.

import type { OperatorRow, OperatorSection, SuccessRate } from '../section-movements.ts';
import type { StatementSummary } from '../summary.ts';
import { addColumns, emptyColumns, type MutableColumns, sumCollections } from './money-columns.ts';
import type { MonthFigures } from './month-figures.ts';
import type { OperatorGroup } from './month-operations.ts';

type Part = Pick<OperatorRow, 'operator' | 'country'> & {
  readonly columns: MutableColumns;
  succeeded: number;
  final: number;
};

export function operatorSection({ byGroup, operations }: MonthFigures): OperatorSection {
  const groups = [...operations.groups.values()].filter(
    (group) => byGroup.has(group) || group.final > 0,
  );
  const parts: Part[] = groups.map((group) => ({
    ...group,
    columns: byGroup.get(group) ?? emptyColumns(),
  }));
  const unknown = byGroup.get(null);
  if (unknown !== undefined)
    parts.push({ operator: null, country: null, columns: unknown, succeeded: 0, final: 0 });
  parts.sort((a, b) => compareNames(a.operator, b.operator) || compareNames(a.country, b.country));
  const known = parts.filter((part) => part.operator !== null);
  const by = (key: 'operator' | 'country'): readonly OperatorRow[] =>
    [...Map.groupBy(known, (part) => part[key])]
      .sort(([a], [b]) => compareNames(a, b))
      .map(([name, some]) => rowOf(join(some, { operator: null, country: null, [key]: name })));
  return {
    rows: parts.map(rowOf),
    byOperator: by('operator'),
    byCountry: by('country'),
    total: rowOf(join(parts, { operator: null, country: null })),
  };
}

/** Compares by UTF-16 units, whatever the locale; `null` comes last. */
function compareNames(a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  return a < b ? -1 : 1;
}

function join(parts: readonly Part[], name: Pick<OperatorRow, 'operator' | 'country'>): Part {
  const total: Part = { ...name, columns: emptyColumns(), succeeded: 0, final: 0 };
  for (const part of parts) {
    addColumns(total.columns, part.columns);
    total.succeeded += part.succeeded;
    total.final += part.final;
  }
  return total;
}

function rowOf({ operator, country, columns, succeeded, final }: Part): OperatorRow {
  return { operator, country, ...columns, success: rateOf(succeeded, final) };
}

function rateOf(succeeded: number, final: number): SuccessRate {
  if (final === 0) return { succeeded, final, percent: null };
  const tenths = Math.floor((2_000 * succeeded + final) / (2 * final));
  return { succeeded, final, percent: `${Math.floor(tenths / 10)}.${tenths % 10}` };
}

/**
 * Returns the collections by operator and by country, sorted; groups without a collection are left
 * out.
 */
export function collectionsBy(
  groups: Iterable<OperatorGroup>,
): Pick<StatementSummary, 'byOperator' | 'byCountry'> {
  const counted = [...groups].filter((group) => group.collections.count > 0);
  const by = (key: 'operator' | 'country') =>
    [...Map.groupBy(counted, (group) => group[key])]
      .sort(([a], [b]) => compareNames(a, b))
      .map(([name, some]) => ({ name, ...sumCollections(some.map((group) => group.collections)) }));
  return {
    byOperator: by('operator').map(({ name: operator, ...sums }) => ({ operator, ...sums })),
    byCountry: by('country').map(({ name: country, ...sums }) => ({ country, ...sums })),
  };
}
