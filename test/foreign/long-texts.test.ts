// The list of operations with texts of any length: each stays in its column, and a partner's
// reference is whole. Read back by poppler, with the place of each word.

import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { valueIn } from '../../src/core/domain/value-in.ts';
import { OPERATION_ROWS } from '../../src/core/statements/tables/ledger.ts';
import { assertProperty } from '../support/assert-property.ts';
import { areInstalled } from '../support/installed.ts';
import { openPdfFolder, type PlacedWord, wordsOf } from '../support/pdf-tools.ts';
import { sampleDocument } from '../support/sample-statement.ts';
import { TEMPLATE } from '../support/written-document.ts';

const folder = openPdfFolder();
afterAll(() => folder.remove());

const LINES = 60;
/** Points from the top of a page to its footer. */
const LOWEST = 841.89 - 36;
/** No other text of a statement has these signs, and no text has signs of two columns. */
const SIGNS = { reference: 'ɑɒ', partner: 'ɓʙʘ', name: 'ɲŋʃ' } as const;
type Named = keyof typeof SIGNS;

const textOf = (column: Named, most: number) =>
  fc
    .array(fc.constantFrom(...SIGNS[column], ...SIGNS[column], ' '), { maxLength: most })
    .map((signs) => signs.join('').replace(/\s+/g, ' ').trim());

const written = fc.record({
  reference: fc.oneof(textOf('reference', 24), textOf('reference', 300)),
  partner: fc.oneof(textOf('partner', 20), textOf('partner', 70), textOf('partner', 1_000)),
  name: fc.oneof(textOf('name', 20), textOf('name', 60), textOf('name', 400)),
});

/** Returns the edges of the column in points. */
function edgesOf(key: Named): { readonly from: number; readonly to: number } {
  const { left, right } = TEMPLATE.layout.page.margins;
  const unit = (595.28 - left - right) / 100;
  const before = OPERATION_ROWS.columns.slice(
    0,
    OPERATION_ROWS.columns.findIndex((column) => column.key === key),
  );
  const from = left + unit * before.reduce((sum, { width }) => sum + width, 0);
  return { from, to: from + unit * OPERATION_ROWS.columns[before.length]!.width };
}

const isOf = (column: Named, { text }: PlacedWord): boolean =>
  [...SIGNS[column]].some((sign) => text.includes(sign));

/** Whether two words cover each other by more than a point. */
const areOneOnTheOther = (one: PlacedWord, other: PlacedWord): boolean =>
  Math.min(one.to, other.to) - Math.max(one.from, other.from) > 1 &&
  Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;

type Texts = Readonly<Record<Named, string>>;

/** A sample whose operations have these texts, again and again, and how much of each has a row. */
function documentWith(texts: readonly Texts[]) {
  const plain = sampleDocument({ lines: LINES });
  const own = new Map<string, Texts>();
  const textsOf = (reference: string): Texts => {
    const i = own.size;
    return valueIn(own, reference, () => {
      const given = texts[i % texts.length]!;
      const number = [...i.toString(2)].map((digit) => SIGNS.reference[Number(digit)]).join('');
      return { ...given, reference: `${number} ${given.reference}`.trim() };
    });
  };
  const withRow = new Set<Texts>();
  const lines = async function* () {
    for await (const batch of plain.lines())
      yield batch.map((line) => {
        if (line.operationReference === null) return line;
        const { reference, partner, name } = textsOf(line.operationReference);
        if (!line.isMemo) withRow.add(own.get(line.operationReference)!);
        return {
          ...line,
          operationReference: reference,
          externalReference: partner,
          counterpartyName: name,
        };
      });
  };
  return { document: { ...plain, lines }, withRow };
}

const lengthOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + text.replaceAll(' ', '').length, 0);

test.skipIf(!areInstalled('pdftotext'))(
  'no text of an operation leaves its column or covers another, and no reference is cut',
  async () => {
    await assertProperty(
      fc.asyncProperty(fc.array(written, { minLength: 3, maxLength: 12 }), async (texts) => {
        const { document, withRow } = documentWith(texts);
        const pages = wordsOf(await folder.write(document));
        for (const column of ['reference', 'partner', 'name'] as const) {
          const { from, to } = edgesOf(column);
          const own = pages.map((words) => words.filter((word) => isOf(column, word)));
          for (const words of own) {
            const outside = words.filter(
              (word) => word.from < from || word.to > to || word.bottom > LOWEST,
            );
            expect(outside).toEqual([]);
            const covered = words.filter((word, i) =>
              words.slice(i + 1).some((other) => areOneOnTheOther(word, other)),
            );
            expect(covered).toEqual([]);
          }
          const shown = lengthOf(own.flat().map(({ text }) => text));
          const whole = lengthOf([...withRow].map((one) => one[column]));
          if (column === 'name') expect(shown).toBeLessThanOrEqual(whole + withRow.size);
          else expect(shown).toBe(whole);
        }
      }),
      { runs: 12 },
    );
  },
  60_000,
);
