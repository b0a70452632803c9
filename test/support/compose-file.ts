// docker-compose.yml without containers: each service of the image as a process, with the file's
// own command, environment, secrets and configuration, begun when those that it waits for are
// healthy. Only names of hosts, ports and paths differ: what belongs to a container of its own
// becomes a port of this machine, or a folder.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { freePort } from './free-port.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MAIN = join(ROOT, 'src/service/cli/main.js');
const HEALTH = join(ROOT, 'docker/check-health.mjs');
const OURS = 'pointage:local';

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly deploy?: { readonly replicas: number };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

export interface Surroundings {
  /** The database in place of the file's own. */
  readonly databaseUrl: string;
  readonly mailUrl: string;
  readonly scratch: string;
  /** What a test changes in the file. */
  /** Called when the first worker is about to start; returns the schedule of nights. */
  readonly nightCron: () => string;
  /** The merchants to take of those in the file's configuration. */
  readonly merchants: readonly string[];
  readonly callsAnHour: number;
}

export interface Composed {
  /** The address at which the server listens on this machine. */
  readonly serverUrl: string;
  readonly operatorToken: string;
  /** The names of the services that were started. */
  readonly started: readonly string[];
  readonly logged: () => string;
  /** Asks all processes to leave, and returns the exit status of each. */
  close(): Promise<readonly (number | null)[]>;
}

export async function startComposed(surroundings: Surroundings): Promise<Composed> {
  const file = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>;
    readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  };
  const ports = { server: await freePort(), sandbox: await freePort() };
  const placed = (text: string): string =>
    text
      .replace(/postgres:\/\/.+@postgres:5432\/\w+/, surroundings.databaseUrl)
      .replaceAll('smtp://mail:1025', surroundings.mailUrl)
      .replaceAll('http://server:8080', `http://127.0.0.1:${ports.server}`)
      .replaceAll('http://sandbox:4010', `http://127.0.0.1:${ports.sandbox}`)
      .replaceAll('/srv/statements', surroundings.scratch)
      .replaceAll(/\/run\/secrets\/(\w+)/g, (_, name: string) =>
        join(ROOT, file.secrets[name]!.file),
      );
  const children = new Map<ChildProcess, string>();
  let logged = '';
  let cron: string | undefined;

  const start = async (name: string, service: Service, copy: number): Promise<void> => {
    const telemetry = await freePort();
    const [mounted = ''] = (service.volumes ?? []).flatMap(
      (volume) => /^(.+):\/etc\/pointage\//.exec(volume)?.[1] ?? [],
    );
    const config = JSON.parse(placed(readFileSync(join(ROOT, mounted), 'utf8')));
    Object.assign(config.telemetry, { host: '127.0.0.1', port: telemetry });
    Object.assign(config.server, { host: '127.0.0.1', port: ports.server });
    if (name === 'worker') {
      cron ??= surroundings.nightCron();
      config.worker.night.cron = cron;
    }
    const kept = surroundings.merchants.map(
      (reference) => [reference, config.merchants[reference]] as const,
    );
    config.merchants = Object.fromEntries(kept);
    const configFile = join(surroundings.scratch, `${name}-${copy}.json`);
    writeFileSync(configFile, JSON.stringify(config), { mode: 0o600 });
    const words = service.command!.map((word, i, all) => {
      if (all[i - 1] === '--partners') return String(surroundings.callsAnHour);
      return word === '0.0.0.0' ? '127.0.0.1' : placed(word);
    });
    if (name === 'sandbox') words.push('--port', String(ports.sandbox));
    const stated = Object.entries(service.environment ?? {}).map(([key, value]) => [
      key,
      placed(value),
    ]);
    const { HEALTH_URL = '', ...environment } = Object.fromEntries(stated) as Record<
      string,
      string
    >;
    const health = new URL(HEALTH_URL);
    health.port = String({ 4010: ports.sandbox, 8080: ports.server, 9090: telemetry }[health.port]);
    const { PATH } = process.env;
    const child = spawn(process.execPath, [MAIN, ...words], {
      cwd: surroundings.scratch,
      env: { PATH, NODE_ENV: 'production', POINTAGE_CONFIG: configFile, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.set(child, name);
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part: Buffer) => (logged += `${name}: ${part}`));
    await untilHealthy(child, String(health));
  };
  const untilHealthy = async (child: ChildProcess, url: string): Promise<void> => {
    for (;;) {
      if (child.exitCode !== null) throw new Error(`${children.get(child)} has ended:\n${logged}`);
      const check = spawn(process.execPath, [HEALTH], {
        env: { HEALTH_URL: url },
        stdio: 'ignore',
      });
      const [status] = (await once(check, 'exit')) as [number];
      if (status === 0) return;
      await sleep(200);
    }
  };
  const ours = Object.entries(file.services).filter(([, { image }]) => image === OURS);
  const begun = new Map<string, Promise<void>>();
  const begin = (name: string, service: Service): Promise<void> => {
    const known = begun.get(name);
    if (known !== undefined) return known;
    const before = ours.filter(([other]) => other in (service.depends_on ?? {}));
    const beginning = Promise.all(before.map(([other, its]) => begin(other, its))).then(
      async () => {
        const copies = Array.from({ length: service.deploy?.replicas ?? 1 }, (_, copy) =>
          start(name, service, copy),
        );
        await Promise.all(copies);
      },
    );
    begun.set(name, beginning);
    return beginning;
  };
  const close = async () => {
    for (const child of children.keys()) child.kill('SIGTERM');
    return Promise.all(
      [...children.keys()].map(async (child) => child.exitCode ?? (await once(child, 'exit'))[0]),
    );
  };
  try {
    await Promise.all(ours.map(([name, service]) => begin(name, service)));
  } catch (failure) {
    await close();
    throw failure;
  }
  return {
    serverUrl: `http://127.0.0.1:${ports.server}`,
    operatorToken: readFileSync(join(ROOT, file.secrets.operator_token!.file), 'utf8').trim(),
    started: [...children.values()],
    logged: () => logged,
    close,
  };
}
