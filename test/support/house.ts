// The files of src as the architecture test and `npm run house` see them: door, room, imports.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

export interface Source {
  /** Path from the top of the repository: `src/core/domain/zone.ts`. */
  readonly path: string;
  /** `core`, `io`, `service` or `sandbox`. */
  readonly door: string;
  /** The folder or file directly behind the door; the simulated service is one room. */
  readonly room: string;
  readonly text: string;
  /** The specifiers that the file imports, types included, as they are written there. */
  readonly imports: readonly string[];
}

/** Returns the paths of all files of code below a folder. */
export function listCode(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? listCode(path) : /\.[jt]s$/.test(path) ? [path] : [];
  });
}

/**
 * Returns the room of a path from the top of the repository. Outside of src it is the first folder.
 */
export function roomOf(path: string): string {
  const [first, door, room] = path.split('/');
  if (first !== 'src') return first!;
  return door === 'sandbox' ? door : room!.replace(/\.ts$/, '');
}

/** Returns the files of src. */
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

/**
 * Returns the paths, from the top of the repository, of the project's own files that a file
 * imports.
 */
export function importedPaths({
  path,
  imports,
}: Pick<Source, 'path' | 'imports'>): readonly string[] {
  return imports
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => relative(ROOT, resolve(ROOT, dirname(path), specifier)));
}
