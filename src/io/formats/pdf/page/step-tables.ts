// Tables that several documents have alike: a difference step by step, how questions were answered, what was not checked, and what
// the service's own report states otherwise.

import type { NotChecked } from '../../../../core/domain/snapshot.ts';
import type { ServiceDifference } from '../../../../core/statements/comparison.ts';
import type { Tone } from '../../../../core/statements/tables/table.ts';
import { nameAnswer, nameFigure, wordUnchecked } from '../../../../core/words/names.ts';
import type { Flow, PageFlow } from './flow.ts';
import { drawTable, textColumn } from './tables.ts';

export interface Step {
  readonly name: string;
  readonly balance: string;
  readonly reserved: string;
  readonly tone: Tone;
}

type Titles<Names extends string> = Readonly<Record<Names, string>> & {
  /** Lines that a text may take. */
  readonly mostLines: number;
};

/** Each step shows what it adds, so that a column can be added up from top to bottom. */
export function drawSteps(
  flow: PageFlow,
  { line, balance, reserved, mostLines }: Titles<'line' | 'balance' | 'reserved'>,
  rows: readonly Step[],
): void {
  drawTable<Step>(flow, {
    columns: [
      textColumn(line, 60, ({ name }) => name, mostLines),
      { title: balance, share: 20, holds: 'figure', cell: (step) => step.balance },
      { title: reserved, share: 20, holds: 'figure', cell: (step) => step.reserved },
    ],
    rows,
    toneOf: ({ tone }) => tone,
  });
}

export function drawAnswers(
  flow: PageFlow,
  { question, answer, mostLines }: Titles<'question' | 'answer'>,
  assumptions: object,
): void {
  const { speech } = flow.words;
  drawTable<readonly [string, string]>(flow, {
    columns: [textColumn(question, 45, ([name]) => name, 2), textColumn(answer, 70, ([, own]) => own, mostLines)],
    rows: Object.entries(assumptions).map(([name, own]) => nameAnswer(speech, name, own)),
    widthShare: 0.8,
  });
}

export function drawWhatAndWhy(
  flow: PageFlow,
  { what, why, mostLines }: Titles<'what' | 'why'>,
  notes: readonly NotChecked[],
): void {
  const rows = notes.map((note) => wordUnchecked(flow.words.speech, note));
  drawTable<(typeof rows)[number]>(flow, {
    columns: [textColumn(what, 30, (row) => row.what, 2), textColumn(why, 70, (row) => row.why, mostLines)],
    rows,
  });
}

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
