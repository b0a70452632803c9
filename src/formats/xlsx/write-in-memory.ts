// Writes a workbook that is held in memory as a whole: for months of ordinary size.

import type { Writable } from 'node:stream';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type ExcelJS from 'exceljs';
import { writeWhole } from './exceljs-inside.ts';
import { fillRow, prepareSheet, sheetOptions } from './fill-sheet.ts';
import { startParts } from './package-parts.ts';
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
  yield await writeWhole(workbook, parts);
}
