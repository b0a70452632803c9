// What the description of an adjustment may name: lines, operations, findings. It picks words and numbers out of a text that
// people wrote, and knows nothing of what there is to be named.

/** A person names one fault; a text with more words than this names none in particular. */
const MOST_NAMES = 24;
const LONGEST_TEXT = 2_000;
const LONGEST_NAME = 64;
const SHORTEST_NAME = 4;
/** Of a fingerprint, so much of its beginning at least. */
export const SHORTEST_FINGERPRINT = 8;

/** A number behind a word for a line, or behind '#'; several may be listed. */
const LINES =
  /(?:(?<![\p{L}\p{N}])(?:lignes?|lines?|s[ée]quences?|entry|entries|[ée]critures?)\s*(?:n\s*[°º]|n?o\.|num[ée]ros?|numbers?)?|#)\s*[:#]?\s*(\d{1,16}(?:\s*(?:,|;|&|et|and)\s*\d{1,16})*)(?![\p{L}\p{N}])/giu;
const BETWEEN_WORDS = /[\s,;:=/|()[\]{}<>"«»“”'’!?]+/u;

/** Lower case, each once: `line:812` for a line, else a word that may be an operation's reference or a fingerprint. */
export function namesIn(description: string | null): readonly string[] {
  if (description === null) return [];
  const text = description.slice(0, LONGEST_TEXT).toLowerCase();
  const names = new Set<string>();
  for (const [, numbers] of text.matchAll(LINES)) {
    for (const number of numbers!.match(/\d+/g)!) names.add(nameOfLine(number));
  }
  for (const word of text.split(BETWEEN_WORDS)) {
    const name = word.replace(/^#+|\.+$/g, '');
    if (name.length >= SHORTEST_NAME && name.length <= LONGEST_NAME && isMarked(name)) names.add(name);
  }
  return [...names].slice(0, MOST_NAMES);
}

/** `sequence`: decimal, leading zeros allowed. */
export function nameOfLine(sequence: string): string {
  return `line:${sequence.replace(/^0+(?=\d)/, '')}`;
}

/** One of them is the fingerprint, or its beginning. */
export function namesFinding(names: readonly string[], fingerprint: string): boolean {
  return names.some((name) => name.length >= SHORTEST_FINGERPRINT && fingerprint.startsWith(name));
}

/** A reference or a fingerprint, and no word of a language. */
function isMarked(name: string): boolean {
  return /\d/.test(name) || /-./.test(name) || /^[0-9a-f]{8,16}$/.test(name);
}
