// Text from outside inside a sentence of ours: it is shown, and never acts on the terminal or the page that shows it.

/** Control characters, what breaks a line, and what turns the direction of writing: the inside of a character class. */
export const ACTING = String.raw`\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`;

const EACH = new RegExp(`[${ACTING}]`, 'gu');

/** The text as it is, where it is one word; else in quotation marks. */
export function quoted(text: string): string {
  return /^\S+$/.test(text) ? text : JSON.stringify(text);
}

/** The text on one line, with each character that would act written as its escape: `\u001b`. */
export function printable(text: string): string {
  return text.replace(EACH, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
