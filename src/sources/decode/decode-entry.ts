// Decodes one ledger line (direct API, "LedgerEntry"). Refuses what cannot be read exactly; a kind, direction or
// currency outside the document, or an amount that is not positive, is a finding and passes.

import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import type { Decoded } from './decoded.ts';
import {
  decodedFrom,
  fieldsOf,
  takeId,
  takeInstant,
  takeInteger,
  takeOptionalId,
  takeOptionalText,
  takeText,
} from './fields.ts';

export function decodeEntry(value: unknown): Decoded<LedgerEntry> {
  const fields = fieldsOf(value);
  return decodedFrom(fields, {
    id: takeId(fields, 'id'),
    sequence: takeInteger(fields, 'sequence'),
    direction: takeText(fields, 'direction'),
    kind: takeText(fields, 'kind'),
    amount: takeInteger(fields, 'amount'),
    currency: takeText(fields, 'currency'),
    balanceAfter: takeInteger(fields, 'balanceAfter'),
    reservedAfter: takeInteger(fields, 'reservedAfter'),
    operationReference: takeOptionalId(fields, 'operationReference'),
    description: takeOptionalText(fields, 'description'),
    createdAt: takeInstant(fields, 'createdAt'),
  });
}
