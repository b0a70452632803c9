// The journal for Sage 100 and for Odoo, read by the rules published for them and compared with the
// statement.

import { describe, expect, test } from 'vitest';
import { odooFormat, sageFormat } from '../../../src/io/formats/bookkeeping/entry-layouts.ts';
import type { StatementDocument, StatementFormat } from '../../../src/io/formats/port/format.ts';
import {
  type BookedRow,
  readOdooRows,
  readSageRows,
  sumsByAccount,
} from '../../support/bookkeeping-readers.ts';
import { sampleDocument } from '../../support/sample-statement.ts';
import { bytesOf } from '../../support/written-document.ts';

const READERS: readonly (readonly [
  StatementFormat,
  (bytes: Uint8Array) => readonly BookedRow[],
])[] = [
  [sageFormat, (bytes) => readSageRows(bytes).rows],
  [odooFormat, readOdooRows],
];

/** Gives every line that reference. */
function withReference(
  { lines, ...rest }: StatementDocument,
  reference: string,
): StatementDocument {
  return {
    ...rest,
    lines: async function* () {
      for await (const batch of lines()) {
        yield batch.map((line) => ({
          ...line,
          entry: line.entry && { ...line.entry, piece: reference },
        }));
      }
    },
  };
}

describe.each(READERS)('%s', (format, read) => {
  test.each(['plain', 'hostile'] as const)(
    'comes to every account as the journal states it: %s',
    async (texts) => {
      const document = sampleDocument({ lines: 300, texts });
      const { journal } = document.statement;
      const rows = read(await bytesOf(format, document));
      const stated = journal.accounts.map(
        ({ account, debit, credit }) => [account, [debit, credit]] as const,
      );
      expect(Object.fromEntries(sumsByAccount(rows))).toEqual(Object.fromEntries(stated));
      expect(new Set(rows.map(({ entry }) => entry)).size).toBe(journal.entryCount);
      for (const own of Map.groupBy(rows, ({ entry }) => entry).values()) {
        expect(own.reduce((sum, { debit, credit }) => sum + debit - credit, 0)).toBe(0);
        expect(
          new Set(own.map(({ date, piece, journal: code }) => `${date} ${piece} ${code}`)).size,
        ).toBe(1);
      }
      expect(rows.filter(({ label, piece }) => label === '' || piece === '')).toEqual([]);
      expect(
        rows.every(({ date, journal: code }) => /^2026-10-\d\d$/.test(date) && code === 'MM'),
      ).toBe(true);
    },
  );

  test('of a month without lines has no row', async () => {
    expect(read(await bytesOf(format, sampleDocument({ lines: 0 })))).toEqual([]);
  });
});

describe('Sage', () => {
  test('names whose books they are, and keeps the accents that Windows has', async () => {
    const read = async (texts: 'plain' | 'hostile') =>
      readSageRows(await bytesOf(sageFormat, sampleDocument({ lines: 60, texts })));
    const { owner, rows } = await read('plain');
    expect(owner).toBe('Librairie Kora-Fictive');
    expect(rows.some(({ label }) => label === 'Réabonnement - forfait')).toBe(true);
    expect((await read('hostile')).owner).toBe('=Dupont & Fils <SARL> "été" ?');
  });

  test.each([
    ['GUI-CI-PVT2AX00002', 'CIPVT2AX00002'],
    ['GUI-CI-0000001', 'CI0000001'],
    ['LINE-000812', 'LINE-000812'],
    // The visible part of such a piece does not tell it from others, so that it gets digits of the
    // whole.
    ['A-REFERENCE-OF-AN-OLDER-SYSTEM-42', 'A-REFEFDTDDNJ'],
  ])('has 13 characters for the piece %s', async (reference, piece) => {
    const document = withReference(sampleDocument({ lines: 3 }), reference);
    expect(readSageRows(await bytesOf(sageFormat, document)).rows[0]!.piece).toBe(piece);
  });
});

describe('Odoo', () => {
  test('has the names of fields as its header, and the entry’s cells on its first row alone', async () => {
    const text = (await bytesOf(odooFormat, sampleDocument({ lines: 2 }))).toString('utf8');
    const [header, first, second] = text.split('\r\n');
    expect(header).toBe(
      'id,journal_id,date,ref,line_ids/id,line_ids/account_id,line_ids/partner_id,line_ids/name,line_ids/debit,line_ids/credit',
    );
    expect(first).toMatch(
      /^pointage_LIBRAIRIE_KORAFICTIVE_MM-2026-10-\d+,MM,2026-10-01,GUI-CI-00000001,/,
    );
    expect(second).toMatch(/^,,,,pointage_LIBRAIRIE_KORAFICTIVE_MM-2026-10-\d+_2,411,,/);
  });

  test('gives an entry and its rows the same ids in every revision, and other merchants others', async () => {
    const idsOf = async (document: StatementDocument) =>
      (await bytesOf(odooFormat, document)).toString('utf8').match(/pointage_[\w-]+/g)!;
    const { statement, ...streams } = sampleDocument({ lines: 30 });
    const ids = await idsOf({ statement, ...streams });
    const second = { ...statement, revision: { ...statement.revision, number: 2 } };
    expect(await idsOf({ statement: second, ...streams })).toEqual(ids);
    const other = { ...statement, merchant: { ...statement.merchant, reference: 'AUTRE' } };
    const others = new Set(await idsOf({ statement: other, ...streams }));
    expect(ids.filter((id) => others.has(id))).toEqual([]);
  });

  test('holds nothing that a spreadsheet would take for a formula', async () => {
    const rows = readOdooRows(
      await bytesOf(odooFormat, sampleDocument({ lines: 60, texts: 'hostile' })),
    );
    expect(rows.some(({ label }) => label.startsWith("'="))).toBe(true);
    expect(rows.filter(({ label }) => /^[=+\-@\t\r\n]/.test(label))).toEqual([]);
  });
});
