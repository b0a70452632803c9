// The one row of a merchant in the tables that have one for each: the profile and the wallet. Refuses tables that have more.

import type { Batch, NotChecked } from '../../../core/domain/snapshot.ts';
import { SourceFailed } from '../port/source.ts';
import type { ReadableTable } from './books-tables.ts';

/** What was found of a merchant in a table that has one row for each; null when no table is mapped. */
export function requireOne<Row>(asked: {
  readonly readable: ReadableTable<Row> | null;
  readonly merchant: string;
  readonly part: 'merchant' | 'wallet';
  readonly absent: NotChecked[];
  readonly found: Batch<Row>;
}): Batch<Row> | null {
  const { readable, merchant, part, absent, found } = asked;
  if (readable === null) {
    absent.push({ what: part, why: `no table of ${part}s is mapped`, incomplete: true, code: 'TABLE_NOT_MAPPED' });
    return null;
  }
  const { table } = readable;
  const { rows, rejected } = found;
  if (part === 'merchant' && rows.length + rejected.length === 0) throw unknownMerchant(merchant);
  if (rows.length + rejected.length > 1) {
    throw new SourceFailed(
      'INVALID_SETTINGS',
      `The ${table.part} have more than one row of ${merchant}: map a relation or a select that has one.`,
    );
  }
  if (rows.length === 0) {
    const { reason, refusal } = rejected[0] ?? { reason: null, refusal: null };
    const why = reason ?? `${table.label} has no row of ${merchant}`;
    const code = reason === null ? 'TABLE_WITHOUT_ROW' : 'ROW_UNREADABLE';
    absent.push({
      what: part,
      why,
      incomplete: true,
      code,
      figures: { table: table.label, merchant, reason, refusal },
    });
  }
  return found;
}

function unknownMerchant(merchant: string): SourceFailed {
  return new SourceFailed('UNKNOWN_MERCHANT', `The merchants have no row of ${JSON.stringify(merchant.slice(0, 80))}.`);
}
