// Merchants that a list outside names, instead of the file: where the list is, and how a row of it
// becomes the settings of one merchant. Refuses a list with a mistake in it as a whole, and names
// each by its row.

import { z } from 'zod';
import { type Merchant, merchant } from './check-merchant.ts';
import { ConfigurationInvalid } from './configuration-invalid.ts';
import { type Environment, withSecrets } from './given-secrets.ts';

/**
 * Where the list is: in a database, of which `select` takes the rows, or at an http(s) address,
 * which may need `token`.
 */
export const merchantList = z
  .strictObject({
    /** `postgres://…`, or the http(s) address that answers with the list. */
    url: z
      .string()
      .regex(
        /^(?:postgres(?:ql)?|https?):\/\/./,
        'must be a postgres://, http:// or https:// address',
      ),
    /**
     * Only with a database: the query that gives a row for each merchant, with `reference` and any
     * of the merchant's settings as columns.
     */
    select: z.string().min(1).optional(),
    /** Only over HTTP: sent as `Authorization: Bearer`. */
    token: z.string().min(1).optional(),
    /**
     * Settings of every merchant of the list; `{reference}` is replaced by the merchant's
     * reference. Settings in a merchant's row win.
     */
    each: z.record(z.string(), z.unknown()).default({}),
    /** A longer list is refused. */
    most: z.int().min(1).max(100_000).default(20_000),
    /** Milliseconds until the list must be here, whole. */
    deadline: z.int().min(100).max(600_000).default(30_000),
  })
  .refine(({ url, select }) => url.startsWith('http') === (select === undefined), {
    message: 'needs select with a database, and has none over HTTP',
  });

export type MerchantList = z.infer<typeof merchantList>;

const MOST_NAMED = 5;

/**
 * Returns the merchants of the list by reference. `rows` must be as they came. Throws
 * `ConfigurationInvalid`.
 */
export function merchantsOf(
  rows: readonly unknown[],
  { each, most }: Pick<MerchantList, 'each' | 'most'>,
  environment: Environment,
): Readonly<Record<string, Merchant>> {
  if (rows.length === 0) throw refused('it is empty');
  if (rows.length > most)
    throw refused(`it holds more than ${most} merchants (merchants.from.most)`);
  const merchants = new Map<string, Merchant>();
  const mistakes: string[] = [];
  for (const [i, row] of rows.entries()) {
    const read = readRow(row, each, environment);
    const at = `row ${i + 1}${read.reference === null ? '' : ` (${JSON.stringify(read.reference.slice(0, 80))})`}`;
    if (read.wrong !== null) mistakes.push(`${at}: ${read.wrong}`);
    else if (merchants.has(read.reference)) mistakes.push(`${at}: is there twice`);
    else merchants.set(read.reference, read.merchant);
  }
  if (mistakes.length === 0) return Object.fromEntries(merchants);
  const more = mistakes.length > MOST_NAMED ? `; and ${mistakes.length - MOST_NAMED} more` : '';
  throw refused(`${mistakes.slice(0, MOST_NAMED).join('; ')}${more}`);
}

function refused(why: string): ConfigurationInvalid {
  return new ConfigurationInvalid(
    `The list of merchants (merchants.from) cannot be taken: ${why}.`,
  );
}

type Row =
  | { readonly reference: string; readonly wrong: null; readonly merchant: Merchant }
  | { readonly reference: string | null; readonly wrong: string };

function readRow(row: unknown, each: MerchantList['each'], environment: Environment): Row {
  if (typeof row !== 'object' || row === null || Array.isArray(row))
    return { reference: null, wrong: 'is no object' };
  const { reference, ...own } = named(row);
  if (
    typeof reference !== 'string' ||
    reference === '' ||
    reference.length > 200 ||
    reference.includes('\0')
  )
    return { reference: null, wrong: 'has no reference of 1 to 200 characters' };
  const needsName = JSON.stringify(each).includes(PLACE);
  if (needsName && !/^(?!\.)[\w.-]+$/.test(reference))
    return {
      reference,
      wrong:
        "cannot stand for {reference} in merchants.from.each: it is not of letters, digits, '_', '-' and '.'",
    };
  try {
    const shared = withSecrets(filled(each, reference), environment) as object;
    const parsed = merchant.safeParse({ ...shared, ...own });
    if (parsed.success) return { reference, wrong: null, merchant: parsed.data };
    const [issue] = parsed.error.issues;
    return { reference, wrong: `${issue!.path.join('.') || 'it'}: ${issue!.message}` };
  } catch (failure) {
    if (!(failure instanceof ConfigurationInvalid)) throw failure;
    return { reference, wrong: failure.message.replace(/\.$/, '') };
  }
}

/**
 * Returns a row with the names of settings: `api_key` becomes `apiKey`. A `null` is left out, and
 * accountants may be one text of addresses with commas.
 */
function named(row: object): Record<string, unknown> {
  const given = Object.entries(row).filter(([, value]) => value !== null);
  const settings = given.map(([key, value]): readonly [string, unknown] => [
    key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return Object.fromEntries(
    settings.map(([key, value]) => [key, key === 'accountants' ? addressesIn(value) : value]),
  );
}

function addressesIn(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const addresses = value.split(',').map((address) => address.trim());
  return addresses.filter((address) => address !== '').map((email) => ({ email }));
}

const PLACE = '{reference}';

/** Returns `each` with `reference` in place of `{reference}` in its texts. */
function filled(each: object, reference: string): object {
  const named = (_: string, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(PLACE, reference) : value;
  return JSON.parse(JSON.stringify(each), named);
}
