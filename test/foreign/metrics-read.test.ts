// Rules, dashboard and metrics as Prometheus reads them: by its own program where that is
// installed, and each query against the metrics of an instance in which every figure is known.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { openMetrics } from '../../src/service/telemetry/metrics.ts';
import { areInstalled } from '../support/installed.ts';

const root = resolve(import.meta.dirname, '../..');
const scratch = mkdtempSync(join(tmpdir(), 'pointage-metrics-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Panel {
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}

const rules = readFileSync(join(root, 'docker/prometheus-rules.yaml'), 'utf8');
const { panels } = JSON.parse(
  readFileSync(join(root, 'docker/grafana-dashboard.json'), 'utf8'),
) as {
  panels: readonly Panel[];
};
const alerts = (
  parse(rules) as { groups: { rules: { alert: string; expr: string }[] }[] }
).groups.flatMap((one) => one.rules);
const queries = [
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
];

async function scraped(): Promise<string> {
  const metrics = openMetrics({
    source: {
      service: async () => ({
        runs: [{ kind: 'night', outcome: 'complete', count: 3 }],
        newestNight: {
          startedAt: 0,
          finishedAt: 10_000,
          entriesAdded: 50,
          members: [{ state: 'done', merchants: 2 }],
        },
        lastNightFinishedAt: 10_000,
        verdicts: [{ verdict: 'broken', merchants: 2 }],
        watched: 2,
        oldestWatermark: 5_000,
        neverRead: 0,
        findings: [{ severity: 'critical', state: 'open', count: 4 }],
        exposure: [
          { currency: 'XOF', state: 'open', age: '0-1', findings: 4, off: '5000', concerned: '0' },
        ],
        entries: 77,
        log: 'continued',
        deliveries: [
          { channel: 'mail', state: 'ABANDONED', count: 1 },
          { channel: 'mail', state: 'IN_DOUBT', count: 1 },
        ],
      }),
      queue: async () => [{ kind: 'merchant', waiting: 9, active: 2, failed: 0 }],
    },
    clock: () => 60_000,
    version: '0.0.0-test',
    log: () => {},
  });
  metrics.measures.entriesRead(5);
  metrics.measures.canaryJudged(true);
  metrics.measures.jobEnded({ kind: 'merchant', outcome: 'done', milliseconds: 300 });
  metrics.measures.deliveryTried({ channel: 'mail', outcome: 'RETRY', count: 3 });
  metrics.measures.callAnswered({
    method: 'GET',
    route: '/runs/:id',
    status: 200,
    milliseconds: 4,
  });
  return (await metrics.render()).text;
}

test('every query of rules and dashboard reads series that are served', async () => {
  const lines = (await scraped()).split('\n').filter((line) => line.startsWith('pointage_'));
  const isTold = (name: string, matchers: string): boolean =>
    lines.some((line) => {
      const labels = new Map(
        [...line.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key!, value!]),
      );
      const wanted = [...matchers.matchAll(/(\w+)(=~?)"([^"]*)"/g)];
      const fits = wanted.every(([, key, how, value]) =>
        new RegExp(how === '=' ? `^${RegExp.escape(value!)}$` : `^(?:${value})$`).test(
          labels.get(key!) ?? '',
        ),
      );
      return /^\w+/.exec(line)![0] === name && fits;
    });
  const labelsOf = (name: string) =>
    lines
      .filter((line) => line.startsWith(`${name}{`))
      .flatMap((line) => [...line.matchAll(/(\w+)="/g)].map(([, key]) => key));
  expect(panels.length).toBeGreaterThan(11);
  for (const [title, expr] of queries) {
    const asked = [...expr.matchAll(/\b(pointage_\w+)(\{[^}]*\})?/g)];
    expect(asked.length, title).toBeGreaterThan(0);
    for (const [whole, name, matchers = ''] of asked)
      expect(isTold(name!, matchers), `${title}: ${whole}`).toBe(true);
    const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, names]) =>
      names!.split(', '),
    );
    for (const label of grouped)
      expect(labelsOf(asked[0]![1]!), `${title}: by ${label}`).toContain(label);
  }
});

test('the dashboard has each panel once, and a legend for what it shows', () => {
  const titles = panels.map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
});

test.skipIf(!areInstalled('promtool'))(
  'promtool takes the rules, the queries of the dashboard, and the metrics',
  async () => {
    const file = join(scratch, 'rules.yml');
    writeFileSync(file, rules);
    expect(execFileSync('promtool', ['check', 'rules', file], { encoding: 'utf8' })).toContain(
      `${alerts.length} rules found`,
    );
    const recorded = queries.map(([, expr], n) => ({ record: `query_${n}`, expr }));
    writeFileSync(file, stringify({ groups: [{ name: 'queries', rules: recorded }] }));
    expect(execFileSync('promtool', ['check', 'rules', file], { encoding: 'utf8' })).toContain(
      `${queries.length} rules found`,
    );
    const said = spawnMetrics(await scraped());
    // The names of the process's own metrics are those of their library.
    expect(said.filter((line) => !line.startsWith('nodejs_'))).toEqual([]);
  },
);

/** Returns what promtool says against these metrics. */
function spawnMetrics(text: string): readonly string[] {
  try {
    return execFileSync('promtool', ['check', 'metrics'], {
      input: text,
      encoding: 'utf8',
      stdio: 'pipe',
    })
      .split('\n')
      .filter(Boolean);
  } catch (failure) {
    return (failure as { stderr: string }).stderr.split('\n').filter(Boolean);
  }
}
