// What operators are given to run pointage with: the image, the services of docker-compose.yml,
// their configuration, and the page about operations. Each is compared with what the code has.

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { DEMO_SEED, demoPlans } from '../src/sandbox/plans/demo-plans.ts';
import { startSandbox } from '../src/sandbox/service/start-sandbox.ts';
import { configurationFor } from '../src/service/cli/lab/sandbox-command.ts';
import { runCommand } from '../src/service/cli/program.ts';
import { stageOf } from '../src/service/cli/stage/stage.ts';
import { loadConfiguration } from '../src/service/config/load-configuration.ts';
import { openMetrics } from '../src/service/telemetry/metrics.ts';

const root = resolve(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const compose = read('docker-compose.yml');
const operations = read('docs/OPERATIONS.md');
const kubernetes = read('docker/kubernetes.yaml');
const rules = read('docker/prometheus-rules.yaml');
const dockerfile = read('Dockerfile');

async function helpOf(...words: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const terminal = {
    out: (text: string) => void printed.push(text),
    note: () => {},
    colour: false,
    width: null,
    progress: () => ({ update: () => {}, stop: () => {} }),
  };
  const status = await runCommand([...words, '--help'], stageOf(terminal, {}));
  return status === 0 ? printed.join('') : '';
}

describe('docker-compose.yml', () => {
  test('reads the sandbox with the keys that the sandbox gives out', async () => {
    // The configuration is as in a container, except for the folder of secrets.
    const scratch = mkdtempSync(join(tmpdir(), 'pointage-compose-'));
    const config = join(scratch, 'config.json');
    writeFileSync(
      config,
      read('docker/sandbox.config.json').replaceAll('/run/secrets', join(root, 'docker/secrets')),
    );
    const written = await loadConfiguration({ config }, {});
    rmSync(scratch, { recursive: true });
    const mounted = (
      parseAllDocuments(compose)[0]!.toJS() as { secrets: Record<string, { file: string }> }
    ).secrets;
    expect(Object.values(mounted).every(({ file }) => existsSync(join(root, file)))).toBe(true);
    const asked = [
      ...read('docker/sandbox.config.json').matchAll(/file:\/run\/secrets\/(\w+)/g),
    ].map(([, name]) => name!);
    expect(asked.toSorted()).toEqual(Object.keys(mounted).toSorted());
    // Keys come from the seed and the reference alone, so that no history is needed for them.
    const plans = demoPlans().map((plan) => ({ ...plan, faults: [], laterFaults: [], slips: [] }));
    const start = Math.min(...plans.map(({ opensAt }) => opensAt));
    const sandbox = await startSandbox({ seed: DEMO_SEED, merchants: plans, start, port: 0 });
    const { merchants } = configurationFor(sandbox);
    await sandbox.close();
    expect(Object.keys(written.merchants).sort()).toEqual(
      plans.map(({ reference }) => reference).sort(),
    );
    for (const [reference, { apiKey, apiSecret, dashboard, notifications }] of Object.entries(
      written.merchants,
    )) {
      expect({ apiKey, apiSecret, dashboard, notifications }, reference).toEqual(
        merchants[reference],
      );
    }
  });

  test('runs only commands that there are, with options that they have', async () => {
    const commands = [...compose.matchAll(/^ {4}command: \[(.+)\]$/gm)].map(([, words]) =>
      words!.split(', '),
    );
    expect(commands.map(([name]) => name)).toEqual(['worker', 'serve', 'lab']);
    for (const [name, ...others] of commands) {
      const help = await helpOf(...(name === 'lab' ? ['lab', others[0]!] : [name!]));
      for (const option of others.filter((word) => word.startsWith('--')))
        expect(help, name).toContain(option);
    }
  });

  test('opens ports on this machine only, and lets no service do more than it must', () => {
    const ports = [...compose.matchAll(/^ {6}- "([\d.:]+)"$/gm)].map(([, port]) => port!);
    expect(ports.length).toBeGreaterThan(2);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    const services = [...compose.matchAll(/^ {2}(\w+):\n {4}<<: \*(?:hardened|pointage)$/gm)].map(
      ([, name]) => name,
    );
    expect(services).toEqual(['postgres', 'worker', 'server', 'sandbox', 'mail']);
    expect(compose).not.toMatch(/:latest|privileged: true|network_mode: host/);
  });

  test('asks a service that goes on as another user to stop without an init between, which may not signal another user', () => {
    const { services } = parse(compose, { merge: true }) as {
      services: Record<string, { init: boolean; cap_add?: readonly string[] }>;
    };
    const changing = Object.values(services).filter(
      ({ cap_add = [] }) => cap_add.includes('SETUID') && !cap_add.includes('KILL'),
    );
    expect(changing.length).toBe(1);
    expect(changing.filter(({ init }) => init)).toEqual([]);
  });
});

describe('the image', () => {
  test('is made of files that are there and are sent to its build, for the Node.js that the package asks for', () => {
    const sent = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    expect(sent.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths]) =>
      paths!.split(' '),
    );
    expect(copied.length).toBeGreaterThan(6);
    expect(copied.filter((path) => !sent.includes(path))).toEqual([]);
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    const images = [...dockerfile.matchAll(/^FROM node:(\d+)-/gm)].map(([, major]) => `>=${major}`);
    expect(new Set(images)).toEqual(new Set([engines.node]));
  });

  test('starts an executable file, as an unprivileged user', () => {
    expect(statSync(join(root, 'src/service/cli/main.js')).mode & 0o111).not.toBe(0);
    expect(dockerfile).toMatch(/^USER 10001:10001$/m);
  });
});

describe('OPERATIONS.md', () => {
  test('lists every metric with its labels, and no other', async () => {
    const metrics = openMetrics({
      source: { service: null, queue: null },
      clock: () => 0,
      version: '0',
      log: () => {},
    });
    const { text } = await metrics.render();
    const told = [...text.matchAll(/^# TYPE (pointage_\w+)/gm)].map(([, name]) => name!);
    const roles = read('sql/roles.sql').match(/\bpointage_[a-z]+/g)!;
    const rows = [...operations.matchAll(/^\| `(pointage_\w+)` \|/gm)]
      .map(([, name]) => name!)
      .filter((name) => !roles.includes(name));
    expect(rows.toSorted()).toEqual(told.toSorted());
    const named = [...(operations + rules).matchAll(/\bpointage_[a-z_]+[a-z]/g)].map(([name]) =>
      name.replace(/_count$/, ''),
    );
    expect(named.filter((name) => !told.includes(name) && !roles.includes(name))).toEqual([]);
  });

  test('prints rules and configurations that a program can read, each rule with one sentence', () => {
    const blocks = [...operations.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text]) => text!);
    const read = [...blocks, rules, compose].flatMap((text) => parseAllDocuments(text));
    expect(read.length).toBeGreaterThan(2);
    expect(
      read.flatMap(({ errors, warnings }) =>
        [...errors, ...warnings].map(({ message }) => message),
      ),
    ).toEqual([]);
    type Rules = {
      readonly groups?: readonly { readonly rules: readonly Record<string, unknown>[] }[];
    } | null;
    const alerts = read
      .flatMap((one) => (one.toJS() as Rules)?.groups ?? [])
      .flatMap((group) => group.rules);
    expect(alerts.length).toBeGreaterThan(5);
    for (const { alert, expr, annotations } of alerts) {
      expect([typeof expr, Object.keys(annotations ?? {})], String(alert)).toEqual([
        'string',
        ['summary'],
      ]);
    }
  });

  test('starts only commands that there are', async () => {
    const commands = [...operations.matchAll(/(?:main\.js |`pointage )(\w+)/g)].map(
      ([, name]) => name!,
    );
    expect(new Set(commands)).toEqual(
      new Set(['worker', 'serve', 'run', 'statement', 'completion', 'deliveries']),
    );
    for (const name of new Set(commands))
      expect(await helpOf(name), name).toContain(`pointage ${name}`);
  });

  test('names only keys that the configuration has', () => {
    const configuration = read('docs/CONFIGURATION.md');
    const keys = [
      ...operations.matchAll(
        /`((?:worker|server|telemetry|alerts|mail|merchants\.REFERENCE)(?:\.[\w[\]]+)+)`/g,
      ),
    ].map(([, key]) => key!.replace('[]', ''));
    expect(keys.length).toBeGreaterThan(8);
    const unknown = keys.filter((key) => {
      const last = key.split('.').at(-1)!;
      return !new RegExp(`[\`.]${last}[\`.]`).test(configuration);
    });
    expect(unknown).toEqual([]);
  });
});

describe('docker/kubernetes.yaml', () => {
  interface Container {
    readonly name: string;
    readonly args: readonly string[];
    readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
    readonly livenessProbe?: { readonly httpGet: { readonly path: string } };
    readonly readinessProbe?: { readonly httpGet: { readonly path: string } };
    readonly securityContext: object;
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  }
  interface Template {
    readonly metadata?: { readonly labels: { readonly app: string } };
    readonly spec: {
      readonly containers: readonly [Container];
      readonly volumes: readonly { readonly name: string }[];
    };
  }
  interface Manifest {
    readonly kind: string;
    readonly spec: {
      readonly selector?: object;
      readonly template?: Template;
      readonly jobTemplate?: { readonly spec: { readonly template: Template } };
    };
  }
  const read = parseAllDocuments(kubernetes);
  const manifests = read.map((one) => one.toJS() as Manifest);
  const pods = manifests.flatMap(
    ({ spec }) => spec.template ?? spec.jobTemplate?.spec.template ?? [],
  );
  const containers = pods.map(({ spec }) => spec.containers[0]);

  test('is YAML of all that Kubernetes needs, each selecting pods that there are', () => {
    const problems = read.flatMap(({ errors, warnings }) => [...errors, ...warnings]);
    expect(problems.map(({ message }) => message)).toEqual([]);
    const kinds = [
      'CronJob',
      'Deployment',
      'Ingress',
      'Job',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
    ];
    expect([...new Set(manifests.map(({ kind }) => kind))].toSorted()).toEqual(kinds);
    const apps = pods.flatMap(({ metadata }) => metadata?.labels.app ?? []);
    for (const { kind, spec } of manifests) {
      const selected = [...JSON.stringify(spec.selector ?? {}).matchAll(/"app":"([^"]+)"/g)];
      expect(
        selected.every(([, app]) => apps.includes(app!)),
        kind,
      ).toBe(true);
    }
  });

  test('starts only commands that there are, each with volumes of its pod', async () => {
    const started = containers.map(({ args }) => args.join(' '));
    expect(started.toSorted()).toEqual(['migrate', 'run', 'serve', 'worker']);
    for (const words of started)
      expect(await helpOf(...words.split(' ')), words).toContain(`pointage ${words}`);
    for (const { spec } of pods)
      expect(spec.containers[0].volumeMounts.map(({ name }) => name)).toEqual(
        spec.volumes.map(({ name }) => name),
      );
  });

  test('mounts the configuration and opens the ports where the image and the settings have them', async () => {
    const mounted = dockerfile.match(/POINTAGE_CONFIG=(\S+)\/pointage\.config\.json/);
    for (const { name, volumeMounts } of containers)
      expect([name, volumeMounts.find((one) => one.name === 'config')?.mountPath]).toEqual([
        name,
        mounted?.[1],
      ]);
    const [settings] = /\{[^`]*\}/.exec(
      operations.split('with `"telemetry": ')[1]!.split('`')[0]!,
    )!;
    const { port, host } = JSON.parse(settings) as { port: number; host: string };
    const folder = mkdtempSync(join(tmpdir(), 'pointage-kubernetes-'));
    const config = join(folder, 'config.json');
    writeFileSync(config, JSON.stringify({ telemetry: { host, port }, server: { host } }));
    const { telemetry, server } = await loadConfiguration({ config }, {});
    rmSync(folder, { recursive: true });
    const opened = containers.flatMap(({ ports = [] }) =>
      ports.map(({ name, containerPort }) => ({ name, port: containerPort })),
    );
    expect(opened).toEqual([
      { name: 'telemetry', port: telemetry.port },
      { name: 'http', port: server.port },
    ]);
  });

  test('asks the probes that there are, and lets no container do more than it must', () => {
    for (const { name, args, livenessProbe, readinessProbe, securityContext } of containers) {
      const isService = ['worker', 'serve'].includes(args[0]!);
      expect([name, livenessProbe?.httpGet.path, readinessProbe?.httpGet.path]).toEqual([
        name,
        ...(isService ? ['/health', '/ready'] : [undefined, undefined]),
      ]);
      expect(securityContext, name).toEqual({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
    }
    for (const path of ['/health', '/ready']) expect(operations).toContain(`| \`${path}\` |`);
  });
});
