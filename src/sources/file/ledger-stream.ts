// Delivers the lines of a ledger file in ascending sequence. Equal sequences stay adjacent, in the order of the file,
// whatever they say: to judge them is not its business.

import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import type { BookFile } from './book-file.ts';
import { readLineChunks, wholeOf } from './line-chunks.ts';
import type { LineScanner } from './line-scanner.ts';
import type { OrderedStream, TrustingPass } from './ordered-stream.ts';
import { INTEGER } from './plain-line.ts';
import { ENTRY_PLAN } from './row-plan.ts';
import { createRowReader, type LineSpan, type RowReader, skimRow } from './row-reader.ts';

const SEQUENCE = ENTRY_PLAN.fields.indexOf('sequence');

export function createLedgerStream(file: BookFile, scanner: LineScanner | null): OrderedStream<LedgerEntry> {
  return {
    file,
    scanner,
    plan: ENTRY_PLAN,
    keyOf: (entry) => entry.sequence,
    passTrusting,
    passFirst: async () => ({ isInOrder: await isInSequence(file), createFilter: DELIVER_EVERY }),
    isDoubtful: false,
    firstPass: null,
    sorted: null,
  };
}

const DELIVER_EVERY = () => () => true as const;

function passTrusting(): TrustingPass<LedgerEntry> {
  let highest = Number.NEGATIVE_INFINITY;
  const acceptScanned = ({ sequence }: LedgerEntry): boolean => {
    const isInOrder = sequence >= highest;
    highest = sequence;
    return isInOrder;
  };
  return {
    accept: (_reader, entry) => acceptScanned(entry),
    acceptScanned,
    finish: () => ({ isInOrder: true, createFilter: DELIVER_EVERY }),
  };
}

/**
 * True when no line has a lower sequence than a line before it; equal sequences are in order. Looks at the sequences
 * alone, and stops at the first line out of order.
 */
async function isInSequence(file: BookFile): Promise<boolean> {
  const reader = createRowReader(ENTRY_PLAN);
  let highest = Number.NEGATIVE_INFINITY;
  for await (const chunk of readLineChunks(wholeOf(file))) {
    if (chunk.kind === 'overlong') continue;
    highest = highestOf(reader, chunk.span, chunk.start, highest);
    if (Number.isNaN(highest)) return false;
  }
  return true;
}

/** The highest sequence up to the end of the chunk, or NaN at the first line out of order. */
function highestOf(reader: RowReader<LedgerEntry>, span: LineSpan, start: number, before: number): number {
  let highest = before;
  let at = start;
  while (at < span.end) {
    at = skimRow(reader, span, at);
    const sequence = sequenceOf(reader);
    if (sequence === null) continue;
    if (sequence < highest) return Number.NaN;
    highest = sequence;
  }
  return highest;
}

/** Null for a line that holds no row. A line whose rest proves unsound may still count: order is checked too strictly then. */
function sequenceOf(reader: RowReader<LedgerEntry>): number | null {
  if (reader.found === 'row') return reader.row!.sequence;
  const isKnown = reader.found === 'keys' && reader.slots.kinds[SEQUENCE] === INTEGER;
  return isKnown ? reader.slots.numbers[SEQUENCE]! : null;
}
