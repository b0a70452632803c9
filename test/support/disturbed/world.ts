// A small world for disturbed nights: merchants with sound and damaged books, one of them behind a
// clock of 2001, over a simulated service; a PostgreSQL of its own; and proxies between them and
// the nights. Each night is a process of its own, unless the tests ask for one in theirs.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY } from '../../../src/core/domain/instant.ts';
import { startOfDay } from '../../../src/core/domain/zone.ts';
import { faultNamed } from '../../../src/sandbox/faults/register.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../../src/sandbox/model/plan.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/service/start-sandbox.ts';
import { type Ended, pointage, pointageProcess } from '../command.ts';
import type { MailServer } from '../mail-server.ts';
import { type OwnPostgres, startOwnPostgres } from '../own-postgres.ts';
import { type HttpGate, startHttpGate } from './http-gate.ts';
import { type PostgresProxy, startPostgresProxy } from './postgres-proxy.ts';

/** The faults in the books of each merchant. */
const BOOKS = {
  EMPTIED: [],
  MISSING: ['LINES_MISSING'],
  SOUND: [],
  TWICE: ['CREDIT_DUPLICATED'],
  WOUND_BACK: ['BALANCE_DRIFT'],
} as const;
export type MerchantName = keyof typeof BOOKS;
const MERCHANT_NAMES = Object.keys(BOOKS) as readonly MerchantName[];
export const LONG_AGO = Date.UTC(2001, 0, 1);

export interface WorldTask {
  /** Folder of PostgreSQL's programs. */
  readonly programs: string;
  readonly seed: string;
  /** Merchants of the world; absent: all. */
  readonly merchants?: readonly MerchantName[];
  /**
   * Whether nights that are not killed, and whose clock is right, run in this process. By default
   * each is a process of its own.
   */
  readonly here?: boolean;
}

export interface World {
  readonly postgres: OwnPostgres;
  readonly proxy: PostgresProxy;
  readonly sandbox: Sandbox;
  readonly merchants: readonly MerchantName[];
  readonly here: boolean;
  readonly gate: HttpGate;
  /** Folder of the tests, removed with the world. */
  readonly scratch: string;
  /** Time at which the simulated service begins. The month before it is stated. */
  readonly start: number;
  /**
   * Runs `pointage run`, `pointage worker --once` or another command on this database, to its end.
   */
  night(task: NightTask): Promise<Ended>;
  close(): Promise<void>;
}

export interface NightTask {
  readonly server: OwnPostgres;
  readonly database: string;
  readonly command: keyof typeof WORDS | readonly string[];
  readonly post: MailServer;
  /**
   * Whether the night uses the proxy of the world's server; by default it uses the server's own
   * socket.
   */
  readonly proxied?: boolean;
  /** The signal that is sent to the process when this resolves. */
  readonly signal?: Promise<NodeJS.Signals>;
  /** A folder that also gets every statement. */
  readonly folder?: string;
  /** Milliseconds that the process's clock jumps ahead, for half of every second. */
  readonly clockJump?: number;
}

/** The words of each command. */
const WORDS = { run: ['run', '--format', 'json'], worker: ['worker', '--once'] } as const;
const JUMPING_CLOCK = join(import.meta.dirname, 'jumping-clock.ts');

export async function startWorld({
  programs,
  seed,
  merchants = MERCHANT_NAMES,
  here = false,
}: WorldTask): Promise<World> {
  const postgres = await startOwnPostgres(programs);
  const proxy = await startPostgresProxy(postgres.socketPath);
  const start = thirdOfThisMonth();
  const traffic = {
    ...ORDINARY_TRAFFIC,
    operationsPerDay: 8,
    adjustmentsPerMonth: 0,
    paymentsPerDay: 0,
  };
  const plans = merchants.map((reference) =>
    planMerchant({
      reference,
      traffic,
      opensAt: start - 8 * DAY,
      faults: BOOKS[reference].map(faultNamed),
    }),
  );
  const sandbox = await startSandbox({ seed, merchants: plans, start, port: 0 });
  const keyOf = (name: string) =>
    sandbox.merchants.find(({ reference }) => reference === name)!.apiKey;
  const dated = { key: keyOf('WOUND_BACK'), date: new Date(LONG_AGO).toUTCString() };
  const gate = await startHttpGate({ origin: sandbox.origin, emptiedKey: keyOf('EMPTIED'), dated });
  const scratch = mkdtempSync(join(tmpdir(), 'pointage-disturbed-'));
  const world: World = {
    postgres,
    proxy,
    sandbox,
    merchants,
    here,
    gate,
    scratch,
    start,
    night: (task) => runNight(world, task),
    close: async () => {
      await gate.close();
      await sandbox.close();
      await proxy.close();
      await postgres.stop();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
  return world;
}

function thirdOfThisMonth(): number {
  const [year, month] = new Date().toISOString().split('-').map(Number) as [number, number];
  return startOfDay({ name: 'UTC', offsetAt: () => 0 }, { year, month, day: 1 }) + 2 * DAY;
}

/** Token of the operator who has failed deliveries tried again. */
const TOKEN = 'a token of at least thirty-two characters';

function runNight({ proxy, sandbox, gate, scratch, here }: World, task: NightTask): Promise<Ended> {
  const { server, database, command, post, proxied = false, clockJump = 0 } = task;
  const config = join(mkdtempSync(join(scratch, 'night-')), 'pointage.config.json');
  const merchants = sandbox.merchants.map(({ reference, apiKey, apiSecret }) => [
    reference,
    { apiKey, apiSecret, accountants: [{ email: `${reference.toLowerCase()}@example.com` }] },
  ]);
  const databaseUrl = proxied
    ? `postgres://postgres@127.0.0.1:${proxy.port}/${database}`
    : server.databaseUrl(database);
  const settings = {
    databaseUrl,
    source: gate.url,
    merchants: Object.fromEntries(merchants),
    worker: { takeOverSeconds: 10, attempts: 20 },
    alerts: { mail: ['controle@example.com'] },
    mail: { url: post.url, from: 'pointage@example.com' },
    server: { operators: [{ name: 'controle', token: TOKEN, roles: ['publisher'] }] },
    // Each merchant's statement goes out, whatever it says.
    deliveries: { hold: 'none', ...(task.folder === undefined ? {} : { folder: task.folder }) },
  };
  writeFileSync(config, JSON.stringify(settings));
  const signed = { POINTAGE_TOKEN: TOKEN };
  const environment =
    clockJump === 0
      ? signed
      : { ...signed, NODE_OPTIONS: `--import=${JUMPING_CLOCK}`, CLOCK_JUMP: `${clockJump}` };
  const words = [...(typeof command === 'string' ? WORDS[command] : command), '--config', config];
  if (here && task.signal === undefined && clockJump === 0) return pointage(words, { environment });
  return pointageProcess(words, {
    environment,
    ...(task.signal === undefined ? {} : { signal: task.signal }),
  });
}
