// Makes a folder and the folders above it. Node's own recursive `mkdir` never ends when a parent
// exists and cannot take a folder, such as /proc.

import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes the folder unless it exists. Without `mode`, new folders get the process's default mode.
 */
export function makeFolder(folder: string, mode?: number): void {
  if (existsSync(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, mode);
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code !== 'EEXIST') throw failure;
  }
}
