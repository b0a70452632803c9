// The fields of a notification (direct API, "Events"): its own, and those of the operation that it
// carries, each with the type that it has in a row of operations. What `wallet.adjusted`, `ping`
// and types outside the document carry may be anything.

import type { Instant } from '../instant.ts';
import {
  type NotifiedOperation,
  stateNotifiedBy,
  TYPES_OF_NOTIFICATIONS,
} from '../notification.ts';
import type { Operation } from '../operation.ts';
import type { ColumnBatch } from './column-batch.ts';
import { createDecoder, type Decoded } from './decode-object.ts';
import { type Field, type FieldsOf, hashed, id, instant, word } from './field.ts';
import { OPERATION_FIELDS } from './operation-fields.ts';
import { createCopy, createCursorType } from './row-cursor.ts';
import { createRowTable, fieldNamed, type RowTable } from './row-table.ts';

/**
 * A notification's own fields. `id` is the deduplication key: an event may be delivered more than
 * once.
 */
export interface EventFrame {
  readonly id: string;
  readonly type: string;
  readonly merchantReference: string;
  readonly createdAt: Instant;
}

/**
 * A notification with the fields of its operation: `operationReference`, `operationAmount` and so
 * on. These have no meaning where the type names no operation (`stateNotifiedBy`).
 */
export type EventRow = EventFrame & {
  readonly [Name in keyof Operation as `operation${Capitalize<Name>}`]: Operation[Name] | null;
};

const FRAME: FieldsOf<EventFrame> = {
  id: hashed(id()),
  type: word(TYPES_OF_NOTIFICATIONS),
  merchantReference: id(),
  createdAt: instant(),
};

/**
 * The fields of an operation without which a notification cannot be compared with the books. The
 * other fields may be left out.
 */
const NEEDED: readonly string[] = [
  'reference',
  'type',
  'status',
  'amount',
] satisfies (keyof Operation)[];

function withCarried(isNeeded: (name: string) => boolean): FieldsOf<EventRow> {
  const carried = Object.entries<Field>(OPERATION_FIELDS).map(([name, field]) => [
    nameOf(name),
    {
      ...field,
      isOptional: field.form !== 'flag' && !isNeeded(name),
      isRequiredInside: false,
      path: ['data', 'operation', ...(field.path ?? [name])],
    },
  ]);
  return { ...FRAME, ...Object.fromEntries(carried) };
}

function nameOf(name: string): string {
  return `operation${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

export const EVENT_TABLE = createRowTable(
  withCarried(() => false),
  true,
);

export const createEventCursor = createCursorType(EVENT_TABLE);

const COMPARED: readonly (keyof NotifiedOperation)[] = [
  ...([
    'reference',
    'type',
    'status',
    'amount',
    'fees',
    'netAmount',
    'currency',
    'externalReference',
  ] as const),
  ...(['failureCode', 'createdAt', 'updatedAt'] as const),
];
/**
 * The table of events with the carried fields under their names in an operation: `amount` reads
 * `operationAmount`.
 */
const CARRIED_TABLE: RowTable<NotifiedOperation> = {
  ...(EVENT_TABLE as RowTable<never>),
  fields: COMPARED.map((name) => ({
    ...fieldNamed(EVENT_TABLE, nameOf(name) as keyof EventRow),
    name,
  })),
};

/**
 * Makes a cursor, for a batch of events, over the operations that they carry. A row has no meaning
 * where the event's type names no operation.
 */
export const createCarriedCursor = createCursorType(CARRIED_TABLE);

export const copyEvent = createCopy(EVENT_TABLE);
export const copyCarried = createCopy(CARRIED_TABLE);

export const decodeEventFrame = createDecoder(createRowTable(FRAME));
const decodeNaming = createDecoder(createRowTable(withCarried((name) => NEEDED.includes(name))));
const NOTHING_CARRIED = Object.fromEntries(
  Object.keys(OPERATION_FIELDS).map((name) => [nameOf(name), null]),
);

export function decodeEvent(value: unknown): Decoded<EventRow> {
  const frame = decodeEventFrame(value);
  if (!frame.ok || stateNotifiedBy(frame.value.type) !== null)
    return frame.ok ? decodeNaming(value) : frame;
  return { ok: true, value: { ...NOTHING_CARRIED, ...frame.value } as EventRow };
}

const TYPE = fieldNamed(EVENT_TABLE, 'type').place;
/** By the code of a type: true when the type names an operation. */
const NAMES_OPERATION = EVENT_TABLE.knownWords.map(
  (known) => known !== null && stateNotifiedBy(known) !== null,
);
const NEEDED_FIELDS = NEEDED.map((name) => fieldNamed(EVENT_TABLE, nameOf(name) as keyof EventRow));

/**
 * True unless the row's type names an operation and one of the needed fields is missing. For rows
 * that a scanner read without the decoder.
 */
export function isWholeEvent(
  { table, words, texts, numbers }: ColumnBatch<EventRow>,
  row: number,
): boolean {
  if (NAMES_OPERATION[words[row * table.words + TYPE]!] !== true) return true;
  for (const { store, place } of NEEDED_FIELDS) {
    if (store === 'word' && words[row * table.words + place] === 0) return false;
    if (store === 'text' && texts[2 * (row * table.texts + place) + 1]! < 0) return false;
    if (store === 'number' && Number.isNaN(numbers[row * table.numbers + place]!)) return false;
  }
  return true;
}
