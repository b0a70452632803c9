// A made-up statement of many lines that holds only a thousand of them, so that what a process takes is the format's.

import type { StatementDocument } from '../../src/io/formats/port/format.ts';
import { sampleOperation } from './sample-operations.ts';
import { type SampleOptions, sampleDocument } from './sample-statement.ts';

/** As many lines as asked for, made while they are taken, so that the memory is the format's. */
export function longDocument(count: number, texts: SampleOptions['texts'] = 'hostile'): StatementDocument {
  const { statement, lines } = sampleDocument({ lines: Math.min(count, 1_000), texts: texts ?? 'plain' });
  // As many as of ordinary traffic.
  const operations = Math.floor(count / 2.3);
  return {
    statement: {
      ...statement,
      summary: { ...statement.summary, entryCount: count },
      operations: { count: operations },
    },
    operations: async function* () {
      for (let from = 0; from < operations; from += 1_000) {
        const length = Math.min(1_000, operations - from);
        yield Array.from({ length }, (_, i) => sampleOperation(from + i, operations, texts ?? 'plain'));
      }
    },
    lines: async function* () {
      for (let done = 0; done < count; ) {
        for await (const batch of lines()) {
          const taken = batch.slice(0, count - done);
          const from = done;
          yield taken.map((line, i) => ({ ...line, operationReference: `GUI-CI-${from + i}` }));
          done += taken.length;
        }
      }
    },
  };
}
