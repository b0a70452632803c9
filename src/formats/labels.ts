// The words of everything that is printed or mailed, in both languages, as pointage brings them; and the check of words that an
// operator wrote: under the same keys, and with places in braces only where ours have them. Reads no file itself.

import { z } from 'zod';
import ENGLISH from '../../reports-templates/words.en.json' with { type: 'json' };
import FRENCH from '../../reports-templates/words.fr.json' with { type: 'json' };
import type { Language } from '../statements/statement.ts';
import { phrase, text } from './phrase.ts';

/** Every language has the same words to find. */
export type Labels = typeof FRENCH;

export const LABELS: Readonly<Record<Language, Labels>> = { fr: FRENCH, en: ENGLISH };

const numbers = z
  .strictObject({
    group: z.string().max(1),
    decimal: z.enum([',', '.']),
    date: phrase('day', 'month', 'year'),
  })
  .refine(({ group, decimal }) => group !== decimal && !/[0-9A-Za-z-]/.test(group), {
    message: 'must be a sign that is neither the decimal sign nor a digit, a letter or a hyphen',
    path: ['group'],
  });

/** Print titles break on an apostrophe, spreadsheets refuse the other signs; a second part of a sheet has a number behind it. */
const sheetName = z
  .string()
  .regex(/^[^'[\]:*?/\\]{1,25}$/, { message: "must be 1 to 25 signs, none of ' [ ] : * ? / \\" })
  .refine((name) => name.trim() === name, { message: 'must not begin or end with a space' });

const sheets = z
  .strictObject(Object.fromEntries(Object.keys(FRENCH.workbook.sheets).map((name) => [name, sheetName])))
  .refine(
    (names) => new Set(Object.values(names).map((name) => name.toLowerCase())).size === Object.keys(names).length,
    {
      message: 'must name each sheet differently',
    },
  );

/** What has rules of its own, by its path. */
const RULES: Readonly<Record<string, z.ZodType>> = {
  numbers,
  currencies: z.record(z.string(), text),
  countries: z.record(z.string(), text),
  'workbook.sheets': sheets,
};

/** Lists that may be as long as one likes, from how many on. Every other has a place for each of its texts. */
const OPEN_LISTS: Readonly<Record<string, number>> = {
  'annex.howToVerify': 1,
  'annex.terms': 0,
  'workbook.readMe.rules': 0,
};

/** What may be left out of a template, which then has ours. */
const PARTS = { workbook: true, audit: true, mail: true } as const;

export const labelsSchema = z
  .strictObject(
    Object.fromEntries(
      Object.keys(FRENCH).map((key) => [key, schemaOf(key, [field(FRENCH, key), field(ENGLISH, key)])]),
    ),
  )
  .partial(PARTS);

/** What may stand where ours has `samples`, one for each language or more: the same form, and no other places in texts. */
function schemaOf(path: string, samples: readonly unknown[]): z.ZodType {
  const rule = RULES[path];
  if (rule !== undefined) return rule;
  const [first] = samples;
  if (typeof first === 'string') {
    const places = samples.flatMap((sample) => [...String(sample).matchAll(/\{(\w+)\}/g)].map((match) => match[1]!));
    return first === '' ? z.string() : phrase(...new Set(places));
  }
  if (Array.isArray(first)) {
    const lists = samples as readonly (readonly unknown[])[];
    const least = OPEN_LISTS[path];
    if (least !== undefined) return z.array(schemaOf(`${path}[]`, lists.flat())).min(least);
    const own = first.map((_, i) =>
      schemaOf(
        `${path}[]`,
        lists.map((list) => list[i]),
      ),
    );
    return z.tuple(own as [z.ZodType, ...z.ZodType[]]);
  }
  const keys = Object.keys(first as object);
  const parts = keys.map((key) => [
    key,
    schemaOf(
      `${path}.${key}`,
      samples.map((sample) => field(sample, key)),
    ),
  ]);
  return z.strictObject(Object.fromEntries(parts));
}

function field(sample: unknown, key: string): unknown {
  return (sample as Readonly<Record<string, unknown>>)[key];
}
