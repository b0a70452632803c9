// The library of ICU messages; no other file uses it. It is loaded when the first message is
// parsed, so that a command without sentences does not wait for it. The library's own forms of
// numbers and dates are not used: each such place becomes a plain placeholder with a name of its
// own (`writtenName`), which the caller fills with the written number or time.

import { createRequire } from 'node:module';
import type { IntlMessageFormat } from 'intl-messageformat';

type Elements = ReturnType<IntlMessageFormat['getAst']>;
type Element = Elements[number];
export type Tag = (inner: readonly string[]) => string;
export type IcuValues = Readonly<Record<string, string | number | boolean | null | Tag>>;

export interface IcuMessage {
  /** The names for which the message has placeholders, choices or tags. */
  readonly names: readonly string[];
  /**
   * The names that the message writes as numbers. Their values are also needed under `writtenName`.
   */
  readonly numbers: readonly string[];
  /**
   * The names that the message writes as times. Their values are also needed under `writtenName`.
   */
  readonly times: readonly string[];
  /**
   * True when the message has words that depend on a number by the plural rules of a language,
   * beyond words for exact numbers.
   */
  readonly isCounted: boolean;
  /** Writes the message. `values` must have a value for each name and each written name. */
  readonly format: (language: string, values: IcuValues) => string;
}

/**
 * Returns the name of the placeholder that takes the written number or time. It has a space, which
 * no name in a message has, so that it cannot clash.
 */
export function writtenName(name: string, how: 'number' | 'time'): string {
  return `${name} ${how}`;
}

/** Parses a message. Throws SyntaxError when `text` is not one. */
export function parseMessage(text: string): IcuMessage {
  const { IntlMessageFormat: Format } = loadLibrary();
  const seen: Seen = { names: new Set(), number: new Set(), time: new Set(), isCounted: false };
  const elements = rewrite(new Format(text, 'fr').getAst(), seen, null);
  const formats = new Map<string, IntlMessageFormat>();
  return {
    names: [...seen.names],
    numbers: [...seen.number],
    times: [...seen.time],
    isCounted: seen.isCounted,
    format: (language, values) => {
      const format = formats.get(language) ?? new Format(elements, language);
      formats.set(language, format);
      return String(format.format(values as Record<string, string>));
    },
  };
}

function loadLibrary(): typeof import('intl-messageformat') {
  return createRequire(import.meta.url)(
    'intl-messageformat',
  ) as typeof import('intl-messageformat');
}

interface Seen {
  readonly names: Set<string>;
  readonly number: Set<string>;
  readonly time: Set<string>;
  isCounted: boolean;
}

/** The library's numbers for the types of elements. */
const [LITERAL, ARGUMENT, NUMBER, DATE, TIME, POUND] = [0, 1, 2, 3, 4, 7];

/**
 * Replaces the places of numbers and times by plain placeholders, and records all names. `counted`
 * is the name whose number `#` writes.
 */
function rewrite(elements: Elements, seen: Seen, counted: string | null): Elements {
  return elements.map((element) => {
    if (element.type === LITERAL) return element;
    const name = element.type === POUND ? counted! : (element as { readonly value: string }).value;
    seen.names.add(name);
    if (element.type === NUMBER || element.type === POUND) return plain(name, 'number', seen);
    if (element.type === DATE || element.type === TIME) return plain(name, 'time', seen);
    if ('children' in element)
      return { ...element, children: rewrite(element.children, seen, counted) };
    if (!('options' in element)) return element;
    const isPlural = 'pluralType' in element;
    const options = Object.entries(element.options);
    if (isPlural && options.some(([when]) => !/^(?:=\d+|other)$/.test(when))) seen.isCounted = true;
    const rewritten = options.map(([when, { value }]) => [
      when,
      { value: rewrite(value, seen, isPlural ? name : counted) },
    ]);
    return { ...element, options: Object.fromEntries(rewritten) };
  });
}

function plain(name: string, how: 'number' | 'time', seen: Seen): Element {
  seen[how].add(name);
  return { type: ARGUMENT, value: writtenName(name, how) } as Element;
}
