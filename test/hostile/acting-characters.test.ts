// What comes from outside is shown on a terminal and in sentences, and never acts there.

import { expect, test } from 'vitest';
import { harmless } from '../../src/cli/terminal.ts';
import { printable } from '../../src/domain/printable.ts';
import { rawEntry } from '../contract/source-rows.ts';
import { pointageProcess } from '../support/command.ts';
import { makeFolder, toLines } from './book-folder.ts';

const FORGED = 'X\u001b[2J\r\n✓ clean\u202e';

test('a sentence keeps to its line, whatever stands in it', () => {
  expect(printable(FORGED)).toBe('X\\u001b[2J\\u000d\\u000a✓ clean\\u202e');
  expect(printable('Étal du marché 🎉')).toBe('Étal du marché 🎉');
});

test('what is written to a terminal has lines, tabs and colours, and nothing else that acts', () => {
  expect(harmless('\u001b[31mred\u001b[0m\ta\n')).toBe('\u001b[31mred\u001b[0m\ta\n');
  expect(harmless('a\u001b[2Jb\u001b]0;title\u0007c\rd\u009be')).toBe(
    'a\\u001b[2Jb\\u001b]0;title\\u0007c\\u000dd\\u009be',
  );
});

test('an audit of books with such characters prints no line that they forge', async () => {
  const folder = await makeFolder({
    'ledger.jsonl': toLines([rawEntry({ sequence: 1, kind: FORGED }), 'not JSON \u001b[2J']),
  });
  const { out } = await pointageProcess(['audit', '--source', `file:${folder}`]);
  expect(out).toContain('X\\u001b[2J\\u000d\\u000a✓ clean\\u202e');
  expect(out.split('\n').filter((line) => line.startsWith('✓ clean'))).toEqual([]);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  expect(out).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
});
