// An auditor's working papers of months that were stated in memory, put together as the kit does it.

import { createHash } from 'node:crypto';
import {
  beginDraw,
  beginLineTests,
  certifySequences,
  compareMonths,
  drawOperation,
  endDraw,
  type Sizes,
  testEntries,
  testLine,
} from '../../src/core/statements/papers/audit-papers.ts';
import type { AuditPapers } from '../../src/io/formats/papers/papers-workbook.ts';
import type { StatedMonth } from './month-of-books.ts';

const SIZES: Sizes = { monetary: 25, random: 25 };

export interface PapersWish {
  readonly seed?: string;
  readonly sizes?: Sizes;
  readonly limit?: number | null;
}

/** Nothing is known around the period. */
export function papersOf(months: readonly StatedMonth[], wish: PapersWish = {}): AuditPapers {
  const { seed = 'graine', sizes = SIZES, limit = null } = wish;
  const statements = months.map(({ statement }) => statement);
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
  const draw = beginDraw(statements, { seed, sizes, hash });
  for (const { statement, operations } of months)
    for (const operation of operations) drawOperation(draw, operation, statement.period);
  const items = endDraw(draw);
  const tests = beginLineTests();
  for (const { lines } of months) {
    for (const line of lines) {
      draw.seen.lines.get(line.operationReference ?? '')?.push(line);
      testLine(tests, line);
    }
  }
  return {
    statements,
    draw,
    items,
    notifiedAt: new Map(),
    cutOff: [],
    sequences: certifySequences(
      tests,
      new Set(statements.flatMap(({ crossing }) => crossing.rows.map(({ sequence }) => sequence))),
    ),
    months: compareMonths(
      new Map(statements.map(({ period: { period }, summary }) => [period, summary])),
      statements.map(({ period: { period } }) => period),
    ),
    entries: testEntries(tests, limit),
    entryCount: tests.entryCount,
  };
}
