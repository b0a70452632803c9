// Bank statements in all their forms, of all months of merchants of the demonstration, read by
// programs that are not ours. Each program comes to the statement's balances, its number of entries
// and what each day moved. A reader that is not installed is skipped. The journals are read by the
// rules published for them, and entry by entry they say the same.

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DAY } from '../../src/core/domain/instant.ts';
import type { DescribedOperation } from '../../src/core/domain/operation.ts';
import { decodeDescribed } from '../../src/core/domain/rows/operation-fields.ts';
import { zoneNameOf } from '../../src/core/domain/zone.ts';
import type { Statement } from '../../src/core/statements/statement.ts';
import { otherPartyOf } from '../../src/io/formats/bank/bank-statement.ts';
import { withEntryChanges } from '../../src/io/formats/bookkeeping/entry-changes.ts';
import { deltasOf } from '../../src/io/formats/deltas.ts';
import { FORMATS } from '../../src/io/formats/register.ts';
import { jsonFormat } from '../../src/io/formats/text/json.ts';
import { DEMO_SEED, DEMO_START } from '../../src/sandbox/plans/demo-plans.ts';
import { advanceAccount, openAccount } from '../../src/sandbox/service/account/account.ts';
import { booksOf } from '../../src/sandbox/simulation/simulate.ts';
import {
  type BookedRow,
  readFecRows,
  readOdooRows,
  readSageRows,
  sumsByAccount,
} from '../support/bookkeeping-readers.ts';
import { demoSample } from '../support/demo-sample.ts';
import {
  hasOfxParse,
  type ReadStatement,
  readByAqBanking,
  readByLibOfx,
  readByOfxParse,
} from '../support/foreign-readers.ts';
import { IN_UTF8 } from '../support/in-utf8.ts';
import { areInstalled } from '../support/installed.ts';
import { auditBooks, documentOf, type StatedMonth, stateBooks } from '../support/month-of-books.ts';
import { type DecodedBooks, decodeBooks } from '../support/sandbox-books.ts';
import { bytesOf } from '../support/written-document.ts';

const FORMS = ['camt', 'mt940', 'ofx', 'fec', 'sage', 'odoo'] as const;
const SCHEMA = join(import.meta.dirname, '../support/camt.053.001.08.xsd');
const run = promisify(execFile);
/**
 * How hledger is told to read a FEC: each row a posting, against an account that takes the other
 * side.
 */
const FEC_RULES = `skip 1
separator TAB
fields journal, journalname, number, date, account, accountname, aux, auxname, piece, piecedate, description, debit, credit, a, b, valid, c, d
date-format %Y%m%d
decimal-mark ,
account1 %account
amount1-in %debit
amount1-out %credit
account2 balance
`;

interface Month extends StatedMonth {
  readonly name: string;
  readonly files: Readonly<Record<(typeof FORMS)[number], string>>;
}

/**
 * A second revision, with the files of the first revision and the files that take an account from
 * the first to the second.
 */
interface Revision {
  readonly before: StatedMonth;
  readonly after: Month;
  readonly name: string;
  readonly files: Month['files'];
  readonly changed: Readonly<Record<string, string>>;
}

/**
 * Writes a copy of a FEC that hledger reads: it wants UTF-8, a name that says that columns are
 * tabbed, and no quote within a cell.
 */
async function tabbed(fec: string): Promise<string> {
  const text = new TextDecoder('iso-8859-15').decode(await readFile(fec));
  await writeFile(`${fec}.tsv`, text.replaceAll('"', "'"));
  return `${fec}.tsv`;
}

const months: Month[] = [];
const revisions: Revision[] = [];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pointage-readers-'));
  for (const plan of demoSample()) {
    const account = openAccount(plan, { seed: DEMO_SEED, start: DEMO_START });
    advanceAccount(account, DEMO_START + DAY);
    const served = booksOf(account.simulation);
    const books = { ...decodeBooks(served), operations: served.operations.map(described) };
    await stateAll(books, ['2026-08', '2026-09', '2026-10'], 'UTC');
    if (zoneNameOf(plan.country) !== 'UTC')
      await stateAll(books, ['2026-10'], zoneNameOf(plan.country));
  }
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Decodes an operation with who paid and who was paid. */
function described(served: object): DescribedOperation {
  const decoded = decodeDescribed(served);
  if (!decoded.ok) throw new Error(decoded.reason);
  return decoded.value;
}

/** States the months, and then October once more after a line that came late. */
async function stateAll(
  books: DecodedBooks,
  periods: readonly string[],
  zone: string,
): Promise<void> {
  const report = auditBooks(books);
  for (const period of periods) {
    const stated = await stateBooks(books, { period, zone, report });
    await keep(stated);
    if (period !== '2026-10') continue;
    await keep(
      await stateBooks(withLateLine(books), { period, zone, issued: stated.statement }),
      stated,
    );
  }
}

function withLateLine(books: DecodedBooks): DecodedBooks {
  const last = books.entries.reduce((latest, entry) =>
    entry.sequence > latest.sequence ? entry : latest,
  );
  const late = {
    ...last,
    id: '99999999-8888-4777-8666-555555555555',
    sequence: last.sequence + 1,
    kind: 'ADJUSTMENT_CREDIT',
    direction: 'CREDIT',
    amount: 4_321,
    balanceAfter: last.balanceAfter + 4_321,
    description: 'Régularisation tardive « été » & solde : 100 %',
    operationReference: null,
    createdAt: Date.UTC(2026, 9, 31, 22, 45),
  };
  return { ...books, entries: [...books.entries, late] };
}

/** Keeps a stated month. `before` is the revision that it takes the place of. */
async function keep(stated: StatedMonth, before: StatedMonth | null = null): Promise<void> {
  const { merchant, period, revision } = stated.statement;
  const name = `${merchant.reference} ${period.period} ${period.zone} r${revision.number}`;
  const document = documentOf(stated);
  const files = {} as Record<(typeof FORMS)[number], string>;
  for (const form of FORMS) {
    const format = FORMATS.find((one) => one.name === form)!;
    files[form] = join(folder, `${name.replaceAll(/[ /]/g, '_')}.${format.extension}`);
    await writeFile(files[form], await bytesOf(format, document));
  }
  months.push({ ...stated, name, files });
  if (before === null) return;
  const json = await bytesOf(jsonFormat, documentOf(before));
  const readJson = async function* () {
    yield json;
  };
  const revised = await withEntryChanges(document, { issued: before.statement, readJson });
  const changed: Record<string, string> = {};
  for (const delta of deltasOf(revised, FORMS)) {
    changed[delta.of] = join(folder, `${name.replaceAll(/[ /]/g, '_')}.${delta.extension}`);
    await writeFile(changed[delta.of]!, await bytesOf(delta, revised));
  }
  revisions.push({ before, after: months.at(-1)!, name, files: months.at(-2)!.files, changed });
}

/**
 * Returns the entries of the journal that belong to no line and move the wallet's account: what is
 * recorded and does not follow.
 */
function differencesOf({ journal }: Statement) {
  return journal.others.filter(({ source }) => ['drift', 'rest', 'ahead'].includes(source));
}

/** Returns how the recorded balance moves, day by day. */
function movedByDay(statement: Statement): ReadonlyMap<string, number> {
  const moved = new Map(statement.days.map(({ day, net }) => [day, net]));
  for (const { date, rows } of differencesOf(statement))
    for (const { role, debit, credit } of rows)
      if (role === 'wallet') moved.set(date, (moved.get(date) ?? 0) + debit - credit);
  return moved;
}

/**
 * Returns the balances as the payment service recorded them, which are also those of the account in
 * the journal.
 */
function balancesOf({ journal, summary }: Statement) {
  expect(journal.wallet.closing).toBe(summary.recorded.balance);
  return {
    opening: journal.wallet.opening,
    closing: summary.recorded.balance,
    available: summary.recorded.available,
  };
}

/**
 * Checks what a reader read. `balances` are those that the reader gives, in the order of the
 * document.
 */
function expectStated(
  { statement, lines, name }: Month,
  read: ReadStatement,
  balances: readonly number[],
): void {
  const net = [...movedByDay(statement)].filter(([, moved]) => moved !== 0);
  const read0 = Object.entries(read.byDay).filter(([, moved]) => moved !== 0);
  expect(Object.fromEntries(read0), name).toEqual(Object.fromEntries(net));
  const moving = lines.filter((line) => line.debit !== null || line.credit !== null).length;
  expect(read.count, name).toBe(moving + differencesOf(statement).length);
  expect(read.balances, name).toEqual(balances);
}

test('there are months with and without entries, in two zones, of three currencies, and second revisions', () => {
  expect(months.length).toBeGreaterThanOrEqual(5 * 4);
  expect(new Set(months.map(({ statement }) => statement.currency)).size).toBe(3);
  expect(new Set(months.map(({ statement }) => statement.period.zone)).size).toBeGreaterThan(1);
  expect(
    months.filter(({ statement }) => statement.revision.number === 2).length,
  ).toBeGreaterThanOrEqual(5);
  expect(months.reduce((sum, { lines }) => sum + lines.length, 0)).toBeGreaterThan(7_500);
  expect(
    months.filter(({ statement }) => differencesOf(statement).length > 0).length,
  ).toBeGreaterThan(0);
  for (const { lines, statement } of months) {
    expect(lines.length === 0 || lines.some((line) => otherPartyOf(line, statement) !== null)).toBe(
      true,
    );
  }
});

describe.skipIf(!areInstalled('aqbanking-cli'))('AqBanking', () => {
  test('reads camt.053, with all three balances', { timeout: 120_000 }, async () => {
    for (const month of months) {
      const { opening, closing, available } = balancesOf(month.statement);
      const read = await readByAqBanking(month.files.camt, 'camt');
      expectStated(month, read, [opening, closing, available]);
    }
  });

  test('reads MT940, and who paid or was paid', { timeout: 120_000 }, async () => {
    for (const month of months) {
      const read = await readByAqBanking(month.files.mt940, 'mt940');
      expectStated(month, read, [balancesOf(month.statement).closing]);
      const named = month.lines.filter(
        (line) => !line.isMemo && otherPartyOf(line, month.statement) !== null,
      );
      expect(read.named, month.name).toBe(named.length);
    }
  });
});

describe.skipIf(!areInstalled('ofxdump'))('libofx', () => {
  test('reads OFX', { timeout: 120_000 }, async () => {
    for (const month of months) {
      const { closing, available } = balancesOf(month.statement);
      expectStated(month, await readByLibOfx(month.files.ofx), [closing, available]);
    }
  });
});

describe.skipIf(!hasOfxParse)('ofxparse', () => {
  test('reads OFX, and finds no id twice', { timeout: 120_000 }, async () => {
    // The longest months are left out, because they take seconds each.
    const short = months.filter(({ lines }) => lines.length < 500);
    expect(short.length).toBeGreaterThan(months.length / 2);
    const read = await readByOfxParse(short.map(({ files }) => files.ofx));
    expect(read.length).toBe(short.length);
    for (const [i, month] of short.entries()) {
      const { closing, available } = balancesOf(month.statement);
      expectStated(month, read[i]!, [closing, available]);
    }
  });
});

test('FEC, Sage and Odoo come to every account of the journal, and to the balance that the service confirms', async () => {
  for (const { statement, files, name } of months) {
    const { accounts, wallet, entryCount } = statement.journal;
    const stated = accounts.map(
      ({ account, debit, credit }) => [account, [debit, credit]] as const,
    );
    const fec = readFecRows(await readFile(files.fec));
    const sage = readSageRows(await readFile(files.sage)).rows;
    const odoo = readOdooRows(await readFile(files.odoo));
    for (const rows of [fec, sage, odoo]) {
      const same = ({ date, account, debit, credit }: BookedRow) =>
        `${date} ${account} ${debit} ${credit}`;
      expect(rows.map(same), name).toEqual(fec.map(same));
      for (const own of Map.groupBy(rows, ({ entry }) => entry).values()) {
        expect(own.reduce((sum, { debit, credit }) => sum + debit - credit, 0)).toBe(0);
      }
      const sums = sumsByAccount(rows);
      const moved = stated.filter(([, [debit, credit]]) => debit + credit > 0);
      expect(Object.fromEntries(sums), name).toEqual(Object.fromEntries(moved));
      const [debit, credit] = sums.get(wallet.account) ?? [0, 0];
      expect(wallet.opening + debit - credit, name).toBe(statement.reconciliation.balance.recorded);
      expect(new Set(rows.map(({ entry }) => entry)).size, name).toBe(entryCount);
    }
  }
});

describe('what a revision changes', () => {
  const netOf = (read: ReadStatement): number =>
    Object.values(read.byDay).reduce((sum, moved) => sum + moved, 0);

  test('is there in every form', () => {
    expect(revisions.length).toBeGreaterThanOrEqual(5);
    for (const { changed } of revisions)
      expect(Object.keys(changed).sort()).toEqual(['camt', 'fec', 'mt940', 'odoo', 'sage']);
  });

  test.skipIf(!areInstalled('aqbanking-cli'))(
    'AqBanking reads it from the closing of the first to the closing of the second',
    {
      timeout: 240_000,
    },
    async () => {
      for (const { before, after, changed, name } of revisions) {
        const [opening, { closing, available }] = [
          balancesOf(before.statement).closing,
          balancesOf(after.statement),
        ];
        const camt = await readByAqBanking(changed.camt!, 'camt');
        expect(camt.balances, name).toEqual([opening, closing, available]);
        const mt940 = await readByAqBanking(changed.mt940!, 'mt940');
        for (const read of [camt, mt940])
          expect([read.count > 0, netOf(read)], name).toEqual([true, closing - opening]);
      }
    },
  );

  test.skipIf(!areInstalled('xmllint'))('xmllint finds it as the schema has it', async () => {
    await run('xmllint', [
      '--noout',
      '--schema',
      SCHEMA,
      ...revisions.map(({ changed }) => changed.camt!),
    ]);
  });

  test.skipIf(!areInstalled('hledger'))(
    'hledger comes by the first FEC and the delta to the accounts of the second',
    {
      timeout: 240_000,
    },
    async () => {
      const rules = join(folder, 'fec.rules');
      await writeFile(rules, FEC_RULES);
      for (const { after, files, changed, name } of revisions.slice(0, 4)) {
        const sources = await Promise.all([files.fec, changed.fec!].map(tabbed));
        const { stdout } = await run(
          'hledger',
          [
            ...sources.flatMap((file) => ['-f', file]),
            '--rules-file',
            rules,
            'bal',
            '-N',
            '-O',
            'csv',
            'not:acct:balance',
          ],
          IN_UTF8,
        );
        const balances = [...stdout.matchAll(/^"([^"]+)","(-?\d+)(?:[,.]00)?"$/gm)].map(
          ([, account, sum]) => [account, Number(sum)],
        );
        const stated = after.statement.journal.accounts.map(({ account, debit, credit }) => [
          account,
          debit - credit,
        ]);
        expect(Object.fromEntries(balances), name).toEqual(
          Object.fromEntries(stated.filter(([, sum]) => sum !== 0)),
        );
      }
    },
  );
});

test('camt.053 names each place where the recorded balance does not follow, and says the verdict', async () => {
  const off = months.filter(({ statement }) => differencesOf(statement).length > 0);
  for (const { statement, files, name } of off) {
    const text = await readFile(files.camt, 'utf8');
    const named = text.match(/<Cd>BALANCE_DRIFT<\/Cd>.*<AddtlNtryInf>Écarts? de solde /g) ?? [];
    const ahead =
      text.match(/<Cd>CUT_OFF<\/Cd>.*<AddtlNtryInf>Lignes datées d’après l’arrêté/g) ?? [];
    const isAhead = differencesOf(statement).filter(({ source }) => source === 'ahead');
    expect([named.length, ahead.length], name).toEqual([
      differencesOf(statement).length - isAhead.length,
      isAhead.length,
    ]);
    const said = /<AddtlStmtInf>([^<]*)<\/AddtlStmtInf>/.exec(text)?.[1];
    expect(/^(?:Révision 2 : annule.*\. )?Livres conformes/.test(said!), `${name}: ${said}`).toBe(
      statement.summary.verdict.state === 'clean',
    );
  }
});

describe.skipIf(!areInstalled('xmllint'))('xmllint', () => {
  test('finds every camt.053 as the schema has it', { timeout: 60_000 }, async () => {
    await run('xmllint', ['--noout', '--schema', SCHEMA, ...months.map(({ files }) => files.camt)]);
  });

  test('refuses one whose entry has no day', async () => {
    const [month] = months;
    const file = join(folder, 'wrong.xml');
    const bytes = await bytesOf(FORMATS.find(({ name }) => name === 'camt')!, documentOf(month!));
    await writeFile(file, bytes.toString('utf8').replace(/<BookgDt><Dt>[^<]*<\/Dt>/, '<BookgDt>'));
    await expect(run('xmllint', ['--noout', '--schema', SCHEMA, file])).rejects.toThrow(/BookgDt/);
  });
});
