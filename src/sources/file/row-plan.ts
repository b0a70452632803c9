// What the reader of rows has to know of each part of the books: its fields, how to build a row from plain values, and how
// to decode one strictly.

import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import type { Operation } from '../../domain/operation.ts';
import type { Payment } from '../../domain/payment.ts';
import type { BookPart } from '../../domain/snapshot.ts';
import type { ByteSpan } from '../../packed/byte-span.ts';
import type { Packer } from '../../packed/pack.ts';
import { createEntryUnpacker, ENTRY_FORM, idHashOf, unpackEntry } from '../../packed/packed-entry.ts';
import { createOperationUnpacker, OPERATION_FORM, unpackOperation } from '../../packed/packed-operation.ts';
import type { RowForm } from '../../packed/slab.ts';
import type { Unpacker } from '../../packed/unpack.ts';
import type { Decoded } from '../../rows/decoded.ts';
import { decodeEntry } from '../../rows/entry-fields.ts';
import { decodeOperation } from '../../rows/operation-fields.ts';
import { decodePayment } from '../decode/decode-payment.ts';
import { decodeToldEvent, type ToldEvent } from '../decode/decode-told-event.ts';
import { packEntry } from './pack-entry.ts';
import { createOperationPacking } from './pack-operation.ts';
import { createEntryBuilder, ENTRY_FIELDS } from './plain-entry.ts';
import { createEventBuilder, EVENT_FIELDS } from './plain-event.ts';
import type { Slots } from './plain-line.ts';
import { createOperationBuilder, OPERATION_FIELDS } from './plain-operation.ts';
import { createPaymentBuilder, PAYMENT_FIELDS } from './plain-payment.ts';

export interface RowPlan<Row> {
  readonly part: BookPart;
  readonly fields: readonly string[];
  /** The fields that a first pass over the file has to look at: they decide order and repetition, or are asked for. */
  readonly keys: readonly string[];
  /** A builder gives null for what it is unsure of; what it does build is what `decode` would have given. */
  readonly createBuilder: () => (span: ByteSpan, slots: Slots) => Row | null;
  /** How rows go from one thread to another; null for parts whose files are never scanned on a second one. */
  readonly packed: PackedPlan<Row> | null;
  readonly decode: (value: unknown) => Decoded<Row>;
}

export interface PackedPlan<Row> {
  readonly form: RowForm;
  /** A packer gives false for what a builder would be unsure of; what it does pack is what the builder would build. */
  readonly createPacking: () => (packer: Packer, span: ByteSpan, slots: Slots) => boolean;
  readonly createUnpacker: () => Unpacker;
  readonly unpack: (unpacker: Unpacker, row: number) => Row;
  /** The hash of a packed row's id, NaN where it is not at hand; null for rows whose ids nobody counts. */
  readonly idHashOf: ((unpacker: Unpacker, row: number) => number) | null;
}

export const ENTRY_PLAN: RowPlan<LedgerEntry> = {
  part: 'ledger',
  fields: ENTRY_FIELDS,
  keys: ['sequence'],
  createBuilder: createEntryBuilder,
  packed: {
    form: ENTRY_FORM,
    createPacking: () => packEntry,
    createUnpacker: createEntryUnpacker,
    unpack: unpackEntry,
    idHashOf,
  },
  decode: decodeEntry,
};

export const OPERATION_PLAN: RowPlan<Operation> = {
  part: 'operations',
  fields: OPERATION_FIELDS,
  keys: ['reference', 'externalReference', 'createdAt'],
  createBuilder: createOperationBuilder,
  packed: {
    form: OPERATION_FORM,
    createPacking: createOperationPacking,
    createUnpacker: () => createOperationUnpacker(),
    unpack: unpackOperation,
    idHashOf: null,
  },
  decode: decodeOperation,
};

export const PAYMENT_PLAN: RowPlan<Payment> = {
  part: 'payments',
  fields: PAYMENT_FIELDS,
  keys: ['reference', 'createdAt'],
  createBuilder: createPaymentBuilder,
  packed: null,
  decode: decodePayment,
};

export const EVENT_PLAN: RowPlan<ToldEvent> = {
  part: 'events',
  fields: EVENT_FIELDS,
  keys: ['id'],
  createBuilder: createEventBuilder,
  packed: null,
  decode: decodeToldEvent,
};
