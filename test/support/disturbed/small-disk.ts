// A disk in memory whose size changes while it is in use, where the system lets this account mount
// one.

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

export interface Disk {
  readonly path: string;
  /** Lets so many bytes be free from now on, to a page. */
  leave(bytes: number): void;
  unmount(): void;
}

/** Mounts a disk in a new folder below `parent`; `null`: this account may not mount. */
export function mountDisk(parent: string): Disk | null {
  chmodSync(parent, 0o711);
  const path = mkdtempSync(join(parent, 'disk-'));
  const system = (program: string, ...words: readonly string[]) =>
    execFileSync(program, words, { stdio: 'pipe' });
  try {
    system('mount', '-t', 'tmpfs', '-o', 'size=1g,mode=0777', 'tmpfs', path);
  } catch {
    return null;
  }
  return {
    path,
    leave: (bytes) => {
      const { blocks, bfree, bsize } = statfsSync(path);
      system('mount', '-o', `remount,size=${(blocks - bfree) * bsize + bytes}`, path);
    },
    unmount: () => void system('umount', path),
  };
}
