// The indicators of a month, and what there is to do. They count operations, whatever lines were
// posted for them, and are in every form that people and programs read.

import { expect, test } from 'vitest';
import type { Statement } from '../../../src/core/statements/statement.ts';
import { bridgeOf, measuresOf, periodFigures } from '../../../src/core/statements/tables/bridge.ts';
import { formatNamed } from '../../../src/io/formats/register.ts';
import { handBooks } from '../../support/hand-books.ts';
import { documentOf, stateBooks } from '../../support/month-of-books.ts';
import { cellBeside, readCells, xlsxBytes } from '../../support/sheet-cells.ts';
import { bytesOf } from '../../support/written-document.ts';

const SOUND = `
  op GUI-CI-1 SUCCEEDED 50000 fees=1000 created=10-02T07:50 completed=10-02T08:00
  10-02T08:00 CASHIN_CREDIT 50000 GUI-CI-1
  10-02T08:00 CASHIN_FEE 1000 GUI-CI-1
  op GUI-CO-2 SUCCEEDED 10000 fees=100 created=10-03T07:50 completed=10-03T08:00
  10-03T07:50 CASHOUT_HOLD 10100 GUI-CO-2
  10-03T08:00 CASHOUT_DEBIT 10000 GUI-CO-2
  10-03T08:00 CASHOUT_FEE 100 GUI-CO-2`;

/** A year before, without a rate. */
const EARLIER = {
  ...{
    opening: 0,
    collected: 6_002,
    fees: 0,
    disbursed: 0,
    reversals: 0,
    adjustments: 0,
    otherMovements: 0,
  },
  ...{
    ahead: 0,
    gap: 0,
    recorded: 6_002,
    due: 6_002,
    paymentCount: 3,
    totalAmount: 6_002,
    success: '97.4',
  },
};

const stated = async (text: string): Promise<Statement> =>
  (await stateBooks(handBooks(text), { period: '2026-10' })).statement;

test.each([
  ['credited twice', '10-04T08:00 CASHIN_CREDIT 50000 GUI-CI-1'],
  ['debited twice', '10-04T08:00 CASHOUT_DEBIT 10000 GUI-CO-2'],
  ['charged twice', '10-04T08:00 CASHIN_FEE 1000 GUI-CI-1'],
])('an operation that was %s moves no indicator', async (_, line) => {
  const [sound, broken] = [await stated(SOUND), await stated(`${SOUND}\n${line}`)];
  expect(broken.summary.verdict.state).toBe('broken');
  expect(broken.summary.closingBalance).not.toBe(sound.summary.closingBalance);
  // The rate is 1,100 of 60,000.
  const own = { period: '2026-10', count: 1, basket: 50_000, success: '100.0', rate: 183 };
  expect(measuresOf(broken)).toEqual([own]);
  expect(measuresOf(sound)).toEqual([own]);
});

test('a period that was issued without the rate has none beside it', async () => {
  const statement = await stated(SOUND);
  const { rate: _, ...figures } = periodFigures(statement);
  const before = { period: '2026-09', revision: 1, documentHash: '0'.repeat(64), figures };
  const circumstances = { ...statement.circumstances, comparatives: [before] };
  expect(measuresOf({ ...statement, circumstances }).map(({ rate }) => rate)).toEqual([183, null]);
});

test('of broken books the workbook and the JSON form have the indicators and the list of the first page', async () => {
  const twice = '10-04T08:00 CASHIN_CREDIT 50000 GUI-CI-1';
  const month = await stateBooks(handBooks(`${SOUND}\n${twice}`), { period: '2026-10' });
  const before = { period: '2025-10', revision: 2, documentHash: '0'.repeat(64), figures: EARLIER };
  const circumstances = { ...month.statement.circumstances, comparatives: [before] };
  const document = documentOf({ ...month, statement: { ...month.statement, circumstances } });
  const json = JSON.parse((await bytesOf(formatNamed('json')!, document)).toString());
  expect(json.measures).toEqual(measuresOf(document.statement));
  expect(json.measures).toHaveLength(2);
  expect(json.toDo.en).toEqual([
    'Write to the service: the letter on page 2 of the PDF is ready to be signed.',
    expect.stringMatching(
      /^1\. 50,000 to be deducted: Cash-in GUI-CI-1 was credited 2 times: .* Entry to ask for: /,
    ),
    expect.stringMatching(/^50,000.XOF of the wallet were posted in error .* taken them back\.$/),
  ]);
  const { cells } = await readCells(await xlsxBytes(document, { language: 'en' }));
  const rowOf = (label: string) =>
    ['B', 'C', 'D', 'E'].map((column) => cellBeside(cells, { sheet: 'Summary', label, column }));
  expect(rowOf('October 2026')).toEqual([1, 50_000, 1, 0.0183]);
  expect(rowOf('October 2025, revision 2')).toEqual([3, 2_001, 0.974, '–']);
  const readMe = [...cells.get('Read me')!.values()].map((text) =>
    String(text).replaceAll('\u00a0', ' '),
  );
  for (const line of json.toDo.en) expect(readMe).toContain(line.replaceAll('\u00a0', ' '));
});

test('of sound books there is nothing to do', async () => {
  const document = documentOf(await stateBooks(handBooks(SOUND), { period: '2026-10' }));
  const json = JSON.parse((await bytesOf(formatNamed('json')!, document)).toString());
  expect([json.toDo, json.measures.length]).toEqual([{ fr: [], en: [] }, 1]);
  const { cells } = await readCells(await xlsxBytes(document));
  expect([...cells.get('Lisez-moi')!.values()]).not.toContain('À faire par le marchand');
});

test('an opening that is not the closing of the period issued before is followed by what came since', async () => {
  const month = await stateBooks(handBooks(SOUND.replaceAll('10-0', '09-0')), {
    period: '2026-10',
  });
  const besides = (period: string, recorded: number) => {
    const before = {
      period,
      revision: 2,
      documentHash: '0'.repeat(64),
      figures: { ...EARLIER, recorded },
    };
    const circumstances = { ...month.statement.circumstances, comparatives: [before] };
    return documentOf({ ...month, statement: { ...month.statement, circumstances } });
  };
  const rows = (period: string, recorded: number) =>
    bridgeOf(besides(period, recorded).statement).map(({ of }) => of);
  expect(rows('2026-09', 39_000).slice(0, 2)).toEqual(['opening', 'openingSince']);
  for (const joined of [rows('2026-09', 38_900), rows('2025-10', 0)])
    expect(joined).not.toContain('openingSince');
  const { cells } = await readCells(await xlsxBytes(besides('2026-09', 39_000)));
  const said = [...cells.values()].flatMap((sheet) => [...sheet.values()]).map(String);
  expect(said.find((text) => text.includes('depuis la clôture'))).toBe(
    'dont −100 depuis la clôture à 39\u202f000 (septembre 2026, révision 2)',
  );
});
