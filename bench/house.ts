// `npm run house`: prints the rooms of src with their lines, their files, their longest files and
// functions, and who imports whom, for a person to judge; with --since, also what a change made of
// it. It holds nothing against a ceiling.

import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { parseSync, Visitor } from 'oxc-parser';
import {
  importedPaths,
  ROOT,
  readSources,
  roomOf,
  type Source,
  sourceOf,
} from '../test/support/house.ts';
import { grouped } from './table.ts';

const HELP = `Usage: npm run house -- [options]

Options:
  --since COMMIT  beside each figure what it was at that commit, and the files that changed most
  --room NAME     the files of one room, each with its longest functions
  --help          this text

Examples:
  npm run house
  npm run house -- --since HEAD~20
  npm run house -- --room kernel

Exit status: 0 printed · 2 bad usage
`;

const { values } = parseArgs({
  options: {
    since: { type: 'string' },
    room: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

interface FunctionLength {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
}

const sources = readSources();
if (values.help) process.stdout.write(HELP);
else if (values.room === undefined) printHouse();
else if (sources.some(({ room }) => room === values.room)) printRoom(values.room);
else {
  process.stderr.write(
    `No room is called ${values.room}: ${[...new Set(sources.map(({ room }) => room))].join(', ')}\n`,
  );
  process.exitCode = 2;
}

function printHouse(): void {
  const before = values.since === undefined ? null : sourcesAt(values.since);
  const table = tableOf(['room', 'lines', 'comments', 'files', 'longest file', 'longest function']);
  for (const [room, files] of byRoom(sources)) {
    const then = before?.filter((source) => source.room === room);
    const [longest] = files.toSorted((a, b) => linesOf(b) - linesOf(a));
    const functions = files.flatMap((file) => functionsOf(file).map((one) => ({ ...one, file })));
    const [long] = functions.toSorted((a, b) => b.lines - a.lines);
    table.push([
      `${files[0]!.door}/${room}`,
      compared(sumOf(files, linesOf), then && sumOf(then, linesOf)),
      compared(sumOf(files, commentLinesOf), then && sumOf(then, commentLinesOf)),
      compared(files.length, then?.length),
      `${shortened(longest!)} ${linesOf(longest!)}`,
      long === undefined ? '' : `${long.name} ${long.lines}, ${shortened(long.file)}:${long.line}`,
    ]);
  }
  table.push([
    'src',
    compared(sumOf(sources, linesOf), before && sumOf(before, linesOf)),
    compared(sumOf(sources, commentLinesOf), before && sumOf(before, commentLinesOf)),
    compared(sources.length, before?.length),
    '',
    '',
  ]);
  process.stdout.write(`${table.toString()}\n\n`);
  printArrows();
  if (before !== null) printChanges(before);
}

/**
 * Prints, for each room, the rooms that its files import, with how many files do, and the rooms
 * that import it.
 */
function printArrows(): void {
  const table = tableOf(['room', 'imports (files that do)', 'is imported by'], [12, 72, 72]);
  const rooms = [...byRoom(sources)];
  const targets = rooms.map(([room, files]) => {
    const reached = files.flatMap((file) => [...new Set(importedPaths(file).map(roomOf))]);
    return Map.groupBy(
      reached.filter((other) => other !== room),
      (other) => other,
    );
  });
  for (const [i, [room]] of rooms.entries()) {
    const imports = [...targets[i]!].map(([other, files]) => `${other} ${files.length}`);
    const importers = rooms.filter((_, j) => targets[j]!.has(room)).map(([other]) => other);
    table.push([room, imports.join(', '), importers.join(', ')]);
  }
  process.stdout.write(`${table.toString()}\n`);
}

/** Prints the twenty files whose length changed most. */
function printChanges(before: readonly Source[]): void {
  const paths = new Set([...before, ...sources].map(({ path }) => path));
  const linesBy = (list: readonly Source[]) =>
    new Map(list.map((source) => [source.path, linesOf(source)]));
  const [then, now] = [linesBy(before), linesBy(sources)];
  const changes = [...paths]
    .map((path) => ({ path, change: (now.get(path) ?? 0) - (then.get(path) ?? 0) }))
    .filter(({ change }) => change !== 0)
    .toSorted((a, b) => Math.abs(b.change) - Math.abs(a.change));
  const table = tableOf(['file', 'lines']);
  for (const { path, change } of changes.slice(0, 20))
    table.push([
      `${path}${then.has(path) ? '' : ' (new)'}${now.has(path) ? '' : ' (gone)'}`,
      signed(change),
    ]);
  process.stdout.write(
    `\n${changes.length} files changed their length since ${values.since}:\n${table.toString()}\n`,
  );
}

function printRoom(room: string): void {
  const table = tableOf(['file', 'lines', 'comments', 'longest functions']);
  const files = sources
    .filter((source) => source.room === room)
    .toSorted((a, b) => linesOf(b) - linesOf(a));
  for (const file of files) {
    const longest = functionsOf(file).toSorted((a, b) => b.lines - a.lines);
    table.push([
      shortened(file),
      grouped(linesOf(file)),
      grouped(commentLinesOf(file)),
      longest
        .slice(0, 3)
        .map(({ name, lines }) => `${name} ${lines}`)
        .join(', '),
    ]);
  }
  process.stdout.write(`${table.toString()}\n`);
}

function tableOf(head: string[], colWidths: number[] = []): InstanceType<typeof Table> {
  const colAligns = head.map((name) =>
    /^(?:lines|comments|files)$/.test(name) ? 'right' : 'left',
  );
  return new Table({
    head,
    colAligns,
    colWidths,
    wordWrap: true,
    style: { head: [], border: [], compact: true },
  });
}

function byRoom(list: readonly Source[]): ReadonlyMap<string, readonly Source[]> {
  return Map.groupBy(list, ({ room }) => room);
}

function sourcesAt(commit: string): readonly Source[] {
  const git = (words: readonly string[]): string =>
    execFileSync('git', words, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 28 });
  const paths = git(['ls-tree', '-r', '--name-only', commit, 'src'])
    .split('\n')
    .filter((path) => /\.[jt]s$/.test(path));
  return paths.map((path) => sourceOf(path, git(['show', `${commit}:${path}`])));
}

function linesOf({ text }: Source): number {
  return text.split('\n').length - 1;
}

/** Counts the lines on which nothing but a comment is written. */
function commentLinesOf({ text }: Source): number {
  return text.split('\n').filter((line) => /^\s*(?:\/\/|\/\*|\*)/.test(line)).length;
}

/** Returns the functions that have a name: declared, or the value of a variable or of a field. */
function functionsOf({ path, text }: Source): readonly FunctionLength[] {
  const found: FunctionLength[] = [];
  const lineAt = (place: number): number => text.slice(0, place).split('\n').length;
  const add = (
    name: { readonly start: number; readonly end: number },
    whole: { start: number; end: number },
  ): void => {
    const line = lineAt(whole.start);
    found.push({
      name: text.slice(name.start, name.end),
      line,
      lines: lineAt(whole.end) - line + 1,
    });
  };
  const isFunction = (type: string | undefined): boolean =>
    type === 'ArrowFunctionExpression' || type === 'FunctionExpression';
  new Visitor({
    FunctionDeclaration: (node) => void (node.id && add(node.id, node)),
    VariableDeclarator: (node) =>
      void (
        isFunction(node.init?.type) &&
        add(
          {
            start: node.id.start,
            end: node.id.start + (/^\w+/.exec(text.slice(node.id.start))?.[0].length ?? 0),
          },
          node,
        )
      ),
    Property: (node) => void (isFunction(node.value.type) && add(node.key, node)),
    MethodDefinition: (node) => void add(node.key, node),
  }).visit(parseSync(path, text).program);
  return found;
}

function sumOf(files: readonly Source[], lengthOf: (source: Source) => number): number {
  return files.reduce((sum, file) => sum + lengthOf(file), 0);
}

function shortened({ path, door, room }: Source): string {
  return path.replace(`src/${door}/`, '').replace(`${room}/`, '');
}

function compared(now: number, then: number | null | undefined): string {
  if (then === null || then === undefined) return grouped(now);
  return `${grouped(now)} (${signed(now - then)})`;
}

function signed(change: number): string {
  return change === 0 ? '0' : `${change > 0 ? '+' : '−'}${Math.abs(change)}`;
}
