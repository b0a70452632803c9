// What a revision changes in accounts that hold the revision before. Posted after it, they hold
// what the new revision states, and nothing twice.

import { describe, expect, test } from 'vitest';
import { DEFAULT_JOURNAL, type JournalEntry } from '../../../src/core/statements/journal.ts';
import { withEntryChanges } from '../../../src/io/formats/bookkeeping/entry-changes.ts';
import { entryNamer } from '../../../src/io/formats/bookkeeping/stream-entries.ts';
import { DELTAS, deltasOf } from '../../../src/io/formats/deltas.ts';
import type { StatementDocument, StatementFormat } from '../../../src/io/formats/port/format.ts';
import { formatNamed } from '../../../src/io/formats/register.ts';
import { jsonFormat } from '../../../src/io/formats/text/json.ts';
import {
  type BookedRow,
  readFecRows,
  readOdooRows,
  readSageRows,
  sumsByAccount,
} from '../../support/bookkeeping-readers.ts';
import { handBooks } from '../../support/hand-books.ts';
import {
  auditBooks,
  documentOf,
  type StatedMonth,
  stateBooks,
} from '../../support/month-of-books.ts';
import { bytesOf } from '../../support/written-document.ts';

const FIRST = `
  10-02T08:00 CASHIN_CREDIT 50000 GUI-CI-1
  10-02T08:00 CASHIN_FEE 1000 GUI-CI-1
  op GUI-CI-1 SUCCEEDED 50000 fees=1000 created=10-02T07:59 completed=10-02T08:00
  op GUI-CI-2 SUCCEEDED 7000 fees=140 created=10-04T07:59 completed=10-04T08:00`;
/** The books when the missing lines have come. */
const SECOND = `${FIRST}
  10-04T08:00 CASHIN_CREDIT 7000 GUI-CI-2
  10-04T08:00 CASHIN_FEE 140 GUI-CI-2`;

async function revised(before: string, after: string, month = {}) {
  const first = await stateBooks(handBooks(before), { period: '2026-10', month });
  const second = await stateBooks(handBooks(after), {
    period: '2026-10',
    month,
    issued: first.statement,
  });
  const json = await bytesOf(jsonFormat, documentOf(first));
  const readJson = async function* () {
    yield json;
  };
  const document = await withEntryChanges(documentOf(second), {
    issued: first.statement,
    readJson,
  });
  return { first, second, document, changes: document.statement.revision.entries };
}

/** Returns debit − credit by account. */
function balancesOf(entries: readonly JournalEntry[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { account, debit, credit } of entries.flatMap(({ rows }) => rows))
    sums[account] = (sums[account] ?? 0) + debit - credit;
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0));
}

const entriesOf = ({ statement, lines }: StatedMonth): readonly JournalEntry[] => [
  ...lines.flatMap(({ entry }) => (entry?.source === 'line' ? [entry] : [])),
  ...statement.journal.others,
];

test('lines that come late are added, and what stood for them is taken back', async () => {
  const { first, second, changes } = await revised(FIRST, SECOND);
  expect(changes).toMatchObject({ added: 2, changed: 0, reversed: 1, lineCount: 2 });
  expect(changes!.lines.map(({ sequence, entry }) => [sequence, entry])).toEqual([
    [3, 'MM-2026-10-000003'],
    [4, 'MM-2026-10-000004'],
  ]);
  expect(balancesOf([...entriesOf(first), ...changes!.entries!])).toEqual(
    balancesOf(entriesOf(second)),
  );
  const numbers = [...entriesOf(first), ...changes!.entries!].map(({ number }) => number);
  expect(new Set(numbers).size).toBe(numbers.length);
});

test('an entry of a day that a late line changes is taken back, and posted as it is now', async () => {
  const month = { journal: { ...DEFAULT_JOURNAL, entries: 'day' as const } };
  const late = `${FIRST}
  10-02T09:00 CASHIN_CREDIT 3000 GUI-CI-5
  10-02T09:00 CASHIN_FEE 60 GUI-CI-5
  op GUI-CI-5 SUCCEEDED 3000 fees=60 created=10-02T08:59 completed=10-02T09:00`;
  const { first, second, changes } = await revised(FIRST, late, month);
  expect(changes).toMatchObject({ added: 0, changed: 1, reversed: 0, lineCount: 2 });
  expect(changes!.entries!.map(({ number }) => number)).toContain('MM-2026-10-02-WAVE-A2');
  expect(changes!.entries!.map(({ number }) => number)).toContain('MM-2026-10-02-WAVE-R2');
  expect(balancesOf([...entriesOf(first), ...changes!.entries!])).toEqual(
    balancesOf(entriesOf(second)),
  );
});

test('the delta file has them in the form of a FEC', async () => {
  const { document, changes } = await revised(FIRST, SECOND);
  const text = (await bytesOf(DELTAS[0]!, document)).toString('latin1');
  const rows = text
    .split('\r\n')
    .slice(0, -1)
    .map((row) => row.split('\t'));
  expect(rows.map((row) => row.length)).toEqual(rows.map(() => 18));
  expect(new Set(rows.slice(1).map((row) => row[2]))).toEqual(
    new Set(changes!.entries!.map(({ number }) => number)),
  );
});

test('a reversal that comes late clears its collection in the revision, and nothing in the delta; letters stay', async () => {
  const credit = '10-02T08:00 CASHIN_CREDIT';
  const undone = (n: number, from = 'REVERSED') => `
  ${credit} 400 GUI-CI-${n}
  op GUI-CI-${n} ${from} 400 created=10-02T07:59 completed=10-02T08:00 updated=10-03T08:00`;
  const reversal = (n: number) => `\n  10-03T08:00 REVERSAL_DEBIT 400 GUI-CI-${n}`;
  const before = `${undone(7, 'SUCCEEDED')}${undone(8)}${reversal(8)}`;
  const { first, second, document } = await revised(
    before,
    before.replace('SUCCEEDED', 'REVERSED') + reversal(7),
  );
  const lettersOf = (stated: StatedMonth) =>
    entriesOf(stated).flatMap(({ number, rows }) =>
      rows.flatMap(({ letter }) => (letter ? [[number, letter]] : [])),
    );
  expect(lettersOf(first)).toHaveLength(2);
  expect(lettersOf(second)).toHaveLength(4);
  expect(lettersOf(second)).toEqual(expect.arrayContaining(lettersOf(first)));
  const whole = readFecRows(await bytesOf(formatNamed('fec')!, documentOf(second)));
  expect(whole.map(({ letter }) => letter)).toEqual(['', 'AAB', '', 'AAC', 'AAC', '', 'AAB', '']);
  const delta = readFecRows(await bytesOf(DELTAS[0]!, document));
  expect(delta.map(({ account, letter }) => [account, letter])).toEqual([
    ['411', ''],
    ['552', ''],
  ]);
});

test('its entries are named by what they do, in the room that a form has', async () => {
  const { document } = await revised(
    FIRST,
    `${SECOND}\n  10-05T08:00 CASHIN_CREDIT 50000 GUI-CI-1`,
  );
  const namesIn = async (format: string, language: 'fr' | 'en') => {
    const [delta] = deltasOf(document, [format]);
    const bytes = await bytesOf(delta!, document, { language });
    const rows = format === 'fec' ? readFecRows(bytes) : readSageRows(bytes).rows;
    return [...new Set(rows.map(({ label }) => label))];
  };
  expect(await namesIn('fec', 'fr')).toEqual([
    'Encaissement GUI-CI-2',
    "Commission d'encaissement GUI-CI-2",
    'Annulation GUI-CI-2',
    'Encaissement GUI-CI-1',
  ]);
  expect((await namesIn('fec', 'en'))[0]).toBe('Cash-in GUI-CI-2');
  expect((await namesIn('sage', 'fr'))[1]).toBe("Commission d'encaissement");
});

test.each([
  ['fec', 'fr', 'Régularisation crédit en double GUI-CI-1 : reprise'],
  ['sage', 'fr', 'Régul. crédit en double'],
  ['odoo', 'en', 'Settlement: credited more than once GUI-CI-1 : reprise'],
] as const)(
  'an entry that puts a fault right names the fault: %s, %s',
  async (format, language, name) => {
    const books = handBooks(`${FIRST}
  10-05T08:00 CASHIN_CREDIT 50000 GUI-CI-1
  10-06T08:00 ADJUSTMENT_DEBIT 50000 - says=reprise`);
    const report = auditBooks(books);
    const settledBy = {
      lines: ['4'],
      by: 'correction',
      at: '2026-10-06T08:00:00.000Z',
      person: null,
      reason: null,
    } as const;
    const findings = report.findings.map((one) =>
      one.kind === 'CREDIT_DUPLICATED' ? { ...one, settledBy } : one,
    );
    const stated = await stateBooks(books, { period: '2026-10', atCut: { ...report, findings } });
    const bytes = await bytesOf(formatNamed(format)!, documentOf(stated), { language });
    const rows =
      format === 'fec'
        ? readFecRows(bytes)
        : format === 'sage'
          ? readSageRows(bytes).rows
          : readOdooRows(bytes);
    const labels = rows.filter(({ account }) => account === '4712').map(({ label }) => label);
    expect(labels).toContain(name);
    const waiting = rows.filter(({ account }) => account === '4711').map(({ label }) => label);
    expect(waiting[0]).toMatch(language === 'fr' ? /^En attente crédit/ : /^In suspense: credit/);
  },
);

test.each([
  ['fr', 'Régularisation écart de solde ligne n° 5 : Geste commercial'],
  ['en', 'Settlement: balance drift line 5 : Geste commercial'],
] as const)(
  'a piece that is a line is named in %s, and the service’s reason beside it',
  (language, name) => {
    const item = { kind: 'BALANCE_DRIFT', operationReference: null, settledBy: { lines: ['7'] } };
    const nameOf = entryNamer(
      { due: { items: [item] }, revision: { entries: null } } as never,
      language,
    );
    const entry = { source: 'line', sequence: 7, operationReference: null, piece: 'LINE-5' };
    const line = { kind: 'ADJUSTMENT_CREDIT', label: 'Geste commercial' };
    expect(nameOf({ entry, line } as never)).toMatch(new RegExp(`${name.slice(-30)}$`));
  },
);

test('for Sage and Odoo it brings accounts that hold the first revision to the second', async () => {
  const { first, second, document } = await revised(FIRST, SECOND);
  for (const [format, read] of [
    ['sage', (bytes: Buffer) => readSageRows(bytes).rows],
    ['odoo', readOdooRows],
  ] as const) {
    const [delta] = deltasOf(document, [format]);
    const rows = read(await bytesOf(delta!, document));
    const [before, after] = await Promise.all(
      [first, second].map(async (one) =>
        read(await bytesOf(formatNamed(format)!, documentOf(one))),
      ),
    );
    expect(rows.length).toBeGreaterThan(2);
    const balances = (booked: readonly BookedRow[]) => {
      const sums = [...sumsByAccount(booked)].map(
        ([account, [debit, credit]]) => [account, debit - credit] as const,
      );
      return Object.fromEntries(sums.filter(([, balance]) => balance !== 0));
    };
    expect(balances([...before!, ...rows]), format).toEqual(balances(after!));
    const known = new Set(before!.map(({ entry }) => entry));
    if (format === 'odoo') expect(rows.filter(({ entry }) => known.has(entry))).toEqual([]);
  }
  expect(deltasOf(documentOf(first), ['fec', 'sage', 'odoo'])).toEqual([]);
  expect(deltasOf(document, ['pdf', 'ofx', 'journal'])).toEqual([]);
});

describe('of a bank statement', () => {
  /** Reads the balances at both ends, and the signed entries with their references. */
  const readCamt = (bytes: Buffer) => {
    const text = bytes.toString('utf8');
    const signed = [
      ...text.matchAll(/^<(Bal|Ntry)>.*?<Amt Ccy="XOF">(\d+)<\/Amt><CdtDbtInd>(\w+)<.*$/gm),
    ];
    const amount = ([, , figure, side]: RegExpMatchArray): number =>
      (side === 'DBIT' ? -1 : 1) * Number(figure);
    const [opening, closing] = signed.filter(([, name]) => name === 'Bal').map(amount);
    const entries = signed
      .filter(([, name]) => name === 'Ntry')
      .map((one) => [/<NtryRef>([^<]*)/.exec(one[0])![1], amount(one)] as const);
    return { opening, closing, entries, count: Number(/<NbOfNtries>(\d+)/.exec(text)![1]) };
  };
  const deltaOf = async (document: StatementDocument) => {
    const [delta] = deltasOf(document, ['camt']);
    return readCamt(await bytesOf(delta!, document));
  };

  test('it goes from the closing of the revision before to the new one, by the lines that are new', async () => {
    const { first, second, document } = await revised(FIRST, SECOND);
    const { opening, closing, entries, count } = await deltaOf(document);
    expect([opening, closing]).toEqual([
      first.statement.summary.recorded.balance,
      second.statement.summary.recorded.balance,
    ]);
    expect(entries).toEqual([
      ['3', 7_000],
      ['4', -140],
    ]);
    expect(count).toBe(2);
    expect(deltasOf(document, ['camt', 'mt940']).map(({ extension }) => extension)).toEqual([
      'delta.xml',
      'delta.mt940',
    ]);
  });

  test('a line that is another takes the old one back', async () => {
    const changed = FIRST.replace('CASHIN_FEE 1000', 'CASHIN_FEE 900').replace(
      'fees=1000',
      'fees=900',
    );
    const { first, second, document } = await revised(FIRST, changed);
    const { opening, closing, entries } = await deltaOf(document);
    expect(entries).toEqual([
      ['2-A2', 1_000],
      ['2', -900],
    ]);
    expect([opening, closing]).toEqual([
      first.statement.summary.recorded.balance,
      second.statement.summary.recorded.balance,
    ]);
    const [mt940] = deltasOf(document, ['mt940']);
    const text = (await bytesOf(mt940!, document)).toString('latin1');
    expect(text).toMatch(/^:20:202610D2[0-9A-Z]{8}\r\n:25:.*\r\n:28C:322\/2\r\n/);
    expect(text).toContain('RD1000,');
  });

  test('it says in its own field what it is, and a whole revision what it takes the place of', async () => {
    const { first, document } = await revised(FIRST, SECOND);
    const noteOf = async (format: Pick<StatementFormat, 'write'>, of: StatementDocument) => {
      const text = (await bytesOf(format, of)).toString('utf8');
      const camt = /<AddtlStmtInf>(.*?)Livres/.exec(text)?.[1]?.trim();
      // After the balances, where there are no more entries, `:86:` is about the whole statement.
      return (
        camt ?? /\r\n:64:[^\r]*\r\n:86:([\s\S]*)\r\n-\r\n$/.exec(text)?.[1]?.replaceAll('\r\n', ' ')
      );
    };
    const [camt, mt940] = ['camt', 'mt940'].map((name) => formatNamed(name)!);
    const [camtDelta, mt940Delta] = deltasOf(document, ['camt', 'mt940']);
    expect([
      await noteOf(camt!, documentOf(first)),
      await noteOf(mt940!, documentOf(first)),
    ]).toEqual(['', undefined]);
    expect(await noteOf(camt!, document)).toMatch(
      /^Révision 2 : annule et remplace la révision 1, établie le \d\d\/\d\d\/\d{4} \d\d:\d\d UTC sous l’empreinte [0-9a-f]{12}\.$/,
    );
    expect(await noteOf(camtDelta!, document)).toBe(
      'Delta de la révision 2 : seulement ce qui a changé depuis la révision 1, qui n’est pas à importer de nouveau.',
    );
    expect(await noteOf(mt940!, document)).toMatch(
      /^Revision 2 : annule et remplace la revision 1, etablie le .* UTC/,
    );
    const delta = (await bytesOf(mt940Delta!, document)).toString('latin1');
    expect(delta).toContain(
      ':86:Delta de la revision 2 : seulement ce qui a change depuis la\r\nrevision 1, ',
    );
    expect(delta.split('\r\n').filter((line) => line.replace(/^:86:/, '').length > 65)).toEqual([]);
  });

  test('an opening that an earlier month changes is in the month before, and no entry here', async () => {
    const september =
      '\n  09-20T08:00 CASHIN_CREDIT 500 GUI-CI-9\n  op GUI-CI-9 SUCCEEDED 500 created=09-20T07:59 completed=09-20T08:00';
    const { second, document } = await revised(FIRST, `${september}${FIRST}`);
    const { opening, closing, entries } = await deltaOf(document);
    expect(closing).toBe(second.statement.summary.recorded.balance);
    expect(closing! - opening!).toBe(entries.reduce((sum, [, effect]) => sum + effect, 0));
  });
});

test('what another version wrote is not compared', async () => {
  const { first, second } = await revised(FIRST, SECOND);
  const foreign = async function* () {
    yield Buffer.from('{"format":"something else"}\n');
  };
  const { statement } = await withEntryChanges(documentOf(second), {
    issued: first.statement,
    readJson: foreign,
  });
  expect(statement.revision.entries).toBeNull();
});
