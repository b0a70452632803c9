// An audit kit: one ZIP of files that an auditor checks by `sha256sum -c SHA256SUMS` alone, with a manifest that names each of them by
// size and hash. Same files, same bytes: entries have one date and the order of their paths. Refuses a file that is no such ZIP.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { PassThrough, type Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { unzipSync, Zip, ZipDeflate } from 'fflate';

export const KIT_FORMAT = 'pointage audit kit 1';
const MANIFEST = 'manifest.json';
const SUMS = 'SHA256SUMS';

/** One file of a kit. */
export interface KitPart {
  /** Inside the kit, with `/`: `papers/lead-schedule.pdf`. Letters, digits and `._-` alone, so that every system can unpack it. */
  readonly path: string;
  /** Writes its bytes and ends the stream; the same bytes for the same store. */
  readonly write: (out: Writable) => Promise<void>;
}

export interface KitFile {
  readonly path: string;
  readonly size: number;
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string;
}

/** `root`: SHA-256 of the manifest's JSON without it; a reader who has it from elsewhere knows every byte of the kit. */
export type Sealed<About> = About & { readonly files: readonly KitFile[]; readonly root: string };

export class KitFailed extends Error {
  override readonly name = 'KitFailed';
  readonly code = 'KIT_UNREADABLE';
}

interface KitTask<About> {
  readonly parts: readonly KitPart[];
  /** What the manifest says beside the files; called when all parts are written. */
  readonly about: () => About;
  /** Called with the number of parts that are written. */
  readonly onPart: (written: number) => void;
}

/** The ZIP appears whole or not at all. */
export async function writeKit<About extends object>(
  file: string,
  { parts, about, onPart }: KitTask<About>,
): Promise<Sealed<About>> {
  const unfinished = `${file}.${process.pid}.part`;
  const out = createWriteStream(unfinished);
  try {
    const { add, end } = zipInto(out);
    const files: KitFile[] = [];
    for (const { path, write } of parts.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
      files.push(await add(path, write));
      onPart(files.length);
    }
    const manifest = sealed({ ...about(), files });
    const listed = [...files, await add(MANIFEST, writing(manifestText(manifest)))];
    await add(SUMS, writing(sumsOf(listed)));
    await end();
    await rename(unfinished, file);
    return manifest;
  } catch (failure) {
    out.destroy();
    await rm(unfinished, { force: true });
    throw failure;
  }
}

export function writing(text: string | Uint8Array): KitPart['write'] {
  return (out) => pipeline([text], out);
}

/** Of midnight where the machine is: ZIP has no zone, and so the bytes are the same everywhere. */
const FIXED = new Date(1980, 0, 1);
/** Larger pieces would show in the compressed bytes. */
const MOST_BYTES = 65_536;

function zipInto(out: Writable) {
  const zip = new Zip((failure, bytes) => (failure ? out.destroy(failure) : out.write(bytes)));
  const add = async (path: string, write: KitPart['write']): Promise<KitFile> => {
    const entry = Object.assign(new ZipDeflate(path, { level: 6 }), { mtime: FIXED });
    const through = new PassThrough();
    const hash = createHash('sha256');
    let size = 0;
    const take = async () => {
      for await (const piece of through as AsyncIterable<Buffer>) {
        hash.update(piece);
        size += piece.length;
        for (let at = 0; at < piece.length; at += MOST_BYTES) entry.push(piece.subarray(at, at + MOST_BYTES), false);
        if (out.writableNeedDrain) await once(out, 'drain');
      }
    };
    zip.add(entry);
    await Promise.all([write(through).catch((failure) => void through.destroy(failure)), take()]);
    entry.push(new Uint8Array(0), true);
    return { path, size, sha256: hash.digest('hex') };
  };
  const end = async () => {
    zip.end();
    out.end();
    await finished(out);
  };
  return { add, end };
}

function sealed<About extends object>(about: About & { readonly files: readonly KitFile[] }): Sealed<About> {
  return { ...about, root: sha256Of(JSON.stringify(about)) };
}

function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function manifestText(manifest: object): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** As sha256sum reads them. */
function sumsOf(files: readonly Pick<KitFile, 'path' | 'sha256'>[]): string {
  return files.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join('');
}

export interface KitFault {
  readonly path: string;
  readonly fault: 'changed' | 'missing' | 'extra';
}

export interface OpenedKit<About> {
  /** Null: it is not as it was written. */
  readonly manifest: Sealed<About> | null;
  /** By path. */
  readonly faults: readonly KitFault[];
}

/** Unpacks a kit into an empty folder. Returns the paths that could not be, or that are there twice. Throws `KitFailed`. */
export async function unpackKit(file: string, folder: string): Promise<readonly string[]> {
  const bytes = await readFile(file);
  const names: string[] = [];
  const faults: string[] = [];
  reading(file, () => unzipSync(bytes, { filter: ({ name }) => names.push(name) < 0 }));
  for (const [name, { length: times }] of Map.groupBy(names, (one) => one)) {
    try {
      if (times > 1 || !/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/.test(name)) throw new KitFailed(name);
      // One at a time: memory holds the archive and its largest file.
      const content = unzipSync(bytes, { filter: (one) => one.name === name })[name]!;
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), content);
    } catch {
      faults.push(name);
    }
  }
  return faults;
}

function reading<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const message = `${file} is damaged or no ZIP file (${(cause as Error).message}): get the kit once more from its sender.`;
    throw new KitFailed(message, { cause });
  }
}

/** `damaged`: paths that are known not to be as they were written. Throws `KitFailed` for a folder that holds no kit. */
export async function openKit<About>(folder: string, damaged: readonly string[]): Promise<OpenedKit<About>> {
  const present = await filesBelow(folder);
  const textOf = (path: string) => (present.has(path) ? readFile(join(folder, path), 'utf8') : '');
  const [text, sums] = [await textOf(MANIFEST), await textOf(SUMS)];
  if (text === '' && sums === '') throw new KitFailed(`${folder} holds no audit kit: it has no ${MANIFEST}.`);
  const manifest = manifestIn<About>(text);
  // Without its manifest the other files are still checked.
  const files = manifest?.files ?? filesIn(sums);
  const wanted = manifest === null ? null : sumsOf([...files, present.get(MANIFEST)!]);
  const expected = new Map([
    ...files.map(({ path, sha256 }) => [path, sha256] as const),
    [MANIFEST, manifest === null ? '' : present.get(MANIFEST)!.sha256] as const,
    [SUMS, (wanted === null ? present.get(SUMS)?.sha256 : sha256Of(wanted)) ?? ''] as const,
  ]);
  const faults = [...new Set([...expected.keys(), ...present.keys(), ...damaged])]
    .sort()
    .flatMap((path): KitFault[] => {
      if (!expected.has(path)) return [{ path, fault: 'extra' }];
      if (!present.has(path)) return [{ path, fault: damaged.includes(path) ? 'changed' : 'missing' }];
      return present.get(path)!.sha256 === expected.get(path) ? [] : [{ path, fault: 'changed' }];
    });
  return { manifest, faults };
}

async function filesBelow(folder: string): Promise<ReadonlyMap<string, KitFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name));
  const read = files.map(async (file): Promise<KitFile> => {
    const hash = createHash('sha256');
    let size = 0;
    for await (const piece of createReadStream(file) as AsyncIterable<Buffer>) {
      hash.update(piece);
      size += piece.length;
    }
    return { path: relative(folder, file).replaceAll(sep, '/'), size, sha256: hash.digest('hex') };
  });
  return new Map((await Promise.all(read)).map((file) => [file.path, file]));
}

/** Null: its text is not, byte for byte, that of a manifest with this root. */
function manifestIn<About>(text: string): Sealed<About> | null {
  try {
    const { root: _, ...about } = JSON.parse(text) as Sealed<About> & { readonly format: string };
    const manifest = sealed(about);
    return about.format === KIT_FORMAT && manifestText(manifest) === text ? (manifest as Sealed<About>) : null;
  } catch {
    return null;
  }
}

function filesIn(sums: string): readonly Omit<KitFile, 'size'>[] {
  const lines = [...sums.matchAll(/^([0-9a-f]{64}) {2}(.+)$/gm)];
  return lines.map(([, sha256, path]) => ({ path: path!, sha256: sha256! })).filter(({ path }) => path !== MANIFEST);
}
