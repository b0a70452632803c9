// What a printed statement looks like, as data: page, sections, limits, colours, fonts and words.
// Decodes what an operator wrote into a template folder. It reads no file itself, and refuses a key
// that it does not know, naming its path.

import { z } from 'zod';
import type { Language, Statement } from '../../../core/statements/statement.ts';
import { type FindingSpeech, namesIn } from '../../../core/words/finding.ts';
import {
  LABELS,
  type Labels,
  LINKED,
  type LinkedLabels,
  linkLabels,
} from '../../../core/words/tree.ts';

const SECTIONS = [
  'summary',
  'operators',
  'days',
  'commissions',
  'reconciliation',
  'ledger',
  'operations',
  'annex',
] as const;
export type Section = (typeof SECTIONS)[number];

const colour = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, { message: "must be a colour like '#1f3a5f'" });
/** Points, 1/72 inch. */
const margin = z.number().min(24).max(120);
const size = (least: number, most: number) => z.number().min(least).max(most);
const file = z.string().min(1);

const layoutSchema = z.strictObject({
  page: z.strictObject({
    margins: z.strictObject({ top: margin, right: margin, bottom: margin, left: margin }),
  }),
  /**
   * Sections in the order in which they are printed. A section that is left out is not printed.
   */
  sections: z
    .array(z.enum(SECTIONS))
    .min(1)
    .refine((names) => new Set(names).size === names.length, {
      message: 'must name each section once',
    }),
  /** Sections that begin on a page of their own. */
  newPageBefore: z.array(z.enum(SECTIONS)),
  ledger: z.strictObject({
    /**
     * Above this number the document holds no ledger lines, or no operations, and says where they
     * are.
     */
    mostLines: z.int().min(0).max(1_000_000),
    /**
     * Up to this number of lines every cell is tagged for screen readers. Above it only lines are
     * tagged, which keeps files small.
     */
    tagCellsUpTo: z.int().min(0).max(10_000),
  }),
  /**
   * `first` prints the glossary only in the first statement of a merchant, because the same reader
   * gets the next ones.
   */
  glossary: z.enum(['first', 'always', 'never']),
  /**
   * Each is a path from the template's folder, or `package:` and a path inside an installed npm
   * package.
   */
  fonts: z.strictObject({ regular: file, bold: file }),
  /** Sizes of type in points. */
  sizes: z.strictObject({
    title: size(12, 30),
    heading: size(9, 20),
    subheading: size(7, 16),
    body: size(6, 12),
    table: size(5, 10),
    ledger: size(5, 10),
    note: size(5, 10),
  }),
  colours: z.strictObject({
    text: colour,
    muted: colour,
    accent: colour,
    rule: colour,
    band: colour,
    alert: colour,
    alertBand: colour,
    good: colour,
    chartIn: colour,
    chartOut: colour,
  }),
  /**
   * A PNG without transparency or a JPEG, drawn at the top left within this box; `null` when there
   * is no logo.
   */
  logo: z
    .strictObject({ file, width: z.number().min(10).max(300), height: z.number().min(10).max(90) })
    .nullable(),
});

export type Layout = z.infer<typeof layoutSchema>;

/** All that a printed format needs besides the statement. The caller must have read the bytes. */
export interface StatementTemplate {
  readonly layout: Layout;
  readonly labels: Readonly<Record<Language, Labels>>;
  /** Words of a year's statement. */
  readonly annualLabels: Readonly<Record<Language, Labels>>;
  readonly fonts: { readonly regular: Uint8Array; readonly bold: Uint8Array };
  readonly logo: Uint8Array | null;
}

/**
 * All that a mail needs besides its content: the words of mails and of statements, and how
 * sentences are worded.
 */
export interface MailTemplate extends Labels {
  readonly words: Labels['mail'];
  /** Address of the console; `null` when mails have no links. */
  readonly consoleUrl: string | null;
  readonly speech: FindingSpeech;
}

/** Returns the words for a statement, which are other ones for a year. */
export function labelsOf(
  { labels, annualLabels }: Pick<StatementTemplate, 'labels' | 'annualLabels'>,
  { months }: Pick<Statement, 'months'>,
): Readonly<Record<Language, Labels>> {
  return months === null ? labels : annualLabels;
}

export type Decoded<Value> = { readonly value: Value } | { readonly problem: string };

/**
 * Decodes a layout. `problem` is one sentence about the first mistake, beginning with its key path:
 * `page.margins.top must be …`.
 */
export function decodeLayout(input: unknown): Decoded<Layout> {
  return decode(layoutSchema, input);
}

/** Decodes labels. Words of a part that is left out (`PARTS`) are our own in that language. */
export function decodeLabels(input: unknown, language: Language): Decoded<LinkedLabels> {
  const decoded = decode(labelsSchema, input);
  if (!('value' in decoded)) return decoded;
  return { value: linkLabels(decoded.value as Partial<Labels>, LINKED[language]) };
}

function decode<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): Decoded<z.infer<Schema>> {
  const parsed = schema.safeParse(input, { jitless: true });
  if (parsed.success) return { value: parsed.data };
  const issue = parsed.error.issues[0]!;
  return { problem: describe(issue) };
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    return `${placeOf([...issue.path, issue.keys[0]!])} is not a key that a template has.`;
  }
  const said = issue.message.replace(/^Invalid input: /, '');
  return `${placeOf(issue.path)} is wrong: ${said}.`;
}

function placeOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the whole file';
  return path
    .map((key, i) =>
      typeof key === 'number' ? `[${key}]` : i === 0 ? String(key) : `.${String(key)}`,
    )
    .join('');
}

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

/**
 * Name of a sheet. An apostrophe would break print titles, and spreadsheets refuse the other
 * characters. Room is left for the number that a second part of a sheet gets.
 */
const sheetName = z
  .string()
  .regex(/^[^'[\]:*?/\\]{1,25}$/, { message: "must be 1 to 25 signs, none of ' [ ] : * ? / \\" })
  .refine((name) => name.trim() === name, { message: 'must not begin or end with a space' });

const sheetsOf = (own: object) =>
  z
    .strictObject(Object.fromEntries(Object.keys(own).map((name) => [name, sheetName])))
    .refine(
      (names) =>
        new Set(Object.values(names).map((one) => one.toLowerCase())).size ===
        Object.keys(own).length,
      {
        message: 'must name each sheet differently',
      },
    );

/** Schemas of the keys that have rules of their own, by path. */
const RULES: Readonly<Record<string, z.ZodType>> = {
  numbers,
  currencies: z.record(z.string(), text),
  countries: z.record(z.string(), text),
  'workbook.sheets': sheetsOf(FRENCH.workbook.sheets),
  'papers.sheets': sheetsOf(FRENCH.papers.sheets),
};

/** Least number of texts in a list, by path; 0 unless given. */
const LEAST: Readonly<Record<string, number>> = { 'annex.howToVerify': 1 };

/** Parts that a template may leave out, which then are ours. */
const PARTS = {
  workbook: true,
  audit: true,
  mail: true,
  codes: true,
  findings: true,
  catalogue: true,
  assumptions: true,
  figures: true,
  notChecked: true,
  refusals: true,
  terms: true,
  annualTerms: true,
  parties: true,
  firstPage: true,
  attestation: true,
  certificate: true,
  papers: true,
  confirmation: true,
  months: true,
  console: true,
} as const;

/**
 * The schema is made only when a template has words of its own, because that takes longer than most
 * commands.
 */
const labelsSchema = z.lazy(() => {
  const parts = Object.keys(FRENCH).map((key) => [
    key,
    schemaOf(key, [field(FRENCH, key), field(ENGLISH, key)]),
  ]);
  return z.strictObject(Object.fromEntries(parts)).partial(PARTS);
});

/**
 * Returns the schema of what may stand where our labels have `samples`, at least one for each
 * language: the same form, and texts with no other placeholders.
 */
function schemaOf(path: string, samples: readonly unknown[]): z.ZodType {
  const rule = RULES[path];
  if (rule !== undefined) return rule;
  const [first] = samples;
  if (typeof first === 'string')
    return first === '' ? z.string() : phrase(samples as readonly string[]);
  if (Array.isArray(first)) {
    const lists = samples as readonly (readonly unknown[])[];
    return z.array(schemaOf(`${path}[]`, lists.flat())).min(LEAST[path] ?? 0);
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
 * Returns the schema of a text, which may have the placeholders of `samples` and no others. Our own
 * texts are not checked again. An apostrophe before a brace is refused, because it would print the
 * brace, which no operator wants.
 */
function phrase(samples: readonly string[]) {
  return z.string().superRefine((own, context) => {
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    if (own.trim() === '') return refuse('must not be empty');
    const lost = [...own.matchAll(/@[\w.]*:([\w.]*)/g)].find(([, path]) => !isTerm(path!));
    if (lost !== undefined) return refuse(`'${lost[0]}' is no term`);
    if (samples.includes(own) || !/[{}<]/.test(own)) return;
    if (/(?<!')'[{}<]/.test(own))
      return refuse("must not have the apostrophe ' before a brace: write ’");
    const unknown = unknownIn(own, new Set(samples.flatMap(namesIn)));
    if (unknown !== null) refuse(unknown);
  });
}

function isTerm(path: string): boolean {
  return (
    path.startsWith('terms.') &&
    Object.hasOwn(FRENCH.terms, path.slice('terms.'.length).replace(/\.$/, ''))
  );
}

function unknownIn(own: string, known: ReadonlySet<string>): string | null {
  try {
    const name = namesIn(own).find((one) => !known.has(one));
    if (name === undefined) return null;
    const names =
      known.size === 0
        ? 'none is known here'
        : `known are ${[...known].map((one) => `{${one}}`).join(', ')}`;
    return `'{${name}}' names nothing, ${names}`;
  } catch (error) {
    return `is no message that can be filled: ${(error as Error).message.toLowerCase().replaceAll('_', ' ')}`;
  }
}
