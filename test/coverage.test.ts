// test/COVERAGE.md says, for every row of the service's two documents, which test shows it. Each of
// those tests exists, no row is left out, and the number of open rows only falls.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../src/core/kernel/checks/port/kinds.ts';

/** Rows that are still open, by side. These numbers may fall, and must never rise. */
const OPEN = { engine: 0, sandbox: 0 };
/** Rows of the direct API's document (D), and of the dashboard's (M). */
const COUNTS = { D: 190, M: 158 };

const root = import.meta.dirname;
const document = readFileSync(join(root, 'COVERAGE.md'), 'utf8');
const kinds = new Set<string>(CATALOGUE.flatMap((section) => section.kinds));

interface Row {
  readonly id: string;
  readonly engine: string;
  readonly sandbox: string;
}

const rows: readonly Row[] = document
  .split('\n')
  .filter((line) => /^\| [DM]\d/.test(line))
  .map((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    expect(cells.length, line).toBe(6);
    const [, id, said, engine, sandbox] = cells as [string, string, string, string, string];
    expect(said, id).not.toBe('');
    return { id, engine, sandbox };
  });
const cells = rows.flatMap(({ id, engine, sandbox }) => [
  { place: `${id} engine`, cell: engine },
  { place: `${id} sandbox`, cell: sandbox },
]);

/** Matches a literal in any of the three quotes. What it says is in the group of its quote. */
const LITERAL = `(?:${["'", '"', '`'].map((quote) => `${quote}((?:\\\\.|[^${quote}\\\\])*)${quote}`).join('|')})`;
/** Matches what follows `test(`, `test.each(…)(` and the like, where a function comes after it. */
const TITLE = new RegExp(
  String.raw`(?:\b(?:test|it)(?:\.\w+)*|\))\(\s*${LITERAL},\s*(?:\{[^}]*\},\s*)?(?:async\b|\(|\w+ =>)`,
  'g',
);
/**
 * Matches what a row of `test.each([ … ])` begins with, which is its title where the test is called
 * '%s'.
 */
const FIRST_OF_ROW = new RegExp(String.raw`\[\s*${LITERAL},`, 'g');

const titlesKnown = new Map<string, readonly string[]>();

/**
 * Returns the titles in a file below `test`, as they are written there; `null` where there is no
 * such file.
 */
function titlesIn(name: string): readonly string[] | null {
  const path = [`${name}.test.ts`, `${name}.ts`]
    .map((file) => join(root, file))
    .find((file) => existsSync(file));
  if (path === undefined) return null;
  const known = titlesKnown.get(path);
  if (known !== undefined) return known;
  const text = readFileSync(path, 'utf8');
  const found = (pattern: RegExp) =>
    [...text.matchAll(pattern)].map((match) => match.slice(1).find((said) => said)!);
  const named = found(TITLE);
  const titles = named.some((title) => title?.includes('%s'))
    ? [...named, ...found(FIRST_OF_ROW)]
    : named;
  const written = titles.flatMap((title) => title?.replace(/\\(.)/g, '$1') ?? []);
  titlesKnown.set(path, written);
  return written;
}

/** Returns why a proof proves nothing; `null` where it proves something. */
function faultOf(proof: string): string | null {
  const kind = /^`([A-Z_]+)`$/.exec(proof)?.[1];
  if (kind !== undefined) return kinds.has(kind) ? null : `${kind} is no kind`;
  const named = /^`([\w/-]+)` "([^"]+)"$/.exec(proof);
  if (named === null) return `${proof} names no test`;
  const titles = titlesIn(named[1]!);
  if (titles === null) return `there is no test/${named[1]}.test.ts`;
  return titles.some((title) => title.includes(named[2]!))
    ? null
    : `${named[1]} has no test "${named[2]}"`;
}

describe('every row of the two documents', () => {
  test('is there, in order and without a gap', () => {
    const ids = Object.entries(COUNTS).flatMap(([letter, count]) =>
      Array.from({ length: count }, (_, i) => `${letter}${i + 1}`),
    );
    expect(rows.map(({ id }) => id)).toEqual(ids);
  });

  test('says of both sides that it works, is not applicable, or is open, and why', () => {
    const without = cells.filter(({ cell }) => !/^(?:works|n\/a|open): \S.*\w\W*$/.test(cell));
    expect(without).toEqual([]);
  });

  test('that works is shown by tests that are there', () => {
    const proofs = cells.flatMap(({ place, cell }) =>
      cell.startsWith('works: ')
        ? cell
            .slice(7)
            .split('; ')
            .map((proof) => ({ place, proof }))
        : [],
    );
    expect(proofs.length).toBeGreaterThan(300);
    const faults = proofs.flatMap(({ place, proof }) => {
      const fault = faultOf(proof);
      return fault === null ? [] : [`${place}: ${fault}`];
    });
    expect(faults).toEqual([]);
  });

  test('is open no more often than is written down here', () => {
    const isOpen = (cell: string): boolean => cell.startsWith('open: ');
    expect({
      engine: rows.filter(({ engine }) => isOpen(engine)).length,
      sandbox: rows.filter(({ sandbox }) => isOpen(sandbox)).length,
    }).toEqual(OPEN);
  });
});

test('a proof that is none is found', () => {
  expect(faultOf('`REFERENCE_TYPE_MISMATCH`')).toBeNull();
  expect(faultOf('`NO_SUCH_KIND`')).toBe('NO_SUCH_KIND is no kind');
  expect(faultOf('`coverage` "a proof that is none is found"')).toBeNull();
  expect(faultOf('`coverage` "no such title"')).toBe('coverage has no test "no such title"');
  expect(faultOf('`coverage` "Why a proof proves nothing"')).toBe(
    'coverage has no test "Why a proof proves nothing"',
  );
  expect(faultOf('`unit/nowhere` "x"')).toBe('there is no test/unit/nowhere.test.ts');
  expect(faultOf('by hand')).toBe('by hand names no test');
});
