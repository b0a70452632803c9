// One text of a template: which places in braces it may have, so that a mistyped one is refused when the template is read, and
// not printed; and how they are filled.

import { z } from 'zod';

/** A text in which `{name}` stands for something; only the names given are known. */
export function phrase(...names: readonly string[]) {
  return z.string().superRefine((text, context) => {
    if (text.trim() === '') context.addIssue({ code: 'custom', message: 'must not be empty' });
    const unknown = [...text.matchAll(/\{([^}]*)\}?/g)].map((match) => match[1]!).find((name) => !names.includes(name));
    if (unknown === undefined) return;
    const known =
      names.length === 0 ? 'none is known here' : `known are ${names.map((name) => `{${name}}`).join(', ')}`;
    context.addIssue({ code: 'custom', message: `'{${unknown}}' stands for nothing, ${known}` });
  });
}

/** A text without places. */
export const text = phrase();

/** Puts the values in the places of a phrase; a place without a value stays. Values are not searched again. */
export function fill(phrase: string, values: Readonly<Record<string, string | number>>): string {
  return phrase.replace(/\{(\w+)\}/g, (place, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : place,
  );
}
