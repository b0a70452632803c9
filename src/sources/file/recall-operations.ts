// Brings operations back out of a file: a few by the index of the first pass, many by streaming the file once more.

import type { Operation } from '../../domain/operation.ts';
import type { OperationVersion, Recall } from '../../domain/snapshot.ts';
import { findByExternals, findOperation, type OperationStream, passOf } from './operation-stream.ts';
import { streamInOrder } from './ordered-stream.ts';

/** More than so many are found sooner by reading the whole file than by going back for each. */
const MOST_SOUGHT = 20_000;

/** The newest version of each operation that was asked for, by ascending createdAt. */
export async function recallOperations(stream: OperationStream, request: Recall): Promise<readonly OperationVersion[]> {
  const { references, externalReferences } = request;
  const isSmall = references.size + externalReferences.size <= MOST_SOUGHT;
  const found = isSmall ? await lookUp(stream, request) : await pickOut(stream, request);
  return found.map((operation) => ({ operation, previous: null }));
}

async function lookUp(stream: OperationStream, request: Recall): Promise<readonly Operation[]> {
  const pass = await passOf(stream);
  const found = new Map<string, Operation>();
  for (const reference of request.references) {
    const operation = findOperation(pass, reference);
    if (operation !== null) found.set(reference, operation);
  }
  if (request.externalReferences.size > 0) {
    for (const operation of findByExternals(pass, request.externalReferences))
      found.set(operation.reference, operation);
  }
  return [...found.values()].sort((a, b) => a.createdAt - b.createdAt);
}

async function pickOut(stream: OperationStream, request: Recall): Promise<readonly Operation[]> {
  const found: Operation[] = [];
  stream.firstPass ??= await stream.passFirst();
  for await (const { rows } of streamInOrder(stream)) {
    for (const operation of rows) {
      const { reference, externalReference } = operation;
      const isByPartner = externalReference !== null && request.externalReferences.has(externalReference);
      if (isByPartner || request.references.has(reference)) found.push(operation);
    }
  }
  return found;
}
