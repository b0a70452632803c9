// What commands write to and how: results on stdout, progress and notes on stderr, colour and bars
// only for a person.

import { createRequire } from 'node:module';
import { ACTING, printable } from '../../../core/domain/printable.ts';

export interface Terminal {
  out(text: string): void;
  note(text: string): void;
  readonly colour: boolean;
  /** In characters; null: it is no terminal, and takes lines of any length. */
  readonly width: number | null;
  /** A progress bar on stderr when it is a terminal, otherwise silent. `total` null: unknown. */
  progress(label: string, total: number | null): Progress;
}

export interface Progress {
  update(done: number): void;
  stop(): void;
}

export function processTerminal(): Terminal {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader may stop reading, as `| head` does: that ends the command, and is no failure.
    if (error.code === 'EPIPE') process.exit(0);
    const why = `standard output cannot be written (${error.message}): what this command printed is not whole`;
    failOnce(`pointage: ${why}; whatever it saved is saved.\n`);
  });
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') failOnce(null);
  });
  return {
    out: (text) => void process.stdout.write(harmless(text)),
    note: (text) => void process.stderr.write(harmless(text)),
    colour: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
    width: process.stdout.columns ?? null,
    progress: (label, total) =>
      process.stderr.isTTY === true ? barOf(printable(label), total) : silent,
  };
}

let hasFailed = false;

/**
 * Handles an output that cannot be written, for example on a full disk. The command goes on,
 * because its work is not what it prints, and ends with status 3. `null` prints no sentence.
 */
function failOnce(sentence: string | null): void {
  if (hasFailed) return;
  hasFailed = true;
  process.on('exit', () => {
    process.exitCode = 3;
  });
  if (sentence !== null) process.stderr.write(sentence);
}

const COLOUR = '\u001b\\[[\\d;]*m';
/**
 * Matches a colour, or a character that acts on a terminal by itself. Line feeds, tabs and colours
 * are ours; all other such characters come from outside, and are shown as escapes.
 */
const ACTING_ALONE = new RegExp(`${COLOUR}|(?![\n\t])[${ACTING}]`, 'gu');

export function harmless(text: string): string {
  return text.replace(ACTING_ALONE, (found) => (found.length > 1 ? found : printable(found)));
}

const silent: Progress = { update: () => {}, stop: () => {} };

function barOf(label: string, total: number | null): Progress {
  const format =
    total === null
      ? `${label} {value} lines`
      : `${label} {bar} {percentage} % · {value}/{total} · {eta_formatted}`;
  // Loaded when it is needed: most of what runs a command is a program, and sees no bar.
  const { Presets, SingleBar } = createRequire(import.meta.url)(
    'cli-progress',
  ) as typeof import('cli-progress');
  const bar = new SingleBar(
    { format, hideCursor: true, clearOnComplete: true, fps: 8 },
    Presets.shades_grey,
  );
  bar.start(total ?? 1, 0);
  return {
    update(done) {
      if (total !== null && done > total) bar.setTotal(done);
      bar.update(done);
    },
    stop: () => bar.stop(),
  };
}

const CODES = { red: 31, green: 32, yellow: 33, cyan: 36, grey: 90, bold: 1 } as const;

export function paint(terminal: Terminal, colour: keyof typeof CODES, text: string): string {
  return terminal.colour ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text;
}

/**
 * Shows one progress bar after the other, one for each merchant, with its number like `[3/12]`
 * where the number of merchants is known.
 */
export function barsOf(terminal: Pick<Terminal, 'progress'>) {
  let progress = terminal.progress('', null);
  let begun = 0;
  progress.stop();
  return {
    /**
     * Begins the bar of the next merchant. `expected` is the number of lines to come; `null`:
     * unknown.
     */
    next(merchant: string, expected: number | null, of?: number) {
      progress.stop();
      begun += 1;
      progress = terminal.progress(
        of === undefined ? merchant : `[${begun}/${of}] ${merchant}`,
        expected,
      );
      return (entries: number) => progress.update(entries);
    },
    stop: () => progress.stop(),
    [Symbol.dispose]: () => progress.stop(),
  };
}
