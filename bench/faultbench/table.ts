// The scores as text, for the terminal; the engines' between the markers of docs/FAULTBENCH.md,
// the faults' in `results.txt` beside this file.

import { readFileSync, writeFileSync } from 'node:fs';
import { ENGINES, type Engine, type Tallies, type Tally } from './run-engines.ts';
import { alignColumns, percent, scoresOf } from './score.js';

export interface RunFacts {
  readonly date: string;
  readonly seed: string;
  /** The versions of the programs; `null`: not installed. */
  readonly versions: Readonly<Record<string, string | null>>;
  readonly seconds: number;
}

const DOCUMENT = new URL('../../docs/FAULTBENCH.md', import.meta.url);
const RESULTS = new URL('results.txt', import.meta.url);
const MARKED = /(?<=<!-- faultbench -->\n)[\s\S]*(?=<!-- \/faultbench -->)/;

type Score = ReturnType<typeof scoresOf>['faults'][number];

export function textOf(tallies: Tallies, facts: RunFacts): string {
  const ran = ENGINES.filter((engine) => tallies[engine] !== undefined);
  const cases = Object.values(tallies.pointage?.groups ?? {}).reduce(
    (sum, group) => sum + group.cases,
    0,
  );
  const versions = Object.entries(facts.versions).map(
    ([name, version]) => `${name} ${version ?? 'not installed'}`,
  );
  return [
    `date ${facts.date} · seed ${facts.seed} · ${versions.join(' · ')} · ${cases} cases in ${Math.round(facts.seconds)} s`,
    engineTable(ran, tallies),
    faultTable(ran, tallies),
  ].join('\n\n');
}

/**
 * A row for each engine: single faults as the mean over the faults, so that each weighs the same.
 */
function engineTable(ran: readonly Engine[], tallies: Tallies): string {
  const head = [
    'engine',
    'faults',
    'found',
    'exact place',
    'due right',
    'score',
    'two',
    'five',
    'long',
    'vast',
  ];
  const rest = ['alarms: clean', 'odd', 'abstained'];
  const rows = ran.map((engine) => {
    const { faults, groups } = scoresOf(tallies[engine]!);
    const planted = faults.filter(({ found }) => found !== null);
    const mean = (pick: (score: Score) => number | null) => {
      const values = planted.map(pick).filter((value) => value !== null);
      return values.length === 0
        ? null
        : values.reduce((sum, value) => sum + value, 0) / values.length;
    };
    const group = (name: string) => groups.find((one) => one.name === name);
    return [
      engine,
      String(planted.length),
      ...[mean(({ found }) => found), mean(({ exact }) => exact)].map(percent),
      isStated(tallies[engine]!) ? percent(mean(({ due }) => due)) : '-',
      percent(mean(({ score }) => score)),
      ...['two', 'five', 'long', 'vast'].map((name) => percent(group(name)?.found ?? null)),
      ...['clean', 'oddity'].map((name) => alarmsOf(group(name))),
      percent(group('unresolvable')?.abstained ?? null),
    ];
  });
  return alignColumns([[...head, ...rest], ...rows]);
}

/** Whether the engine states what is due, which baselines do not. */
function isStated({ groups }: Tally): boolean {
  return Object.values(groups).some(({ dueRight }) => dueRight > 0);
}

function alarmsOf(score: Score | undefined): string {
  return score === undefined ? '-' : `${Math.round(score.alarm * score.cases)}/${score.cases}`;
}

/**
 * A row for each fault, oddity and unresolvable case: the figures of pointage, and the scores of
 * the baselines.
 */
function faultTable(ran: readonly Engine[], tallies: Tallies): string {
  const baselines = ran.filter((engine) => engine !== 'pointage' && engine !== 'nothing');
  const scores = new Map(
    ran.map((engine) => [
      engine,
      new Map(scoresOf(tallies[engine]!).faults.map((one) => [one.name, one])),
    ]),
  );
  const head = [
    'fault',
    'cases',
    'breaks',
    'found',
    'exact',
    'alarm',
    'due',
    'abstained',
    'score',
    ...baselines,
  ];
  const rows = [...scores.get('pointage')!.values()]
    .sort((a, b) => rankOf(a) - rankOf(b))
    .map(({ name, cases, breaks, found, exact, alarm, due, abstained, score }) => [
      name,
      String(cases),
      found === null ? '-' : percent(breaks),
      ...[found, exact, alarm, due, abstained, score].map(percent),
      ...baselines.map((engine) => percent(scores.get(engine)!.get(name)?.score ?? null)),
    ]);
  return alignColumns([head, ...rows]);
}

/**
 * Returns the place of a row in the table: faults, then what is lawful, then what cannot be told.
 */
function rankOf({ found, kind }: Score): number {
  return found !== null ? 0 : kind === 'none' ? 1 : 2;
}

export function writeDocument(tallies: Tallies, facts: RunFacts): void {
  const text = textOf(tallies, facts);
  const engines = text.split('\n\n').slice(0, 2).join('\n\n');
  const shown = `\n\`\`\`text\n${engines.trimEnd()}\n\`\`\`\n\n`;
  writeFileSync(DOCUMENT, readFileSync(DOCUMENT, 'utf8').replace(MARKED, shown));
  writeFileSync(RESULTS, text);
}
