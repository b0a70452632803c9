// Text from outside inside XML: replaces characters that XML 1.0 refuses by a visible sign, and
// escapes the others that have a meaning.

const CONTROL_PICTURES = 0x2400;
const DELETE_PICTURE = '\u2421';
const REPLACEMENT = '\ufffd';

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML 1.0 refuses
const REFUSED = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]|\p{Surrogate}/gu;

const SIGNS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Replaces characters that XML 1.0 refuses: NUL becomes ␀, a bell ␇, half a surrogate pair �. */
export function visibleText(text: string): string {
  return text.replace(REFUSED, pictureOf);
}

/** Escapes a text, which must have passed `visibleText`. */
export function xmlText(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => SIGNS[sign]!);
}

function pictureOf(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code);
  return code === 0x7f ? DELETE_PICTURE : REPLACEMENT;
}
