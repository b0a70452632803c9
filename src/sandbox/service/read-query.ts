// Query parameters of lists, read as the direct API documents them ("Common parameters"). Refuses what is out of bounds,
// naming every parameter that is wrong; parameters that the document does not have are ignored.

import { OPERATION_STATUSES, type OperationStatus } from '../../core/domain/operation.ts';
import { invalidRequest } from './api-error.ts';

export type Query = Readonly<Record<string, unknown>>;

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** `limit` 1 to 200, default 50; `offset` from 0, default 0. Throws 400 VALIDATION_ERROR. */
export function readPage(query: Query): Page {
  const limit = readInteger(query.limit ?? '50');
  const offset = readInteger(query.offset ?? '0');
  const fields = [
    ...(limit !== null && limit >= 1 && limit <= 200 ? [] : ['limit must be an integer from 1 to 200']),
    ...(offset !== null ? [] : ['offset must be an integer of at least 0']),
  ];
  if (fields.length > 0) throw invalidRequest(fields);
  return { limit: limit!, offset: offset! };
}

/** `status`, or null when it is absent. Throws 400 VALIDATION_ERROR for anything but an OperationStatus. */
export function readStatus(query: Query): OperationStatus | null {
  if (query.status === undefined) return null;
  const status = OPERATION_STATUSES.find((known) => known === query.status);
  if (status === undefined) throw invalidRequest([`status must be one of ${OPERATION_STATUSES.join(', ')}`]);
  return status;
}

/** Digits only: no sign, no fraction, no exponent, given once. */
function readInteger(value: unknown): number | null {
  if (typeof value !== 'string' || !/^\d{1,15}$/.test(value)) return null;
  return Number(value);
}
