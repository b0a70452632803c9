// Books whose every text means harm to some reader: signs of each grammar, put together at random,
// long, and written from both sides. The programs that read each export come to the same sums as
// the statement, and take no text for something else.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import { decodeDescribed } from '../../src/core/domain/rows/operation-fields.ts';
import { DEFAULT_JOURNAL, type JournalSettings } from '../../src/core/statements/journal.ts';
import type { StatementFormatName } from '../../src/core/statements/statement.ts';
import { FORMATS } from '../../src/io/formats/register.ts';
import { type Books, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import { LAWFUL_POLICIES } from '../../src/sandbox/model/policy.ts';
import { drawFrom, drawInteger, type Random, seedRandom } from '../../src/sandbox/model/random.ts';
import {
  type BookedRow,
  readFecRows,
  readOdooRows,
  readSageRows,
  sumsByAccount,
} from '../support/bookkeeping-readers.ts';
import {
  hasOfxParse,
  readByAqBanking,
  readByLibOfx,
  readByOfxParse,
} from '../support/foreign-readers.ts';
import { IN_UTF8 } from '../support/in-utf8.ts';
import { areInstalled } from '../support/installed.ts';
import { controlsOff, hasLibreOffice, recompute } from '../support/libre-office.ts';
import { documentOf, type StatedMonth, stateBooks } from '../support/month-of-books.ts';
import { decodeBooks } from '../support/sandbox-books.ts';
import { simulateBooks } from '../support/simulate-books.ts';
import { TEST_SEED } from '../support/test-seed.ts';
import { bytesOf } from '../support/written-document.ts';

const run = promisify(execFile);
const SCHEMA = join(import.meta.dirname, '../support/camt.053.001.08.xsd');
const SEEDS = Number(process.env.TEST_SEEDS ?? 2);

/** Signs that readers take for their own syntax. */
const SIGNS: readonly string[] = [
  ...[
    '[2026-13-45]',
    '[=2026-01-02]',
    '[2026/1/1=2026/2/2]',
    'date:2026-13-45',
    'date2:x',
    'type:: 1/0',
    ':a:b:',
    '; x',
    ';',
  ],
  ...[
    '  ',
    '\t',
    '|',
    ' | ',
    '(411)',
    '[411]',
    '@@ 5 XOF',
    '= 0 XOF',
    '*',
    '!',
    '"',
    "'",
    '%',
    '~',
    '=',
    '{5}',
    '{{',
    '<',
    '>',
  ],
  ...[
    '\n',
    '\r\n',
    '\u2028',
    '\u0085',
    '\r\n    552  1 XOF',
    '\r\nP 2026-01-01 XOF 2',
    '\u0007',
    '\u001b[2J',
    '\u001a',
  ],
  ...[
    ':61:2610011001C1,NMSC',
    '\n-',
    '\n:62F:C261031XOF0,',
    '?20',
    '?32',
    '/',
    '-}',
    '{1:F01}',
    ',',
  ],
  ...[
    '<STMTTRN>',
    '</OFX>',
    '&amp;',
    '&',
    ']]>',
    '<!--',
    '</Ustrd>',
    '&#0;',
    '\ufffe',
    '\ud800',
    '_x0041_',
  ],
  ...[
    '=1+1',
    '+1',
    '@SUM(A1)',
    '-2',
    '\u00a0=1',
    "'",
    '`id`',
    '$(id)',
    '\\',
    '\u202e',
    '\u2066',
    '\u061c',
    '\ufeff',
    '\u200b',
  ],
  ...[
    'محل الأمير',
    'חנות הכתר',
    'ߒߞߏ ߛߓߍ',
    '🎉🙏🏾',
    'e\u0301',
    'Œuvre',
    '€',
    '#',
    '$',
    'XOF',
    '1,5',
    '552',
    'A',
    'Awa ',
  ],
  ...['x'.repeat(70), 'très long '.repeat(40), 'é'.repeat(2_500), '漢'.repeat(1_500)],
];

/** Draws a text that is never blank, because a blank text counts as absent. */
function textFrom(random: Random, least = ''): string {
  const parts = Array.from({ length: drawInteger(random, { from: 1, to: 7 }) }, () =>
    drawFrom(random, SIGNS),
  );
  return `${parts.join('')}${least}`.slice(0, 9_000);
}

const RULES: JournalSettings = {
  ...DEFAULT_JOURNAL,
  rules: [
    { role: 'customers', when: {}, account: null, auxiliary: 'externalReference' },
    { role: 'suppliers', when: {}, account: null, auxiliary: 'beneficiary' },
  ],
};

interface Month extends StatedMonth {
  readonly seed: string;
  readonly files: Readonly<Partial<Record<StatementFormatName, string>>>;
  readonly books: ReturnType<typeof withTexts>;
}

const months: Month[] = [];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pointage-hostile-'));
  const opensAt = Date.UTC(2026, 9, 1);
  for (let i = 0; i < SEEDS; i += 1) {
    const seed = `${TEST_SEED}-${i}`;
    const plan = planMerchant({
      reference: `HOSTILE_${i}`,
      policy: LAWFUL_POLICIES[0]!,
      opensAt,
      traffic: { ...ORDINARY_TRAFFIC, operationsPerDay: 4, reversalRate: 0.1 },
    });
    const books = withTexts(
      simulateBooks(plan, { seed, until: opensAt + 40 * DAY }),
      seedRandom(`texts ${seed}`),
    );
    const stated = await stateBooks(books, { period: '2026-10', month: { journal: RULES } });
    const document = documentOf(stated);
    const files: Partial<Record<StatementFormatName, string>> = {};
    for (const format of FORMATS) {
      files[format.name] = join(folder, `${i}.${format.extension}`);
      await writeFile(files[format.name]!, await bytesOf(format, document));
    }
    months.push({ ...stated, seed, files, books });
  }
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/**
 * Gives the books hostile texts as they may come from outside: of lines, operations, partners and
 * the merchant. Each operation keeps a name of its own.
 */
function withTexts(served: Books, random: Random) {
  const names = new Map(
    served.operations.map(({ reference }, i) => [
      reference,
      `${reference}${textFrom(random, `${i}`)}`,
    ]),
  );
  const books = decodeBooks(served);
  const operations = served.operations.map((row, i) => {
    const decoded = decodeDescribed(row);
    if (!decoded.ok) throw new Error(decoded.reason);
    return {
      ...decoded.value,
      reference: names.get(row.reference)!,
      externalReference: textFrom(random, `${i}`),
      description: textFrom(random),
      counterpartyName: textFrom(random, 'n'),
    };
  });
  const entries = books.entries.map((entry) => ({
    ...entry,
    description: textFrom(random),
    operationReference: names.get(entry.operationReference ?? '') ?? entry.operationReference,
  }));
  const profile = { ...books.profile, name: textFrom(random, 'n') };
  return { ...books, profile, operations, entries };
}

/** Returns debits less credits by account. Accounts that come to 0 are left out. */
function movedByAccount({ statement }: Month): Readonly<Record<string, number>> {
  const moved = statement.journal.accounts.map(
    ({ account, debit, credit }) => [account, debit - credit] as const,
  );
  return Object.fromEntries(moved.filter(([, sum]) => sum !== 0));
}

function expectMoved(month: Month, sums: Iterable<readonly [string, number]>): void {
  expect(Object.fromEntries([...sums].filter(([, sum]) => sum !== 0)), month.seed).toEqual(
    movedByAccount(month),
  );
}

const bookedBy = (rows: readonly BookedRow[]) =>
  [...sumsByAccount(rows)].map(([account, [debit, credit]]) => [account, debit - credit] as const);

/** Reads rows like `552 Monnaie …  123`: the number of the account, and the sum. */
function balancesIn(csv: string): readonly (readonly [string, number])[] {
  const rows = csv.matchAll(/^"(\d+) [^"]*","(-?\d+)[^"]*"$/gm);
  return [...rows].map(([, account, sum]) => [account!, Number(sum)] as const);
}

test('the books hold signs of every grammar', () => {
  for (const { books, lines } of months) {
    expect(lines.length).toBeGreaterThan(100);
    const all = JSON.stringify(
      books.operations.map(({ externalReference, counterpartyName }) => [
        externalReference,
        counterpartyName,
      ]),
    );
    for (const sign of ['[2026-13-45]', '|', 'STMTTRN', ':61:', '\\u001b', 'محل'])
      expect(all).toContain(sign);
  }
});

describe.skipIf(!areInstalled('hledger'))('hledger', () => {
  test('finds every assertion of the journal right, and comes to each account', {
    timeout: 120_000,
  }, async () => {
    for (const month of months) {
      const file = month.files.journal!;
      await run(
        'hledger',
        ['-s', '-f', file, 'check', 'ordereddates', 'accounts', 'commodities'],
        IN_UTF8,
      );
      const query = ['not:desc:^Ouverture', 'not:acct:nouveau'];
      const { stdout } = await run(
        'hledger',
        ['-f', file, 'bal', '-N', '-O', 'csv', ...query],
        IN_UTF8,
      );
      expectMoved(month, balancesIn(stdout));
      const { stdout: tags } = await run('hledger', ['-f', file, 'tags'], IN_UTF8);
      expect(tags.trim().split('\n').sort()).toEqual(
        expect.arrayContaining(['auxiliary', 'kind', 'number', 'sequence', 'time']),
      );
      expect(tags.trim().split('\n').length, month.seed).toBeLessThanOrEqual(6);
    }
  });
});

describe.skipIf(!areInstalled('ledger'))('ledger', () => {
  test('takes the journal, and comes to each account', { timeout: 120_000 }, async () => {
    for (const month of months) {
      const format = [
        '--flat',
        '--no-total',
        '--format',
        '"%(account)","%(quantity(scrub(display_total)))"\n',
      ];
      const { stdout } = await run(
        'ledger',
        ['--strict', '-f', month.files.journal!, 'bal', ...format, 'not', 'payee', '/^Ouverture/'],
        IN_UTF8,
      );
      expectMoved(month, balancesIn(stdout));
    }
  });
});

test('FEC, Sage and Odoo have every account, and no sign that divides their rows', async () => {
  for (const month of months) {
    const fec = await readFile(month.files.fec!);
    expectMoved(month, bookedBy(readFecRows(fec)));
    expectMoved(month, bookedBy(readSageRows(await readFile(month.files.sage!)).rows));
    expectMoved(month, bookedBy(readOdooRows(await readFile(month.files.odoo!))));
  }
});

describe.skipIf(!areInstalled('xmllint', 'aqbanking-cli', 'ofxdump') || !hasOfxParse)(
  'bank statements',
  () => {
    const closingOf = ({ statement }: Month): number => statement.summary.recorded.balance;
    const movedOf = ({ statement }: Month): number =>
      closingOf({ statement } as Month) - statement.journal.wallet.opening;
    const sumOf = (byDay: Readonly<Record<string, number>>): number =>
      Object.values(byDay).reduce((a, b) => a + b, 0);

    test('are read by AqBanking, libofx and ofxparse with the same sums', {
      timeout: 240_000,
    }, async () => {
      for (const month of months) {
        const { camt, mt940, ofx } = month.files;
        await run('xmllint', ['--noout', '--schema', SCHEMA, camt!]);
        const [parsed] = await readByOfxParse([ofx!]);
        const read = {
          camt: await readByAqBanking(camt!, 'camt'),
          mt940: await readByAqBanking(mt940!, 'mt940'),
          libofx: await readByLibOfx(ofx!),
          ofxparse: parsed!,
        };
        const moving = month.lines.filter((line) => !line.isMemo).length;
        for (const [reader, { count, byDay, balances }] of Object.entries(read)) {
          expect([count, sumOf(byDay)], `${reader} ${month.seed}`).toEqual([
            moving,
            movedOf(month),
          ]);
          expect(balances, `${reader} ${month.seed}`).toContain(closingOf(month));
        }
      }
    });

    test('MT940 is of ASCII in lines of at most 65 characters, of which none is taken for a field', async () => {
      for (const { files, seed } of months) {
        const lines = (await readFile(files.mt940!, 'latin1')).split('\r\n');
        expect(
          lines.filter((line) => line.replace(/^:86:/, '').length > 65),
          seed,
        ).toEqual([]);
        expect(
          lines.filter((line) => !/^(?:[\x20-\x7e]*)$/.test(line)),
          seed,
        ).toEqual([]);
        expect(
          lines.filter((line) => !/^(?::(?:20|25|28C|60F|61|86|62F|64):|\?\d\d|-?$)/.test(line)),
          seed,
        ).toEqual([]);
      }
    });
  },
);

describe.skipIf(!hasLibreOffice)('LibreOffice', () => {
  test('opens the workbook, and every control is 0', { timeout: 240_000 }, async () => {
    const books = Object.fromEntries(
      await Promise.all(
        months.map(async ({ seed, files }) => [seed, await readFile(files.xlsx!)] as const),
      ),
    );
    const opened = await recompute(books);
    for (const { seed, statement } of months) {
      const cells = [...opened[seed]!.values()].flatMap((sheet) => [...sheet.values()]);
      expect(
        cells.filter((value) => /^(?:Err:|#(?:REF|NAME|VALUE|DIV|N\/A))/.test(String(value)))
          .length,
        seed,
      ).toBe(0);
      expect(cells.includes(statement.summary.recorded.balance), seed).toBe(true);
      expect(controlsOff(opened[seed]!), seed).toEqual([]);
    }
  });
});

describe.skipIf(!areInstalled('pdftotext', 'qpdf'))('pdftotext and qpdf', () => {
  test('read the PDF, in which nothing turns or breaks a line', { timeout: 120_000 }, async () => {
    for (const { files, statement, seed } of months) {
      await run('qpdf', ['--check', files.pdf!]);
      const { stdout } = await run('pdftotext', ['-layout', files.pdf!, '-'], IN_UTF8);
      const acting =
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
        stdout.match(/[\u0000-\u0008\u000b\u000e-\u001f\u061c\u2066-\u2069\u202d\u202e]/g) ?? [];
      expect(acting, seed).toEqual([]);
      expect(stdout.replace(/[\s\u202f]/g, ''), seed).toContain(
        String(statement.summary.recorded.balance),
      );
    }
  });
});

test('CSV has a row for each line, whatever its texts hold', async () => {
  for (const { files, lines, seed } of months) {
    const text = await readFile(files.csv!, 'utf8');
    expect(text.split('\r\n').length - 2, seed).toBe(lines.length);
    const cells = [...text.matchAll(/(?:^|;)(?:"((?:[^"]|"")*)"|([^;"\r\n]*))/gm)].map(
      ([, quoted, bare]) => quoted ?? bare!,
    );
    expect(
      cells.filter((cell) => /^\s*[=+@-]/.test(cell) && !/^-?\d+$/.test(cell)),
      seed,
    ).toEqual([]);
  }
});
