// Writes a workbook while it grows, sheet after sheet, and waits when the archive cannot follow: memory stays the same
// however many lines the month has.

import { PassThrough, type Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type ExcelJS from 'exceljs';
import { type Archive, openRows, openWriter, type Writer } from './exceljs-inside.ts';
import { prepareSheet, sheetOptions } from './fill-sheet.ts';
import { addedParts, startParts } from './package-parts.ts';
import { rowXml } from './row-xml.ts';
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
  const sheet = writer.addWorksheet(sheetPlan.name, options);
  prepareSheet(sheet, sheetPlan);
  const { numberOfStyle, numberOfText, ...open } = openRows(writer, sheet);
  const { styleOf } = plan;
  const { widths, isLong } = sheetPlan;
  const form = { styleOf, numberOfStyle, widths, numberOfText: isLong ? null : numberOfText };
  const { bridge, taken } = archive.sheet!;
  let number = 0;
  for await (const rows of sheetPlan.rows) {
    let xml = '';
    for (const cells of rows) {
      number += 1;
      xml += rowXml(number, cells, form);
      if (xml.length < PIECE) continue;
      open.write(xml);
      xml = '';
    }
    if (xml !== '') open.write(xml);
    if (bridge.writableNeedDrain) await Promise.race([drainOf(bridge), failed]);
  }
  open.end();
  await Promise.race([taken, failed]);
}

/** Characters that are handed over together. */
const PIECE = 1 << 15;

function drainOf(bridge: Transform): Promise<void> {
  return new Promise((resolve) => bridge.once('drain', resolve));
}
