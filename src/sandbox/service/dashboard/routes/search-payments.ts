// GET /web-merchant/payments/search: payments by link, newest first, by the documented filters. Refuses a filter that it
// cannot read rather than answer as if it had not been given.

import { DAY, type Instant, parseInstant } from '../../../../core/domain/instant.ts';
import { LINK_OPERATORS, PAYMENT_STATUSES } from '../../../../core/domain/payment.ts';
import { LINK_COUNTRIES, type ServedPayment } from '../../../dashboard/served-dashboard.ts';
import type { Query } from '../../read-query.ts';
import { QUERY } from '../choices.ts';
import { badRequest } from '../refusal.ts';

/** `payments` in ascending createdAt, answered newest first; at most `cap` of the newest that fit are answered, silently, where there is one. */
export function searchPayments(
  payments: readonly ServedPayment[],
  search: { readonly query: Query; readonly cap: number | null },
): readonly ServedPayment[] {
  const { query, cap } = search;
  const from = readInstant(query, QUERY.from, 0);
  const until = readInstant(query, QUERY.until, DAY - 1);
  const text = readText(query, QUERY.text);
  const status = readOneOf(query, QUERY.status, PAYMENT_STATUSES);
  const operator = readOneOf(query, QUERY.operator, LINK_OPERATORS);
  const country = readOneOf(query, QUERY.country, LINK_COUNTRIES);
  const found = payments.filter((payment) => {
    const createdAt = Date.parse(payment.createdAt);
    return (
      (from === null || createdAt >= from) &&
      (until === null || createdAt <= until) &&
      (text === null || payment.reference.includes(text) || payment.order_id.includes(text)) &&
      (status === null || payment.status === status) &&
      (operator === null || payment.senderOperateur.toLowerCase() === operator) &&
      (country === null || payment.country === country)
    );
  });
  return found.toReversed().slice(0, cap ?? found.length);
}

/** Of a date, `within` after its midnight, UTC: a whole day belongs to a time that ends with it. */
function readInstant(query: Query, name: string, within: number): Instant | null {
  const text = readText(query, name);
  if (text === null) return null;
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text);
  const instant = parseInstant(isDate ? `${text}T00:00:00Z` : text);
  if (instant === null) throw badRequest(`${name} must be an ISO 8601 date`);
  return isDate ? instant + within : instant;
}

export function readText(query: Query, name: string): string | null {
  const value = query[name];
  if (value === undefined || value === '') return null;
  if (typeof value !== 'string') throw badRequest(`${name} must be given once`);
  return value;
}

function readOneOf<Value extends string>(query: Query, name: string, allowed: readonly Value[]): Value | null {
  const text = readText(query, name);
  if (text === null) return null;
  const found = allowed.find((value) => value === text);
  if (found === undefined) throw badRequest(`${name} must be one of ${allowed.join(', ')}`);
  return found;
}
