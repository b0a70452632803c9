// Texts from outside as readers of each format take them: without signs of the reader's own, and no
// longer than the reader takes.

import { expect, test } from 'vitest';
import { mt940Format } from '../../../src/io/formats/bank/mt940.ts';
import { disarm } from '../../../src/io/formats/text/layout.ts';
import {
  entryLabel,
  fecText,
  journalAccount,
  journalCode,
  journalComment,
  journalTag,
  sageLabel,
  sageText,
} from '../../../src/io/formats/text/reader-texts.ts';
import { sampleDocument } from '../../support/sample-statement.ts';
import { bytesOf } from '../../support/written-document.ts';

test('a journal has no text that gives a date, begins a tag or ends a line', () => {
  expect(journalComment('[2026-13-45] a:b; c | d\r\ne\u202e')).toBe('(2026-13-45) a∶b, c , d e');
  expect(journalTag('[x], y')).toBe('(x)  y');
  expect(journalCode('a(b)[c]')).toBe('a b  c ');
  expect(journalAccount('(411)', 'Clients ; [x]  y')).toBe('411 Clients x y');
  for (const text of ['é'.repeat(5_000), '🎉'.repeat(3_000), 'a'.repeat(1_001)]) {
    const shown = journalComment(text);
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(1_000);
    expect(shown).toMatch(/[é🎉a]…$/u);
  }
  expect(journalComment('é'.repeat(500))).toBe('é'.repeat(500));
});

test('a FEC has no second separator, and labels that importers take', () => {
  expect(fecText('a|b\tc')).toBe('a/b c');
  expect(entryLabel('a'.repeat(249))).toBe('a'.repeat(249));
  expect(entryLabel('😀'.repeat(200))).toBe('😀'.repeat(200));
  expect(disarm(entryLabel(`=${'…'.repeat(400)}`)).length).toBeLessThanOrEqual(250);
});

test.each([
  ['Commission de décaissement', 'Commission décaissement'],
  ['Facture de commissions du service', 'Facture commissions serv.'],
  ['Commission sur encaissement', 'Commission encaissement'],
  ['En attente de régularisation', 'En attente régularisation'],
  ['Annulation commission de décaissement GUI-CO-1', 'Annulation commission'],
  ['Encaissement', 'Encaissement'],
  ['1234567890 1234567890 1234567890', '1234567890 1234567890'],
])("Sage's label of '%s' is '%s'", (label, shown) => {
  expect(sageLabel(sageText(label), 25)).toBe(shown);
});

test('MT940 refuses an amount that its readers would cut, and says what takes it', async () => {
  const document = sampleDocument();
  const { journal } = document.statement;
  const rich = (closing: number) => ({
    ...document,
    statement: {
      ...document.statement,
      journal: { ...journal, wallet: { ...journal.wallet, closing } },
    },
  });
  expect(String(await bytesOf(mt940Format, rich(99_999_999_999_999)))).toContain(
    'XOF99999999999999,',
  );
  await expect(bytesOf(mt940Format, rich(100_000_000_000_000))).rejects.toThrow(
    /MT940 has 15 places.*--format camt/,
  );
});
