// Whatever is wrong with the books, and however entries are posted, every text form of their months
// says, read back, what the statement says. A report that could not be issued because of its form
// would be our fault, not the ledger's.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import {
  DEFAULT_JOURNAL,
  type JournalSettings,
  type PostingRule,
} from '../../src/core/statements/journal.ts';
import { LANGUAGES } from '../../src/core/statements/statement.ts';
import { FORMATS, readerOf } from '../../src/io/formats/register.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { type Books, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES } from '../../src/sandbox/model/policy.ts';
import { seedRandom } from '../../src/sandbox/model/random.ts';
import { assertProperty } from '../support/assert-property.ts';
import { auditBooks, documentOf, stateBooks } from '../support/month-of-books.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { bytesOf } from '../support/written-document.ts';

const RULES: readonly PostingRule[] = [
  { role: 'customers', when: {}, account: null, auxiliary: 'operator' },
  {
    role: 'wallet',
    when: { operator: ['WAVE'] },
    account: { number: '5522', label: 'Wave' },
    auxiliary: null,
  },
];
/**
 * Journals with an entry for each line and for each day; with an account that has a space and one
 * too long for Sage; and with a wallet of several accounts.
 */
const JOURNALS: readonly JournalSettings[] = [
  DEFAULT_JOURNAL,
  { ...DEFAULT_JOURNAL, entries: 'day' },
  { ...DEFAULT_JOURNAL, rules: RULES },
  {
    ...DEFAULT_JOURNAL,
    accounts: {
      ...DEFAULT_JOURNAL.accounts,
      wallet: { number: '552 01', label: 'Monnaie électronique' },
      fees: { number: '63170000000001', label: 'Frais' },
    },
  },
];

const worlds = fc.record({
  seed: fc.string({ maxLength: 8 }),
  policy: fc.constantFrom(...LAWFUL_POLICIES),
  faults: fc.array(fc.constantFrom(...FAULTS), { minLength: 1, maxLength: 9 }),
  zone: fc.constantFrom('UTC', 'Africa/Douala'),
  journal: fc.constantFrom(...JOURNALS),
  language: fc.constantFrom(...LANGUAGES),
});

test('text forms of books with many faults', { timeout: 120_000 }, async () => {
  const forms = FORMATS.filter(({ name }) => name !== 'pdf' && name !== 'xlsx');
  await assertProperty(
    fc.asyncProperty(worlds, async ({ seed, policy, faults, zone, journal, language }) => {
      const plan = planMerchant({
        reference: 'CHAOS',
        policy,
        opensAt: Date.UTC(2026, 8, 20),
        traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 6, reversalRate: 0.1 },
      });
      const sound = simulateBooks(plan, { seed, until: plan.opensAt + 50 * DAY });
      const planted = faults.reduce<Books>(
        (books, fault) => fault.plant(books, seedRandom(seed + fault.name))?.books ?? books,
        sound,
      );
      const books = decodeBooks(planted);
      const report = auditBooks(books);
      for (const period of ['2026-09', '2026-10']) {
        const document = documentOf(
          await stateBooks(books, { period, zone, report, month: { journal } }),
        );
        const { statement } = document;
        for (const form of forms) {
          const bytes = await bytesOf(form, document, { language });
          const file = async function* () {
            yield bytes;
          };
          expect(
            await readerOf(form)(file(), { statement, language }),
            `${form.name} ${period}`,
          ).toEqual([]);
        }
      }
    }),
    { runs: 2 },
  );
});
