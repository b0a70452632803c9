// CSV as a spreadsheet reads it: read back by an RFC 4180 reader of this test's own.

import { describe, expect, test } from 'vitest';
import type { StatementLine } from '../../../src/core/statements/statement-line.ts';
import type { StatementDocument } from '../../../src/io/formats/port/format.ts';
import { csvFormat } from '../../../src/io/formats/text/csv.ts';
import { jsonFormat, readStatement } from '../../../src/io/formats/text/json.ts';
import { writeCell } from '../../../src/io/formats/text/layout.ts';
import { sampleDocument } from '../../support/sample-statement.ts';
import { bytesOf } from '../../support/written-document.ts';

async function linesOf({ lines }: StatementDocument): Promise<readonly StatementLine[]> {
  const all: StatementLine[] = [];
  for await (const batch of lines()) all.push(...batch);
  return all;
}

/** Returns rows of cells. `"` quotes, `""` stands for one inside, and rows end with CR LF. */
function readCsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^";\r\n]*))(;|\r\n)/gy;
  while (cell.lastIndex < text.length) {
    const found = cell.exec(text);
    if (found === null) throw new Error(`not RFC 4180 at ${cell.lastIndex}`);
    rows.at(-1)!.push(found[1]?.replaceAll('""', '"') ?? found[2]!);
    if (found[3] === '\r\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

describe('CSV', () => {
  test('begins with a byte order mark and one header line, and has every line once', async () => {
    const document = sampleDocument({ lines: 2_500 });
    const bytes = await bytesOf(csvFormat, document);
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const [header, ...rows] = readCsv(bytes.subarray(3).toString('utf8'));
    expect(header).toContain('Solde');
    expect(rows.length).toBe(2_500);
    const column = (name: string) => rows.map((row) => row[header!.indexOf(name)]);
    const lines = await linesOf(document);
    expect(column('Solde')).toEqual(lines.map((line) => String(line.balance)));
    expect(column('Débit')).toEqual(lines.map((line) => String(line.debit ?? '')));
    expect(column('Référence')).toEqual(lines.map((line) => line.operationReference ?? ''));
    expect(column('Date')).toEqual(lines.map((line) => line.localTime.slice(0, 10)));
  });

  test('gives texts back as they were, but on one line, and with an apostrophe before what would be a formula', async () => {
    const document = sampleDocument({ lines: 60, texts: 'hostile' });
    const [header, ...rows] = readCsv(
      (await bytesOf(csvFormat, document)).subarray(3).toString('utf8'),
    );
    const labels = rows.map((row) => row[header!.indexOf('Libellé')]!);
    const expected = (await linesOf(document)).map(({ label }) =>
      label!
        .toWellFormed()
        .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
        .replace(/\u202e/g, ''),
    );
    labels.forEach((label, i) => {
      expect(label).toBe(/^\s*[=+\-@]/.test(expected[i]!) ? `'${expected[i]}` : expected[i]);
    });
    expect(rows.flat().filter((cell) => /^[=@\t\r\n]/.test(cell))).toEqual([]);
  });

  test('leaves numbers alone, negative ones too, and null empty', () => {
    expect(
      [-5, 0, 1_234_567, null, '', '-5', ' x', 'a;b', 'a"b', '＝1'].map((cell) => writeCell(cell)),
    ).toEqual(['-5', '0', '1234567', '', '', "'-5", '" x"', '"a;b"', '"a""b"', "'＝1"]);
  });

  test('speaks both languages, and has a header for a month without lines', async () => {
    const english = (
      await bytesOf(csvFormat, sampleDocument({ lines: 0 }), { language: 'en' })
    ).toString('utf8');
    expect(english).toMatch(/^\uFEFFNo\.;Date;.*\r\n$/);
  });
});

describe('JSON', () => {
  test('gives the statement and all lines back, whatever the texts', async () => {
    const document = sampleDocument({ lines: 1_500, texts: 'hostile' });
    const text = (await bytesOf(jsonFormat, document)).toString('utf8');
    const read = JSON.parse(text) as { statement: unknown; lines: unknown };
    expect(read.statement).toEqual(document.statement);
    expect(read.lines).toEqual(await linesOf(document));
    expect(readStatement(text.split('\n').slice(0, 2))).toEqual(document.statement);
    expect(readStatement(['{', '"statement":1,'])).toBeNull();
    expect(readStatement([])).toBeNull();
  });

  test('is complete without lines', async () => {
    const text = (await bytesOf(jsonFormat, sampleDocument({ lines: 0 }))).toString('utf8');
    expect((JSON.parse(text) as { lines: unknown }).lines).toEqual([]);
  });
});
