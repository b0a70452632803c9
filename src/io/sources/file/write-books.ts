// Writes a snapshot's books as the files that the source `file:` reads: rows in the service's own
// form, with only the fields that pointage reads. Read back, they are the same rows in the same
// order.

import { formatInstant } from '../../../core/domain/instant.ts';
import type { Merchant } from '../../../core/domain/merchant.ts';
import { ENTRY_TABLE } from '../../../core/domain/rows/entry-fields.ts';
import type { NamedField } from '../../../core/domain/rows/field.ts';
import { MERCHANT_FIELDS, rowOfMerchant } from '../../../core/domain/rows/merchant-fields.ts';
import { DESCRIBED_TABLE, WALLET_TABLE } from '../../../core/domain/rows/operation-fields.ts';
import type { Snapshot } from '../../../core/domain/snapshot.ts';

/**
 * Returns the pieces of each file by its name. The files must be read one after the other, while
 * `snapshot` is open. Operations have their texts if the snapshot has them.
 */
export async function writtenBooks(
  snapshot: Snapshot,
): Promise<Readonly<Record<string, AsyncIterable<string>>>> {
  const profile = snapshot.profiles.at(-1);
  const { wallet } = await snapshot.closing();
  return {
    'ledger.jsonl': linesOf(snapshot.entries(), entryForm),
    'operations.jsonl': linesOf(snapshot.operations(), ({ operation }) => operationForm(operation)),
    ...(profile === undefined
      ? {}
      : { 'merchant.json': linesOf([{ rows: [profile] }], profileForm) }),
    ...(wallet === null ? {} : { 'wallet.json': linesOf([{ rows: [wallet] }], walletForm) }),
  };
}

async function* linesOf<Row>(
  batches:
    | AsyncIterable<{ readonly rows: readonly Row[] }>
    | readonly { readonly rows: readonly Row[] }[],
  formOf: (row: Row) => object,
): AsyncGenerator<string> {
  for await (const { rows } of batches)
    yield rows.map((row) => `${JSON.stringify(formOf(row))}\n`).join('');
}

const entryForm = servedForm(ENTRY_TABLE.fields);
const operationForm = servedForm(DESCRIBED_TABLE.fields);
const walletForm = servedForm(WALLET_TABLE.fields);
const merchantForm = servedForm(MERCHANT_FIELDS);

function profileForm(profile: Merchant): object {
  const form = merchantForm(rowOfMerchant(profile));
  return profile.isNotified === false ? { ...form, webhookUrl: null } : form;
}

/**
 * Makes a function that returns the JSON object which decodes to a row. It leaves out fields that
 * are null, and objects that would lack a required field.
 */
function servedForm(fields: readonly NamedField[]): (row: object) => object {
  const needed = fields.filter((field) => field.isRequiredInside);
  return (row) => {
    const values = row as Readonly<Record<string, unknown>>;
    const lacking = needed.flatMap(({ name, path }) => (values[name] == null ? [path[0]] : []));
    const form: Record<string, unknown> = {};
    for (const { name, path, form: kind } of fields) {
      const value = values[name];
      if (value == null || lacking.includes(path[0])) continue;
      let inside = form;
      for (const key of path.slice(0, -1)) {
        inside[key] ??= {};
        inside = inside[key] as Record<string, unknown>;
      }
      inside[path.at(-1)!] = kind === 'instant' ? formatInstant(value as number) : value;
    }
    return form;
  };
}
