// Brings ledger lines back out of a file that is in order, by a pass that looks at ids, sequences and references alone and
// reads in full only what was asked for, and the line before it.

import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import type { Recall, RecalledEntry } from '../../domain/snapshot.ts';
import { figuresAfter, isRepeated } from '../recall-entries.ts';
import type { BookFile } from './book-file.ts';
import { readRowAt } from './line-at.ts';
import { readLineChunks, wholeOf } from './line-chunks.ts';
import { ASCII_TEXT, INTEGER, OTHER_TEXT } from './plain-line.ts';
import { ENTRY_PLAN } from './row-plan.ts';
import { createRowReader, type LineSpan, type RowReader, readRow, skimRow } from './row-reader.ts';
import { createTextSet, hasText, type TextSet } from './text-set.ts';

const ID = ENTRY_PLAN.fields.indexOf('id');
const SEQUENCE = ENTRY_PLAN.fields.indexOf('sequence');
const REFERENCE = ENTRY_PLAN.fields.indexOf('operationReference');

interface Pass {
  readonly request: Recall;
  readonly ids: TextSet;
  readonly references: TextSet;
  readonly reader: RowReader<LedgerEntry>;
  /** Sequence and offset of the last line, and offset of the last line of a lower sequence (−1: there is none). */
  sequence: number;
  offset: number;
  before: number;
}

/**
 * As `recallEntries` over the rows of `file`, which must be in order; null when a line before one that is asked for is
 * not sound, so that only a pass that reads every line in full can tell which line came before.
 */
export async function recallLines(file: BookFile, request: Recall): Promise<readonly RecalledEntry[] | null> {
  const keys = request.references.size === 0 ? ['id', 'sequence'] : ['id', 'sequence', 'operationReference'];
  const pass: Pass = {
    request,
    ids: createTextSet(request.entryIds),
    references: createTextSet(request.references),
    reader: createRowReader({ ...ENTRY_PLAN, keys }),
    sequence: Number.NEGATIVE_INFINITY,
    offset: -1,
    before: -1,
  };
  const beforeReader = createRowReader(ENTRY_PLAN);
  const found: RecalledEntry[] = [];
  for await (const chunk of readLineChunks(wholeOf(file))) {
    if (chunk.kind === 'overlong') continue;
    for (let at = chunk.start; at < chunk.span.end; ) {
      const next = skimRow(pass.reader, chunk.span, at);
      const entry = stepTo(pass, chunk.span, at, chunk.offset + at);
      at = next;
      if (entry === null || isRepeated(found, entry)) continue;
      const before = pass.before < 0 ? null : readRowAt(file, beforeReader, pass.before);
      if (before === null && pass.before >= 0) return null;
      found.push({ entry, before: before === null ? null : figuresAfter(before) });
    }
  }
  return found;
}

/** Takes note of the line just skimmed; gives it when it is asked for and sound. */
function stepTo(pass: Pass, span: LineSpan, at: number, offset: number): LedgerEntry | null {
  const { reader, request } = pass;
  if (reader.found === 'keys' && (!hasPlainKeys(reader) || isAsked(pass, span))) readRow(reader, span, at);
  if (reader.found !== 'row' && reader.found !== 'keys') return null;
  const entry = reader.found === 'row' ? reader.row! : null;
  const sequence = entry === null ? reader.slots.numbers[SEQUENCE]! : entry.sequence;
  if (sequence > pass.sequence) pass.before = pass.offset;
  pass.sequence = sequence;
  pass.offset = offset;
  if (entry === null) return null;
  const isByReference = entry.operationReference !== null && request.references.has(entry.operationReference);
  return isByReference || request.entryIds.has(entry.id) ? entry : null;
}

function hasPlainKeys({ slots }: RowReader<LedgerEntry>): boolean {
  const { kinds } = slots;
  return kinds[SEQUENCE] === INTEGER && (kinds[ID] === ASCII_TEXT || kinds[ID] === OTHER_TEXT);
}

function isAsked({ ids, references, reader }: Pass, { bytes }: LineSpan): boolean {
  const { kinds, starts, ends } = reader.slots;
  if (hasText(ids, bytes, starts[ID]!, ends[ID]!)) return true;
  const hasReference = kinds[REFERENCE] === ASCII_TEXT || kinds[REFERENCE] === OTHER_TEXT;
  return hasReference && hasText(references, bytes, starts[REFERENCE]!, ends[REFERENCE]!);
}
