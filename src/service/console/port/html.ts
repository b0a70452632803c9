// Markup from templates. `html` escapes every value, so that a text from outside is shown, never
// acts, and does not change the direction of its neighbours; what a form holds stays as it is. A
// place between tags takes texts, numbers, markup and lists. A place in an attribute must be in
// double quotes and takes texts and numbers. A place inside a tag takes markup or null. A template
// with a place anywhere else is refused when it is drawn first.

import { invariant } from '../../../core/domain/invariant.ts';
import { FROM_THE_RIGHT, printableLines } from '../../../core/domain/printable.ts';

/** Markup. Only `html` makes it: no text, and nothing that came as JSON, is markup. */
export class Html {
  readonly #markup: string;
  constructor(key: symbol, markup: string) {
    invariant(key === KEY, 'markup is made by html alone');
    this.#markup = markup;
  }
  toString(): string {
    return this.#markup;
  }
}

const KEY = Symbol('html');

export type Shown = Html | string | number | null | readonly Shown[];

/** The place of a value in a template. `words`: like `text`, but where no markup can be. */
type Place = 'text' | 'words' | 'attribute' | 'tag';

export function html(strings: TemplateStringsArray, ...values: readonly Shown[]): Html {
  const places = placesOf(strings);
  return new Html(
    KEY,
    strings.reduce((markup, text, i) => markup + drawn(values[i - 1]!, places[i - 1]!) + text),
  );
}

function drawn(value: Shown, place: Place): string {
  if (value === null) return '';
  if (value instanceof Html) {
    invariant(place === 'text' || place === 'tag', 'an attribute takes a text');
    return value.toString();
  }
  invariant(place !== 'tag', 'a place inside a tag takes markup');
  if (typeof value === 'string' || typeof value === 'number') return shown(String(value), place);
  invariant(place === 'text' && Array.isArray(value), 'a list is for a place between tags');
  return value.map((one: Shown) => drawn(one, place)).join('');
}

function shown(text: string, place: Place): string {
  if (place === 'attribute') return escaped(text);
  const harmless = escaped(printableLines(text));
  return place === 'text' && FROM_THE_RIGHT.test(text) ? `<bdi>${harmless}</bdi>` : harmless;
}

/** Escapes a text, for a place between tags and for an attribute in quotes alike. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

const known = new WeakMap<TemplateStringsArray, readonly Place[]>();

function placesOf(strings: TemplateStringsArray): readonly Place[] {
  const places =
    known.get(strings) ??
    strings.slice(0, -1).map((_, i) => placeAfter(strings.slice(0, i + 1).join('')));
  known.set(strings, places);
  return places;
}

/**
 * Returns where a template is after `text`. A value becomes markup that is closed in itself, so the
 * text alone decides.
 */
function placeAfter(text: string): Place {
  invariant(
    !/<!--|<(?:script|style)\b[^>]*>(?!.*<\/)/is.test(text),
    'no value in a script, a style or a comment',
  );
  const bare = text.replace(/="[^"<>]*"/g, '');
  const tag = bare.slice(bare.lastIndexOf('<') + 1);
  if (/^textarea\b[^>]*>/.test(tag)) return 'attribute';
  if (!bare.includes('<') || tag.includes('>'))
    return /^(?:option|title)\b/.test(tag) ? 'words' : 'text';
  if (tag.includes('="')) return 'attribute';
  invariant(!tag.includes('='), `the value of an attribute is in double quotes: <${tag}`);
  return 'tag';
}
