// Lines that hold a text are found wherever the file is cut into pieces, and not at all where the
// text could be escaped.

import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findLines } from '../../../../src/io/sources/file/event-stream.ts';

function find(content: string, readSize: number): readonly number[] | null {
  const folder = mkdtempSync(join(tmpdir(), 'pointage-test-'));
  const path = join(folder, 'events.jsonl');
  writeFileSync(path, content);
  const fd = openSync(path, 'r');
  try {
    return findLines(
      {
        name: 'events.jsonl',
        handle: { fd, close: async () => {} },
        size: Buffer.byteLength(content),
        cutOff: null,
      },
      'wallet.adjusted',
      readSize,
    );
  } finally {
    closeSync(fd);
    rmSync(folder, { recursive: true });
  }
}

describe('the lines that hold a text', () => {
  const lines = [
    'wallet',
    '"wallet.adjusted"',
    '',
    'é wallet.adjuste',
    'wallet.adjusted wallet.adjusted',
    'last wallet.adjusted',
  ];
  const content = lines.join('\n');
  const starts = [7, 44, 76];

  test('are found in order, each once, whatever is read at a time', () => {
    for (const [i, start] of starts.entries()) {
      expect(Buffer.from(content).subarray(start).toString()).toMatch(
        [/^"wallet\.adj/, /^wallet\.adjusted w/, /^last/][i]!,
      );
    }
    for (let size = 1; size < 100; size += 1)
      expect(find(content, size), `${size} bytes at a time`).toEqual(starts);
  });

  test('begin after the mark that a file may begin with', () => {
    expect(find('\ufeffwallet.adjusted\n', 4)).toEqual([3]);
  });

  test('are none in an empty file, and in one that lacks it', () => {
    expect(find('', 8)).toEqual([]);
    expect(find('wallet.adjuste\nd', 8)).toEqual([]);
  });

  test('are not known where any text is escaped', () => {
    for (let size = 1; size < 30; size += 1)
      expect(find('wallet.adjusted\n"w\\u0061llet"', size)).toBeNull();
  });
});
