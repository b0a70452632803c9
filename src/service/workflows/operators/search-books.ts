// Searches the mirror by one text and says as what it was read: a line (`M001#124`), an amount and
// a day, a reference of the service or of the partner, or a phone number. A text of digits may be
// read in two ways: the first way that finds something counts.

import { DAY, HOUR } from '../../../core/domain/instant.ts';
import { formatPeriod, type MonthToDay, parseDay } from '../../../core/domain/period.ts';
import { localText } from '../../../core/domain/zone.ts';
import { COUNTRY_CODES, shownText } from '../../../core/statements/mask-phone-numbers.ts';
import { requireMerchant } from '../../../io/storage/merchants/merchants.ts';
import { loadLinesAround, loadMirrored } from '../../../io/storage/operators/operation-history.ts';
import {
  type FoundOperation,
  findHolders,
  type OperationWish,
  searchOperations,
} from '../../../io/storage/operators/search-mirror.ts';
import { type Store, StoreFailed } from '../../../io/storage/server/store.ts';
import type { FollowTask } from './follow-operation.ts';

export const READINGS = ['line', 'amount and day', 'reference', 'phone number'] as const;

type Reading =
  | { readonly as: 'line'; readonly merchant: string; readonly sequence: number }
  | { readonly as: 'amount and day'; readonly amount: number; readonly day: MonthToDay }
  | { readonly as: 'reference'; readonly text: string }
  | { readonly as: 'phone number'; readonly numbers: readonly string[] };

/** Most hits that are returned; `more` says that there are others. */
const MOST_FOUND = 50;
/**
 * Most operations of one amount that are examined, within the day and 14 hours on either side,
 * because the calendars of merchants differ.
 */
const MOST_OF_DAYS = 500;

export interface SearchWish {
  readonly text: string;
  readonly merchant?: string | undefined;
}

export type SearchAnswer = Awaited<ReturnType<typeof searchBooks>>;

/**
 * Searches the mirror. Throws `StoreFailed` (UNKNOWN_MERCHANT; SEARCH_CUT when the search took too
 * long or found too much).
 */
export async function searchBooks({ store, zoneFor }: FollowTask, { text, merchant }: SearchWish) {
  if (merchant !== undefined) await requireMerchant(store, merchant);
  const readings = readingsOf(text);
  for (const [i, reading] of readings.entries()) {
    const found = await findAs({ store, zoneFor }, reading, merchant);
    if (found.length === 0 && i < readings.length - 1) continue;
    return {
      reading: reading.as,
      /** The ways to read the text that were tried before and found nothing. */
      tried: readings.slice(0, i).map(({ as }) => as),
      items: found.slice(0, MOST_FOUND),
      more: found.length > MOST_FOUND,
    };
  }
  return { reading: 'reference' as const, tried: [], items: [], more: false };
}

/**
 * Returns the ways to read the text, in the order in which they are tried; none for an empty text.
 */
function readingsOf(given: string): readonly Reading[] {
  const text = given.trim();
  if (text === '') return [];
  const [, merchant, sequence] = /^(.+)#(\d{1,15})$/.exec(text) ?? [];
  const line: readonly Reading[] =
    merchant === undefined ? [] : [{ as: 'line', merchant, sequence: Number(sequence) }];
  const numbers = numbersIn(text);
  const phone: readonly Reading[] = numbers.length === 0 ? [] : [{ as: 'phone number', numbers }];
  const reference: Reading = { as: 'reference', text };
  return [
    ...line,
    ...amountIn(text),
    ...(/^[+(]/.test(text) ? [...phone, reference] : [reference, ...phone]),
  ];
}

/** Reads an amount and a day in either order, for example `202 700 XOF 2026-08-11`. */
function amountIn(text: string): readonly Reading[] {
  const found = /(?<!\d)\d{4}-\d\d-\d\d(?!\d)/.exec(text);
  const day = found === null ? null : parseDay(found[0]);
  if (found === null || day === null) return [];
  const rest = text.replace(found[0], ' ').trim();
  if (!/^\d[\d.\s]*(?:[A-Z]{3})?$/.test(rest)) return [];
  const amount = Number(rest.replace(/\D/g, ''));
  return Number.isSafeInteger(amount) ? [{ as: 'amount and day', amount, day }] : [];
}

/**
 * Reads phone numbers in E.164. A national number becomes one number in each of the nine countries,
 * with and without its leading zero.
 */
function numbersIn(text: string): readonly string[] {
  if (!/^\(?(?:\+|\d)[\d\s.()-]{6,24}$/.test(text)) return [];
  const digits = text.replace(/\D/g, '');
  if (text.includes('+')) return alike(`+${digits}`);
  if (digits.length < 7 || digits.length > 17) return [];
  const national = [digits, ...(digits.startsWith('0') ? [digits.slice(1)] : [])];
  const prefixed = digits.startsWith('00') ? [`+${digits.slice(2)}`] : [`+${digits}`];
  return [
    ...prefixed,
    ...COUNTRY_CODES.flatMap((code) => national.map((one) => `+${code}${one}`)),
  ].flatMap(alike);
}

/**
 * Returns the number together with its older or newer form, because two countries have lengthened
 * their numbers: Côte d'Ivoire in January 2021, Bénin in November 2024.
 */
function alike(number: string): readonly string[] {
  const [, before = '', short = ''] = /^\+(?:229|225)(01|05|07|)(\d{8})$/.exec(number) ?? [];
  const code = number.slice(0, 4);
  // In Côte d'Ivoire the second of the eight old digits tells the operator, and the operator
  // decides which two digits were put in front.
  const inFront =
    code === '+229' || '0123'.includes(short[1] ?? '')
      ? '01'
      : '456'.includes(short[1]!)
        ? '05'
        : '07';
  return short === '' || ![inFront, ''].includes(before)
    ? [number]
    : [`${code}${short}`, `${code}${inFront}${short}`];
}

type Shown = Pick<
  FoundOperation,
  'type' | 'status' | 'amount' | 'currency' | 'createdAt' | 'externalReference'
>;

/**
 * A line or an operation that was found. `sequence` is `null` for an operation. Other fields are
 * `null` when they are unknown or when a line has no such field. Phone numbers are masked.
 */
export interface Hit extends Nullable<Shown> {
  readonly merchant: string;
  readonly reference: string | null;
  readonly sequence: number | null;
  readonly by: OperationWish['by'] | 'sequence';
}

type Nullable<T> = { readonly [Name in keyof T]: T[Name] | null };

type Search = Pick<FollowTask, 'store' | 'zoneFor'>;

async function findAs(
  search: Search,
  reading: Reading,
  merchant: string | undefined,
): Promise<readonly Hit[]> {
  const { store } = search;
  const wanted = { merchant, most: MOST_FOUND + 1 };
  const operations = async (wish: OperationWish) =>
    hitsOf(wish.by, await searchOperations(store, wish, wanted));
  switch (reading.as) {
    case 'line':
      return merchant === undefined || merchant === reading.merchant
        ? lineHits(store, reading)
        : [];
    case 'amount and day':
      return hitsOf('amount', await ofDay(search, reading, merchant));
    case 'phone number':
      return operations({ by: 'phoneNumber', numbers: reading.numbers });
    case 'reference': {
      const own = await operations({ by: 'reference', text: reading.text });
      const known = new Set(own.map((hit) => hit.merchant));
      const holders = (await findHolders(store, reading.text)).filter(
        (holder) => !known.has(holder) && (merchant === undefined || holder === merchant),
      );
      const named = holders.map((holder) => ({
        ...NOTHING,
        merchant: holder,
        reference: reading.text,
      }));
      const theirs = await operations({ by: 'externalReference', text: reading.text });
      return [...own, ...named, ...theirs.filter((hit) => hit.reference !== reading.text)];
    }
  }
}

const NOTHING = {
  sequence: null,
  type: null,
  status: null,
  amount: null,
  currency: null,
  createdAt: null,
  externalReference: null,
  by: 'reference',
} as const;

function hitsOf(by: Hit['by'], found: readonly FoundOperation[]): readonly Hit[] {
  return found.map(({ profileCountry: _, externalReference, ...operation }) => ({
    ...operation,
    externalReference: shownText('masked', externalReference),
    sequence: null,
    by,
  }));
}

async function lineHits(
  store: Store,
  { merchant, sequence }: Extract<Reading, { readonly as: 'line' }>,
): Promise<readonly Hit[]> {
  const of = await loadMirrored(store, merchant);
  const lines =
    of === null ? [] : await loadLinesAround(store, of, { sequence, before: 0, after: 1 });
  return lines.flatMap(({ entry }) => {
    const { operationReference: reference, amount, currency, createdAt } = entry;
    const hit = {
      ...NOTHING,
      merchant,
      reference,
      sequence,
      by: 'sequence',
      amount,
      currency,
      createdAt,
    } as const;
    return entry.sequence === sequence ? [hit] : [];
  });
}

/** Returns operations created on that day of the merchant's own calendar. */
async function ofDay(
  { store, zoneFor }: Search,
  { amount, day }: Extract<Reading, { readonly as: 'amount and day' }>,
  merchant: string | undefined,
): Promise<readonly FoundOperation[]> {
  const midnight = Date.UTC(day.year, day.month - 1, day.day);
  const wish = {
    by: 'amount',
    amount,
    start: midnight - 14 * HOUR,
    end: midnight + DAY + 14 * HOUR,
  } as const;
  const around = await searchOperations(store, wish, { merchant, most: MOST_OF_DAYS });
  if (around.length === MOST_OF_DAYS) {
    const why = `More than ${MOST_OF_DAYS} operations of that amount are near that day: name a merchant.`;
    throw new StoreFailed('SEARCH_CUT', why);
  }
  return around.filter(({ merchant: reference, profileCountry: country, createdAt }) =>
    localText(zoneFor({ reference, country }), createdAt).startsWith(formatPeriod(day)),
  );
}
