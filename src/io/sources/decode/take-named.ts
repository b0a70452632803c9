// Fields of records that the document does not show: each is taken under the first of a closed list of names that the row has.
// A row that has none of them is refused under the first.

import type { Amount } from '../../../core/domain/amount.ts';
import { asDecimal, decimalText } from '../../../core/domain/decimal.ts';
import { type Fields, isNothing, own, refuse } from '../../../core/rows/decode-object.ts';

/** The names that were counted on stand first. */
export type Names = readonly [string, ...string[]];

export function takeNamed<Value>(fields: Fields, names: Names, take: (fields: Fields, name: string) => Value): Value {
  return take(fields, names.find((name) => Object.hasOwn(fields.row, name)) ?? names[0]);
}

/** As a decimal text without trailing zeros, from a number or a text; nothing is rounded. */
export function takeDecimal(fields: Fields, name: string): string {
  const decimal = asDecimal(own(fields.row, name));
  return decimal === null ? refuse(fields, name, 'decimal', '0') : decimalText(decimal);
}

export function takeOptionalDecimal(fields: Fields, name: string): string | null {
  return isNothing(own(fields.row, name)) ? null : takeDecimal(fields, name);
}

/** A whole amount, also where it is written as a decimal text: `"125000.00"`. */
export function takeWhole(fields: Fields, name: string): Amount {
  const decimal = asDecimal(own(fields.row, name));
  if (decimal === null || !decimal.isInteger()) return refuse(fields, name, 'integer', 0);
  const amount = decimal.toNumber();
  return Number.isSafeInteger(amount) ? amount + 0 : refuse(fields, name, 'safe_integer', 0);
}
