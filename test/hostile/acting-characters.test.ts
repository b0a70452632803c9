// Texts from outside are shown on a terminal and in sentences, and never act there.

import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandLine, printable, shellWord } from '../../src/core/domain/printable.ts';
import { oneLine } from '../../src/io/formats/port/one-line.ts';
import { writeCell } from '../../src/io/formats/text/layout.ts';
import { printChanges } from '../../src/service/cli/commands/run-command.ts';
import type { Stage } from '../../src/service/cli/stage/stage.ts';
import { harmless, type Terminal } from '../../src/service/cli/stage/terminal.ts';
import { openLog } from '../../src/service/log.ts';
import type { RunOutcome } from '../../src/service/workflows/nightly/run-merchants.ts';
import { rawEntry } from '../contract/source-rows.ts';
import { assertProperty } from '../support/assert-property.ts';
import { pointageProcess } from '../support/command.ts';
import { makeFolder, toLines } from './book-folder.ts';

const FORGED = 'X\u001b[2J\r\n✓ clean\u202e';

test('a sentence keeps to its line, whatever it holds', () => {
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

const COLOURED = 'M1\u001b[31m\u001b[8m\n✓ clean';

test('a reference does not paint or break the lines of what a run changed', () => {
  const lines: string[] = [];
  const terminal = {
    out: (text: string) => void lines.push(harmless(text)),
    colour: false,
  } as Terminal;
  const finding = {
    kind: 'BALANCE_DRIFT',
    fingerprint: 'f00d',
    causedBy: null,
    severity: 'critical',
    message: COLOURED,
  };
  const report = { merchant: COLOURED, findings: [finding] };
  const changes = {
    added: ['f00d'],
    resolved: ['a'],
    settled: ['b'],
    reopened: ['c'],
    changed: ['d'],
  };
  const merchant = { report, changes, isAltered: true, entriesAdded: 1, operationsChanged: 0 };
  printChanges({ terminal } as Stage, { runId: 1, merchants: [merchant] } as unknown as RunOutcome);
  const text = lines.join('');
  expect(text.match(/M1\\u001b\[31m\\u001b\[8m\\u000a✓ clean/g)).toHaveLength(7);
  expect(text.split('\n').filter((line) => line.startsWith('✓'))).toEqual([]);
  expect(text).not.toContain('\u001b');
});

test('a cell of CSV acts on no spreadsheet, terminal or page', () => {
  for (const cell of ['=1+1', '\u00a0=1', '\u200b=1', ' \ufeff+1', '\u2060@A', '＝1', '\t-1'])
    expect(writeCell(cell).replace(/^"/, ''), JSON.stringify(cell)).toMatch(/^'/);
  expect(writeCell('a\u001b[31mb\u0007\u0001\r\nc\u202ed')).toBe('a [31mb cd');
  expect(writeCell('Étal – 5 = 5')).toBe('Étal – 5 = 5');
});

test('a text in a mail or a document turns no direction of writing', () => {
  expect(oneLine('\u202eMarchand\u2066 A\n')).toBe('Marchand A');
});

test('a line of the log holds escapes of what would act, and is JSON all the same', () => {
  const lines: string[] = [];
  openLog('info', (line) => void lines.push(line)).write({
    event: 'x',
    merchant: FORGED,
    other: '\u009b\u2028',
  });
  expect(lines[0]).toMatch(/^[^\n]*\n$/);
  expect(lines[0]).not.toMatch(/[\u0080-\u009f\u2028\u202e]/);
  expect(JSON.parse(lines[0]!)).toMatchObject({ merchant: FORGED, other: '\u009b\u2028' });
});

const SHELL_SIGNS = [
  '=cmd|calc',
  '<script>',
  '$(id)',
  '`id`',
  '~',
  '!!',
  '*',
  ';',
  '&',
  "'",
  '"',
  '\\',
  ' ',
  '\n',
  '#',
  '-x',
];
const SHELL_TEXTS = fc
  .array(fc.constantFrom(...SHELL_SIGNS, 'M001', 'é', 'محل', '\u001b[2J', '\u202e', '\u0007a'), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join(''));

test('a command that is printed gives its arguments to a shell as they are, and acts on no terminal', () => {
  assertProperty(
    fc.property(fc.array(SHELL_TEXTS, { minLength: 1, maxLength: 30 }), (texts) => {
      const line = commandLine('statement release', ...texts);
      expect(printable(line)).toBe(line);
      const script = `pointage() { printf '%s\\0' "$@"; }; ${line}`;
      const env = { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' };
      const given = execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8', env })
        .split('\0')
        .slice(2, -1);
      expect(given.filter((one, i) => one !== '--' || i > 0)).toEqual(texts);
      expect(given[0] === '--').toBe(texts.some((text) => text.startsWith('-')));
    }),
    { runs: 20 },
  );
  expect(commandLine('show', 'M001#124', 'GUI-CI-1', '2026-10')).toBe(
    'pointage show M001#124 GUI-CI-1 2026-10',
  );
  expect(shellWord('')).toBe("''");
});

test('every printed command with a text from outside is put together by one function', () => {
  const src = join(import.meta.dirname, '../../src');
  const files = globSync('{core,io,service}/**/*.ts', { cwd: src });
  expect(files.length).toBeGreaterThan(500);
  // A numbered command is the name of a form.
  const commands =
    'audit|audit-kit|deliveries|evidence|findings|merchants|operator|run|show|statement';
  const filled = new RegExp(
    `\\bpointage (?:${commands}) (?!decide ACTION|1")[^\`'\\n]*\\$\\{(?!shellWord)`,
    'g',
  );
  const bare = files.flatMap((file) =>
    [...readFileSync(join(src, file), 'utf8').matchAll(filled)].map(
      ([found]) => `${file}: ${found}`,
    ),
  );
  expect(bare).toEqual([]);
});
