// Books in files are read whole each night, and compared with the mirror. A line that is no longer
// in them is named, once.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSource as openFiles } from '../../src/io/sources/register.ts';
import { withTestStore } from '../support/database-store.ts';
import { alteredRows } from '../support/mirror-nights.ts';
import { outcomeOf, runSource } from '../support/nightly-run.ts';

const MERCHANT = 'EPICERIE_EXEMPLE';

test('a line that was taken out of a file, the first, the last or one between, is named by the next run, and only by that', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pointage-altered-'));
  try {
    cpSync(join(import.meta.dirname, '../../docs/example-books'), folder, { recursive: true });
    const file = join(folder, 'ledger.jsonl');
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    const sequences = lines.map((line) => Number(JSON.parse(line).sequence));
    for (const at of [0, 3, lines.length - 1]) {
      await withTestStore(async (store) => {
        const source = await openFiles(`file:${folder}`, {});
        const night = async () => {
          outcomeOf(await runSource(store, source), MERCHANT);
          return (await alteredRows(store, MERCHANT)).gone;
        };
        const serve = (some: readonly string[]): void =>
          writeFileSync(file, `${some.join('\n')}\n`);
        serve(lines);
        expect([await night(), await night()]).toEqual([[], []]);
        serve(lines.toReversed());
        expect(await night(), 'another order is lawful').toEqual([]);
        serve(lines.toSpliced(at, 1));
        const change = at === lines.length - 1 ? 'reset' : at === 0 ? 'fallen' : 'deleted';
        const told = [{ change, sequence: sequences[at]!, lines: 1 }];
        expect([await night(), await night()]).toEqual([told, told]);
        serve([...lines, lines[2]!]);
        expect(await night(), 'served again, and one line twice').toEqual(told);
        await source.close();
      });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
