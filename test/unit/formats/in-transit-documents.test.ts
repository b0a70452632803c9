// A month with an operation in transit, in every format and language. Read back, each says what the
// statement says, and the first page, the workbook, the JSON form and the mail say the same
// sentence.

import { expect, test } from 'vitest';
import { LANGUAGES } from '../../../src/core/statements/statement.ts';
import { FORMATS, readerOf } from '../../../src/io/formats/register.ts';
import { handBooks } from '../../support/hand-books.ts';
import { documentOf, stateBooks } from '../../support/month-of-books.ts';
import { bytesOf } from '../../support/written-document.ts';

async function* whole(bytes: Uint8Array) {
  yield bytes;
}

test('is found to say what the statement says', { timeout: 60_000 }, async () => {
  const books = handBooks(`
    10-02T08:00 CASHIN_CREDIT 50000 GUI-CI-1
    10-02T08:00 CASHIN_FEE 1000 GUI-CI-1
    op GUI-CI-1 SUCCEEDED 50000 fees=1000 created=10-02T07:59 completed=10-02T08:00
    10-31T23:00 CASHOUT_HOLD 505 GUI-CO-2
    op GUI-CO-2 SUCCEEDED 500 fees=5 created=10-31T23:00 completed=10-31T23:59
    11-01T20:00 CASHOUT_DEBIT 500 GUI-CO-2
    11-01T20:00 CASHOUT_FEE 5 GUI-CO-2`);
  const stated = await stateBooks(books, { period: '2026-10' });
  const { statement } = stated;
  expect(statement.summary.inTransit).toEqual({ balance: -505, reserved: -505 });
  for (const format of FORMATS) {
    for (const language of LANGUAGES) {
      const bytes = await bytesOf(format, documentOf(stated), { language });
      expect(await readerOf(format)(whole(bytes), { statement, language }), format.name).toEqual(
        [],
      );
    }
  }
});
