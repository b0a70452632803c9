// The confirmed findings of the month and of before, each with its message; the open ones that make the books wrong in red.

import type { StatementFinding } from '../../../../core/statements/section-reconciliation.ts';
import { nameFinding, wordStanding } from '../../../../core/words/finding.ts';
import { drawSubheading, type Flow } from '../flow.ts';
import { type Column, drawTable, figureColumn } from '../tables.ts';

export function drawFindings(flow: Flow): void {
  const { statement, labels } = flow;
  const { rows, count } = statement.findings;
  drawSubheading(flow, labels.reconciliation.findings);
  const toneOf = ({ severity, causedBy, state }: StatementFinding) => {
    if (causedBy !== null || state === 'settled') return 'muted';
    return severity === 'critical' || severity === 'error' ? 'alert' : 'plain';
  };
  drawTable(flow, { columns: columnsOf(flow), rows, count, toneOf });
}

function columnsOf({ labels, words }: Flow): readonly Column<StatementFinding>[] {
  const { columns: said, when } = labels.reconciliation;
  const { severity: names } = labels.summary;
  return [
    { title: said.severity, share: 50, holds: 'text', cell: ({ severity }) => names[severity] },
    { title: said.kind, share: 104, holds: 'text', mostLines: 3, cell: ({ kind }) => nameFinding(words.speech, kind) },
    { title: said.when, share: 36, holds: 'text', cell: (row) => when[row.when] },
    figureColumn(said.sequence, 32, ({ sequence }) => (sequence === null ? '' : words.amount(sequence))),
    figureColumn(said.difference, 44, ({ difference }) => figureOf(difference, words.figure)),
    {
      title: said.message,
      share: 180,
      holds: 'text',
      mostLines: 4,
      cell: (row) => wordStanding(words.speech, row),
    },
  ];
}

/** Differences of findings are whole units, or words where the figure is not money; words stand in the message. */
function figureOf(difference: string | null, write: (text: string | null) => string): string {
  return difference !== null && /^[-+]?\d{1,20}$/.test(difference) ? write(difference) : '';
}
