// Delivers the operations of a file in ascending createdAt, each once, in its newest version, and looks single ones up.
// Of two versions that contradict each other the later one in the file is rejected by name.

import type { Operation } from '../../domain/operation.ts';
import type { BookFile } from './book-file.ts';
import { readRowAt } from './line-at.ts';
import { readLineChunks, wholeOf } from './line-chunks.ts';
import type { LineScanner } from './line-scanner.ts';
import { lastRow, NONE, offsetsOfExternals, rowBefore } from './operation-index.ts';
import { beginPass, endPass, hashText, isBeyondDoubt, noteOperation, type OperationPass } from './operation-pass.ts';
import type { FirstPass, OrderedStream, TrustingPass } from './ordered-stream.ts';
import { OPERATION_PLAN } from './row-plan.ts';
import { skimRow } from './row-reader.ts';

export interface OperationStream extends OrderedStream<Operation> {
  /** Null until the first pass has looked. */
  pass: OperationPass | null;
}

export function createOperationStream(file: BookFile, scanner: LineScanner | null): OperationStream {
  const stream: OperationStream = {
    file,
    scanner,
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

/** Indexes the newest version of every operation in `file`. */
export async function indexOperations(file: BookFile): Promise<OperationPass> {
  const pass = beginPass(file);
  for await (const chunk of readLineChunks(wholeOf(file))) {
    if (chunk.kind === 'overlong') continue;
    const { span, offset } = chunk;
    for (let at = chunk.start; at < span.end; ) {
      const next = skimRow(pass.reader, span, at);
      noteOperation(pass, pass.reader, { span, at, offset: offset + at });
      at = next;
    }
  }
  endPass(pass);
  return pass;
}

/** Builds the index on the way, unless the scan does. */
function passTrusting(stream: OperationStream): TrustingPass<Operation> {
  let pass: OperationPass | null = null;
  return {
    accept: (reader, _operation, line) => {
      pass ??= beginPass(stream.file);
      noteOperation(pass, reader, line);
      return isBeyondDoubt(pass);
    },
    acceptScanned: () => true,
    finish: (index) => {
      if (pass !== null) endPass(pass);
      stream.pass ??= pass ?? beginPass(stream.file, index ?? undefined);
      return isBeyondDoubt(stream.pass) ? summarize(stream.pass) : null;
    },
  };
}

/** The newest version of the operation, or null when the file has none. */
export function findOperation(pass: OperationPass, reference: string): Operation | null {
  const { index } = pass;
  const hash = hashText(index, reference);
  for (let row = lastRow(index, hash); row !== NONE; row = rowBefore(index, hash, row)) {
    const operation = readRowAt(pass.file, pass.reader, index.offsets[row]!);
    if (operation?.reference === reference) return operation;
  }
  return null;
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
