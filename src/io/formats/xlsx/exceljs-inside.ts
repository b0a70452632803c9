// What we use of exceljs that its published types leave out: the archive that the parts go into. Parts get fixed dates, and
// are rewritten where the library knows less than we need. Nothing else that writes reaches into it.

import { PassThrough, Transform, type Writable } from 'node:stream';
import type ExcelJS from 'exceljs';
import type { Style, Worksheet } from 'exceljs';
import { ARCHIVE_DATE, archivePath, type PackageParts, rewritePart, rewritesPart } from './package-parts.ts';

export type Writer = ExcelJS.stream.xlsx.WorkbookWriter;

/** Bytes of a sheet that may wait for the archive. */
const WAITING_BYTES = 1 << 20;

/** The library's archive as far as it is needed, and the sheet that it is taking in. */
export interface Archive {
  append(content: string | Writable, entry: { readonly name: string; readonly date?: Date }): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'entry', listener: (entry: { readonly name: string }) => void): unknown;
  abort(): void;
  sheet?: OpenSheet;
}

interface OpenSheet {
  /** Between the sheet and the archive. */
  readonly bridge: Transform;
  /** When the archive has taken in the whole sheet. */
  readonly taken: Promise<void>;
}

/** A sheet that takes its rows as XML. */
export interface OpenRows {
  write(xml: string): void;
  numberOfStyle(style: Partial<Style>): number;
  /** Among the texts that are kept once for the whole workbook. */
  numberOfText(text: string): number;
  end(): void;
}

interface SheetInside {
  readonly stream: { write(xml: string): void };
  _writeColumns(): void;
  _writeOpenSheetData(): void;
  startedData: boolean;
  commit(): void;
}

interface WriterInside {
  readonly styles: { addStyleModel(style: Partial<Style>): number };
  readonly sharedStrings: { add(text: string): number };
}

/** Nothing of the sheet's page and columns may be changed afterwards. */
export function openRows(writer: Writer, sheet: Worksheet): OpenRows {
  const inside = sheet as unknown as SheetInside;
  const { styles, sharedStrings } = writer as unknown as WriterInside;
  inside._writeColumns();
  inside._writeOpenSheetData();
  inside.startedData = true;
  return {
    write: (xml) => inside.stream.write(xml),
    numberOfStyle: (style) => styles.addStyleModel(style),
    numberOfText: (text) => sharedStrings.add(text),
    end: () => inside.commit(),
  };
}

/** A writer whose every part passes through here on its way into `sink`. */
export function openWriter(
  library: typeof ExcelJS,
  sink: PassThrough,
  parts: PackageParts,
): { readonly writer: Writer; readonly archive: Archive } {
  /** The library adds its first parts before its constructor returns: only a method of its own comes before that. */
  class Intercepted extends library.stream.xlsx.WorkbookWriter {
    override addThemes(): Promise<void> {
      interceptArchive((this as unknown as { readonly zip: Archive }).zip, parts);
      return super.addThemes();
    }
  }
  const writer = new Intercepted({ stream: sink, useStyles: true, useSharedStrings: true });
  return { writer, archive: (writer as unknown as { readonly zip: Archive }).zip };
}

function interceptArchive(archive: Archive, parts: PackageParts): void {
  const append = archive.append.bind(archive);
  const takenIn = new Map<string, () => void>();
  archive.on('entry', ({ name }) => takenIn.get(name)?.());
  archive.append = (content, { name }) => {
    const path = archivePath(name);
    const entry = { name: path, date: ARCHIVE_DATE };
    if (typeof content === 'string') return append(rewritePart(parts, { path, xml: content }), entry);
    const bridge = rewritesPart(parts, path)
      ? rewriting(parts, path)
      : new PassThrough({ highWaterMark: WAITING_BYTES });
    const { promise: taken, resolve } = Promise.withResolvers<void>();
    takenIn.set(path, resolve);
    archive.sheet = { bridge, taken };
    content.pipe(bridge);
    return append(bridge, entry);
  };
}

/** Holds a whole sheet back until it can be rewritten: only for a short one. */
function rewriting(parts: PackageParts, path: string): Transform {
  const chunks: Buffer[] = [];
  return new Transform({
    transform(chunk: Buffer, _, done) {
      chunks.push(chunk);
      done();
    },
    flush(done) {
      done(null, rewritePart(parts, { path, xml: Buffer.concat(chunks).toString('utf8') }));
    },
  });
}
