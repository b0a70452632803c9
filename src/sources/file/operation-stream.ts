// Delivers the operations of a file in ascending createdAt, each once, in its newest version. An equal re-delivery is passed
// over; two versions that claim the same updatedAt and differ cannot both be true, and the later one is rejected by name.

import { formatInstant, type Instant } from '../../domain/instant.ts';
import type { Operation } from '../../domain/operation.ts';
import type { BookFile } from './book-file.ts';
import { hashBytes } from './hash-bytes.ts';
import { readRowAt } from './line-at.ts';
import { readLineChunks, regionOf } from './line-chunks.ts';
import {
  addOperation,
  createOperationIndex,
  findSlot,
  type IndexedOperation,
  type OperationIndex,
  offsetsOfExternals,
  replaceOperation,
} from './operation-index.ts';
import type { FirstPass, OrderedStream, TrustingPass } from './ordered-stream.ts';
import { ASCII_TEXT, ESCAPED_TEXT, INSTANT, OTHER_TEXT, type Slots } from './plain-line.ts';
import { unescapedAt } from './plain-values.ts';
import { OPERATION_PLAN } from './row-plan.ts';
import { createRowReader, type LineSpan, type RowReader, readRow, skimRow } from './row-reader.ts';

const REFERENCE = OPERATION_PLAN.fields.indexOf('reference');
const EXTERNAL_REFERENCE = OPERATION_PLAN.fields.indexOf('externalReference');
const CREATED_AT = OPERATION_PLAN.fields.indexOf('createdAt');

export interface OperationStream extends OrderedStream<Operation> {
  /** Null until the first pass has looked. */
  pass: OperationPass | null;
}

export function createOperationStream(file: BookFile): OperationStream {
  const stream: OperationStream = {
    file,
    plan: OPERATION_PLAN,
    keyOf: (operation) => operation.createdAt,
    passTrusting: () => passTrusting(stream),
    passFirst: async () => summarize(await passOf(stream)),
    isDoubtful: false,
    firstPass: null,
    sorted: null,
    pass: null,
  };
  return stream;
}

/** The first pass over the file, made only once. */
export async function passOf(stream: OperationStream): Promise<OperationPass> {
  stream.pass ??= await indexOperations(stream.file);
  return stream.pass;
}

/** Builds the index on the way. */
function passTrusting(stream: OperationStream): TrustingPass<Operation> {
  const pass = beginPass(stream.file);
  return {
    accept: (reader, operation, { span, at, offset }) => {
      const line = { span, at, offset };
      const keys = reader.isPlain ? keysOfLine(pass.index, line, reader) : keysOfRow(pass.index, line, operation);
      const isInOrder = operation.createdAt >= pass.newest;
      pass.newest = operation.createdAt;
      const isRepeated = (earlier: number) =>
        readRowAt(pass.file, pass.earlierReader, earlier)?.reference === operation.reference;
      if (!isInOrder || findSlot(pass.index, keys.hash, isRepeated) >= 0) return false;
      addOperation(pass.index, keys);
      return true;
    },
    finish: () => {
      stream.pass ??= pass;
      return summarize(stream.pass);
    },
  };
}

/** What one pass over the keys of a file found. */
export interface OperationPass {
  readonly file: BookFile;
  readonly index: OperationIndex;
  /** Reads the line of the pass, and the lines that it is compared with. */
  readonly reader: RowReader<Operation>;
  readonly earlierReader: RowReader<Operation>;
  /** Offsets of rows that another version has replaced, or that say nothing new. */
  readonly passedOver: number[];
  /** Offset → reason, for rows that contradict the version that was kept. */
  readonly contradictions: Map<number, string>;
  isInOrder: boolean;
  newest: number;
}

/** Indexes the newest version of every operation in `file`. */
export async function indexOperations(file: BookFile): Promise<OperationPass> {
  const pass = beginPass(file);
  for await (const chunk of readLineChunks(regionOf(file))) {
    if (chunk.kind === 'overlong') continue;
    const { span, offset } = chunk;
    for (let at = chunk.start; at < span.end; ) {
      const next = skimRow(pass.reader, span, at);
      noteOperation(pass, { span, at, offset: offset + at });
      at = next;
    }
  }
  return pass;
}

function beginPass(file: BookFile): OperationPass {
  return {
    file,
    index: createOperationIndex(file.size),
    reader: createRowReader(OPERATION_PLAN),
    earlierReader: createRowReader(OPERATION_PLAN),
    passedOver: [],
    contradictions: new Map(),
    isInOrder: true,
    newest: Number.NEGATIVE_INFINITY,
  };
}

/** The newest version of the operation, or null when the file has none. */
export function findOperation(pass: OperationPass, reference: string): Operation | null {
  let found: Operation | null = null;
  findSlot(pass.index, hashText(pass.index, reference), (offset) => {
    const operation = readRowAt(pass.file, pass.reader, offset);
    if (operation?.reference !== reference) return false;
    found = operation;
    return true;
  });
  return found;
}

/** The newest versions of the operations that carry one of these references of the partner's. */
export function findByExternals(pass: OperationPass, references: ReadonlySet<string>): readonly Operation[] {
  const hashes = new Set([...references].map((reference) => hashText(pass.index, reference)));
  return offsetsOfExternals(pass.index, hashes)
    .map((offset) => readRowAt(pass.file, pass.reader, offset))
    .filter((operation) => operation !== null)
    .filter(({ externalReference }) => externalReference !== null && references.has(externalReference));
}

function summarize(pass: OperationPass): FirstPass {
  const passedOver = Float64Array.from(pass.passedOver).sort();
  const { contradictions, isInOrder } = pass;
  const createFilter = () => {
    let next = 0;
    return (offset: number): boolean | string => {
      while (next < passedOver.length && passedOver[next]! < offset) next += 1;
      if (passedOver[next] === offset) return false;
      return contradictions.size === 0 || (contradictions.get(offset) ?? true);
    };
  };
  return { isInOrder, createFilter };
}

interface Line {
  readonly span: LineSpan;
  readonly at: number;
  /** Place in the file. */
  readonly offset: number;
}

/** Notes the line that the reader has just skimmed. */
function noteOperation(pass: OperationPass, line: Line): void {
  const { reader, index } = pass;
  if (reader.found === 'keys' && !hasPlainKeys(reader)) readRow(reader, line.span, line.at);
  if (reader.found !== 'row' && reader.found !== 'keys') return;
  const keys = reader.found === 'row' ? keysOfRow(index, line, reader.row!) : keysOfLine(index, line, reader);
  if (keys.createdAt < pass.newest) pass.isInOrder = false;
  pass.newest = keys.createdAt;
  const known = findSlot(index, keys.hash, (earlier, slot) => settle(pass, line, earlier, slot));
  if (known < 0) addOperation(index, keys);
}

function hasPlainKeys({ slots }: RowReader<Operation>): boolean {
  const kind = slots.kinds[REFERENCE];
  return (kind === ASCII_TEXT || kind === OTHER_TEXT) && slots.kinds[CREATED_AT] === INSTANT;
}

interface Keys extends IndexedOperation {
  readonly createdAt: Instant;
}

function keysOfLine(index: OperationIndex, { span, offset }: Line, { slots }: RowReader<Operation>): Keys {
  return {
    hash: hashField(index, span, slots, REFERENCE),
    external: hashField(index, span, slots, EXTERNAL_REFERENCE),
    createdAt: slots.numbers[CREATED_AT]!,
    offset,
  };
}

function keysOfRow(index: OperationIndex, { offset }: Line, operation: Operation): Keys {
  const { reference, externalReference, createdAt } = operation;
  const external = externalReference === null ? 0 : hashText(index, externalReference);
  return { hash: hashText(index, reference), external, createdAt, offset };
}

/** 0 for a field that is no text. A text has one hash, however it is written. */
function hashField(index: OperationIndex, span: LineSpan, slots: Slots, field: number): number {
  const { kinds, starts, ends } = slots;
  if (kinds[field] === ESCAPED_TEXT) return hashText(index, unescapedAt(span, slots, field));
  const isText = kinds[field] === ASCII_TEXT || kinds[field] === OTHER_TEXT;
  return isText ? hashBytes(index.seed, span.bytes, starts[field]!, ends[field]!) : 0;
}

function hashText(index: OperationIndex, text: string): number {
  const bytes = Buffer.from(text);
  return hashBytes(index.seed, bytes, 0, bytes.length);
}

/**
 * Decides between the line and the earlier one at `earlier`, if both are versions of one operation; true when that is
 * settled. Both are read in full: a line that is not sound may not take the place of one that is.
 */
function settle(pass: OperationPass, line: Line, earlier: number, slot: number): boolean {
  readRow(pass.reader, line.span, line.at);
  if (pass.reader.found !== 'row') return true;
  const operation = pass.reader.row!;
  const known = readRowAt(pass.file, pass.earlierReader, earlier);
  if (known?.reference !== operation.reference) return false;
  if (operation.updatedAt > known.updatedAt) {
    pass.passedOver.push(earlier);
    replaceOperation(pass.index, slot, keysOfRow(pass.index, line, operation));
  } else if (operation.updatedAt < known.updatedAt || isSameOperation(operation, known)) {
    pass.passedOver.push(line.offset);
  } else {
    const when = `updatedAt ${formatInstant(operation.updatedAt)}`;
    pass.contradictions.set(line.offset, `${operation.reference} was given before with ${when} and other content`);
  }
  return true;
}

function isSameOperation(a: Operation, b: Operation): boolean {
  return (Object.keys(a) as (keyof Operation)[]).every((field) => a[field] === b[field]);
}
