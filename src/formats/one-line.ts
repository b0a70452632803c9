// Text from outside for formats of which a line is a record: one line, without control characters.

/** Control characters and line breaks become one space, spaces at the ends go; half surrogate pairs become �. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();
}

/** The apostrophe of print, where a text has a straight one between two letters. */
export function typeset(text: string): string {
  return text.includes("'") ? text.replace(/(?<=\p{L})'(?=\p{L})/gu, '’') : text;
}

/** At most `length` characters as people count them, so that no character is cut in half. */
export function cutTo(text: string, length: number): string {
  return [...text].slice(0, length).join('');
}
