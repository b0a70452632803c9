// Where the embedded cluster lives: under the data directory, or, when root's data directory can't be reached by the
// account that PostgreSQL must run as, under /var/lib/pointage. Refuses to change the mode of a folder it did not make.

import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeFolder } from '../make-folder.ts';
import { type Account, canReach, unprivilegedAccount } from './account.ts';

export interface Location {
  /** Folder (mode 0700, owned by the server's account) that holds everything of the cluster. */
  readonly home: string;
  /** Data directory in PostgreSQL's sense; absent until initdb has finished. */
  readonly data: string;
  /** The account to run the programs as; null: the caller's own. */
  readonly account: Account | null;
}

const ENTER = 0o1;
const OUTSIDE = '/var/lib/pointage';
/** In the data directory: the path of the folder outside. */
const RECORD = 'postgres-location';
/** A socket's path is limited to 107 bytes on Linux and 103 on macOS. */
const LONGEST_SOCKET_PATH = 103;

/** Finds or makes the cluster's folder for `dataDirectory`; the same answer for every process that asks. */
export function locateCluster(dataDirectory: string): Location {
  const directory = resolve(dataDirectory);
  if (process.getuid?.() !== 0) {
    makeFolder(directory, 0o700);
    return ownedLocation(join(directory, 'postgres'), null);
  }
  // Root's files stay root's: the server's account may pass through the data directory, not list it.
  makeFolder(directory, 0o711);
  const inside = join(directory, 'postgres');
  if (existsSync(inside)) return ownedLocation(inside, ownerOf(inside));
  const account = unprivilegedAccount();
  if (canReach(account, directory, ENTER)) return ownedLocation(inside, account);
  const outside = recordedFolder(directory, account);
  return ownedLocation(outside, ownerOf(outside));
}

/** Whether `locateCluster` was ever asked; makes nothing. */
export function hasCluster(dataDirectory: string): boolean {
  return ['postgres', RECORD].some((name) => existsSync(join(resolve(dataDirectory), name)));
}

/** The folder for the server's socket: in `home`, or a private one in the system's temporary folder if that is too long. */
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

/** True when the folder exists and belongs to the server's account, so that nobody else can have put a socket there. */
export function isOurs(folder: string, account: Account | null): boolean {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === (account?.uid ?? process.getuid?.());
}

function ownedLocation(home: string, account: Account | null): Location {
  makePrivate(home, account);
  return { home, data: join(home, 'data'), account };
}

/** A fresh folder outside, under a name of its own; its path is written into the data directory by the first process. */
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

/** The owner of a cluster that is already there; a folder that root just made still waits for its owner. */
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
