// An audit kit: one ZIP of files that `sha256sum -c SHA256SUMS` checks alone, with a manifest of the size and hash of each. Same files,
// same bytes: they have one date and the order of their paths. Refuses to take anything else for a kit.

import { createHash, hash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { PassThrough, type Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { unzipSync, Zip, ZipDeflate } from 'fflate';

/** One file. `path` is of letters, digits and `._-`, with `/` between folders, so that every system can unpack it. */
export interface KitPart {
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

/** `root`: SHA-256 of the JSON of all the rest; a reader who has it from elsewhere knows every byte of the kit. */
export type Manifest<About> = About & { readonly files: readonly KitFile[]; readonly root: string };

export class KitFailed extends Error {
  override readonly name = 'KitFailed';
  readonly code = 'KIT_UNREADABLE';
}

const FORMAT = 'pointage audit kit 1';
const MANIFEST = 'manifest.json';
const SUMS = 'SHA256SUMS';

/** The ZIP appears whole or not at all. `onPart`: called with the number of parts that are written. */
export async function writeKit<About extends object>(
  file: string,
  about: About,
  { parts, onPart }: { readonly parts: readonly KitPart[]; readonly onPart: (written: number) => void },
): Promise<Manifest<About>> {
  const unfinished = `${file}.${process.pid}.part`;
  const out = createWriteStream(unfinished);
  try {
    const zip = new Zip((failure, bytes) => (failure ? out.destroy(failure) : out.write(bytes)));
    const files: KitFile[] = [];
    for (const part of parts.toSorted((a, b) => (a.path < b.path ? -1 : 1)))
      onPart(files.push(await addPart(zip, out, part)));
    const manifest = sealed({ format: FORMAT, ...about, files });
    const last = await addPart(zip, out, textPart(MANIFEST, textOf(manifest)));
    await addPart(zip, out, textPart(SUMS, sumsOf([...files, last])));
    zip.end();
    out.end();
    await finished(out);
    await rename(unfinished, file);
    return manifest;
  } catch (failure) {
    out.destroy();
    await rm(unfinished, { force: true });
    throw failure;
  }
}

export function textPart(path: string, text: string | Uint8Array): KitPart {
  return { path, write: (out) => pipeline([text], out) };
}

/** Midnight of the machine's zone, since ZIP has none: the bytes are the same everywhere. */
const FIXED = new Date(1980, 0, 1);
/** Larger pieces would show in the compressed bytes. */
const MOST_BYTES = 65_536;

async function addPart(zip: Zip, out: Writable, { path, write }: KitPart): Promise<KitFile> {
  const entry = Object.assign(new ZipDeflate(path, { level: 6 }), { mtime: FIXED });
  zip.add(entry);
  const through = new PassThrough();
  const writing = write(through).catch((failure) => void through.destroy(failure));
  const hash = createHash('sha256');
  let size = 0;
  for await (const piece of through as AsyncIterable<Buffer>) {
    hash.update(piece);
    size += piece.length;
    for (let at = 0; at < piece.length; at += MOST_BYTES) entry.push(piece.subarray(at, at + MOST_BYTES), false);
    if (out.writableNeedDrain) await once(out, 'drain');
  }
  await writing;
  entry.push(new Uint8Array(0), true);
  return { path, size, sha256: hash.digest('hex') };
}

function sealed<About extends object>(about: About): About & { readonly root: string } {
  return { ...about, root: hash('sha256', JSON.stringify(about)) };
}

function textOf(manifest: object): string {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

function sumsOf(files: readonly Pick<KitFile, 'path' | 'sha256'>[]): string {
  return files.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join('');
}

/** Unpacks a kit into an empty folder. Returns the paths that could not be, or that are there twice. Throws `KitFailed`. */
export async function unpackKit(file: string, folder: string): Promise<ReadonlySet<string>> {
  const bytes = await readFile(file);
  const names: string[] = [];
  const damaged = new Set<string>();
  try {
    unzipSync(bytes, { filter: ({ name }) => names.push(name) < 0 });
  } catch (cause) {
    throw new KitFailed(`${file} is damaged, or no ZIP file: get the kit once more from its sender.`, { cause });
  }
  for (const [name, { length: times }] of Map.groupBy(names, (one) => one)) {
    try {
      if (times > 1 || !/^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/.test(name)) throw new KitFailed(name);
      // One at a time: memory holds the archive and its largest file.
      const content = unzipSync(bytes, { filter: (one) => one.name === name })[name]!;
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), content);
    } catch {
      damaged.add(name);
    }
  }
  return damaged;
}

interface KitFault {
  readonly path: string;
  readonly fault: 'changed' | 'missing' | 'extra';
}

/** `damaged`: paths that are known not to be as they were written. Throws `KitFailed` for a folder without a manifest. */
export async function openKit<About>(
  folder: string,
  damaged: ReadonlySet<string>,
): Promise<{ readonly manifest: Manifest<About> | null; readonly faults: readonly KitFault[] }> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => '');
  if (text === '' && !damaged.has(MANIFEST))
    throw new KitFailed(`${folder} holds no audit kit: it has no ${MANIFEST}.`);
  const manifest = manifestIn<About>(text);
  if (manifest === null) return { manifest, faults: [{ path: MANIFEST, fault: 'changed' }] };
  const present = await hashesBelow(folder);
  const own = present.get(MANIFEST)!;
  const sums = sumsOf([...manifest.files, { path: MANIFEST, sha256: own }]);
  const wanted = new Map(manifest.files.map(({ path, sha256 }) => [path, sha256]));
  wanted.set(MANIFEST, own).set(SUMS, hash('sha256', sums));
  const paths = [...new Set([...wanted.keys(), ...present.keys(), ...damaged])].sort();
  const faults = paths.flatMap((path): readonly KitFault[] => {
    const found = present.get(path);
    if (!wanted.has(path)) return [{ path, fault: 'extra' }];
    if (found === undefined && !damaged.has(path)) return [{ path, fault: 'missing' }];
    return found === wanted.get(path) ? [] : [{ path, fault: 'changed' }];
  });
  return { manifest, faults };
}

async function hashesBelow(folder: string): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const file = join(entry.parentPath, entry.name);
    const hash = createHash('sha256');
    await pipeline(createReadStream(file), hash);
    hashes.set(relative(folder, file).replaceAll(sep, '/'), hash.digest('hex'));
  }
  return hashes;
}

/** Null: its text is not, byte for byte, that of a manifest with this root. */
function manifestIn<About>(text: string): Manifest<About> | null {
  try {
    const { root: _, ...about } = JSON.parse(text) as Manifest<About> & { readonly format: string };
    const manifest = sealed(about);
    return about.format === FORMAT && textOf(manifest) === text ? (manifest as Manifest<About>) : null;
  } catch {
    return null;
  }
}
