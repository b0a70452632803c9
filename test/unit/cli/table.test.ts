// Tables on terminals of any width. Nothing is lost, no number is cut, and no line is longer than
// the terminal where words allow it.

import { expect, test } from 'vitest';
import { money } from '../../../src/core/words/finding.ts';
import { type TableColumn, tableText, wrapText } from '../../../src/service/cli/print/table.ts';
import type { Terminal } from '../../../src/service/cli/stage/terminal.ts';

interface Row {
  readonly name: string;
  readonly figures: readonly number[];
  readonly what: string;
}

const SENTENCE = `Cash-in GUI-CI-EF1J290011S was credited ${money(2)} times: ${money(19_550)} instead of ${money(9_775)}, off by ${money(-1_234_567)}.`;
const ROWS: readonly Row[] = [
  { name: 'COOPERATIVE_ESSAI', figures: [19_550, -9_775], what: SENTENCE },
  { name: 'M1', figures: [0], what: 'short' },
];
const COLUMNS: readonly TableColumn<Row>[] = [
  { head: 'merchant', cell: ({ name }) => name },
  { head: 'amount', align: 'right', cell: ({ figures }) => figures.map(money).join('\n') },
  { head: 'what', wraps: 70, cell: ({ what }) => what },
];

function terminalOf(width: number | null): Terminal {
  const progress = () => ({ update: () => {}, stop: () => {} });
  return { out: () => {}, note: () => {}, colour: false, width, progress };
}

test.each([null, 40, 60, 72, 80, 100, 120, 200])(
  'at a width of %s, no number is cut and no word is lost',
  (width) => {
    const text = tableText(terminalOf(width), COLUMNS, ROWS);
    for (const figure of ['19 550', '9 775', '−1 234 567', '−9 775'])
      expect(text).toContain(figure);
    const words = text.replaceAll(/[^\p{L}\p{N}−_:.,\s-]/gu, ' ').split(/\s+/);
    for (const word of SENTENCE.split(' ')) expect(words).toContain(word);
    const longest = Math.max(...text.split('\n').map((line) => line.length));
    expect(longest).toBeLessThanOrEqual(width ?? 120);
  },
);

test('where the columns do not fit side by side, each row is printed by itself, a line a column', () => {
  const text = tableText(terminalOf(48), COLUMNS, ROWS);
  expect(text).not.toContain('│');
  expect(text).toContain('amount    19 550 · −9 775\n');
  expect(text.split('\n\n')).toHaveLength(2);
});

test('a table without a text to wrap is left as it is where it fits, and printed row by row where it does not', () => {
  const figures = COLUMNS.slice(0, 2);
  expect(tableText(terminalOf(80), figures, ROWS)).toBe(tableText(terminalOf(null), figures, ROWS));
  expect(tableText(terminalOf(20), figures, ROWS)).toContain('merchant  COOPERATIVE_ESSAI');
});

test('a line is broken between words alone: a word that is too long stays whole, and so does a number', () => {
  expect(wrapText('paid 12 345 678 to somebody', 8)).toBe('paid\n12 345 678\nto\nsomebody');
  expect(wrapText('line 108 of 5 000', 9)).toBe('line 108\nof 5 000');
  expect(wrapText('a\nb c', 80)).toBe('a\nb c');
});
