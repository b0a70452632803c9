// Reads the parts of a zip archive by its central directory, with none of the libraries that wrote
// it.

import { inflateRawSync } from 'node:zlib';

export interface ZipPart {
  readonly path: string;
  readonly content: Buffer;
  /** MS-DOS date and time as they stand in the archive. */
  readonly stamp: number;
}

export function readZip(bytes: Buffer): readonly ZipPart[] {
  const end = bytes.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1'));
  const parts: ZipPart[] = [];
  let at = bytes.readUInt32LE(end + 16);
  for (let i = 0; i < bytes.readUInt16LE(end + 10); i++) {
    const nameLength = bytes.readUInt16LE(at + 28);
    const header = bytes.readUInt32LE(at + 42);
    const data = header + 30 + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28);
    const packed = bytes.subarray(data, data + bytes.readUInt32LE(at + 20));
    parts.push({
      path: bytes.toString('utf8', at + 46, at + 46 + nameLength),
      content: bytes.readUInt16LE(at + 10) === 0 ? Buffer.from(packed) : inflateRawSync(packed),
      stamp: bytes.readUInt32LE(at + 12),
    });
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return parts;
}

export function partOf(bytes: Buffer, path: string): string {
  const part = readZip(bytes).find((one) => one.path === path);
  if (part === undefined) throw new Error(`the archive has no ${path}`);
  return part.content.toString('utf8');
}
