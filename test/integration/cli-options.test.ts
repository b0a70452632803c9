// Every option of every command: an option that does not exist, and a value that has no such name,
// are refused in a sentence that says so, before anything is opened.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/service/cli/program.ts';
import { stageOf } from '../../src/service/cli/stage/stage.ts';
import { pointage } from '../support/command.ts';

const scratch = mkdtempSync(join(tmpdir(), 'pointage-options-'));
const store = join(scratch, 'none');
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Options whose values are names, or have a form. */
const NAMED = new Set([
  '--format',
  '--state',
  '--severity',
  '--kind',
  '--lang',
  '--phone-numbers',
  '--limit',
  '--port',
  '--hours',
  '--since',
  '--as-of',
  '--until',
  '--merchants',
  '--faults',
  '--misbehaviours',
  '--fates',
  '--partners',
  '--notify',
]);
const BOOKS = join(import.meta.dirname, '../../docs/example-books');
/** The arguments that commands need beside their options. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  merchant: 'EPICERIE_EXEMPLE',
  period: '2026-10',
  day: '2026-10-31',
  fingerprint: 'ffff0000',
  id: '1f658be6',
  shell: 'bash',
  what: 'GUI-CO-1',
  kind: 'BALANCE_DRIFT',
  action: 'acknowledge',
};

interface Known {
  readonly words: readonly string[];
  readonly takes: readonly string[];
  readonly needs: readonly string[];
  readonly options: readonly { readonly long: string; readonly takesValue: boolean }[];
}

function knownIn(command: Command, words: readonly string[]): readonly Known[] {
  if (command.commands.length > 0)
    return command.commands.flatMap((one) => knownIn(one, [...words, one.name()]));
  const takes = command.registeredArguments.map(
    (argument) => ARGUMENTS[argument.name()] ?? argument.name(),
  );
  const options = command.options.map(({ long, required, optional }) => ({
    long: long!,
    takesValue: required || optional,
  }));
  const needs = command.options.flatMap(({ long, mandatory }) =>
    mandatory ? [long!, long === '--expect' ? '1' : 'a@example.com'] : [],
  );
  return [{ words, takes, needs, options }];
}

const terminal = {
  out: () => {},
  note: () => {},
  colour: false,
  width: null,
  progress: () => ({ update() {}, stop() {} }),
};
const known = (
  await Promise.all(
    COMMANDS.map(async ({ name, load }) => {
      const command = new Command(name);
      (await load())(command, stageOf(terminal, {}));
      return knownIn(command, [name]);
    }),
  )
).flat();

describe.each(known.map((one) => [one.words.join(' '), one] as const))(
  'pointage %s',
  (_, { words, takes, needs, options }) => {
    const has = (name: string) => options.some(({ long }) => long === name);
    const where = [
      ...(has('--data-directory') ? ['--data-directory', store] : []),
      ...(has('--source') ? ['--source', `file:${BOOKS}`] : []),
    ];

    test('refuses an option that there is not, and names the one that is near', async () => {
      const [first] = options;
      const wrong = first === undefined ? '--nonsense' : `${first.long}x`;
      const { status, out, err } = await pointage([...words, ...takes, ...needs, wrong]);
      expect([status, out]).toEqual([3, '']);
      expect(err).toMatch(new RegExp(`^error: unknown option '${wrong}'`));
      if (first !== undefined) expect(err).toContain(`Did you mean ${first.long}?`);
    });

    const named = options.filter(({ long, takesValue }) => takesValue && NAMED.has(long));
    test.runIf(named.length > 0).each(named.map(({ long }) => long))(
      'refuses a value of %s that it does not know',
      async (long) => {
        const { status, out, err } = await pointage([
          ...words,
          ...takes,
          ...needs,
          ...where,
          long,
          'nonsense',
        ]);
        expect([status, out, err]).toEqual([
          3,
          '',
          expect.stringMatching(new RegExp(`nonsense|${long}`)),
        ]);
        expect(err).not.toMatch(/^\s+at /m);
        expect(existsSync(store), 'nothing was made').toBe(false);
      },
    );
  },
);

test('all commands were seen, and most of their options', () => {
  expect(known.length).toBeGreaterThan(25);
  expect(known.flatMap(({ options }) => options).length).toBeGreaterThan(100);
});
