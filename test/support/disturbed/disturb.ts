// Disturbs nights in every way that a machine, a network or an operator can, from one seed, and
// compares what they leave with what undisturbed nights leave. After each disturbance nights follow
// until one ends well; none may hang, and none may call clean what is broken.

import { setTimeout as sleep } from 'node:timers/promises';
import { DAY, HOUR, MINUTE, SECOND } from '../../../src/core/domain/instant.ts';
import { drawInteger, type Random, seedRandom } from '../../../src/sandbox/model/random.ts';
import type { Ended } from '../command.ts';
import { type MailServer, startMailServer } from '../mail-server.ts';
import { type OwnPostgres, startOwnPostgres } from '../own-postgres.ts';
import { differencesOf, type EndState, endState, withClient } from './end-state.ts';
import type { RequestFault } from './http-gate.ts';
import type { StatementFault } from './postgres-proxy.ts';
import { type Disk, mountDisk } from './small-disk.ts';
import {
  LONG_AGO,
  type MerchantName,
  type NightTask,
  startWorld,
  type World,
  type WorldTask,
} from './world.ts';

export interface DisturbTask extends StageTask {
  readonly parts: readonly PartName[];
}

export interface StageTask extends WorldTask {
  /** How many kills there are in all, of workers and of PostgreSQL. */
  readonly kills: number;
  /**
   * How many queries, writes, commits and fetches each are made to fail. Of fewer than that in a
   * night, each fails once.
   */
  readonly faults: number;
}

export interface Disturbed {
  readonly part: PartName;
  /** What was done, in words that tell it from the other disturbances of this seed. */
  readonly what: string;
  /** What is wrong after it; empty: all is well. */
  readonly wrong: readonly string[];
}

export const PART_NAMES = [
  'kills',
  'queries',
  'writes',
  'commits',
  'fetches',
  'overlap',
  'clocks',
  'disk',
  'backup',
] as const;
type Command = 'run' | 'worker';
export type PartName = (typeof PART_NAMES)[number];

export interface Stage {
  readonly task: StageTask;
  readonly world: World;
  /**
   * Returns an undisturbed night of this command. It is worked once, however often it is asked for.
   */
  readonly whole: (command: Command) => Promise<Undisturbed>;
  close(): Promise<void>;
}

interface Undisturbed {
  readonly state: EndState;
  /** How many there are of what can be made to fail in a night. */
  readonly counted: {
    readonly query: number;
    readonly write: number;
    readonly commit: number;
    readonly fetch: number;
  };
}

/** What one disturbance has for itself: a database and a mail server. */
interface Trial {
  readonly server: OwnPostgres;
  readonly database: string;
  readonly post: MailServer;
  readonly done: string[];
}

type Part = (stage: Stage, random: Random) => AsyncGenerator<Disturbed>;

const PARTS: Readonly<Record<PartName, Part>> = {
  kills: disturbByKills,
  queries: (stage, random) => disturbStatements(stage, random, { part: 'queries', of: 'query' }),
  writes: (stage, random) => disturbStatements(stage, random, { part: 'writes', of: 'write' }),
  commits: (stage, random) => disturbStatements(stage, random, { part: 'commits', of: 'commit' }),
  fetches: disturbFetches,
  overlap: disturbByOverlap,
  clocks: disturbClocks,
  disk: disturbByFullDisk,
  // The last part, because it moves the service's time on.
  backup: disturbByBackup,
};
/** Merchants whose books a night that ends well calls clean. */
const SOUND: readonly MerchantName[] = ['EMPTIED', 'SOUND'];
/** Merchants whose books a night that ends well calls broken. */
const BROKEN: readonly MerchantName[] = ['MISSING', 'TWICE'];
const LONGEST_NIGHT = 5 * MINUTE;
/** Settings that keep few segments of the write-ahead log, each of 16 MB. */
const SMALL_LOGS = { min_wal_size: '32MB', max_wal_size: '32MB', shared_buffers: '32MB' };
const MOST_FULL_DISKS = 3;
const PLENTY = 2 ** 30;
const KILLS_A_ROUND = 10;

/**
 * Yields each disturbance when its nights are through. The parts run in the order of PART_NAMES.
 * Closes everything when the caller leaves it.
 */
export async function* disturb(task: DisturbTask): AsyncGenerator<Disturbed> {
  const stage = await startStage(task);
  try {
    for (const part of PART_NAMES) if (task.parts.includes(part)) yield* disturbBy(stage, part);
  } finally {
    await stage.close();
  }
}

/** Starts a world. Undisturbed nights are worked when a part first asks for them. */
export async function startStage(task: StageTask): Promise<Stage> {
  const world = await startWorld(task);
  const nights = new Map<Command, Promise<Undisturbed>>();
  const whole = (command: Command) => {
    const known = nights.get(command) ?? undisturbedNight(world, command);
    nights.set(command, known);
    return known;
  };
  return { task, world, whole, close: world.close };
}

/**
 * Yields the disturbances of one part. No other part may follow `backup` on the same stage, because
 * it moves the service's time on.
 */
export async function* disturbBy(stage: Stage, part: PartName): AsyncGenerator<Disturbed> {
  yield* PARTS[part](stage, seedRandom(`${stage.task.seed} ${part}`));
}

function undisturbedNight(world: World, command: Command): Promise<Undisturbed> {
  return withTrial(world.postgres, `whole_${command}`, async (trial) => {
    world.proxy.arm(null);
    world.gate.arm(null);
    const { status, err } = await night({ world }, trial, { command, proxied: true });
    const counted = { ...world.proxy.counted(), fetch: world.gate.counted() };
    const state = await stateOf(trial);
    const verdicts = state.coverage!.map((row) => Object.values(row).join(' '));
    if (status !== 1 || verdicts.join() !== trueVerdicts(world).join())
      throw new Error(`the undisturbed night: ${status} ${err} ${verdicts.join()}`);
    return { state, counted };
  });
}

/**
 * Returns the rows of a true night: merchant, state, verdict, no reason; then the time up to which
 * the merchant is judged.
 */
function trueVerdicts({ merchants, start }: World): readonly string[] {
  return merchants.toSorted().map((name) => {
    if (name === 'WOUND_BACK') return `${name} done incomplete  ${LONG_AGO}`;
    return `${name} done ${SOUND.includes(name) ? 'clean' : 'broken'}  ${start}`;
  });
}

function soundIn({ merchants }: World): readonly MerchantName[] {
  return merchants.filter((name) => SOUND.includes(name)).toSorted();
}

function brokenIn({ merchants }: World): readonly MerchantName[] {
  return merchants.filter((name) => BROKEN.includes(name)).toSorted();
}

async function withTrial<T>(
  server: OwnPostgres,
  database: string,
  work: (trial: Trial) => Promise<T>,
): Promise<T> {
  const post = await startMailServer();
  server.run('createdb', database);
  try {
    return await work({ server, database, post, done: [] });
  } finally {
    await post.close();
    await withClient(server.databaseUrl('postgres'), (client) =>
      client.query(`drop database if exists ${database} with (force)`),
    );
  }
}

function stateOf({ server, database }: Trial): Promise<EndState> {
  return endState(server.databaseUrl(database));
}

/** Works one night of the trial. */
async function night(
  { world }: Pick<Stage, 'world'>,
  trial: Trial,
  task: Omit<NightTask, 'server' | 'database' | 'post'>,
): Promise<Ended> {
  const { server, database, post } = trial;
  const began = performance.now();
  const ended = await world.night({ server, database, post, ...task });
  const seconds = Math.round((performance.now() - began) / 1_000);
  trial.done.push(
    `${ended.status}${seconds * 1_000 > LONGEST_NIGHT ? ` hangs: ${seconds} s` : ''}`,
  );
  return ended;
}

/**
 * Works undisturbed nights until one ends well, at most three. Returns what is wrong with all that
 * the nights left.
 */
async function settle(stage: Stage, trial: Trial, command: Command): Promise<readonly string[]> {
  const { world } = stage;
  world.proxy.arm(null);
  world.gate.arm(null);
  let last = await night(stage, trial, { command });
  for (let more = 0; last.status !== 1 && more < 2; more += 1)
    last = await night(stage, trial, { command });
  const expected = await stage.whole(command);
  const url = trial.server.databaseUrl(trial.database);
  if (await waitForClaims(url)) last = await night(stage, trial, { command });
  return [
    ...(last.status === 1 ? [] : [`no night ends well: ${last.status} ${last.err.slice(-500)}`]),
    ...(trial.done.includes('0') ? ['a night ended as clean'] : []),
    ...trial.done.filter((one) => one.includes('hangs')),
    ...differencesOf(expected.state, await endState(url)),
    ...(await untrueWords(world, url)),
    ...(command === 'worker' ? await wrongMails(world, url, trial.post) : []),
  ];
}

/**
 * Waits where a process was killed while it sent a mail, until its claim has run out, so that the
 * next night names the mail as in doubt. Returns whether it waited.
 */
async function waitForClaims(databaseUrl: string): Promise<boolean> {
  const until = await withClient(databaseUrl, async (client) => {
    const claims = `select max(claimed_until) as until from deliveries where state = 'SENDING'`;
    return (await client.query<{ until: string | null }>(claims)).rows[0]!.until;
  });
  if (until === null) return false;
  await sleep(Math.min(LONGEST_NIGHT, Math.max(0, Number(until) - Date.now() + SECOND)));
  return true;
}

/**
 * Returns, of all nights so far, broken books that were called clean, and sound books that were
 * accused.
 */
async function untrueWords(world: World, databaseUrl: string): Promise<readonly string[]> {
  return withClient(databaseUrl, async (client) => {
    const named = async (query: string) =>
      (await client.query<{ reference: string }>(query)).rows.map(({ reference }) => reference);
    const clean = await named(
      `select distinct reference from run_merchants natural join merchants where verdict = 'clean' order by 1`,
    );
    const accused = await named(
      `select distinct reference from findings natural join merchants
      where content ->> 'status' = 'confirmed' and severity in ('critical', 'error') order by 1`,
    );
    const isRight =
      clean.join() === soundIn(world).join() && accused.join() === brokenIn(world).join();
    return isRight ? [] : [`called clean: ${clean.join()}; accused: ${accused.join()}`];
  });
}

/**
 * Returns mails that went out twice, or were lost. A mail that was on its way when its sender was
 * killed is in doubt: it went out once, or a person is asked.
 */
async function wrongMails(
  world: World,
  databaseUrl: string,
  { arrived }: MailServer,
): Promise<readonly string[]> {
  const doubtful = await withClient(databaseUrl, async (client) => {
    const answer = await client.query(`select from deliveries where state = 'IN_DOUBT'`);
    return answer.rowCount ?? 0;
  });
  const counts = [
    ...brokenIn(world).map(
      (name) => arrived.filter(({ text }) => text?.includes(`${name} — books: broken`)).length,
    ),
    ...[...soundIn(world), ...brokenIn(world)].map(
      (name) =>
        arrived.filter(({ envelope }) => envelope.to.includes(`${name.toLowerCase()}@example.com`))
          .length,
    ),
  ];
  const lost = counts.filter((count) => count === 0).length;
  return lost <= doubtful && counts.every((count) => count <= 1)
    ? []
    : [`mails arrived ${counts.join(', ')} times, ${doubtful} in doubt`];
}

/**
 * Begins two workers together, and kills now one of them, now a process of PostgreSQL, now
 * PostgreSQL itself.
 */
async function* disturbByKills(stage: Stage, random: Random): AsyncGenerator<Disturbed> {
  const { task, world } = stage;
  for (let round = 0; round * KILLS_A_ROUND < task.kills; round += 1) {
    const kills = Math.min(KILLS_A_ROUND, task.kills - round * KILLS_A_ROUND);
    yield await withTrial(world.postgres, `kills_${round}`, async (trial) => {
      world.gate.empty = 2;
      const done: string[] = [];
      // All nights may be killed before they ask for the lists that come empty. A night that is not
      // killed asks for them.
      for (
        let night = 0;
        done.length < kills || (world.gate.empty > 0 && night < kills + 2);
        night += 1
      )
        await killedNight(stage, trial, { random, done, kills });
      const left = world.gate.empty;
      world.gate.empty = 0;
      const wrong = await settle(stage, trial, 'worker');
      return {
        part: 'kills' as const,
        what: done.join(', '),
        wrong: left > 0 ? [...wrong, 'no list came empty'] : wrong,
      };
    });
  }
}

interface Kills {
  readonly random: Random;
  readonly done: string[];
  readonly kills: number;
}

async function killedNight(
  stage: Stage,
  trial: Trial,
  { random, done, kills }: Kills,
): Promise<void> {
  const victims = [
    Promise.withResolvers<NodeJS.Signals>(),
    Promise.withResolvers<NodeJS.Signals>(),
  ];
  const both = Promise.all(
    victims.map(({ promise }) => night(stage, trial, { command: 'worker', signal: promise })),
  );
  const isOver = both.then(() => true);
  let alive = victims;
  while (done.length < kills) {
    const after = drawInteger(random, { from: 300, to: 4_000 });
    const whom = drawInteger(random, { from: 0, to: 5 });
    if (await Promise.race([isOver, sleep(after, false)])) break;
    if (whom === 0) await stage.world.postgres.crash();
    else if (whom > 2) await killBackend(stage.world, trial.database);
    else if (alive.length > 0) alive = alive.slice(1).concat(killFirst(alive));
    done.push(`${['PostgreSQL', 'worker', 'worker'][whom] ?? 'backend'} after ${after} ms`);
  }
  await both;
}

/** Kills the first worker at once. Returns the workers that are left, none. */
function killFirst([first]: readonly PromiseWithResolvers<NodeJS.Signals>[]): [] {
  first!.resolve('SIGKILL');
  return [];
}

/**
 * Kills one process that serves the database. The server then ends all its sessions, and recovers
 * as from a crash.
 */
async function killBackend(world: World, database: string): Promise<void> {
  const backend = `select pid from pg_stat_activity where datname = '${database}' and pid <> pg_backend_pid() limit 1`;
  const rows = await withClient(world.postgres.databaseUrl('postgres'), async (client) => {
    const answer = await client.query<{ pid: number }>(backend);
    return answer.rows;
  }).catch(() => []);
  if (rows[0] !== undefined) process.kill(rows[0].pid, 'SIGKILL');
}

/**
 * Draws so many different numbers from 1 to `most`, and returns them in order; all of them where
 * there are no more.
 */
function drawNumbers(
  random: Random,
  { count, most }: { readonly count: number; readonly most: number },
): readonly number[] {
  if (count >= most) return Array.from({ length: most }, (_, i) => i + 1);
  const drawn = new Set<number>();
  while (drawn.size < count) drawn.add(drawInteger(random, { from: 1, to: most }));
  return [...drawn].sort((one, other) => one - other);
}

async function* disturbStatements(
  stage: Stage,
  random: Random,
  { part, of }: { readonly part: PartName; readonly of: StatementFault['of'] },
): AsyncGenerator<Disturbed> {
  const { task, world } = stage;
  const { counted } = await stage.whole('run');
  for (const number of drawNumbers(random, { count: task.faults, most: counted[of] })) {
    const does =
      drawInteger(random, { from: 0, to: 1 }) === 0 && of !== 'commit' ? 'lost' : 'unanswered';
    yield await withTrial(world.postgres, `${part}_${number}`, async (trial) => {
      world.proxy.arm({ of, number, does });
      await night(stage, trial, { command: 'run', proxied: true });
      const what = `${of} ${number} of ${counted[of]} ${does}: ${oneLine(world.proxy.struck())}`;
      return { part, what, wrong: await settle(stage, trial, 'run') };
    });
  }
}

function oneLine(text: string | null): string {
  return text === null ? 'the night had fewer' : text.replaceAll(/\s+/g, ' ').slice(0, 80);
}

async function* disturbFetches(stage: Stage, random: Random): AsyncGenerator<Disturbed> {
  const { task, world } = stage;
  const { counted } = await stage.whole('run');
  const ways: readonly RequestFault['does'][] = ['dropped', 'refused', 'cut'];
  for (const number of drawNumbers(random, { count: task.faults, most: counted.fetch })) {
    const does = ways[drawInteger(random, { from: 0, to: 2 })]!;
    yield await withTrial(world.postgres, `fetches_${number}`, async (trial) => {
      world.gate.arm({ number, does });
      await night(stage, trial, { command: 'run' });
      const what = `fetch ${number} of ${counted.fetch} ${does}: ${oneLine(world.gate.struck())}`;
      return { part: 'fetches' as const, what, wrong: await settle(stage, trial, 'run') };
    });
  }
}

/** Works three nights on one store, two of workers and one by hand, begun within a few seconds. */
async function* disturbByOverlap(stage: Stage, random: Random): AsyncGenerator<Disturbed> {
  yield await withTrial(stage.world.postgres, 'overlap', async (trial) => {
    const delays = [0, 1, 2].map(() => drawInteger(random, { from: 0, to: 3_000 }));
    const commands = ['worker', 'worker', 'run'] as const;
    await Promise.all(
      commands.map(async (command, i) => {
        await sleep(delays[i]!);
        return night(stage, trial, { command });
      }),
    );
    const what = commands.map((command, i) => `${command} after ${delays[i]} ms`).join(', ');
    return { part: 'overlap' as const, what, wrong: await settle(stage, trial, 'worker') };
  });
}

/** Works with two workers, whose clocks jump there and back, each by another measure. */
async function* disturbClocks(stage: Stage, random: Random): AsyncGenerator<Disturbed> {
  yield await withTrial(stage.world.postgres, 'clocks', async (trial) => {
    const jumps = [1, -1].map((sign) => sign * drawInteger(random, { from: 1, to: 12 }) * HOUR);
    await Promise.all(
      jumps.map((clockJump) => night(stage, trial, { command: 'worker', clockJump })),
    );
    const what = `clocks that jump by ${jumps.map((jump) => jump / HOUR).join(' and ')} hours`;
    return { part: 'clocks' as const, what, wrong: await settle(stage, trial, 'worker') };
  });
}

/**
 * Fills the disk of PostgreSQL in the middle of a night, and then that of the folder that gets
 * every statement.
 */
async function* disturbByFullDisk(stage: Stage, random: Random): AsyncGenerator<Disturbed> {
  const { task, world } = stage;
  const disk = mountDisk(world.scratch);
  if (disk === null)
    return yield { part: 'disk', what: 'skipped: this account may not mount a disk', wrong: [] };
  const shelf = mountDisk(world.scratch)!;
  const server = await startOwnPostgres(task.programs, SMALL_LOGS, disk.path);
  try {
    for (let time = 0; time < Math.min(task.faults, MOST_FULL_DISKS); time += 1) {
      yield await withTrial(server, `disk_${time}`, async (trial) => {
        const room = 2 ** drawInteger(random, { from: 16, to: 21 });
        disk.leave(room);
        await night(stage, trial, { command: 'worker' });
        disk.leave(PLENTY);
        await server.crash();
        const what = `PostgreSQL's disk full after ${room >> 10} kB: ${trial.done.join()}`;
        return { part: 'disk' as const, what, wrong: await settle(stage, trial, 'worker') };
      });
    }
    yield await withTrial(server, 'shelf', async (trial) =>
      fullShelf(stage, trial, { random, shelf }),
    );
  } finally {
    await server.stop();
    disk.unmount();
    shelf.unmount();
  }
}

/**
 * Fills the disk of the folder. A file that did not fit must be tried again when there is room, and
 * none may ever be half written.
 */
async function fullShelf(
  stage: Stage,
  trial: Trial,
  { random, shelf }: { readonly random: Random; readonly shelf: Disk },
): Promise<Disturbed> {
  const { world } = stage;
  const room = 2 ** drawInteger(random, { from: 13, to: 17 });
  shelf.leave(room);
  await night(stage, trial, { command: 'worker', folder: shelf.path });
  shelf.leave(PLENTY);
  const url = trial.server.databaseUrl(trial.database);
  const failed = await withClient(url, async (client) => {
    const answer = await client.query<{ delivery_id: string }>(
      `select delivery_id from deliveries where channel = 'folder' and state <> 'SUCCESS'`,
    );
    return answer.rows.map((row) => row.delivery_id);
  });
  if (failed.length > 0)
    await night(stage, trial, { command: ['deliveries', 'retry', ...failed], folder: shelf.path });
  await night(stage, trial, { command: ['deliveries', 'send'], folder: shelf.path });
  const what = `the folder's disk full after ${room >> 10} kB: ${failed.length} deliveries failed`;
  const [folder, rest] = await withClient(url, async (client) => {
    const answer = await client.query<{ channel: string; state: string }>(
      'select channel, state from deliveries',
    );
    return [answer.rows.filter(({ channel }) => channel === 'folder'), answer.rows] as const;
  });
  const stated = [...soundIn(world), ...brokenIn(world)];
  const isWhole =
    folder.length === stated.length &&
    rest.every(({ state }) => ['SUCCESS', 'GATHERED'].includes(state));
  return { part: 'disk', what, wrong: isWhole ? [] : [JSON.stringify(rest)] };
}

/**
 * Works a night, makes a backup, and works the night after the next day; then restores the backup,
 * and works a night that must leave what both nights have left.
 */
async function* disturbByBackup(stage: Stage): AsyncGenerator<Disturbed> {
  const { world } = stage;
  yield await withTrial(world.postgres, 'kept', async (kept) => {
    await night(stage, kept, { command: 'worker' });
    // The dump is in the folder of the server, whose account runs its programs.
    world.postgres.run('pg_dump', '--format=custom', '--file=kept.dump', 'kept');
    await world.sandbox.advanceTo(world.start + DAY);
    await night(stage, kept, { command: 'worker' });
    await world.sandbox.advanceTo(world.start + 2 * DAY);
    await night(stage, kept, { command: 'worker' });
    const expected = await stateOf(kept);
    return withTrial(world.postgres, 'restored', async (restored) => {
      world.postgres.run('pg_restore', '--dbname=restored', 'kept.dump');
      await night(stage, restored, { command: 'worker' });
      const found = await stateOf(restored);
      const what = 'a backup of two nights ago restored';
      return { part: 'backup' as const, what, wrong: differencesOf(expected, found) };
    });
  });
}
