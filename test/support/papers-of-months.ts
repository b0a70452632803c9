// An auditor's working papers of months that were stated in memory, put together as the kit does;
// and a quarter of books to make them of, in which a credit is missing.

import { createHash } from 'node:crypto';
import { compareMonths, type Sizes } from '../../src/core/statements/papers/audit-papers.ts';
import type { AuditPapers } from '../../src/io/formats/papers/papers-workbook.ts';
import { faultNamed } from '../../src/sandbox/faults/register.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { seedRandom } from '../../src/sandbox/model/random.ts';
import { testMonths } from '../../src/service/workflows/audit-kit/papers.ts';
import { auditBooks, documentOf, type StatedMonth, stateBooks } from './month-of-books.ts';
import { decodeBooks } from './sandbox-books.ts';
import { simulateBooks } from './simulate-books.ts';

const PLAN = planMerchant({
  reference: 'DOSSIER',
  opensAt: Date.UTC(2026, 7, 20),
  traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 6, reversalRate: 0.08 },
});

/** Returns September to November 2026, stated. */
export async function quarterOfBooks(): Promise<readonly [StatedMonth, StatedMonth, StatedMonth]> {
  const sound = simulateBooks(PLAN, { seed: 'papers', until: Date.UTC(2026, 11, 20) });
  const books = decodeBooks(faultNamed('CREDIT_MISSING').plant(sound, seedRandom('papers'))!.books);
  const report = auditBooks(books);
  const state = (period: string) => stateBooks(books, { period, report });
  return [await state('2026-09'), await state('2026-10'), await state('2026-11')];
}

export interface PapersWish {
  readonly seed?: string;
  readonly sizes?: Sizes;
  readonly limit?: number | null;
}

/** Returns the papers of months. Nothing is known before and after them. */
export async function papersOf(
  months: readonly StatedMonth[],
  wish: PapersWish = {},
): Promise<AuditPapers> {
  const { seed = 'graine', sizes = { monetary: 25, random: 25 }, limit = null } = wish;
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
  const tested = await testMonths(months.map(documentOf), { seed, sizes, hash, limit });
  return {
    ...tested,
    ...{
      missing: null,
      notifiedAt: new Map(),
      cutOff: [],
      runs: [],
      corrections: [],
      changes: [],
      deeds: [],
    },
    months: compareMonths(
      new Map(tested.statements.map(({ period: { period }, summary }) => [period, summary])),
      tested.statements.map(({ period: { period } }) => period),
    ),
  };
}
