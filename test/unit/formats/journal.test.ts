// The plain-text journal, checked by programs that are not ours. hledger and ledger read it, check
// every assertion and come to the statement's figures. Where one of them is not installed, its
// tests are skipped.

import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatementLine } from '../../../src/core/statements/statement-line.ts';
import { journalFormat } from '../../../src/io/formats/bookkeeping/journal.ts';
import type { StatementDocument } from '../../../src/io/formats/port/format.ts';
import { IN_UTF8 } from '../../support/in-utf8.ts';
import { sampleDocument } from '../../support/sample-statement.ts';
import { bytesOf } from '../../support/written-document.ts';

const has = (program: string): boolean =>
  spawnSync(program, ['--version'], { timeout: 10_000 }).status === 0;
const run = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pointage-journal-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Writes the journal as of the first month of books, which begins with what they open with. */
async function journalFile({ statement, ...streams }: StatementDocument): Promise<string> {
  const file = join(folder, `${Math.random()}.journal`);
  const first = { ...statement, journal: { ...statement.journal, opening: 'posted' as const } };
  await writeFile(file, await bytesOf(journalFormat, { statement: first, ...streams }));
  return file;
}

/**
 * Returns the month with every tenth line dated a day earlier than its place, because a ledger's
 * dates may go back.
 */
function unordered({ lines, ...rest }: StatementDocument): StatementDocument {
  return {
    ...rest,
    lines: async function* () {
      for await (const batch of lines()) {
        yield batch.map((line) =>
          line.sequence % 10 === 0 && line.localTime > '2026-10-02'
            ? { ...line, localTime: `2026-10-01${line.localTime.slice(10)}` }
            : line,
        );
      }
    },
  };
}

async function linesOf({ lines }: StatementDocument): Promise<readonly StatementLine[]> {
  const all: StatementLine[] = [];
  for await (const batch of lines()) all.push(...batch);
  return all;
}

const DOCUMENTS = {
  ordinary: sampleDocument({ lines: 300 }),
  hostile: sampleDocument({ lines: 300, texts: 'hostile' }),
  empty: sampleDocument({ lines: 0 }),
  unordered: unordered(sampleDocument({ lines: 300 })),
};

describe.skipIf(!has('hledger'))('hledger', () => {
  test.each(Object.keys(DOCUMENTS) as (keyof typeof DOCUMENTS)[])(
    'finds every account as stated: %s',
    async (name) => {
      const document = DOCUMENTS[name];
      const file = await journalFile(document);
      await run('hledger', ['-f', file, 'check', '--strict', 'ordereddates'], IN_UTF8);
      const { stdout } = await run(
        'hledger',
        ['-f', file, 'bal', '--flat', '-E', '-O', 'csv'],
        IN_UTF8,
      );
      const { accounts, wallet } = document.statement.journal;
      expect(accounts.find(({ role }) => role === 'wallet')!.balance).toBe(wallet.closing);
      for (const { account, label, balance } of accounts) {
        expect(stdout).toContain(
          balance === 0 ? `"${account} ${label}","0` : `"${account} ${label}","${balance} XOF"`,
        );
      }
    },
  );

  test('refuses a journal of which one balance is wrong', async () => {
    const text = await readFile(await journalFile(DOCUMENTS.ordinary), 'utf8');
    const file = join(folder, 'wrong.journal');
    await writeFile(file, text.replace('= 1296500 XOF', '= 1296501 XOF'));
    await expect(run('hledger', ['-f', file, 'check'], IN_UTF8)).rejects.toThrow(/assertion/);
  });
});

describe.skipIf(!has('ledger'))('ledger', () => {
  test.each(['ordinary', 'hostile'] as const)(
    'balances to 0 and has the wallet as stated: %s',
    async (name) => {
      const file = await journalFile(DOCUMENTS[name]);
      const { stdout } = await run(
        'ledger',
        ['--pedantic', '--strict', '-f', file, 'bal'],
        IN_UTF8,
      );
      expect(stdout.trimEnd().split('\n').at(-1)!.trim()).toBe('0');
      expect(stdout).toContain(`${DOCUMENTS[name].statement.journal.wallet.closing} XOF  552 `);
    },
  );
});

test('holds and releases are comments, and each entry keeps its number and its real time', async () => {
  const text = (await bytesOf(journalFormat, DOCUMENTS.unordered)).toString('utf8');
  const memos = DOCUMENTS.ordinary.statement.movements
    .filter((row) => /HOLD|RELEASE/.test(row.kind))
    .reduce((sum, row) => sum + row.count, 0);
  expect(text.match(/^; memo /gm)).toHaveLength(memos);
  expect([...text.matchAll(/number:(MM-2026-10-\d+)/g)].map(([, number]) => number)).toEqual(
    (await linesOf(DOCUMENTS.unordered)).flatMap(({ entry }) => entry?.number ?? []),
  );
  expect(text).toMatch(/^2026-10-(?:0[2-9]|[123]\d) .*\n {4}; .*time:2026-10-01 /m);
});
