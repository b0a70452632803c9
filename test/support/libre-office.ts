// A foreign spreadsheet that recomputes our workbooks: LibreOffice, headless, in a profile of its
// own, which never trusts the results kept in a file.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { areInstalled } from './installed.ts';
import { addressOf, type CellContent, type Sheets } from './sheet-cells.ts';

export const hasLibreOffice = areInstalled('soffice');

/** A profile in which 0 means: always recalculate a file of this kind when it is opened. */
const PROFILE = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>`;

/** Returns the cells of each workbook after LibreOffice has recomputed them all. */
export async function recompute<Name extends string>(
  books: Readonly<Record<Name, Buffer>>,
): Promise<Record<Name, Sheets>> {
  return converted(books, 'fods', async (file) => readFlatSheets(await readFile(file, 'utf8')));
}

/**
 * Returns the controls that are not 0. The first control is the sum of all, and row 5 has the
 * titles.
 */
export function controlsOff(
  sheets: Sheets,
): readonly (readonly [address: string, value: CellContent])[] {
  const controls = [...sheets.get('Contrôles')!].filter(([address]) =>
    /^E(4|[6-9]|\d\d+)$/.test(address),
  );
  if (controls.length <= 25) throw new Error(`${controls.length} controls are too few`);
  return controls.filter(([, value]) => value !== 0);
}

/** Returns the text of each workbook as LibreOffice prints it. */
export async function printed<Name extends string>(
  books: Readonly<Record<Name, Buffer>>,
): Promise<Record<Name, string>> {
  const textOf = async (file: string) =>
    (await promisify(execFile)('pdftotext', ['-layout', file, '-'])).stdout;
  return converted(books, 'pdf', textOf);
}

/** Converts all workbooks with one start of the program. */
async function converted<Name extends string, Read>(
  books: Readonly<Record<Name, Buffer>>,
  form: 'fods' | 'pdf',
  read: (file: string) => Promise<Read>,
): Promise<Record<Name, Read>> {
  const folder = await mkdtemp(join(tmpdir(), 'pointage-soffice-'));
  try {
    const profile = join(folder, 'profile');
    await mkdir(join(profile, 'user'), { recursive: true });
    await writeFile(join(profile, 'user', 'registrymodifications.xcu'), PROFILE);
    const names = Object.keys(books) as Name[];
    for (const name of names) await writeFile(join(folder, `${name}.xlsx`), books[name]);
    const files = names.map((name) => join(folder, `${name}.xlsx`));
    const task = ['--headless', '--convert-to', form, '--outdir', folder, ...files];
    await promisify(execFile)('soffice', [`-env:UserInstallation=file://${profile}`, ...task], {
      env: { ...process.env, HOME: folder },
      timeout: 150_000,
    });
    const found = {} as Record<Name, Read>;
    for (const name of names) found[name] = await read(join(folder, `${name}.${form}`));
    return found;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads the cells of a flat OpenDocument spreadsheet. */
function readFlatSheets(xml: string): Sheets {
  const sheets = new Map<string, ReadonlyMap<string, CellContent>>();
  const withoutCharts = xml.replace(/<draw:object\b[\s\S]*?<\/draw:object>/g, '');
  for (const [, attributes, body] of withoutCharts.matchAll(
    /<table:table ([^>]*)>([\s\S]*?)<\/table:table>/g,
  )) {
    const cells = new Map<string, CellContent>();
    let row = 0;
    for (const [, rowAttributes, inner] of body!.matchAll(
      /<table:table-row\b([^>]*?)(?:\/>|>([\s\S]*?)<\/table:table-row>)/g,
    )) {
      row += 1;
      readRow(inner ?? '', row, cells);
      row += repeated(rowAttributes!, 'rows') - 1;
    }
    sheets.set(decode(/table:name="([^"]*)"/.exec(attributes!)![1]!), cells);
  }
  return sheets;
}

function readRow(xml: string, row: number, cells: Map<string, CellContent>): void {
  let column = 0;
  for (const [, attributes, inner] of xml.matchAll(
    /<table:table-cell\b([^>]*?)(?:\/>|>([\s\S]*?)<\/table:table-cell>)/g,
  )) {
    const value = contentOf(attributes!, inner ?? '');
    const times = repeated(attributes!, 'columns');
    for (let i = 1; value !== null && i <= times; i++) cells.set(addressOf(column + i, row), value);
    column += times;
  }
}

function contentOf(attributes: string, inner: string): CellContent | null {
  const type = /office:value-type="(\w+)"/.exec(attributes)?.[1];
  if (type === undefined) return null;
  if (type === 'string') return textOf(inner);
  if (type === 'date') {
    const date = /office:date-value="([^"]*)"/.exec(attributes)![1]!;
    return Date.parse(`${date.length === 10 ? `${date}T00:00:00` : date}Z`) / 86_400_000 + 25_569;
  }
  return Number(/office:value="([^"]*)"/.exec(attributes)![1]);
}

function repeated(attributes: string, what: 'rows' | 'columns'): number {
  return Number(new RegExp(`table:number-${what}-repeated="(\\d+)"`).exec(attributes)?.[1] ?? 1);
}

function textOf(inner: string): string {
  const paragraphs = [...inner.matchAll(/<text:p\b[^>]*?(?:\/>|>([\s\S]*?)<\/text:p>)/g)].map(
    ([, body]) =>
      decode(
        (body ?? '')
          .replace(/<text:s(?: text:c="(\d+)")?\/>/g, (_, times) => ' '.repeat(Number(times ?? 1)))
          .replace(/<text:tab\/>/g, '\t')
          .replace(/<text:line-break\/>/g, '\n')
          .replace(/<[^>]*>/g, ''),
      ),
  );
  return paragraphs.join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

function decode(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (_, decimal, hex, name) =>
    name === undefined
      ? String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16))
      : ENTITIES[name]!,
  );
}
