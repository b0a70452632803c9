// The first page answers five questions by figures, as pdftotext reads them: what is due, why,
// since when, what to do, and what it cost. Its column and its indicators are computed a second
// time, from the raw lines of the JSON form.

import { afterAll, describe, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import type { Statement } from '../../src/core/statements/statement.ts';
import type {
  StatementLine,
  StatementOperation,
} from '../../src/core/statements/statement-line.ts';
import type { FormatOptions } from '../../src/io/formats/port/format.ts';
import { jsonFormat } from '../../src/io/formats/text/json.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES } from '../../src/sandbox/model/policy.ts';
import { seedRandom } from '../../src/sandbox/model/random.ts';
import { areInstalled } from '../support/installed.ts';
import { documentOf, stateBooks } from '../support/month-of-books.ts';
import { openPdfFolder, pagesOf, rawPagesOf, squeezed } from '../support/pdf-tools.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { bytesOf, TEMPLATE } from '../support/written-document.ts';

const folder = openPdfFolder();
afterAll(() => folder.remove());

interface Told {
  readonly statement: Statement;
  readonly lines: readonly StatementLine[];
  readonly operations: readonly StatementOperation[];
}

const booksOf = (posting: 'GROSS' | 'NET') => {
  const policy = LAWFUL_POLICIES.find(
    ({ cashinCredit }) => (cashinCredit === 'NET') === (posting === 'NET'),
  )!;
  const opensAt = Date.UTC(2026, 8, 2);
  const plan = planMerchant({
    reference: 'PAGE_FICTIVE',
    policy,
    opensAt,
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 7 },
  });
  return simulateBooks(plan, { seed: 'first page', until: opensAt + 65 * DAY });
};

async function told(
  fault: string | null,
  posting: 'GROSS' | 'NET' = 'GROSS',
  options: Partial<FormatOptions> = {},
  seed = 'page',
) {
  const sound = booksOf(posting);
  const plant = FAULTS.find(({ name }) => name === fault)?.plant;
  const books = plant === undefined ? sound : plant(sound, seedRandom(seed))!.books;
  const document = documentOf(await stateBooks(decodeBooks(books), { period: '2026-10' }));
  const file = await folder.write(document, options);
  const [page, next, ...others] = pagesOf(file);
  return {
    ...(JSON.parse((await bytesOf(jsonFormat, document)).toString()) as Told),
    page: page!,
    read: squeezed(rawPagesOf(file)[0]!),
    next: next!,
    others,
  };
}

const figure = (amount: number): string => `${amount < 0 ? '−' : ''}${Math.abs(amount)}`;
/** Returns the row that begins with `start`, without spaces. */
const rowOf = (page: string, start: string): string =>
  page
    .split('\n')
    .map(squeezed)
    .find((line) => line.startsWith(squeezed(start))) ?? '';

/** Sums up the lines alone, whatever the statement says of them. */
function movedIn({ lines, operations }: Pick<Told, 'lines' | 'operations'>, isNet: boolean) {
  const sum = (kinds: RegExp): number =>
    lines
      .filter(({ kind }) => kinds.test(kind))
      .reduce((total, { credit, debit }) => total + (credit ?? 0) - (debit ?? 0), 0);
  const credited = new Set(
    lines.flatMap(({ kind, operationReference }) =>
      kind === 'CASHIN_CREDIT' ? [operationReference] : [],
    ),
  );
  const withheld = isNet
    ? operations
        .filter(({ reference }) => credited.has(reference))
        .reduce((total, { fees }) => total + fees, 0)
    : 0;
  return {
    collected: sum(/^CASHIN_CREDIT$/) + withheld,
    fees: sum(/_FEE$/) - withheld,
    disbursed: sum(/^CASHOUT_DEBIT$/),
    reversals: sum(/^REVERSAL_/),
    adjustments: sum(/^ADJUSTMENT_/),
  };
}

/** Returns the month's row below the head of the indicators. */
const indicatorsOf = (page: string): string =>
  rowOf(page.slice(page.indexOf('Indicateurs')), 'octobre 2026');

/** Computes the rate of the operations that succeeded in the month, from what they state. */
function rateOf({ statement, operations }: Pick<Told, 'statement' | 'operations'>): string {
  const { start, end } = statement.period;
  const charged = operations.filter(
    ({ status, completedAt }) =>
      /^(SUCCEEDED|REVERSED)$/.test(status) &&
      completedAt !== null &&
      completedAt >= start &&
      completedAt < end,
  );
  const sum = (key: 'fees' | 'amount'): number =>
    charged.reduce((total, one) => total + one[key], 0);
  return (Math.round((sum('fees') * 10_000) / sum('amount')) / 100).toFixed(2).replace('.', ',');
}

describe.skipIf(!areInstalled('pdftotext'))('the first page (needs pdftotext)', () => {
  test.each([
    'CREDIT_DUPLICATED',
    'CREDIT_MISSING',
    'BALANCE_DRIFT/persistent',
    'FEE_AMOUNT_MISMATCH',
  ])('of books with %s says what is due, why, since when, and what to do', async (fault) => {
    const { statement, operations, page, read: text, next } = await told(fault);
    const { due, summary } = statement;
    expect(indicatorsOf(page)).toMatch(new RegExp(`${rateOf({ statement, operations })}%$`));
    expect(text).toContain(
      `Soldedûau31octobre2026:${figure(summary.due!.balance)}${statement.currency}`,
    );
    const open = due.items.filter(({ state, balance }) => state === 'open' && balance !== 0);
    expect(open.length).toBeGreaterThan(0);
    expect(open.reduce((sum, { balance }) => sum + balance, 0)).toBe(
      summary.recorded.balance - summary.due!.balance,
    );
    for (const { balance, at, operationReference, sequence, proposal } of open) {
      const day = new Date(at!).toISOString().slice(0, 10).split('-').reverse().join('/');
      const row = page
        .split('\n')
        .map(squeezed)
        .find((line) => line.includes(day) && line.endsWith(figure(0 - balance)));
      expect(row, `${fault} ${day}`).toContain(operationReference ?? `lignen°${sequence}`);
      expect(squeezed(next)).toContain(`opération:${day}.`);
      for (const { amount, description } of proposal) {
        expect(text).toContain(squeezed(`libellé « ${description} »`));
        expect(squeezed(next)).toContain(`${amount}${statement.currency}`);
      }
    }
    // Of few posts each begins with its figure: as in the column, what leads from the recorded
    // balance to the one due.
    const posts = [...page.matchAll(/^ *\d+\. (\d[\d\s]*\d) à (ajouter|déduire) :/gm)].map(
      ([, sum, word]) => Number(squeezed(sum!)) * (word === 'déduire' ? -1 : 1),
    );
    if (open.length <= 2) expect(posts).toEqual(open.map(({ balance }) => 0 - balance));
    expect(text).toContain('à la page 2'.replaceAll(' ', ''));
    expect(next).toContain('Lettre au service');
  });

  test('of broken books has no “no difference” beside a gap, one sign for an amount, and counts that say what they count', async () => {
    const { statement, page, next, others } = await told('CREDIT_DUPLICATED', 'GROSS', {}, 'b');
    expect(statement.findings.rows[0]!.when).toBe('month');
    const { due, operators, reconciliation, circumstances, summary } = statement;
    const [item] = due.items;
    const whole = squeezed([page, next, ...others].join(''));
    expect(whole).not.toContain('Aucunécart:');
    // Two balances in one sentence, each with its day.
    const read = new Date(circumstances.coverage.watermark!).toISOString();
    const at = `${read.slice(0, 10).split('-').reverse().join('/')}${read.slice(11, 19)}`;
    expect(whole).toContain(
      `Concordent:lesoldecomptabiliséetceluideslignesau31/10/2026(${summary.recorded.balance});leportefeuilleetseslignesàlalecturedu${at}(solde${circumstances.walletAsRead!.wallet.balance}).`,
    );
    const sum = item!.balance;
    expect(whole).toContain(`${sum}àdéduire:`);
    expect(whole).toContain(`Écart(lignes−opérations)${sum}0`);
    expect(reconciliation.collections.difference).toBe(-sum);
    expect(whole).not.toContain(`Écart${figure(-sum)}`);
    expect(rowOf(page, 'Mouvement')).toBe('MouvementLignesoctobre2026');
    expect(rowOf(page, 'Encaissé (brut)')).toMatch(
      new RegExp(`^Encaissé\\(brut\\),dontuneligneendouble${operators.total.countIn}`),
    );
    expect(summary.paymentCount).toBe(operators.total.countIn - 1);
    expect(squeezed(page)).toContain('Opérationsd’encaissement');
    // Page 1 speaks of the merchant, the letter is the merchant's own.
    expect(squeezed(page)).toContain('Àfaireparlemarchand');
    expect(squeezed(page)).toContain(`${sum}XOFontétéportésentropauportefeuilleetnereviennentpas`);
    expect(`${page}`).not.toMatch(/\bvous\b|\bÉcrivez\b/i);
    expect(squeezed(next)).toContain(`${sum}XOFontainsiétéportésentrop`);
    expect(next).not.toContain('ce marchand');
  });

  test('goes on over a second one in the largest type, with the letter behind it', async () => {
    const { layout } = TEMPLATE;
    const page = { margins: { top: 120, right: 120, bottom: 120, left: 120 } };
    const sizes = {
      ...layout.sizes,
      title: 30,
      heading: 20,
      subheading: 16,
      body: 12,
      table: 10,
      note: 10,
    };
    const template = { ...TEMPLATE, layout: { ...layout, page, sizes } };
    const { page: first, next, others } = await told('CREDIT_DUPLICATED', 'GROSS', { template });
    expect(next).not.toContain('Lettre au service');
    expect(squeezed(`${first}${next}`)).toContain('àlapage3');
    expect(others[0]).toContain('Lettre au service');
  });

  test('says since when of what is in no row of its column: money that is held wrongly', async () => {
    const { statement, page, next } = await told('HOLD_NOT_RELEASED');
    const held = statement.due.items.filter(
      ({ state, reserved }) => state === 'open' && reserved !== 0,
    );
    expect(held.length).toBeGreaterThan(0);
    for (const { at, balance, reserved } of held) {
      expect(balance).toBe(0);
      // Not to be read as one of the balance, which is right.
      expect(squeezed(page)).toContain(`${figure(reserved)}àdéduireduréservé:`);
      const day = new Date(at!).toISOString().slice(0, 10).split('-').reverse().join('/');
      for (const text of [page, next]) expect(squeezed(text)).toContain(`opération:${day}.`);
    }
  });

  test.each(['GROSS', 'NET'] as const)(
    'of collections posted %s leads by the raw lines to what is due',
    async (posting) => {
      const { page, next, ...all } = await told(null, posting);
      const { summary, journal, operators } = all.statement;
      const moved = movedIn(all, posting === 'NET');
      const rows = {
        'Encaissé (brut)': moved.collected,
        Commissions: moved.fees,
        Décaissé: moved.disbursed,
        'Contre-passations': moved.reversals,
        Régularisations: moved.adjustments,
      };
      for (const [name, amount] of Object.entries(rows)) {
        expect(amount, name).not.toBe(0);
        expect(rowOf(page, name), name).toMatch(new RegExp(`${figure(amount)}$`));
      }
      const { opening } = journal.wallet;
      const closing = Object.values(rows).reduce((sum, amount) => sum + amount, opening);
      expect(rowOf(page, 'Solde à l’ouverture')).toMatch(new RegExp(`${figure(opening)}$`));
      expect(rowOf(page, 'Solde comptabilisé par le service, et dû')).toMatch(
        new RegExp(`${figure(closing)}$`),
      );
      expect(summary.due!.balance).toBe(closing);
      const basket = Math.round(summary.totalAmount / summary.paymentCount);
      const success = operators.total.success.percent!.replace('.', ',');
      expect(indicatorsOf(page)).toBe(
        `octobre2026${summary.paymentCount}${basket}${success}%${rateOf(all)}%`,
      );
      expect(squeezed(page)).toContain(`Aucunécart:${summary.entryCount}lignesrejouées`);
      expect(next).not.toContain('Lettre au service');
    },
  );

  test('of books that are not whole shows what was recorded, and that what is due is not established', async () => {
    const stated = await stateBooks(decodeBooks(booksOf('GROSS')), { period: '2026-10' });
    const { statement } = stated;
    const summary = {
      ...statement.summary,
      due: null,
      verdict: { state: 'incomplete' as const, missing: ['ledger'] },
    };
    const due = { ...statement.due, due: null };
    const [page] = rawPagesOf(
      await folder.write(documentOf({ ...stated, statement: { ...statement, summary, due } })),
    );
    const text = squeezed(page!);
    expect(text).toContain(
      `Soldecomptabiliséparleserviceau31octobre2026:${summary.recorded.balance}${statement.currency}`,
    );
    expect(text).toContain('Lesoldedûn’apaspuêtreétabli');
    expect(text).not.toMatch(/etdû|Soldedûau/);
  });
});
