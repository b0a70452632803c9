// Temporary files that nobody else can open and that vanish with the process, however it ends.

import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SourceFailed } from '../source.ts';

/** An empty file open for reading and writing, in a folder of its own (mode 0700) that is removed at once. */
export async function openTemporaryFile(): Promise<FileHandle> {
  let folder: string | null = null;
  try {
    folder = await mkdtemp(join(tmpdir(), 'pointage-'));
    return await open(join(folder, 'rows'), 'wx+', 0o600);
  } catch (error) {
    throw new SourceFailed('NO_TEMPORARY_SPACE', `no temporary file can be made in ${tmpdir()}`, error);
  } finally {
    // The open file stays usable without its name, and its space is given back when it is closed or the process ends.
    if (folder !== null) await rm(folder, { recursive: true, force: true });
  }
}
