// A statement table is declared once. A column that is added to it is on the page and in the
// workbook, with the words of its key.

import { expect, test } from 'vitest';
import type { CommissionRow } from '../../../src/core/statements/section-commissions.ts';
import type { Statement } from '../../../src/core/statements/statement.ts';
import { ACCOUNTS } from '../../../src/core/statements/tables/circumstances.ts';
import {
  COMMISSION_DIFFERENCES,
  COMMISSIONS,
  FEE_TAXES,
} from '../../../src/core/statements/tables/commissions.ts';
import { DAYS, MONTHS } from '../../../src/core/statements/tables/days.ts';
import { NAMED_DIFFERENCES } from '../../../src/core/statements/tables/findings.ts';
import { LEDGER } from '../../../src/core/statements/tables/ledger.ts';
import { COUNTRIES, OPERATORS } from '../../../src/core/statements/tables/operators.ts';
import { DUE, type Step } from '../../../src/core/statements/tables/steps.ts';
import type { Column, Table } from '../../../src/core/statements/tables/table.ts';
import { LABELS } from '../../../src/core/words/tree.ts';
import { openPages } from '../../../src/io/formats/pdf/page/flow.ts';
import { type Face, openCountingPen, type TextRun } from '../../../src/io/formats/pdf/page/pen.ts';
import { AMPLE } from '../../../src/io/formats/pdf/page/setting.ts';
import { drawTable } from '../../../src/io/formats/pdf/page/tables.ts';
import { wordingOf } from '../../../src/io/formats/port/wording.ts';
import { type TableBlock, tableOf } from '../../../src/io/formats/tables/block.ts';
import { movementTable, stepBlocks } from '../../../src/io/formats/tables/steps.ts';
import { openContext, startSheet } from '../../../src/io/formats/xlsx/sheet/sheet.ts';
import { addTable } from '../../../src/io/formats/xlsx/sheet/table.ts';
import { sampleDocument } from '../../support/sample-statement.ts';
import { addressOf, readCells, xlsxBytes } from '../../support/sheet-cells.ts';
import { TEMPLATE } from '../../support/written-document.ts';

const titles = { ...LABELS.fr.commissions, average: 'Panier moyen' };

/** The table of commissions with one more column, which takes one edit and its word. */
const WITH_AVERAGE = {
  ...COMMISSIONS,
  columns: [
    ...COMMISSIONS.columns,
    {
      key: 'average',
      form: 'amount',
      pick: ({ base, count }) => Math.round(base / count),
      sum: 'sum',
    },
  ],
} as const satisfies Table<CommissionRow>;

const document = sampleDocument({ lines: 60 });
const { rows, total } = document.statement.commissions;
const given = {
  rows: rows.map((row) => ({ ...row, count: 2, base: 9_000 })),
  total: { ...total, count: 2, base: 9_000 },
};

test('a column that is added to a declared table is in the workbook, with its word, its figures and their sum', () => {
  const context = openContext(document, { language: 'fr', verifyAt: null, template: TEMPLATE });
  const sheet = startSheet('Commissions');
  const places = addTable(sheet, context, tableOf('prices', WITH_AVERAGE, { titles, ...given }));
  const [head, first] = sheet.rows;
  expect([head!.at(-1)!.value, first!.at(-1)!.value]).toEqual(['Panier moyen', 4_500]);
  expect(sheet.rows.at(-1)!.at(-1)).toMatchObject({
    formula: `SUM('Commissions'!$J$2:$J$3)`,
    value: 4_500,
  });
  expect(places.total('average')).toBe("'Commissions'!$J$4");
});

test('and on the page', () => {
  const drawn: string[] = [];
  const { pen } = openCountingPen();
  const run = (text: string): TextRun => ({ text, operator: null, width: text.length });
  const face = { shape: run, cut: run, wrap: (text: string) => [run(text)] } as unknown as Face;
  const flow = openPages({
    running: { name: '', title: '', number: '', hash: '' },
    labels: LABELS.fr,
    words: wordingOf('UTC', { labels: LABELS.fr, language: 'fr' }),
    layout: TEMPLATE.layout,
    setting: AMPLE,
    regular: face,
    bold: face,
    pen: { ...pen, content: (draw) => draw(), text: (_, { text }) => void drawn.push(text) },
    pages: 1,
    contents: [],
  });
  drawTable(flow, tableOf('prices', WITH_AVERAGE, { titles, ...given }));
  expect(drawn).toContain('Panier moyen');
  expect(drawn.filter((text) => text.replace(/\D/g, '') === '4500')).toHaveLength(3);
});

test('formulas name columns of their own table, and no two columns share a key', () => {
  const tables = {
    COMMISSIONS,
    COMMISSION_DIFFERENCES,
    FEE_TAXES,
    DAYS,
    MONTHS,
    OPERATORS,
    COUNTRIES,
    LEDGER,
    ACCOUNTS,
    DUE,
  };
  for (const [name, { columns }] of Object.entries(tables)) {
    const keys = (columns as readonly Column<never>[]).map(({ key }) => key);
    expect(new Set(keys).size, name).toBe(keys.length);
    const named = (columns as readonly Column<never>[]).flatMap(
      ({ formula = '' }) => formula.match(/\b[a-z]\w*/g) ?? [],
    );
    expect(
      named.filter((key) => !keys.includes(key)),
      name,
    ).toEqual([]);
  }
});

test('kinds without a line and steps that add nothing are left out; what is left unexplained stays, also at 0', () => {
  const context = openContext(document, { language: 'fr', verifyAt: null, template: TEMPLATE });
  const { movements, reconciliation } = document.statement;
  const idle = movements.filter(({ count }) => count === 0);
  expect(idle.length).toBeGreaterThan(0);
  const shown = (movementTable(context).rows as readonly Step[]).map(({ key }) => key);
  expect(shown.filter((key) => key.startsWith('kind'))).toHaveLength(
    movements.length - idle.length,
  );
  const stepsOf = (statement: Statement): readonly string[] => {
    const table = stepBlocks({ ...context, statement }).find((block) => block.form === 'table');
    return (table as TableBlock).rows.map((row) => (row as Step).key);
  };
  expect(reconciliation.balance.remainder).toBe(0);
  expect(stepsOf(document.statement)).toEqual(['recorded', 'unexplained', 'recomputed']);
  const crossed = { ...reconciliation, reserved: { ...reconciliation.reserved, crossing: 5 } };
  expect(stepsOf({ ...document.statement, reconciliation: crossed })).toContain('crossing');
});

test('a named difference follows from the root of its finding, that of a root from nothing', () => {
  const { pick } = NAMED_DIFFERENCES.columns.find(({ key }) => key === 'causedBy')!;
  const follows = (fingerprint: string) => pick({ fingerprint, rootFingerprint: 'root' } as never);
  expect([follows('root'), follows('follower')]).toEqual([null, 'root']);
});

test('a workbook draws every column of a declared long table under the word of its key', async () => {
  const { cells } = await readCells(await xlsxBytes(document));
  const heads = LEDGER.columns.map((_, i) => cells.get('Grand livre')!.get(addressOf(i + 1, 5)));
  expect(heads).toEqual(LEDGER.columns.map(({ key }) => LABELS.fr.ledgerColumns[key]));
});
