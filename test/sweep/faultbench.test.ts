// A small run of the fault benchmark. pointage finds every planted fault at its place and raises
// nothing on lawful ledgers, and the scorer gives nothing to chance and silence. The document shows
// a table of the form that the code writes.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PLANTED } from '../../bench/faultbench/faults.ts';
import { makeCases } from '../../bench/faultbench/make-cases.ts';
import { runEngines } from '../../bench/faultbench/run-engines.ts';
import { scoresOf } from '../../bench/faultbench/score.js';
import { textOf } from '../../bench/faultbench/table.ts';
import { TEST_SEED } from '../support/test-seed.ts';

test(`every fault is found, and nothing else (TEST_SEED=${TEST_SEED})`, {
  timeout: 300_000,
}, async () => {
  const missed: string[] = [];
  const cases = makeCases({
    seed: `${TEST_SEED}/faultbench`,
    perFault: 1,
    crowded: 3,
    clean: 10,
    perOddity: 1,
    long: 0,
    history: 0,
  });
  const tallies = await runEngines(cases, {
    client: null,
    nightAuditor: null,
    kinds: ['BALANCE_DRIFT', 'CREDIT_MISSING'],
    baselines: 1,
    see: ({ name, group, truths }, claims) => {
      const kinds = (rows: readonly { readonly kind: string }[]) =>
        rows.map(({ kind }) => kind).sort();
      const wanted =
        truths.length > 0 ? kinds(truths) : [group === 'unresolvable' ? 'abstain' : 'none'];
      if (kinds(claims).join() !== wanted.join()) missed.push(`${name}: ${kinds(claims).join()}`);
    },
  });
  expect(missed).toEqual([]);
  const { faults, groups } = scoresOf(tallies.pointage!);
  expect(groups.map(({ name }) => name)).toEqual([
    'clean',
    'fault',
    'five',
    'oddity',
    'two',
    'unresolvable',
  ]);
  expect(faults.filter(({ kind }) => kind === 'none').length).toBeGreaterThan(30);
  expect(faults.filter(({ found }) => found !== null).length).toBeGreaterThan(PLANTED.length * 0.9);
  expect(
    faults.filter(({ score, due }) => (score ?? 1) < 1 || (due ?? 1) < 1).map(({ name }) => name),
  ).toEqual([]);
  for (const engine of ['random', 'nothing'] as const) {
    const { faults: ofBaseline } = scoresOf(tallies[engine]!);
    expect(Math.max(...ofBaseline.map(({ score }) => score ?? 0)), engine).toBeLessThan(0.5);
  }
  expectDocumented(textOf(tallies, { date: '2026-01-01', seed: '', versions: {}, seconds: 0 }));
});

/**
 * Checks that the results name day, seed and versions, and have the columns and the faults of this
 * run; figures and baselines may differ. The document shows their first two blocks.
 */
function expectDocumented(text: string): void {
  const document = readFileSync(new URL('../../docs/FAULTBENCH.md', import.meta.url), 'utf8');
  const table = readFileSync(
    new URL('../../bench/faultbench/results.txt', import.meta.url),
    'utf8',
  );
  const shown = /<!-- faultbench -->\s+```text\n([\s\S]*)\n```/.exec(document)![1]!;
  expect(table.startsWith(shown)).toBe(true);
  expect(shown).toMatch(/^pointage /m);
  expect(table).toMatch(
    /date \d{4}-\d\d-\d\d · seed [0-9a-f]{12} · pointage \S+ · postgres \S+ · ledger \S+/,
  );
  for (const line of text.split('\n').filter((one) => /^(engine|fault) /.test(one))) {
    for (const column of line.split(/ {2,}/)) expect(table).toContain(column);
  }
  for (const name of PLANTED.map((fault) => fault.name))
    expect(table).toMatch(new RegExp(`^${name} `, 'm'));
}
