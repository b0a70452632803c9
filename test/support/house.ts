// The files of src as the architecture test and `npm run house` see them: door, room, imports.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

export interface Source {
  /** From the top of the repository: `src/core/domain/zone.ts`. */
  readonly path: string;
  /** `core`, `io`, `service` or `sandbox`. */
  readonly door: string;
  /** The folder or file directly behind the door; the simulated service is one room. */
  readonly room: string;
  readonly text: string;
  /** What the file imports, types included, as it is written there. */
  readonly imports: readonly string[];
}

/** The paths of all files of code below a folder. */
export function listCode(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? listCode(path) : /\.[jt]s$/.test(path) ? [path] : [];
  });
}

/** The room of a path from the top of the repository; outside of src, the first folder. */
export function roomOf(path: string): string {
  const [first, door, room] = path.split('/');
  if (first !== 'src') return first!;
  return door === 'sandbox' ? door : room!.replace(/\.ts$/, '');
}

/** The files of src. */
export function readSources(): readonly Source[] {
  return listCode(join(ROOT, 'src')).map((file) => {
    const path = relative(ROOT, file);
    return sourceOf(path, readFileSync(file, 'utf8'));
  });
}

export function sourceOf(path: string, text: string): Source {
  const imports = [...text.matchAll(/(?:from|import|createRequire\([^)]*\))\s*\(?\s*'([^']+)'/g)];
  return {
    path,
    door: path.split('/')[1]!,
    room: roomOf(path),
    text,
    imports: imports.map((match) => match[1]!),
  };
}

/** The paths of the project's own files that a file imports, from the top of the repository. */
export function importedPaths({
  path,
  imports,
}: Pick<Source, 'path' | 'imports'>): readonly string[] {
  return imports
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => relative(ROOT, resolve(ROOT, dirname(path), specifier)));
}
