// Writes a workbook that is held in memory as a whole: for months of ordinary size.

import type { Writable } from 'node:stream';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type ExcelJS from 'exceljs';
import { fillRow, prepareSheet, sheetOptions } from './fill-sheet.ts';
import { ARCHIVE_DATE, addedParts, archivePath, type PackageParts, rewritePart, startParts } from './package-parts.ts';
import { nameWorkbook, type WorkbookPlan } from './workbook-frame.ts';

export async function writeInMemory(library: typeof ExcelJS, plan: WorkbookPlan, out: Writable): Promise<void> {
  await pipeline(Readable.from(bytesOf(library, plan)), out);
}

async function* bytesOf(library: typeof ExcelJS, plan: WorkbookPlan): AsyncGenerator<Uint8Array> {
  const workbook = new library.Workbook();
  nameWorkbook(workbook, plan);
  const parts = startParts();
  let sheetNumber = 0;
  for (const sheetPlan of plan.sheets) {
    sheetNumber += 1;
    if (sheetPlan.drawing !== null) parts.drawing = { drawing: sheetPlan.drawing, sheetNumber };
    const sheet = workbook.addWorksheet(sheetPlan.name, sheetOptions(sheetPlan, plan.footer));
    prepareSheet(sheet, sheetPlan);
    const form = { styleOf: plan.styleOf, widths: sheetPlan.widths, sharesTexts: true };
    for await (const rows of sheetPlan.rows) {
      for (const cells of rows) fillRow(sheet.addRow([]), cells, form);
    }
  }
  interceptArchive(workbook.xlsx as unknown as Package, parts);
  yield (await workbook.xlsx.writeBuffer()) as unknown as Uint8Array;
}

/** The inside of the library as far as it is needed: `addContentTypes` is the first step of writing, and gets the archive. */
interface Package {
  addContentTypes(archive: Archive, model: unknown): Promise<void>;
}

interface Archive {
  append(content: string, entry: { readonly name: string }): void;
  readonly zip: { file(path: string, content: string, options: { date: Date; createFolders: boolean }): unknown };
}

function interceptArchive(writer: Package, parts: PackageParts): void {
  const addContentTypes = writer.addContentTypes.bind(writer);
  writer.addContentTypes = async (archive, model) => {
    const put = (path: string, xml: string) =>
      archive.zip.file(path, xml, { date: ARCHIVE_DATE, createFolders: false });
    archive.append = (xml, { name }) => {
      const path = archivePath(name);
      put(path, rewritePart(parts, { path, xml }));
    };
    for (const { path, xml } of addedParts(parts)) put(path, xml);
    await addContentTypes(archive, model);
  };
}
