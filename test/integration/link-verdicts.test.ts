// Payments by link in files in which something is unreadable or wrong. An audit and the statements
// of the same day have one verdict, a payout that cannot be read leaves the others where they are,
// and each month opens with the closing figures of the month before.

import { mkdtempSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import type { Statement } from '../../src/core/statements/statement.ts';
import { type Books, planMerchant } from '../../src/sandbox/model/plan.ts';
import { runCommand } from '../../src/service/cli/program.ts';
import { stageOf } from '../../src/service/cli/stage/stage.ts';
import { auditFiled } from '../support/filed-dashboard.ts';
import { writeBundle } from '../support/sandbox-bundle.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { TEST_SEED } from '../support/test-seed.ts';

const MONTHS = ['2026-08', '2026-09', '2026-10'];
const READ_AT = Date.UTC(2026, 10, 3);
const folder = mkdtempSync(join(tmpdir(), 'pointage-link-verdicts-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

type Row = Record<string, unknown>;
const listOf = (books: Books): readonly Row[] =>
  (books.payouts as unknown as Row)['list-disbursements'] as Row[];

const SOUND = simulateBooks(
  planMerchant({ reference: 'M001', country: 'CI', opensAt: Date.UTC(2026, 7, 10) }),
  {
    seed: `${TEST_SEED}/verdicts`,
    until: READ_AT - DAY,
  },
);
const left = (books: Books) => listOf(books).filter(({ status }) => status === 'SUCCESS');

function withPayout(change: (row: Row) => Row): Books {
  const [, hit] = left(SOUND);
  const rows = listOf(SOUND).map((row) => (row === hit ? change(row) : row));
  return {
    ...SOUND,
    payouts: { ...SOUND.payouts, 'list-disbursements': rows } as Books['payouts'],
  };
}

/** What is done to sound books, the verdict, and how many payouts then cannot be read. */
const CASES: readonly (readonly [name: string, books: Books, verdict: string, unread: number])[] = [
  ['nothing', SOUND, 'clean', 0],
  [
    'an amount of a payout is no number',
    withPayout((row) => ({ ...row, amount: 'beaucoup' })),
    'incomplete',
    1,
  ],
  [
    'a payout is in a state that nobody knows',
    withPayout((row) => ({ ...row, status: 'ON_ITS_WAY' })),
    'incomplete',
    1,
  ],
  [
    'a payment cannot be read',
    {
      ...SOUND,
      payments: SOUND.payments.map((one, i) => (i === 5 ? { ...one, amount: -1 } : one)),
    } as Books,
    'incomplete',
    0,
  ],
  [
    'a report’s total is off by 700',
    {
      ...SOUND,
      reports: SOUND.reports.map((report) => {
        const { summary } = report as unknown as {
          readonly summary: { readonly totalAmount: number } | null;
        };
        return report.period !== '2026-10' || summary === null
          ? report
          : { ...report, summary: { ...summary, totalAmount: summary.totalAmount + 700 } };
      }),
    } as unknown as Books,
    'broken',
    0,
  ],
];

async function stateFiled(books: Books, name: string): Promise<readonly Statement[]> {
  const source = join(folder, name, 'books');
  await writeBundle(join(source, 'M001'), books);
  const config = join(folder, name, 'config.json');
  await writeFile(config, '{}');
  const terminal = {
    note: () => {},
    colour: false,
    width: null,
    progress: () => ({ update: () => {}, stop: () => {} }),
  };
  const statements: Statement[] = [];
  for (const period of MONTHS) {
    const said: string[] = [];
    const stage = {
      ...stageOf({ ...terminal, out: (text) => void said.push(text) }, {}),
      clock: () => READ_AT,
    };
    const to = [
      '--source',
      `file:${source}`,
      '--config',
      config,
      '--format',
      'json',
      '--out',
      join(folder, name),
    ];
    await runCommand(['statement', 'make', 'M001', period, ...to], stage);
    const [, line] = (
      await readFile(join(folder, name, `RELEVE_M001_${period}_r1.json`), 'utf8')
    ).split('\n');
    statements.push(JSON.parse(line!.slice('"statement":'.length, -1)) as Statement);
  }
  return statements;
}

describe(`TEST_SEED=${TEST_SEED}`, () => {
  test.each(CASES)('%s', { timeout: 60_000 }, async (name, books, verdict, unread) => {
    const report = await auditFiled(books, READ_AT);
    expect(report.verdict, JSON.stringify(report.findings.map(({ kind }) => kind))).toBe(verdict);
    const statements = await stateFiled(books, name.replace(/\W/g, '_'));
    // The report that is wrong is that of the last month.
    expect(statements.at(-1)!.summary.verdict.state).toBe(verdict);
    const lacking = report.notChecked
      .filter(({ incomplete }) => incomplete)
      .map(({ what, code }) => [what, code]);
    for (const { summary, circumstances } of statements) {
      if (verdict !== 'broken') expect(summary.verdict.state).toBe(verdict);
      const named = circumstances.notChecked.map(({ what, code }) => [what, code]);
      expect(named).toEqual(expect.arrayContaining(lacking));
    }
    let before = 0;
    for (const { paymentsByLink } of statements) {
      expect(paymentsByLink!.account!.opening).toBe(before);
      before = paymentsByLink!.account!.closing;
    }
    const paidOut = statements.reduce(
      (sum, { paymentsByLink }) => sum + paymentsByLink!.payouts.length,
      0,
    );
    const all = left(SOUND).filter(({ completedAt }) => String(completedAt) < '2026-11');
    expect(paidOut).toBe(all.length - unread);
  });
});
