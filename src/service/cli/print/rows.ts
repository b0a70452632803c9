// Rows of a head and a text, as wide as the terminal; texts from outside stay on their line.

import { printable } from '../../../core/domain/printable.ts';
import type { Terminal } from '../stage/terminal.ts';
import { wrapText } from './table.ts';

const HEAD = 13;

export type Print = (head: string, text: string | null) => void;

/** Rows of a head and a text, wrapped beside it; null: none. */
export function rowsOf(terminal: Terminal): Print {
  return (head, text) => {
    if (text === null) return;
    const room = (terminal.width ?? 120) - 1 - HEAD;
    const wrapped = wrapText(printable(text), Math.max(24, room)).replaceAll('\n', `\n${' '.repeat(HEAD)}`);
    terminal.out(`${head.padEnd(HEAD)}${wrapped}\n`);
  };
}
