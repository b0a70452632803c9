// Writes and opens audit kits: a ZIP of files, a manifest with the size and hash of each, and a
// SHA256SUMS that `sha256sum -c` checks without pointage. The same files give the same bytes,
// because all have one date and stand in the order of their paths. A kit that is opened may come
// from anyone: only files that its manifest lists are copied, none longer than listed; every other
// file is reported, no link is followed, and no pipe is read.

import { isUtf8 } from 'node:buffer';
import { createHash, hash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough, Readable, type Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { Zip, ZipDeflate } from 'fflate';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { z } from 'zod';

/**
 * One file of a kit. `path` must consist of letters of any alphabet, digits and `._-`, with `/`
 * between folders, so that every system can unpack it.
 */
export interface KitPart {
  readonly path: string;
  /** Must write the file's bytes and end the stream. The same store must give the same bytes. */
  readonly write: (out: Writable) => Promise<void>;
}

export const SHA256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits');
const FORMAT = 'pointage audit kit 1';
const kitFile = z.strictObject({
  path: z
    .string()
    .regex(
      /^[\p{L}\p{N}_-][\p{L}\p{N}_.-]*(\/[\p{L}\p{N}_-][\p{L}\p{N}_.-]*)*$/u,
      'must be a path below the kit',
    ),
  size: z.int().min(0),
  sha256: SHA256,
});
type KitFile = z.infer<typeof kitFile>;

/**
 * The fields of every manifest. `root` is the SHA-256 of the JSON of all other fields, so a reader
 * who got the root some other way can check every byte of the kit.
 */
export const SEALED = {
  format: z.literal(FORMAT),
  files: z.array(kitFile).readonly(),
  root: SHA256,
};
export type Manifest<About> = About & { readonly files: readonly KitFile[]; readonly root: string };

export class KitFailed extends Error {
  override readonly name = 'KitFailed';
  readonly code = 'KIT_UNREADABLE';
}

export const MANIFEST = 'manifest.json';
const SUMS = 'SHA256SUMS';

/**
 * Writes a kit to `file` and makes its folder if it is missing. The ZIP appears whole or not at
 * all. `onPart` is called after each part with the number of parts written so far.
 */
export async function writeKit<About extends object>(
  file: string,
  about: About,
  {
    parts,
    onPart,
  }: { readonly parts: readonly KitPart[]; readonly onPart: (written: number) => void },
): Promise<Manifest<About>> {
  await mkdir(dirname(file), { recursive: true });
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

/**
 * The date of every file in the ZIP. It is midnight in the machine's zone, because ZIP dates have
 * no zone: so the bytes are the same everywhere.
 */
const FIXED = new Date(1980, 0, 1);
/**
 * Pieces are cut to this many bytes, because the compressed bytes would depend on the length of
 * larger ones.
 */
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
    for (let at = 0; at < piece.length; at += MOST_BYTES)
      entry.push(piece.subarray(at, at + MOST_BYTES), false);
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

export interface KitFault {
  readonly path: string;
  readonly fault: 'changed' | 'missing' | 'extra' | 'contradicts';
  /** One clause, for example "it cannot be read"; empty when `fault` says it all. */
  readonly why: string;
}

/**
 * One file or other item found in the folder or archive. `odd` says why it cannot be a file of a
 * kit, for example "it is a symbolic link"; it is empty for a regular file.
 */
interface Item {
  readonly path: string;
  readonly odd: string;
  readonly open: () => Readable | Promise<Readable>;
}

/** The most bytes of a manifest: a longer one is refused. */
const MOST_MANIFEST = 16_777_216;
/** Paths of files that file managers add to folders and archives by themselves. */
const ADDED = /(^|\/)(\.DS_Store$|\._|Thumbs\.db$|desktop\.ini$)|^__MACOSX\//;

/**
 * Copies the files of `kit`, a folder or a ZIP, into `into`, which must be empty, and reports every
 * file that is not as the manifest lists it. `manifest` is `null` when the manifest itself was
 * changed; then no other file is copied. Throws `KitFailed`.
 */
export async function openKit<About>(
  kit: string,
  into: string,
  shape: z.ZodType<Manifest<About>>,
): Promise<{ readonly manifest: Manifest<About> | null; readonly faults: readonly KitFault[] }> {
  const { items: all, close } = await itemsOf(kit);
  const items = Map.groupBy(all, ({ path }) => path);
  try {
    if (!items.has(MANIFEST))
      throw new KitFailed(`${kit} holds no audit kit: it has no ${MANIFEST}.`);
    const own = await take(items.get(MANIFEST)!, join(into, MANIFEST), MOST_MANIFEST);
    const manifest =
      typeof own === 'string'
        ? own
        : manifestIn(await readFile(join(into, MANIFEST), 'utf8'), shape);
    if (typeof own === 'string' || typeof manifest === 'string')
      return {
        manifest: null,
        faults: [{ path: MANIFEST, fault: 'changed', why: manifest as string }],
      };
    const sums = sumsOf([...manifest.files, { path: MANIFEST, ...own }]);
    const faults: KitFault[] = [];
    const known = new Set([MANIFEST]);
    const ofSums = { path: SUMS, size: Buffer.byteLength(sums), sha256: hash('sha256', sums) };
    for (const { path, size, sha256 } of [...manifest.files, ofSums]) {
      known.add(path);
      const taken = items.has(path) ? await take(items.get(path)!, join(into, path), size) : null;
      if (taken === null) faults.push({ path, fault: 'missing', why: '' });
      else if (typeof taken === 'string' || taken.sha256 !== sha256)
        faults.push({ path, fault: 'changed', why: typeof taken === 'string' ? taken : '' });
    }
    for (const [path, [first]] of items) {
      const isAbove = path.endsWith('/') && [...known].some((one) => one.startsWith(path));
      const why = ADDED.test(path) ? 'the computer’s file manager added it' : first!.odd;
      if (!isAbove && !known.has(path)) faults.push({ path, fault: 'extra', why });
    }
    return { manifest, faults: faults.toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
  } finally {
    close();
  }
}

/**
 * Returns the manifest in `text`, or says why it is none. Returns an empty string when the text
 * differs, in any byte, from the text that we write for a manifest with this root.
 */
function manifestIn<About>(
  text: string,
  shape: z.ZodType<Manifest<About>>,
): Manifest<About> | string {
  try {
    const { root: _, ...about } = JSON.parse(text);
    const { data, error } = shape.safeParse(JSON.parse(text));
    if (textOf(sealed(about)) !== text) return '';
    return (
      data ?? error!.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
    );
  } catch {
    return 'it is no JSON';
  }
}

/**
 * Copies the item to the path `to` and returns its size and hash. Returns the reason when the item
 * is there twice, is `odd`, is longer than `most` bytes, or cannot be read.
 */
async function take(
  [item, again]: readonly Item[],
  to: string,
  most: number,
): Promise<Omit<KitFile, 'path'> | string> {
  if (again !== undefined || item!.odd !== '')
    return again === undefined ? item!.odd : 'it is there twice';
  const hash = createHash('sha256');
  let size = 0;
  async function* counted(pieces: AsyncIterable<Buffer>) {
    for await (const piece of pieces) {
      size += piece.length;
      if (size > most) throw new KitFailed('it is longer than it may be');
      hash.update(piece);
      yield piece;
    }
  }
  try {
    await mkdir(dirname(to), { recursive: true });
    await pipeline(await item!.open(), counted, createWriteStream(to, { flags: 'wx' }));
    return { size, sha256: hash.digest('hex') };
  } catch (failure) {
    return failure instanceof KitFailed ? failure.message : 'it cannot be read';
  }
}

/**
 * Lists the items of a folder or a ZIP. The items of a ZIP can be opened until `close` is called.
 */
async function itemsOf(
  kit: string,
): Promise<{ readonly items: readonly Item[]; readonly close: () => void }> {
  const found = await stat(kit).catch(() => null);
  if (found === null) throw new KitFailed(`${kit} does not exist.`);
  if (found.isDirectory())
    return {
      items: await Array.fromAsync(itemsBelow(Buffer.from(`${kit}/`), '')),
      close: () => {},
    };
  if (!found.isFile()) throw new KitFailed(`${kit} is no file and no folder.`);
  try {
    const zip = await openPromise(kit, {
      autoClose: false,
      decodeStrings: false,
      validateEntrySizes: false,
    });
    const items = await Array.fromAsync(zip.eachEntry(), (entry) => itemIn(zip, entry));
    return { items, close: () => zip.close() };
  } catch (cause) {
    throw new KitFailed(
      `${kit} is damaged, or no ZIP file: get the kit once more from its sender.`,
      { cause },
    );
  }
}

const EMPTY = { odd: 'the folder is empty', open: () => Readable.from([]) };
const SLASH = Buffer.from('/');

/** Names are read as bytes, because a name that is not UTF-8 would not lead to its file as text. */
async function* itemsBelow(folder: Buffer, above: string): AsyncGenerator<Item> {
  const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
  if (entries.length === 0) yield { path: above, ...EMPTY };
  for (const entry of entries) {
    const [place, path] = [Buffer.concat([folder, entry.name]), `${above}${entry.name}`];
    const kind = entry.isSymbolicLink() ? 'it is a symbolic link' : 'it is no regular file';
    if (entry.isDirectory()) yield* itemsBelow(Buffer.concat([place, SLASH]), `${path}/`);
    else
      yield {
        path,
        odd: entry.isFile() ? oddName(entry.name) : kind,
        open: () => createReadStream(place),
      };
  }
}

function oddName(name: Buffer): string {
  if (!isUtf8(name)) return 'its name is no UTF-8';
  return name.at(-1) === SLASH[0] ? EMPTY.odd : '';
}

/**
 * Reads the entry's name from both of its headers (APPNOTE.TXT, 4.3.7 and 4.3.12), because some
 * programs read the one and some the other. Two names make the item `odd`.
 */
async function itemIn(zip: ZipFile, entry: Entry): Promise<Item> {
  const { fileNameRaw: path, externalFileAttributes: mode } = entry;
  const { fileName } = await zip.readLocalFileHeaderPromise(entry);
  const odd =
    mode >>> 28 === 0o12
      ? 'it is a symbolic link'
      : path.equals(fileName)
        ? oddName(path)
        : 'it has two names';
  return { path: path.toString(), odd, open: () => zip.openReadStreamPromise(entry) };
}
