// The check of words that an operator wrote: under the same keys as ours, each a message that can be filled, with places in
// braces only where ours have them. Reads no file itself.

import { z } from 'zod';
import { namesIn } from '../../core/words/message.ts';
import { LABELS } from '../../core/words/tree.ts';

const { fr: FRENCH, en: ENGLISH } = LABELS;

const text = phrase([]);

const numbers = z
  .strictObject({
    group: z.string().max(1),
    decimal: z.enum([',', '.']),
    date: phrase(['{day}/{month}/{year}']),
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
const PARTS = {
  workbook: true,
  audit: true,
  mail: true,
  codes: true,
  findings: true,
  assumptions: true,
  figures: true,
  notChecked: true,
  refusals: true,
  terms: true,
  annualTerms: true,
  parties: true,
  attestation: true,
  months: true,
} as const;

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
  if (typeof first === 'string') return first === '' ? z.string() : phrase(samples as readonly string[]);
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

/**
 * A text that may have the places of `samples`, and no others. Ours are not looked at again. An apostrophe before a brace would
 * make the brace a sign to be printed, which is no operator's wish.
 */
function phrase(samples: readonly string[]) {
  return z.string().superRefine((own, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    if (own.trim() === '') return refuse('must not be empty');
    const lost = [...own.matchAll(/@[\w.]*:([\w.]*)/g)].find(([, path]) => !isTerm(path!));
    if (lost !== undefined) return refuse(`'${lost[0]}' is no term`);
    if (samples.includes(own) || !/[{}<]/.test(own)) return;
    if (/(?<!')'[{}<]/.test(own)) return refuse("must not have the apostrophe ' before a brace: write ’");
    const unknown = unknownIn(own, new Set(samples.flatMap(namesIn)));
    if (unknown !== null) refuse(unknown);
  });
}

function isTerm(path: string): boolean {
  return path.startsWith('terms.') && Object.hasOwn(FRENCH.terms, path.slice('terms.'.length).replace(/\.$/, ''));
}

function unknownIn(own: string, known: ReadonlySet<string>): string | null {
  try {
    const name = namesIn(own).find((one) => !known.has(one));
    if (name === undefined) return null;
    const names =
      known.size === 0 ? 'none is known here' : `known are ${[...known].map((one) => `{${one}}`).join(', ')}`;
    return `'{${name}}' stands for nothing, ${names}`;
  } catch (error) {
    return `is no message that can be filled: ${(error as Error).message.toLowerCase().replaceAll('_', ' ')}`;
  }
}
