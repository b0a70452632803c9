// Rows gathered from anywhere in a file keep their words, also after a line that the quick way began and gave up.

import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allocateBatch, openBatch } from '../../../../src/core/rows/column-batch.ts';
import { rowsOf } from '../../../../src/core/rows/copy-binary/enter-copied.ts';
import { createRowFinder, gatherRows } from '../../../../src/io/sources/file/gather-rows.ts';
import { ENTRY_PLAN } from '../../../../src/io/sources/file/row-plan.ts';
import { rawEntry } from '../../../contract/source-rows.ts';
import { makeFolder } from '../../../hostile/book-folder.ts';

test('a word that only a dropped line has is in bytes that stay', async () => {
  const { amount, ...rest } = rawEntry({ currency: 'ZZZZZZ', description: 'd'.repeat(300) });
  const lines = [`${JSON.stringify({ ...rest, amount })}\n`, `${JSON.stringify(rest).slice(0, -1)},"amount":1e3}\n`];
  const handle = await open(join(await makeFolder({ 'ledger.jsonl': lines.join('') }), 'ledger.jsonl'));
  const finder = createRowFinder({ handle, size: lines.join('').length, name: 'l', cutOff: null } as never, ENTRY_PLAN);
  const batch = openBatch(ENTRY_PLAN.table, allocateBatch(ENTRY_PLAN.table, 65_536));
  gatherRows(finder, batch, Float64Array.of(0), 0);
  batch.used = 0;
  batch.rows = 0;
  batch.ownWordCount = 0;
  const second = lines[0]!.length;
  gatherRows(finder, batch, Float64Array.of(second, 0), 0);
  const [odd, plain] = rowsOf(batch, { cursor: ENTRY_PLAN.createCursor(), copy: ENTRY_PLAN.copy });
  expect(odd).toMatchObject({ currency: 'ZZZZZZ', amount: 1_000 });
  expect(plain).toMatchObject({ currency: 'ZZZZZZ', amount });
  await handle.close();
});
