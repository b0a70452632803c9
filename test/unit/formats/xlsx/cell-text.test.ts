// Texts from outside on their way into a cell, and the names of cells.

import { describe, expect, test } from 'vitest';
import { fill } from '../../../../src/core/words/finding.ts';
import {
  columnLetters,
  placeName,
  rangeName,
  rowRange,
  sumOver,
} from '../../../../src/io/formats/xlsx/sheet/address.ts';
import { cellText, LONGEST_TEXT } from '../../../../src/io/formats/xlsx/sheet/cell.ts';

describe('a text in a cell', () => {
  test('stays as it is, also where it looks like a formula, runs from right to left or has emoji', () => {
    for (const text of [
      '=1+1',
      '+2',
      '-3',
      '@SUM(A1)',
      '\t=1',
      'مرحبا 🎉🙏🏾',
      'a & <b> "c"',
      ' d ',
      'e\nf',
      '',
    ]) {
      expect(cellText(text)).toBe(text);
    }
  });

  test('shows what XML refuses by a sign', () => {
    expect(cellText('a\u0000b\u0007c\u001bd\u007fe')).toBe('a␀b␇c␛d␡e');
    expect(cellText('\ud800 \udc00 \ufffe \uffff')).toBe('\ufffd \ufffd \ufffd \ufffd');
  });

  test('has one form of line break, and no escape that a reader would undo', () => {
    expect(cellText('a\r\nb\rc\nd')).toBe('a\nb\nc\nd');
    expect(cellText('\u202egnp\u2066 محل\u061c')).toBe('gnp محل');
    expect(cellText('_x0041_ and x_x0041')).toBe('_x005F_x0041_ and x_x0041');
  });

  test('ends in an ellipsis where a cell is full, and never in half a character', () => {
    expect(cellText('a'.repeat(LONGEST_TEXT))).toHaveLength(LONGEST_TEXT);
    const cut = cellText('a'.repeat(LONGEST_TEXT + 1));
    expect([cut.length, cut.at(-1)]).toEqual([LONGEST_TEXT, '…']);
    const emoji = cellText('🎉'.repeat(LONGEST_TEXT));
    expect(emoji.length).toBeLessThanOrEqual(LONGEST_TEXT);
    expect(emoji.isWellFormed()).toBe(true);
  });
});

describe('names of cells', () => {
  test('count columns by letters', () => {
    expect([1, 26, 27, 52, 53, 702, 703].map(columnLetters)).toEqual([
      'A',
      'Z',
      'AA',
      'AZ',
      'BA',
      'ZZ',
      'AAA',
    ]);
  });

  test('quote the sheet and fix the place', () => {
    expect(placeName({ sheet: 'Par jour', column: 3, row: 7 })).toBe("'Par jour'!$C$7");
    expect(rangeName(rowRange('Écritures', 6, 0), 2)).toBe("'Écritures'!$B$6:$B$6");
    expect(sumOver([rowRange('A', 6, 2), rowRange('A 2', 6, 1)], 1)).toBe(
      "SUM('A'!$A$6:$A$7,'A 2'!$A$6:$A$6)",
    );
  });
});

test('words take their figures once, and a value is not searched for more', () => {
  expect(fill('{a} and {b} and {c}', { a: '{b}', b: 2 })).toBe('{b} and 2 and {c}');
});
