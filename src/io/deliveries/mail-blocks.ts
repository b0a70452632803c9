// What a mail is put together from: lines, and rows of figures, as plain text and as simple HTML of the same words, without pictures
// or scripts. Whatever comes from outside is escaped here, and one line before.

import type { Language } from '../../core/statements/statement.ts';
import { fill } from '../../core/words/message.ts';
import { typeset } from '../formats/port/one-line.ts';
import type { MailTemplate } from '../formats/port/template.ts';
import { xmlText } from '../formats/port/xml-text.ts';

/** A part of a mail, one under the other. */
export type Block =
  | { readonly line: string; readonly title?: string }
  | { readonly note: string }
  | { readonly rows: readonly FigureRow[] };

export interface FigureRow {
  readonly name: string;
  readonly figure: string;
  /** Bold: a balance or a total, and not a part of one. */
  readonly isBold: boolean;
}

export const linesOf = (texts: readonly string[]): readonly Block[] => texts.map((line) => ({ line }));

export function textOf(blocks: readonly Block[], { words }: MailTemplate): string {
  const parts = blocks.map((block) => {
    if ('note' in block) return `-- \n${block.note}`;
    if ('line' in block) return block.title === undefined ? block.line : `${block.title}\n${block.line}`;
    return block.rows.map(({ name, figure }) => fill(words.pair, { name, value: figure })).join('\n');
  });
  return `${parts.join('\n\n')}\n`;
}

const CELL = 'padding:2px 12px 2px 0';
const FIGURE = `${CELL};text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap`;
const NOTE = 'color:#666;font-size:smaller';

export function htmlOf(blocks: readonly Block[], language: Language): string {
  const body = blocks.map((block) => {
    if ('note' in block) return `<p style="${NOTE}">${escaped(block.note)}</p>`;
    if ('rows' in block) return `<table>\n${block.rows.map(rowOf).join('\n')}\n</table>`;
    const title = block.title === undefined ? '' : `<b>${escaped(block.title)}</b><br>`;
    return `<p>${title}${escaped(block.line)}</p>`;
  });
  return `<!doctype html>\n<html lang="${language}">\n<body style="font-family:sans-serif">\n${body.join('\n')}\n</body>\n</html>\n`;
}

function escaped(text: string): string {
  return xmlText(typeset(text));
}

function rowOf({ name, figure, isBold }: FigureRow): string {
  const weight = isBold ? ';font-weight:bold' : '';
  return `<tr><td style="${CELL}${weight}">${escaped(name)}</td><td style="${FIGURE}${weight}">${xmlText(figure)}</td></tr>`;
}
