// Writes a workbook while it grows, sheet after sheet, and waits when the archive cannot follow: memory stays the same
// however many lines the month has.

import { PassThrough, Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type ExcelJS from 'exceljs';
import type { Worksheet } from 'exceljs';
import { fillRow, prepareSheet, sheetOptions } from './fill-sheet.ts';
import {
  ARCHIVE_DATE,
  addedParts,
  archivePath,
  type PackageParts,
  rewritePart,
  rewritesPart,
  startParts,
} from './package-parts.ts';
import type { SheetPlan } from './sheet-plan.ts';
import { nameWorkbook, type WorkbookPlan } from './workbook-frame.ts';

/** Bytes of a sheet that may wait for the archive. */
const WAITING_BYTES = 1 << 20;

export async function writeStreaming(library: typeof ExcelJS, plan: WorkbookPlan, out: Writable): Promise<void> {
  const sink = new PassThrough();
  const piped = pipeline(sink, out);
  const parts = startParts();
  const { writer, archive } = openWriter(library, sink, parts);
  const failed = new Promise<never>((_, reject) => {
    archive.on('error', reject);
    piped.catch(reject);
  });
  failed.catch(() => {});
  try {
    nameWorkbook(writer, plan);
    let sheetNumber = 0;
    for (const sheetPlan of plan.sheets) {
      sheetNumber += 1;
      if (sheetPlan.drawing !== null) parts.drawing = { drawing: sheetPlan.drawing, sheetNumber };
      await writeSheet({ writer, archive, failed, plan, sheetPlan });
    }
    for (const { path, xml } of addedParts(parts)) archive.append(xml, { name: path });
    await Promise.race([writer.commit(), failed]);
    await piped;
  } catch (error) {
    archive.abort();
    sink.destroy(error as Error);
    await piped.catch(() => {});
    throw error;
  }
}

type Writer = ExcelJS.stream.xlsx.WorkbookWriter;

/** The library's archive as far as it is needed, and the sheet that it is taking in. */
interface Archive {
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

/** The library's sheet keeps each formula cell it has written, in case another one shares the formula; none does. */
type StreamedSheet = Worksheet & { commit?(): void; _formulae?: object };

interface SheetTask {
  readonly writer: Writer;
  readonly archive: Archive;
  readonly failed: Promise<never>;
  readonly plan: WorkbookPlan;
  readonly sheetPlan: SheetPlan;
}

async function writeSheet({ writer, archive, failed, plan, sheetPlan }: SheetTask): Promise<void> {
  const options = { ...sheetOptions(sheetPlan, plan.footer), useSharedStrings: !sheetPlan.isLong };
  const sheet: StreamedSheet = writer.addWorksheet(sheetPlan.name, options);
  prepareSheet(sheet, sheetPlan);
  const form = { styleOf: plan.styleOf, widths: sheetPlan.widths, sharesTexts: !sheetPlan.isLong };
  const { bridge, taken } = archive.sheet!;
  for await (const rows of sheetPlan.rows) {
    for (const cells of rows) {
      const row = sheet.addRow([]);
      fillRow(row, cells, form);
      row.commit();
    }
    sheet._formulae = {};
    if (bridge.writableNeedDrain) await Promise.race([drainOf(bridge), failed]);
  }
  sheet.commit?.();
  await Promise.race([taken, failed]);
}

function drainOf(bridge: Transform): Promise<void> {
  return new Promise((resolve) => bridge.once('drain', resolve));
}

function openWriter(library: typeof ExcelJS, sink: PassThrough, parts: PackageParts) {
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
