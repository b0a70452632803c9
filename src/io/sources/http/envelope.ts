// Finds the items of a list, or the object of a single answer, inside whatever envelope the service
// puts around them (the document: "list envelope: not shown"). Refuses an envelope that it does not
// recognize, or that could be read in two ways.

import {
  isArray,
  isObject,
  itemsOf,
  type Member,
  membersOf,
  type Span,
  wholeValue,
} from '../decode/json-spans.ts';
import { cut, type Found, unknown } from '../web/dialect.ts';

const LIST_NAMES = [
  'data',
  'items',
  'entries',
  'operations',
  'ledger',
  'results',
  'lines',
  'records',
  'rows',
  'deliveries',
  'webhooks',
];
const NESTING_NAMES = ['data', 'result', 'response'];

/**
 * Finds the items of a list in served order. `envelope` is `auto`, or the field's name, `a.b` when
 * it is nested.
 */
export function findItems(bytes: Uint8Array, envelope: string): Found<readonly Span[]> {
  const whole = wholeValue(bytes);
  if (whole === null) return cut('the body is not one whole JSON value');
  const list =
    envelope === 'auto'
      ? listIn(bytes, whole)
      : listAt(bytes, { within: whole, names: envelope.split('.') });
  if (!list.ok) return list;
  const items = itemsOf(bytes, list.value);
  return items === null ? cut('its list is not well formed') : { ok: true, value: items };
}

/**
 * Finds the object of a single answer: the body itself, or a field with one of the `names`, which
 * may be inside `data`, `result` or `response` (`data.operation`).
 */
export function findObject(bytes: Uint8Array, names: readonly string[]): Found<Span> {
  const whole = wholeValue(bytes);
  if (whole === null) return cut('the body is not one whole JSON value');
  if (!isObject(bytes, whole)) return unknown('the body is not a JSON object');
  return objectIn(bytes, { within: whole, names, deeper: true });
}

function objectIn(
  bytes: Uint8Array,
  search: { readonly within: Span; readonly names: readonly string[]; readonly deeper: boolean },
): Found<Span> {
  const members = membersOf(bytes, search.within);
  if (members === null) return cut('the body is not a well-formed JSON object');
  const named = members.filter(
    (member) => search.names.includes(member.name) && isObject(bytes, member.value),
  );
  if (named.length === 1) return { ok: true, value: named[0]!.value };
  const nesting = members.filter(
    (member) => NESTING_NAMES.includes(member.name) && isObject(bytes, member.value),
  );
  if (named.length === 0 && nesting.length === 1 && search.deeper) {
    return objectIn(bytes, { within: nesting[0]!.value, names: search.names, deeper: false });
  }
  if (named.length + nesting.length > 1)
    return unknown(`the object could be in ${listNames([...named, ...nesting])}`);
  return { ok: true, value: search.within };
}

function listIn(bytes: Uint8Array, whole: Span): Found<Span> {
  if (isArray(bytes, whole)) return { ok: true, value: whole };
  if (!isObject(bytes, whole)) return unknown('the body is neither a JSON array nor an object');
  const outer = membersOf(bytes, whole);
  if (outer === null) return cut('the body is not a well-formed JSON object');
  const inner = outer
    .filter((member) => NESTING_NAMES.includes(member.name) && isObject(bytes, member.value))
    .map((member) => membersOf(bytes, member.value));
  if (inner.includes(null)) return cut('the body is not a well-formed JSON object');
  const lists = [...outer, ...inner.flatMap((members) => members ?? [])].filter(
    (member) => LIST_NAMES.includes(member.name) && isArray(bytes, member.value),
  );
  if (lists.length === 1) return { ok: true, value: lists[0]!.value };
  if (lists.length > 1) return unknown(`the list could be in ${listNames(lists)}`);
  return unknown(`no list in it: its fields are ${listNames(outer)}`);
}

function listAt(
  bytes: Uint8Array,
  path: { readonly within: Span; readonly names: readonly string[] },
): Found<Span> {
  let value = path.within;
  for (const name of path.names) {
    const members = isObject(bytes, value) ? membersOf(bytes, value) : [];
    if (members === null) return cut('the body is not a well-formed JSON object');
    const member = members.find((candidate) => candidate.name === name);
    if (member === undefined) return unknown(`it has no field '${path.names.join('.')}'`);
    value = member.value;
  }
  return isArray(bytes, value)
    ? { ok: true, value }
    : unknown(`its field '${path.names.join('.')}' does not hold a list`);
}

function listNames(members: readonly Member[]): string {
  const names = members.slice(0, 8).map((member) => `'${member.name.slice(0, 40)}'`);
  return names.length === 0 ? 'none' : names.join(', ');
}
