// What the service's own report of a month states otherwise, of the wallet as of the payments by link.

import type { ServiceDifference } from '../../../../core/statements/comparison.ts';
import { nameFigure } from '../../../../core/words/names.ts';
import type { Flow } from '../flow.ts';
import { drawTable, textColumn } from '../tables.ts';

/** Key by key, the service's figure beside ours. `under`: what stands before the keys of another population. */
export function drawDifferences(flow: Flow, differences: readonly ServiceDifference[], under = ''): void {
  if (differences.length === 0) return;
  const { labels, words } = flow;
  const said = labels.annex;
  drawTable<ServiceDifference>(flow, {
    columns: [
      textColumn(said.serviceFigure, 50, ({ key }) => nameFigure(words.speech, under + key), 2),
      textColumn(said.serviceStates, 25, ({ service }) => words.figure(service), 2),
      textColumn(said.statementStates, 25, ({ ours }) => words.figure(ours), 2),
    ],
    rows: differences,
  });
}
