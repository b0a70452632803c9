// A made-up statement of many lines that holds only a thousand of them, so that the time and memory
// of a process are those of the format.

import { effectOf, type StatementLine } from '../../src/core/statements/statement-line.ts';
import type { StatementDocument } from '../../src/io/formats/port/format.ts';
import { SAMPLE_OPENING, sampleLines } from './sample-lines.ts';
import { sampleOperation } from './sample-operations.ts';
import { type SampleOptions, sampleDocument } from './sample-statement.ts';

/** Returns the sums of `count` lines, in which the lines of `own` come again and again. */
function sumsOf(own: readonly StatementLine[], count: number) {
  const times = (i: number): number =>
    Math.floor(count / own.length) + (i < count % own.length ? 1 : 0);
  const sum = (pick: (line: StatementLine) => number): number =>
    own.reduce((total, line, i) => total + times(i) * pick(line), 0);
  const ofKind = (...kinds: readonly string[]) =>
    sum(({ kind, amount }) => (kinds.includes(kind) ? amount : 0));
  return {
    closingBalance: SAMPLE_OPENING.balance + sum(effectOf),
    collected: ofKind('CASHIN_CREDIT'),
    disbursed: ofKind('CASHOUT_DEBIT'),
    fees: ofKind('CASHIN_FEE', 'CASHOUT_FEE'),
  };
}

/**
 * Returns a document of as many lines as asked for. They are made while they are taken, so that the
 * memory is that of the format.
 */
export function longDocument(
  count: number,
  texts: SampleOptions['texts'] = 'hostile',
): StatementDocument {
  const own = sampleLines(Math.min(count, 1_000), texts ?? 'plain');
  const { statement, lines } = sampleDocument({ lines: own.length, texts: texts ?? 'plain' });
  // As many operations as ordinary traffic has.
  const operations = Math.floor(count / 2.3);
  return {
    statement: {
      ...statement,
      summary: { ...statement.summary, entryCount: count, ...sumsOf(own, count) },
      operations: { count: operations },
    },
    operations: async function* () {
      for (let from = 0; from < operations; from += 1_000) {
        const length = Math.min(1_000, operations - from);
        yield Array.from({ length }, (_, i) =>
          sampleOperation(from + i, operations, texts ?? 'plain'),
        );
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
