// Text from outside as a spreadsheet can hold it: what XML refuses is shown by a sign that stands for it, what is too long
// ends in an ellipsis. Never makes a formula of a text, and changes nothing else.

import { visibleText } from '../../port/xml-text.ts';

/** Characters that one cell may hold (Office Open XML), counted as Excel counts them: UTF-16 units. */
export const LONGEST_TEXT = 32_767;

const LINE_BREAKS = /\r\n?/g;
/** `_x0041_` in a cell is read as `A`: the underscore is written in that way itself. */
const ESCAPES = /_(?=x[0-9A-Fa-f]{4}_)/g;

/**
 * Line breaks become one form. The text keeps its first characters: `=1+1` stays `=1+1`, because the cell's type, not its
 * text, says that it is no formula.
 */
export function cellText(text: string): string {
  const shown = visibleText(text.replace(LINE_BREAKS, '\n')).replace(ESCAPES, '_x005F_');
  if (shown.length <= LONGEST_TEXT) return shown;
  const kept = shown.slice(0, LONGEST_TEXT - 1);
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}
