// Makes text from outside safe to be shown in a sentence of ours, so that it cannot act on the
// terminal or the page that shows it.

/** Characters that turn the direction of writing, as the inside of a character class. */
export const TURNING = String.raw`\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`;
/**
 * Control characters, line breaks and characters that turn the direction of writing, as the inside
 * of a character class.
 */
export const ACTING = String.raw`\p{Cc}\u2028\u2029${TURNING}`;

const EACH = new RegExp(`[${ACTING}]`, 'gu');

/**
 * Letters that are written from right to left. On a page they move their neighbours unless they are
 * isolated.
 */
export const FROM_THE_RIGHT =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/** Returns the text unchanged when it is one word, else in quotation marks. */
export function quoted(text: string): string {
  return /^\S+$/.test(text) ? text : JSON.stringify(text);
}

/**
 * Writes the text as one word of a shell, which the shell passes on unchanged. Characters that
 * would act on a terminal are written as escapes.
 */
export function shellWord(text: string): string {
  if (/^[\w./:@+-][\w./:@+=%,#-]*$/.test(text)) return text;
  const shown = printable(text.replace(/[\\']/g, '\\$&'));
  return printable(text) === text ? `'${text.replaceAll("'", "'\\''")}'` : `$'${shown}'`;
}

/**
 * Returns a `pointage` command that a person can type. Each of the texts in `given`, which come
 * from outside, is one word and is never taken for an option.
 */
export function commandLine(words: string, ...given: readonly string[]): string {
  const ended = given.some((one) => one.startsWith('-')) ? ['--'] : [];
  return ['pointage', words, ...ended, ...given.map(shellWord)].join(' ');
}

/** Like `printable`, but keeps line feeds and tabs. */
export function printableLines(text: string): string {
  return text.replace(/[^\n\t]+/g, printable);
}

/**
 * Returns the text on one line, with each character that would act on a terminal or page written as
 * its escape: `\u001b`.
 */
export function printable(text: string): string {
  return text.replace(
    EACH,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
