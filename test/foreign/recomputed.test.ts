// A foreign spreadsheet recomputes the workbooks: no cell changes, every control is 0, and every
// figure of the summary is found where a reader looks for it. Without LibreOffice (`soffice`) these
// tests are skipped.

import { beforeAll, describe, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import { DEFAULT_JOURNAL, type JournalSettings } from '../../src/core/statements/journal.ts';
import type { StatementDocument } from '../../src/io/formats/port/format.ts';
import type { XlsxOptions } from '../../src/io/formats/xlsx/plan-workbook.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { seedRandom } from '../../src/sandbox/model/random.ts';
import { handBooks } from '../support/hand-books.ts';
import { areInstalled } from '../support/installed.ts';
import { controlsOff, hasLibreOffice, printed, recompute } from '../support/libre-office.ts';
import { documentOf, stateBooks } from '../support/month-of-books.ts';
import { sampleDocument } from '../support/sample-statement.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { type ReadWorkbook, readCells, type Sheets, xlsxBytes } from '../support/sheet-cells.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { figuresOf, summaryCell } from '../support/summary-cells.ts';

/** Settings that change at once everything that an accountant may want to change. */
const OTHERWISE: JournalSettings = {
  ...DEFAULT_JOURNAL,
  entries: 'day',
  taxes: [
    { name: 'TVA', bps: 1_800, from: null, countries: null, account: null, isRecoverable: true },
  ],
  rules: [
    {
      role: 'wallet',
      when: { operator: ['ORANGE'] },
      account: { number: '5521', label: 'Orange' },
      auxiliary: null,
    },
    {
      role: 'suppliers',
      when: { operator: ['W*'] },
      account: { number: '422', label: 'Personnel' },
      auxiliary: null,
    },
    { role: 'customers', when: {}, account: null, auxiliary: 'externalReference' },
  ],
};

/** Returns October of books into which that fault was planted, in October. */
async function faultyDocument(name: string, journal = DEFAULT_JOURNAL): Promise<StatementDocument> {
  const plan = planMerchant({
    reference: 'SHOP_FAULTY',
    opensAt: Date.UTC(2026, 8, 20),
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 3, reversalRate: 0.06 },
  });
  const sound = simulateBooks(plan, { seed: 'xlsx', until: plan.opensAt + 49 * DAY });
  const fault = FAULTS.find((one) => one.name === name)!;
  for (let attempt = 0; attempt < 20; attempt++) {
    const books = decodeBooks(fault.plant(sound, seedRandom(`${name}/${attempt}`))!.books);
    const stated = await stateBooks(books, {
      period: '2026-10',
      zone: 'Africa/Douala',
      month: { journal },
    });
    if (!stated.statement.findings.rows.some((row) => row.when === 'month' && row.kind === name))
      continue;
    return documentOf(stated);
  }
  throw new Error(`${name} was never planted in October`);
}

async function yearDocument(): Promise<StatementDocument> {
  const plan = planMerchant({
    reference: 'SHOP_YEAR',
    opensAt: Date.UTC(2025, 11, 10),
    traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 1, reversalRate: 0.06 },
  });
  const books = decodeBooks(simulateBooks(plan, { seed: 'xlsx', until: plan.opensAt + 392 * DAY }));
  return documentOf(await stateBooks(books, { period: '2026' }));
}

const CASES = {
  short: { document: sampleDocument({ lines: 60 }), options: {} },
  // So many lines that texts are no longer shared.
  long: { document: sampleDocument({ lines: 2_001 }), options: {} },
  hostile: { document: sampleDocument({ lines: 60, texts: 'hostile', links: true }), options: {} },
  empty: { document: sampleDocument({ lines: 0 }), options: {} },
  split: { document: sampleDocument({ lines: 70 }), options: { rowsPerSheet: 30 } },
  drifted: { document: await faultyDocument('BALANCE_DRIFT'), options: {} },
  otherwise: { document: await faultyDocument('CREDIT_MISSING', OTHERWISE), options: {} },
  year: { document: await yearDocument(), options: {} },
  unknownKind: { document: await faultyDocument('UNKNOWN_KIND'), options: {} },
} as const satisfies Record<string, { document: StatementDocument; options: Partial<XlsxOptions> }>;
type Case = keyof typeof CASES;
const NAMES = Object.keys(CASES) as Case[];

describe.skipIf(!hasLibreOffice)('a workbook that LibreOffice recomputes (needs soffice)', () => {
  const before = {} as Record<Case, ReadWorkbook>;
  let after: Record<Case | 'tampered', Sheets>;

  beforeAll(async () => {
    const files = {} as Record<Case | 'tampered', Buffer>;
    for (const name of NAMES) {
      files[name] = await xlsxBytes(CASES[name].document, CASES[name].options);
      before[name] = await readCells(files[name]);
    }
    files.tampered = await xlsxBytes(tampered(CASES.short.document));
    after = await recompute(files);
  }, 180_000);

  test.each(NAMES)('keeps every cell: %s', (name) => {
    const { cells, formulas } = before[name];
    expect([...after[name].keys()]).toEqual([...cells.keys()]);
    expect([...formulas.values()].reduce((many, own) => many + own.size, 0)).toBeGreaterThan(200);
    for (const [sheet, own] of cells)
      expect(rounded(after[name].get(sheet)!), sheet).toEqual(rounded(own));
  });

  test.each(NAMES)('has 0 for every control: %s', (name) => {
    expect(controlsOff(after[name])).toEqual([]);
  });

  test.each(NAMES)('shows every figure of the summary: %s', (name) => {
    const { summary } = CASES[name].document.statement;
    const figures = figuresOf(summary);
    expect(figures.size).toBeGreaterThan(30);
    // What is to be justified is in the verdict's sentences, and among the items.
    for (const [path, figure] of figures)
      if (!path.startsWith('toJustify.')) expect(summaryCell(after[name], path), path).toBe(figure);
  });

  test('is really recomputed: a line that does not follow shows in the ledger and in the controls', () => {
    const ledger = after.tampered.get('Grand livre')!;
    expect([ledger.get('J15'), ledger.get('J16'), ledger.get('J17')]).toEqual([1, 1, 0]);
    const controls = [...after.tampered.get('Contrôles')!.values()];
    expect(controls).toContain(2);
  });

  test('of broken books names the differences and still has every control at 0', () => {
    const { reconciliation, summary } = CASES.drifted.document.statement;
    expect(summary.verdict.state).toBe('broken');
    const { items } = reconciliation.balance;
    const exceptions = [...after.drifted.get('Exceptions')!.values()];
    const [, listed = []] = [
      exceptions.indexOf('Écarts nommés du mois : Solde'),
      exceptions.indexOf('Total'),
    ].map((at, i, all) => (i === 0 ? [] : exceptions.slice(all[0], at)));
    // Each root is named once, because a root follows from no other finding.
    const named = new Set<unknown>(items.map(({ fingerprint }) => fingerprint));
    expect(listed.filter((value) => named.has(value))).toEqual(
      items.map(({ fingerprint }) => fingerprint),
    );
    expect(items.map(({ sequence }) => listed.includes(sequence))).toEqual(items.map(() => true));
    expect(items.length).toBeGreaterThan(0);
    expect([...after.drifted.get('Lisez-moi')!.values()].join('\n')).toContain(
      'Livres non conformes',
    );
  });
});

/** Returns the same document with a balance in its tenth line that is one too high. */
function tampered({ lines, ...rest }: StatementDocument): StatementDocument {
  let taken = 0;
  return {
    ...rest,
    lines: async function* () {
      for await (const batch of lines()) {
        yield batch.map((line) => {
          taken += 1;
          return taken === 10 ? { ...line, balance: line.balance + 1 } : line;
        });
      }
    },
  };
}

/** Returns cells with dates to the millisecond, because they pass through text. */
function rounded(
  cells: ReadonlyMap<string, string | number>,
): ReadonlyMap<string, string | number> {
  const inOrder = [...cells].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(
    inOrder.map(([address, value]) => [
      address,
      typeof value === 'number' ? Math.round(value * 1e8) / 1e8 : value,
    ]),
  );
}

test.skipIf(!hasLibreOffice || !areInstalled('pdftotext'))(
  'figures of any size are printed whole',
  {
    timeout: 240_000,
  },
  async () => {
    const scales = [1, 1_000, 1_000_000];
    const books = scales.map(async (scale): Promise<[string, Buffer]> => {
      const rows = Array.from({ length: 12 }, (_, i) => {
        const [day, amount] = [String(i + 1).padStart(2, '0'), 98_000_000 * scale];
        return `10-${day}T08:00 CASHIN_CREDIT ${amount} GUI-CI-${i}
        op GUI-CI-${i} SUCCEEDED ${amount} created=10-${day}T07:59 completed=10-${day}T08:00`;
      });
      const text = [
        ...rows,
        `10-25T08:00 ADJUSTMENT_CREDIT ${2_999_999_999 * scale} - says=x`,
      ].join('\n');
      return [
        `x${scale}`,
        await xlsxBytes(documentOf(await stateBooks(handBooks(text), { period: '2026-10' }))),
      ];
    });
    const shown = await printed(Object.fromEntries(await Promise.all(books)));
    for (const [name, text] of Object.entries(shown)) {
      expect(text.match(/#{3}/g) ?? [], name).toEqual([]);
      expect(text).toContain('Grand livre');
    }
  },
);
