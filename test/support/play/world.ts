// The world of one play: books that the play writes behind a simulated direct API, a database, a
// mail server, a folder, and a server for operators. Every command and the server run in this
// process by the play's clock; a command that is to be killed runs in a process of its own.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HOUR, type Instant } from '../../../src/core/domain/instant.ts';
import { withServing } from '../../../src/service/cli/commands/serving.ts';
import { stageOf } from '../../../src/service/cli/stage/stage.ts';
import { loadConfiguration } from '../../../src/service/config/load-configuration.ts';
import { type Ended, pointage, pointageProcess } from '../command.ts';
import { withClient } from '../disturbed/end-state.ts';
import { credentialsOf, type HttpService, startHttpService } from '../http-service.ts';
import { type MailServer, startMailServer } from '../mail-server.ts';
import { openBooks, type PlayBooks } from './books.ts';

export const MERCHANTS = ['M1', 'M2', 'M3'] as const;
/**
 * The roles of the operators: Ama and Bio decide and publish, Coro only reads, and a program reads
 * the metrics.
 */
export const OPERATORS = {
  ama: ['decider', 'publisher'],
  bio: ['decider', 'publisher'],
  coro: ['reader'],
  meter: ['metrics'],
} as const;
export type OperatorName = keyof typeof OPERATORS;
/** Whole units of XOF up to which one person decides alone. */
export const ALONE = 50_000;

export interface World {
  readonly books: Readonly<Record<string, PlayBooks>>;
  readonly service: HttpService;
  readonly post: MailServer;
  readonly folder: string;
  /** Merchants whose source answers 503. */
  readonly away: Set<string>;
  /**
   * Settings that may be changed between commands. The server takes them when it is started anew.
   */
  readonly settings: { zone: string; language: string; grace: number };
  now(): Instant;
  pass(milliseconds: number): void;
  /** Runs a command, signed by the operator where one is named. */
  run(words: readonly string[], by?: OperatorName): Promise<Ended>;
  /** Runs a command in a process of its own, which is killed (SIGKILL) when `signal` is settled. */
  killed(words: readonly string[], signal: Promise<unknown>): Promise<Ended>;
  call(by: OperatorName, path: string, body?: object): Promise<Answer>;
  restart(): Promise<void>;
  databaseUrl(): string;
  /**
   * Makes a copy of the database and returns its name. `restore` puts it in the place of the
   * present one; the books stay as they are.
   */
  copy(): Promise<string>;
  restore(copy: string): Promise<void>;
  close(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers of many forms, each read in one place.
  readonly body: any;
}

export interface Databases {
  readonly url: (name: string) => string;
  /** Name of a database with all migrations. */
  readonly template: string;
}

let made = 0;

/**
 * Opens a world. `start` is the first time on the play's clock, which the service and the commands
 * share.
 */
export async function openWorld(databases: Databases, start: Instant): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'pointage-play-'));
  const books = Object.fromEntries(
    MERCHANTS.map((name) => [name, openBooks(name, start - 8 * 24 * HOUR)]),
  );
  const service = await startHttpService(
    Object.fromEntries(MERCHANTS.map((name) => [name, books[name]!.served])),
  );
  const post = await startMailServer();
  let ahead = start - Date.now();
  let database = await create(databases, databases.template);
  const now = () => Date.now() + ahead;
  Object.defineProperty(service, 'clockOffset', { get: () => ahead });
  const away = new Set<string>();
  service.before = ({ headers }) => {
    const isAway = [...away].some((name) => headers['x-api-key'] === credentialsOf(name).apiKey);
    return isAway ? { do: 'error', status: 503, code: 'SERVICE_UNAVAILABLE' } : null;
  };
  const settings = { zone: 'UTC', language: 'fr', grace: 10 };
  const config = join(folder, 'pointage.config.json');
  const words = (some: readonly string[]) => {
    const urls = { source: service.baseUrl, databaseUrl: databases.url(database), mail: post.url };
    writeFileSync(
      config,
      JSON.stringify(settingsOf({ ...settings, ...urls, folder: join(folder, 'releves') })),
    );
    return [...some, '--config', config];
  };
  const environmentOf = (by?: OperatorName) =>
    by === undefined ? {} : { POINTAGE_TOKEN: tokenOf(by) };
  const serve = () => startServing(words([])[1]!, now);
  let server = await serve();
  const replaced = async (other: string) => {
    await server.close();
    const old = database;
    database = other;
    server = await serve();
    return old;
  };
  return {
    books,
    service,
    post,
    folder: join(folder, 'releves'),
    away,
    settings,
    now,
    pass: (milliseconds) => {
      ahead += milliseconds;
    },
    run: (some, by) => pointage(words(some), { clock: now, environment: environmentOf(by) }),
    killed: (some, signal) => {
      const moved = { NODE_OPTIONS: `--import=${MOVED_CLOCK}`, CLOCK_MOVED: String(ahead) };
      return pointageProcess(words(some), {
        environment: moved,
        signal: signal.then(() => 'SIGKILL' as const),
      });
    },
    call: (by, path, body) => call(`${server.origin}${path}`, tokenOf(by), body),
    restart: async () => void (await replaced(database)),
    databaseUrl: () => databases.url(database),
    copy: async () => {
      await server.close();
      const copied = await create(databases, database);
      server = await serve();
      return copied;
    },
    restore: async (copy) => drop(databases, await replaced(copy)),
    close: async () => {
      await server.close();
      await service.close();
      await post.close();
      await drop(databases, database);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const MOVED_CLOCK = join(import.meta.dirname, 'moved-clock.ts');

function tokenOf(name: OperatorName): string {
  return `token-of-${name}-which-is-as-long-as-one-must-be`;
}

function settingsOf(
  given: Readonly<
    Record<'source' | 'databaseUrl' | 'mail' | 'folder' | 'zone' | 'language', string>
  > & {
    readonly grace: number;
  },
) {
  const merchants = MERCHANTS.map((name) => {
    const accountants = [{ email: `${name.toLowerCase()}@example.com` }];
    return [name, { ...credentialsOf(name), accountants }] as const;
  });
  return {
    source: given.source,
    databaseUrl: given.databaseUrl,
    graceMinutes: given.grace,
    zone: given.zone,
    merchants: Object.fromEntries(merchants),
    http: { retries: { attempts: 2, firstDelay: 1, longestDelay: 1 } },
    worker: { takeOverSeconds: 10, attempts: 20 },
    mail: { url: given.mail, from: 'pointage@example.com' },
    alerts: { mail: ['controle@example.com'] },
    deliveries: { folder: given.folder, formats: ['pdf'] },
    decisions: { secondPersonAbove: { XOF: ALONE } },
    reports: { language: given.language },
    server: {
      operators: Object.entries(OPERATORS).map(([name, roles]) => ({
        name,
        roles,
        token: tokenOf(name as OperatorName),
      })),
    },
  };
}

async function startServing(config: string, clock: () => Instant) {
  const silent = { update: () => {}, stop: () => {} };
  const terminal = {
    out: () => {},
    note: () => {},
    colour: false,
    width: null,
    progress: () => silent,
  };
  const configuration = await loadConfiguration({ config }, {});
  const left = Promise.withResolvers<void>();
  const up = Promise.withResolvers<string>();
  const at = { host: '127.0.0.1', port: 0 };
  const ended = withServing(
    { ...stageOf(terminal, {}), clock },
    configuration,
    at,
    ({ origin }) => {
      up.resolve(origin);
      return left.promise;
    },
  );
  ended.catch(up.reject);
  return {
    origin: await up.promise,
    close: async () => {
      left.resolve();
      await ended;
    },
  };
}

async function call(url: string, token: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const asked =
    body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(url, asked);
  const text = await answer.text();
  return { status: answer.status, text, body: text.startsWith('{') ? JSON.parse(text) : null };
}

async function create({ url }: Databases, template: string): Promise<string> {
  made += 1;
  const name = `play_${process.pid}_${made}`;
  await withClient(url('postgres'), (client) =>
    client.query(`create database ${name} template ${template}`),
  );
  return name;
}

async function drop({ url }: Databases, name: string): Promise<void> {
  await withClient(url('postgres'), (client) =>
    client.query(`drop database if exists ${name} with (force)`),
  );
}
