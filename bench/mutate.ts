// `npm run mutate`: makes one small change at a time to the rules of the core, drawn from a seed,
// and asks whether a test without a database fails for it. Prints each change that no test saw. The
// tests run in copies: the sources of the repository are never touched.

import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pLimit from 'p-limit';
import { drawFrom, seedRandom } from '../src/sandbox/model/random.ts';
import { findMutants, type Mutant, mutated } from './mutation/mutants.ts';

const ROOT = join(import.meta.dirname, '..');

/**
 * The files whose rules are changed: replay, the checks, the books at a cut, roots, corrections,
 * verdict and due.
 */
const RULES = /^src\/core\/kernel\/.*\.ts$/;
const ROOMS = ['test/unit/replay', 'test/unit/checks', 'test/unit/reconcile', 'test/unit/samples'];

/** The tests that are asked, in this order: those that stop soonest where a rule is changed first. */
const NEAR = [['test/property/judged-books'], ROOMS];
const TESTS = [
  ...NEAR,
  ['test/unit/domain', 'test/unit/statements', 'test/unit/workflows'],
  ['test/property', '--exclude=**/judged-books.test.ts'],
];

/**
 * Seconds that every run of the tests stays below. A change that makes a loop endless is seen
 * because it takes longer.
 */
const MOST_SECONDS = 600;

const HELP = `Usage: npm run mutate -- [options]

Options:
  --seed TEXT     decides which changes are made (default: the time)
  --count N       changes (default 300)
  --path TEXT     only in files whose path has this text in it
  --near          asks the tests of the kernel and test/property/judged-books alone: for work on it
  --at-once N     copies that run side by side (default: one for each processor)
  --help          this text

Examples:
  npm run mutate -- --seed 7
  npm run mutate -- --seed 7 --count 40 --path operations/hold --near

A change that no test can see, because the code does the same with it, is argued in bench/mutation/argued.json and counts as
seen.

Exit status: 0 at least 95 of 100 changes were seen · 1 fewer were · 2 bad usage
`;

/**
 * A change that does not alter what the code does, with the reason. `code` is the trimmed line on
 * which the change is made.
 */
interface Argued extends Pick<Mutant, 'path' | 'change' | 'before'> {
  readonly code: string;
  readonly why: string;
}

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: `${Date.now()}` },
    count: { type: 'string', default: '300' },
    path: { type: 'string', default: '' },
    near: { type: 'boolean', default: false },
    'at-once': { type: 'string', default: `${availableParallelism()}` },
    help: { type: 'boolean', default: false },
  },
});
const ASKED = values.near ? NEAR : TESTS;
const [count, atOnce] = [Number(values.count), Number(values['at-once'])];
const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
  .trim()
  .split('\n');
const texts = new Map(
  tracked
    .filter((path) => RULES.test(path) && path.includes(values.path))
    .map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]),
);
if (values.help) process.stdout.write(HELP);
else if (!(count > 0) || !(atOnce > 0) || texts.size === 0) {
  process.stderr.write(HELP);
  process.exitCode = 2;
} else process.exitCode = await mutateAll();

async function mutateAll(): Promise<number> {
  process.stdout.write(
    `npm run mutate -- --seed ${values.seed} --count ${count} --path '${values.path}'\n`,
  );
  const argued: readonly Argued[] = JSON.parse(
    readFileSync(join(ROOT, 'bench/mutation/argued.json'), 'utf8'),
  );
  const mutants = draw([...texts].flatMap(([path, text]) => findMutants(path, text)));
  const copies = Array.from({ length: atOnce }, copyRepository);
  try {
    for (const tests of ASKED)
      if (!(await passes(copies[0]!, tests)))
        throw new Error(`${tests.join(' ')}: a test fails without a change`);
    const free = [...copies];
    const limit = pLimit(atOnce);
    let [seen, same] = [0, 0];
    const ask = async (mutant: Mutant): Promise<void> => {
      if (argued.some((one) => isOf(one, mutant))) {
        same += 1;
        return;
      }
      const copy = free.pop()!;
      if (await isSeen(copy, mutant)) seen += 1;
      else process.stdout.write(`${described(mutant)}\n`);
      free.push(copy);
    };
    await Promise.all(mutants.map((mutant) => limit(ask, mutant)));
    const share = (seen + same) / mutants.length;
    process.stdout.write(
      `${mutants.length} changes: ${seen} seen, ${same} argued, ${mutants.length - seen - same} not seen (${(100 * share).toFixed(1)} % seen)\n`,
    );
    return share < 0.95 ? 1 : 0;
  } finally {
    for (const copy of copies) rmSync(copy, { recursive: true, force: true });
  }
}

/** Draws some of the mutants, none twice, and returns them in the order of drawing. */
function draw(all: readonly Mutant[]): readonly Mutant[] {
  const random = seedRandom(values.seed);
  const drawn = new Set<Mutant>();
  while (drawn.size < Math.min(count, all.length)) drawn.add(drawFrom(random, all));
  return [...drawn];
}

function isOf({ path, change, before, code }: Argued, mutant: Mutant): boolean {
  return (
    path === mutant.path &&
    change === mutant.change &&
    before === mutant.before &&
    code === lineOf(mutant)
  );
}

function lineOf({ path, line }: Mutant): string {
  return texts.get(path)!.split('\n')[line - 1]!.trim();
}

function described(mutant: Mutant): string {
  const { path, line, change, before } = mutant;
  return `${path}:${line} ${change}: ${before.replace(/\s+/g, ' ').slice(0, 100)}\n    ${lineOf(mutant)}`;
}

/** Returns a new folder with what Git tracks, and the installed packages. */
function copyRepository(): string {
  const copy = mkdtempSync(join(tmpdir(), 'pointage-mutate-'));
  for (const path of tracked) cpSync(join(ROOT, path), join(copy, path));
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** Whether a test fails when the change is made. */
async function isSeen(copy: string, mutant: Mutant): Promise<boolean> {
  const file = join(copy, mutant.path);
  const text = texts.get(mutant.path)!;
  writeFileSync(file, mutated(text, mutant));
  try {
    for (const tests of ASKED) if (!(await passes(copy, tests))) return true;
    return false;
  } finally {
    writeFileSync(file, text);
  }
}

function passes(copy: string, words: readonly string[]): Promise<boolean> {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [
    vitest,
    'run',
    '--project=pure',
    ...words,
    '--bail=1',
    '--maxWorkers=1',
    '--reporter=json',
    '--outputFile=results.json',
  ];
  const child = spawn(process.execPath, args, { cwd: copy, stdio: 'ignore', detached: true });
  const clock = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), MOST_SECONDS * 1_000);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => {
      clearTimeout(clock);
      resolve(code === 0);
    });
  });
}
