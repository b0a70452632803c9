// The blocks of a mail as plain text and as HTML without pictures, links or scripts. Whatever comes in is escaped.

import type { Language } from '../../../core/statements/statement.ts';
import { fill } from '../../../core/words/message.ts';
import { typeset } from '../../formats/port/one-line.ts';
import type { MailTemplate } from '../../formats/port/template.ts';
import { xmlText } from '../../formats/port/xml-text.ts';
import type { Block, FigureRow } from './key-figures.ts';

const CELL = 'padding:2px 12px 2px 0';
const FIGURE = `${CELL};text-align:right;font-variant-numeric:tabular-nums`;
const NOTE = 'color:#666;font-size:smaller';

export function textOf(blocks: readonly Block[], { words }: MailTemplate): string {
  const parts = blocks.map((block) => {
    if ('note' in block) return `-- \n${block.note}`;
    if ('line' in block) return block.title === undefined ? block.line : `${block.title}\n${block.line}`;
    return block.rows.map(({ name, figure }) => fill(words.pair, { name, value: figure })).join('\n');
  });
  return `${parts.join('\n\n')}\n`;
}

export function htmlOf(blocks: readonly Block[], language: Language): string {
  const body = blocks.map((block) => {
    if ('note' in block) return `<p style="${NOTE}">${shown(block.note)}</p>`;
    if ('rows' in block) return `<table>\n${block.rows.map(rowOf).join('\n')}\n</table>`;
    const title = block.title === undefined ? '' : `<b>${shown(block.title)}</b><br>`;
    return `<p>${title}${shown(block.line)}</p>`;
  });
  return `<!doctype html>\n<html lang="${language}">\n<body style="font-family:sans-serif">\n${body.join('\n')}\n</body>\n</html>\n`;
}

function shown(text: string): string {
  return xmlText(typeset(text));
}

function rowOf({ name, figure, isBalance }: FigureRow): string {
  const weight = isBalance ? ';font-weight:bold' : '';
  return `<tr><td style="${CELL}${weight}">${shown(name)}</td><td style="${FIGURE}${weight}">${xmlText(figure)}</td></tr>`;
}
