// Opens one file of a merchant's books for reading from any offset, as often as needed. A gzip file
// is unpacked into a private temporary file first. When a file cannot be opened, says why in words;
// repairs nothing.

import {
  closeSync,
  constants,
  createReadStream,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import type { Refusal, Refused } from '../../../core/domain/refusal.ts';
import type { Note } from '../../../core/domain/snapshot.ts';
import { SourceFailed } from '../port/source.ts';

/** The longest line that is read, in bytes without its line feed: 1 MiB. */
export const LONGEST_LINE = 1_048_576;

/** A file that is open for reading, perhaps on another thread. */
export interface BookFile {
  /**
   * Name inside the merchant's folder, as the places of refused rows give it: `ledger.jsonl.gz`.
   */
  readonly name: string;
  /** The caller must close it. */
  readonly handle: { readonly fd: number; readonly close: () => Promise<void> };
  /**
   * Unpacked length in bytes when the file was opened. Bytes appended later are left for the next
   * reading.
   */
  readonly size: number;
  /**
   * Why the content stops before its end; all content before that point is sound. `null` when the
   * file is whole.
   */
  readonly cutOff: Refused | null;
  /** The content, when it is in memory. */
  readonly bytes?: Buffer;
}

export type OpenedFile =
  | {
      readonly state: 'open';
      readonly file: BookFile;
      /** Name of a second copy of the file, which was left unread; null when there is none. */
      readonly unread: string | null;
    }
  | { readonly state: 'absent' }
  | ({ readonly state: 'unreadable'; readonly name: string } & Refused);

/** Opens `name` in `folder`, or `name.gz` when there is only that. */
export async function openBookFile(folder: string, name: string): Promise<OpenedFile> {
  const packedName = `${name}.gz`;
  const plain = await openNamed(folder, name);
  if (plain.state === 'absent') return refuseContainer(await openNamed(folder, packedName));
  if (plain.state === 'open' && existsSync(join(folder, packedName)))
    return refuseContainer({ ...plain, unread: packedName });
  return refuseContainer(plain);
}

// A file in another encoding or container is refused as a whole, and not line by line.

type Container = (Refusal & { readonly code: 'CONTAINER_OTHER' })['found'];

const SNIFFED = 4_096;

async function refuseContainer(opened: OpenedFile): Promise<OpenedFile> {
  if (opened.state !== 'open') return opened;
  const { file } = opened;
  const found = containerOf(file);
  if (found === null) return opened;
  await file.handle.close();
  const refusal = { code: 'CONTAINER_OTHER', file: file.name, found } as const;
  return {
    state: 'unreadable',
    name: file.name,
    reason: `${file.name} is ${AS_WRITTEN[found]}`,
    refusal,
  };
}

const AS_WRITTEN: Readonly<Record<Container, string>> = {
  UTF16: 'UTF-16; write it as UTF-8',
  GZIP: 'packed; name it with .gz at the end',
  ARRAY: 'a JSON array; write one object a line',
  SPREAD: 'written with several lines an object; write one object a line',
};

/**
 * The first two bytes of UTF-16: a byte order mark, or a brace or bracket with its zero byte, in
 * both byte orders.
 */
const UTF16_BEGINNINGS: readonly number[] = [0xfffe, 0xfeff, 0x7b00, 0x007b, 0x5b00, 0x005b];

/**
 * Returns the container of a file that does not hold lines of UTF-8; `null` for a file that does,
 * or that is damaged and is refused line by line.
 */
function containerOf(file: BookFile): Container | null {
  const head = Buffer.alloc(Math.min(SNIFFED, file.size));
  readAt(file, head, 0);
  if (head.length < 2) return null;
  const mark = head.readUInt16BE(0);
  if (UTF16_BEGINNINGS.includes(mark)) return 'UTF16';
  if (mark === 0x1f8b) return 'GZIP';
  if (!/\.jsonl(\.gz)?$/.test(file.name)) return null;
  const [first = '', second = ''] = head
    .subarray(markLength(head))
    .toString('latin1')
    .trimStart()
    .split('\n');
  if (first.trim() === '{' && !second.trim().startsWith('{')) return 'SPREAD';
  const tail = Buffer.alloc(Math.min(SNIFFED, file.size));
  readAt(file, tail, file.size - tail.length);
  const isWhole = tail.toString('latin1').trimEnd().endsWith(']');
  // The first row may be an array: then the first line ends with it, and more lines follow.
  const isRow = second !== '' && first.trim().endsWith(']');
  return first.startsWith('[') && isWhole && !isRow ? 'ARRAY' : null;
}

const CAUSES: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'its symbolic link leads to itself',
};

async function openNamed(folder: string, name: string): Promise<OpenedFile> {
  const path = join(folder, name);
  try {
    // `stat` comes before `open`, because opening a named pipe would wait for a writer. Both are
    // synchronous, because most of thousands of folders lack most of these files.
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return { state: 'absent' };
    if (!found.isFile()) {
      const refusal = { code: 'NOT_A_FILE', file: name } as const;
      return { state: 'unreadable', name, reason: `${name} is not a regular file`, refusal };
    }
    if (name.endsWith('.gz'))
      return { state: 'open', file: await unpack(path, name), unread: null };
    const handle = handleOf(openSync(path, constants.O_RDONLY));
    return {
      state: 'open',
      file: { name, handle, size: fstatSync(handle.fd).size, cutOff: null },
      unread: null,
    };
  } catch (error) {
    if (error instanceof SourceFailed) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { state: 'absent' };
    if (code === 'EMFILE' || code === 'ENFILE')
      throw new SourceFailed('TOO_MANY_FILES', 'too many files are open');
    const cause = code ?? message;
    const refusal = { code: 'NOT_OPENED', file: name, cause } as const;
    return {
      state: 'unreadable',
      name,
      reason: `${name} cannot be opened: ${CAUSES[cause] ?? cause}`,
      refusal,
    };
  }
}

/**
 * Closes the descriptor only once, because its number may belong to another file by the second
 * call.
 */
function handleOf(fd: number): BookFile['handle'] {
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) closeSync(fd);
    isOpen = false;
  };
  return { fd, close };
}

/**
 * Unpacks as much as the stream gives. Content before a damage is kept, and the damage is named.
 */
async function unpack(path: string, name: string): Promise<BookFile> {
  const handle = await openTemporaryFile();
  const packed = createReadStream(path);
  const gunzip = createGunzip();
  let size = 0;
  try {
    const cutOff = await new Promise<Refused | null>((resolve, reject) => {
      packed.on('error', reject);
      gunzip.on('error', ({ message: cause }) => {
        const reason = `the gzip data ends early or is damaged (${cause})`;
        resolve({ reason, refusal: { code: 'NOT_UNPACKED', cause } });
      });
      gunzip.on('end', () => resolve(null));
      gunzip.on('data', (piece: Buffer) => {
        try {
          // Written at once, so that no unpacked bytes are lost in a queue when the stream breaks
          // off.
          for (let at = 0; at < piece.length; )
            at += writeSync(handle.fd, piece, at, piece.length - at, size + at);
          size += piece.length;
        } catch (error) {
          reject(
            new SourceFailed(
              'NO_TEMPORARY_SPACE',
              `${name} cannot be unpacked into a temporary file`,
              error,
            ),
          );
        }
      });
      packed.pipe(gunzip);
    });
    return { name, handle, size, cutOff };
  } catch (error) {
    await handle.close();
    throw error;
  } finally {
    packed.destroy();
    gunzip.destroy();
  }
}

// Private temporary files, which vanish when the process ends, however it ends.

/**
 * Opens an empty file for reading and writing, in a folder of its own (mode 0700) that is removed
 * at once.
 */
async function openTemporaryFile(): Promise<FileHandle> {
  let folder: string | null = null;
  try {
    folder = await mkdtemp(join(tmpdir(), 'pointage-'));
    return await open(join(folder, 'rows'), 'wx+', 0o600);
  } catch (error) {
    throw new SourceFailed(
      'NO_TEMPORARY_SPACE',
      `no temporary file can be made in ${tmpdir()}`,
      error,
    );
  } finally {
    // The open file stays usable without its name, and its space is freed when it is closed or the
    // process ends.
    if (folder !== null) await rm(folder, { recursive: true, force: true });
  }
}

// Reads bytes that must be there: a file that has become shorter since it was opened fails the
// reading.

/**
 * Fills `bytes` from that position of the file on, up to the end of the file. Returns how many
 * bytes were read.
 */
export function readAt(file: BookFile, bytes: Buffer, position: number): number {
  const length = Math.min(bytes.length, file.size - position);
  for (let filled = 0; filled < length; ) {
    const at = position + filled;
    let bytesRead: number;
    try {
      bytesRead =
        file.bytes?.copy(bytes, filled, at, position + length) ??
        readSync(file.handle.fd, bytes, filled, length - filled, at);
    } catch (error) {
      throw new SourceFailed('UNREADABLE', `${file.name} cannot be read at byte ${at}`, error);
    }
    if (bytesRead === 0)
      throw new SourceFailed(
        'CHANGED_WHILE_READ',
        `${file.name} became shorter while it was being read`,
      );
    filled += bytesRead;
  }
  return length;
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Returns the length of the byte order mark with which the bytes begin; 0 when they begin with
 * none.
 */
export function markLength(bytes: Buffer): number {
  return bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? BYTE_ORDER_MARK.length
    : 0;
}

// Reads a small file whole: the profile or the wallet. A file larger than the longest line of a
// ledger is refused.

type WholeFile =
  | {
      readonly state: 'read';
      readonly name: string;
      readonly bytes: Buffer;
      /** Name of a second copy of the file, which was left unread; null when there is none. */
      readonly unread: string | null;
    }
  | { readonly state: 'absent' }
  | ({ readonly state: 'unreadable'; readonly name: string; readonly bytes: Buffer } & Refused);

/** Reads `name`, or `name.gz` when there is only that. Leaves out a byte order mark. */
export async function readWholeFile(folder: string, name: string): Promise<WholeFile> {
  const opened = await openBookFile(folder, name);
  if (opened.state === 'absent') return opened;
  if (opened.state === 'unreadable') return { ...opened, bytes: Buffer.alloc(0) };
  const { file, unread } = opened;
  try {
    const bytes = readBytes(file);
    if (file.cutOff !== null)
      return { state: 'unreadable', name: file.name, ...file.cutOff, bytes };
    if (file.size > LONGEST_LINE) {
      const refusal = { code: 'TOO_LARGE', of: 'file' } as const;
      return {
        state: 'unreadable',
        name: file.name,
        reason: 'the file is larger than 1 MiB',
        refusal,
        bytes,
      };
    }
    return { state: 'read', name: file.name, bytes, unread };
  } finally {
    await file.handle.close();
  }
}

function readBytes(file: BookFile): Buffer {
  const bytes = Buffer.alloc(Math.min(file.size, LONGEST_LINE));
  readAt(file, bytes, 0);
  return bytes.subarray(markLength(bytes));
}

/**
 * Returns the note of a missing file. A file in the folder with the same name but another extension
 * is named in it. `incomplete`: the verdict cannot be clean without the file.
 */
export function absentFile(folder: string, what: string, file: string, incomplete = false): Note {
  const stem = (name: string): string => name.split('.')[0]!.toLowerCase();
  const other = readdirSync(folder).find(
    (name) => stem(name) === stem(file) && !name.startsWith('.'),
  );
  if (other === undefined) return { what, incomplete, code: 'FILE_ABSENT', figures: { file } };
  return { what, incomplete, code: 'FILE_NAMED_OTHERWISE', figures: { file, other } };
}
