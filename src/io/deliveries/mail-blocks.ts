// The blocks of a mail, as plain text and as simple HTML with the same words, without pictures or
// scripts. Links lead only into the console. Texts from outside are escaped here, and must be on
// one line before.

import { FROM_THE_RIGHT } from '../../core/domain/printable.ts';
import type { Language } from '../../core/statements/statement.ts';
import { fill } from '../../core/words/finding.ts';
import { typeset } from '../formats/port/one-line.ts';
import type { MailTemplate } from '../formats/port/template.ts';
import { xmlText } from '../formats/port/xml-text.ts';

/** One of the parts of a mail, which stand below each other. */
export type Block =
  | { readonly line: string; readonly title?: string; readonly links?: readonly Link[] }
  /** Small print, of one or several lines. */
  | { readonly note: string }
  | { readonly rows: readonly FigureRow[] };

export interface Link {
  readonly name: string;
  readonly url: string;
}

export interface FigureRow {
  readonly name: string;
  readonly figure: string;
  /** True for a balance or a total, which is drawn bold, and not for a part of one. */
  readonly isBold: boolean;
}

export const linesOf = (texts: readonly string[]): readonly Block[] =>
  texts.map((line) => ({ line }));

/**
 * Returns a link into the console; none where the template has no address of the console. `path`
 * must begin with a slash.
 */
export function linksTo(
  { consoleUrl }: MailTemplate,
  name: string,
  path: string,
): { readonly links?: readonly Link[] } {
  return consoleUrl === null
    ? {}
    : { links: [{ name, url: `${consoleUrl.replace(/\/+$/, '')}${path}` }] };
}

export function findingLinks(template: MailTemplate, merchant: string, fingerprint: string) {
  return linksTo(
    template,
    fingerprint,
    `/console/findings/${fingerprint}?merchant=${encodeURIComponent(merchant)}`,
  );
}

export function textOf(blocks: readonly Block[], { words }: MailTemplate): string {
  const parts = blocks.map((block) => {
    if ('note' in block) return `-- \n${block.note}`;
    if ('line' in block) {
      const { title = [], line, links = [] } = block;
      return [title, line, links.map(({ url }) => url)].flat().join('\n');
    }
    return block.rows
      .map(({ name, figure }) => fill(words.pair, { name, value: figure }))
      .join('\n');
  });
  return `${parts.join('\n\n')}\n`;
}

const CELL = 'padding:2px 12px 2px 0';
const FIGURE = `${CELL};text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap`;
const NOTE = 'color:#666;font-size:smaller';

export function htmlOf(blocks: readonly Block[], language: Language): string {
  const body = blocks.map((block) => {
    if ('note' in block)
      return `<p style="${NOTE}">${block.note.split('\n').map(escaped).join('<br>')}</p>`;
    if ('rows' in block) return `<table>\n${block.rows.map(rowOf).join('\n')}\n</table>`;
    const title = block.title === undefined ? '' : `<b>${escaped(block.title)}</b><br>`;
    const links = (block.links ?? []).map(
      ({ name, url }) => `<a href="${xmlText(url)}">${escaped(name)}</a>`,
    );
    return `<p>${title}${escaped(block.line)}${links.length === 0 ? '' : `<br>${links.join(' · ')}`}</p>`;
  });
  return `<!doctype html>\n<html lang="${language}">\n<body style="font-family:sans-serif">\n${body.join('\n')}\n</body>\n</html>\n`;
}

/**
 * Escapes a text, which must be on one line. A text with letters that are written from the right is
 * set apart, so that they do not move the words beside it.
 */
function escaped(text: string): string {
  const shown = xmlText(typeset(text));
  return FROM_THE_RIGHT.test(text) ? `<bdi>${shown}</bdi>` : shown;
}

function rowOf({ name, figure, isBold }: FigureRow): string {
  const weight = isBold ? ';font-weight:bold' : '';
  return `<tr><td style="${CELL}${weight}">${escaped(name)}</td><td style="${FIGURE}${weight}">${xmlText(figure)}</td></tr>`;
}
