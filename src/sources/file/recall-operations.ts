// Brings operations back out of a file, by a pass that looks at references alone and reads in full only what was asked for.

import type { Operation } from '../../domain/operation.ts';
import type { OperationVersion, Recall } from '../../domain/reading.ts';
import { readLineChunks, regionOf } from './line-chunks.ts';
import type { OrderedStream } from './ordered-stream.ts';
import { ASCII_TEXT, OTHER_TEXT, type Slots } from './plain-line.ts';
import { OPERATION_PLAN } from './row-plan.ts';
import { createRowReader, type LineSpan, type RowReader, readRow, skimRow } from './row-reader.ts';
import { createTextSet, hasText, type TextSet } from './text-set.ts';

const REFERENCE = OPERATION_PLAN.fields.indexOf('reference');
const EXTERNAL_REFERENCE = OPERATION_PLAN.fields.indexOf('externalReference');

/** The newest version of each operation that was asked for, by ascending createdAt. */
export async function recallOperations(
  stream: OrderedStream<Operation>,
  request: Recall,
): Promise<readonly OperationVersion[]> {
  const references = createTextSet(request.references);
  const externals = createTextSet(request.externalReferences);
  const keys = externals.size === 0 ? ['reference'] : ['reference', 'externalReference'];
  const reader = createRowReader({ ...OPERATION_PLAN, keys });
  stream.firstPass ??= await stream.passFirst(stream.file);
  const filter = stream.firstPass.createFilter();
  const found: Operation[] = [];
  for await (const chunk of readLineChunks(regionOf(stream.file))) {
    if (chunk.kind === 'overlong') continue;
    for (let at = chunk.start; at < chunk.span.end; ) {
      const next = skimRow(reader, chunk.span, at);
      const isAsked = asks({ references, externals, request }, reader, chunk.span, at);
      if (isAsked && filter(chunk.offset + at) === true) found.push(reader.row!);
      at = next;
    }
  }
  found.sort((a, b) => a.createdAt - b.createdAt);
  return found.map((operation) => ({ operation, previous: null }));
}

interface Wanted {
  readonly references: TextSet;
  readonly externals: TextSet;
  readonly request: Recall;
}

/** True when the line just skimmed is asked for and sound; it stands in `reader.row` then. */
function asks(wanted: Wanted, reader: RowReader<Operation>, span: LineSpan, at: number): boolean {
  const { slots } = reader;
  if (reader.found === 'keys') {
    const isPlainlyOther =
      isOther(wanted.references, span, slots, REFERENCE) && isOther(wanted.externals, span, slots, EXTERNAL_REFERENCE);
    if (isPlainlyOther) return false;
    readRow(reader, span, at);
  }
  if (reader.found !== 'row') return false;
  const { reference, externalReference } = reader.row!;
  const { references, externalReferences } = wanted.request;
  return references.has(reference) || (externalReference !== null && externalReferences.has(externalReference));
}

/** True when the text of the field was looked at and is not in the set. */
function isOther(set: TextSet, { bytes }: LineSpan, { kinds, starts, ends }: Slots, field: number): boolean {
  if (set.size === 0 || (kinds[field] !== ASCII_TEXT && kinds[field] !== OTHER_TEXT)) return true;
  return !hasText(set, bytes, starts[field]!, ends[field]!);
}
