// Whom the embedded server runs as. PostgreSQL refuses to run as root; this picks an unprivileged account for that case
// and says which paths such an account can reach. Refuses to loosen the mode of any folder that is already there.

import { readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreFailed } from '../store-failed.ts';

/** An account of the operating system, by number. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Accounts that exist for this purpose, the better first; every Linux has the second. initdb wants one with a name. */
const UNPRIVILEGED = ['postgres', 'nobody'];

/** The account to switch to when this process is root. Throws `StoreFailed` when the system has none. */
export function unprivilegedAccount(): Account {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of UNPRIVILEGED) {
    const fields = lines.find((line) => line.startsWith(`${name}:`))?.split(':');
    if (fields !== undefined && Number(fields[2]) > 0) return { uid: Number(fields[2]), gid: Number(fields[3]) };
  }
  throw new StoreFailed(
    'EMBEDDED_SERVER',
    'PostgreSQL does not run as root and this system has no unprivileged account for it: set DATABASE_URL.',
  );
}

/** True when `account` may pass through every folder above `path` and has the `wanted` permission bits on `path`. */
export function canReach(account: Account, path: string, wanted: number): boolean {
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
