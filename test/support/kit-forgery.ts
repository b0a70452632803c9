// What a forger who knows the format can do with an audit kit: unpack it, change it, seal it anew,
// and pack it again.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { readZip } from './zip-reader.ts';

export interface ForgedManifest {
  files: { path: string; size: number; sha256: string }[];
  months: { issued: object; stated: object; [key: string]: unknown }[];
  root: string;
  [key: string]: unknown;
}

export function unpackInto(folder: string, kit: string): void {
  for (const { path, content } of readZip(readFileSync(kit))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

export function manifestIn(folder: string): ForgedManifest {
  return JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as ForgedManifest;
}

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');

/**
 * Seals a folder anew. Every hash fits again, and only the root is another. `change` alters the
 * manifest after its files were hashed.
 */
export function sealAnew(
  folder: string,
  change: (manifest: ForgedManifest) => void = () => {},
): void {
  const { root: _, ...about } = manifestIn(folder);
  const files = about.files.map(({ path }) => {
    const bytes = readFileSync(join(folder, path));
    return { path, size: bytes.length, sha256: sha256(bytes) };
  });
  const manifest = { ...about, files } as ForgedManifest;
  change(manifest);
  const root = sha256(JSON.stringify(manifest));
  const text = `${JSON.stringify({ ...manifest, root }, null, 2)}\n`;
  writeFileSync(join(folder, 'manifest.json'), text);
  const listed = [...(manifest.files ?? []), { path: 'manifest.json', sha256: sha256(text) }];
  writeFileSync(
    join(folder, 'SHA256SUMS'),
    listed.map((file) => `${file.sha256}  ${file.path}\n`).join(''),
  );
}

export interface PackedPart {
  readonly path: string | Buffer;
  readonly content: Buffer;
  /** The bytes that the archive holds for the part; absent: its content, deflated. */
  readonly packed?: Buffer;
  /** Mode of the part as Unix has it; absent: that of a plain file. */
  readonly mode?: number;
}

/** Packs an archive field by field, so that it may hold what no library writes. */
export function packed(parts: readonly PackedPart[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { path, content, packed: given, mode = 0o100644 } of parts) {
    const name = Buffer.from(path);
    const bytes = given ?? deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x0800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(bytes.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), common, name, bytes]);
    const end = Buffer.alloc(14);
    end.writeUInt32LE(mode * 65_536, 6);
    end.writeUInt32LE(at, 10);
    directory.push(
      Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0003', 'latin1'), common, end, name]),
    );
    locals.push(local);
    at += local.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, ...directory, end]);
}
