// Makes a folder with those above it. Node's own way of that never ends where a parent is there and
// takes no folder, as /proc.

import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** `mode` absent: as the process makes folders. */
export function makeFolder(folder: string, mode?: number): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, mode);
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code !== 'EEXIST') throw failure;
  }
}
