// Writes a workbook while it grows, sheet after sheet, and waits when the archive cannot follow: memory stays the same
// however many lines the month has.

import { PassThrough, type Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type ExcelJS from 'exceljs';
import { type Archive, forgetFormulas, openWriter, type StreamedSheet, type Writer } from './exceljs-inside.ts';
import { fillRow, prepareSheet, sheetOptions } from './fill-sheet.ts';
import { addedParts, startParts } from './package-parts.ts';
import type { SheetPlan } from './sheet-plan.ts';
import { nameWorkbook, type WorkbookPlan } from './workbook-frame.ts';

export async function writeWorkbook(library: typeof ExcelJS, plan: WorkbookPlan, out: Writable): Promise<void> {
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
    forgetFormulas(sheet);
    if (bridge.writableNeedDrain) await Promise.race([drainOf(bridge), failed]);
  }
  sheet.commit?.();
  await Promise.race([taken, failed]);
}

function drainOf(bridge: Transform): Promise<void> {
  return new Promise((resolve) => bridge.once('drain', resolve));
}
