// A made-up statement of many lines that holds only a thousand of them, so that what a process takes is the format's.

import type { StatementDocument } from '../../src/formats/format.ts';
import { type SampleOptions, sampleDocument } from './sample-statement.ts';

/** As many lines as asked for, made while they are taken, so that the memory is the format's. */
export function longDocument(count: number, texts: SampleOptions['texts'] = 'hostile'): StatementDocument {
  const { statement, lines } = sampleDocument({ lines: Math.min(count, 1_000), texts: texts ?? 'plain' });
  return {
    statement: { ...statement, summary: { ...statement.summary, entryCount: count } },
    lines: async function* () {
      for (let done = 0; done < count; ) {
        for await (const batch of lines()) {
          const taken = batch.slice(0, count - done);
          const from = done;
          yield taken.map((line, i) => ({ ...line, number: from + i + 1, operationReference: `GUI-CI-${from + i}` }));
          done += taken.length;
        }
      }
    },
  };
}
