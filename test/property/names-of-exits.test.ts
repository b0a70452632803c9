// The law of names, in files that are written. Two merchants, or two accounts, pieces and
// operations of one merchant, have texts that some reader takes for one. They are written in every
// format and read by foreign readers: no two ids, accounts or numbers are the same, and no two
// files of a folder have names that a disk takes for one.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { documentName, inFileName, safeFileName } from '../../src/core/domain/naming/names.ts';
import { statementName } from '../../src/core/domain/period.ts';
import { DELTAS } from '../../src/io/formats/deltas.ts';
import type { StatementDocument } from '../../src/io/formats/port/format.ts';
import { FORMATS, formatNamed } from '../../src/io/formats/register.ts';
import { dispositionOf } from '../../src/service/http/port/csv.ts';
import { assertProperty } from '../support/assert-property.ts';
import {
  type BookedRow,
  readFecRows,
  readOdooRows,
  readSageRows,
} from '../support/bookkeeping-readers.ts';
import { documentOf, MEETING, meetingPairs, onDisk } from '../support/meeting-names.ts';
import { bytesOf } from '../support/written-document.ts';

type Keys = Readonly<Record<string, readonly string[]>>;

const SIGNS: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};

/** Returns what the pattern finds. Throws for a text that is longer than its place. */
function found(text: string, pattern: RegExp, width = 500): readonly string[] {
  return [...text.matchAll(pattern)].map(([, written]) => {
    const key = written!.replace(/&(\w+);/g, (_, sign: string) => SIGNS[sign]!);
    if ([...key].length > width) throw new Error(`${pattern} has ${key}`);
    return key;
  });
}

/** Returns the keys by which importers know an account, and a statement of it. */
async function keysOfAccount(document: StatementDocument): Promise<Keys> {
  const written = async (name: string) =>
    (await bytesOf(formatNamed(name)!, document)).toString('utf8');
  const [camt, mt940, ofx] = [await written('camt'), await written('mt940'), await written('ofx')];
  const odoo = await bytesOf(formatNamed('odoo')!, document);
  expect(readOdooRows(odoo).length).toBeGreaterThan(0);
  return {
    'camt account': found(camt, /<Acct><Id><Othr><Id>([^<]+)<\/Id>/g, 34),
    'camt message': found(camt, /<MsgId>([^<]+)</g, 35),
    'mt940 account': found(mt940, /^:25:([A-Za-z0-9/:().,'+ -]{1,35})\r$/gm),
    'mt940 statement': found(mt940, /^:20:(\w{16})\r$/gm),
    'ofx account': found(ofx, /<ACCTID>([^<]+)<ACCTTYPE>/g, 22),
    'odoo ids': found(odoo.toString('utf8'), /(pointage_[\w-]+)/g),
  };
}

/**
 * Returns the keys by which importers know entries and accounts within one file. Each of the texts
 * must have its own.
 */
async function keysInside(document: StatementDocument): Promise<Keys> {
  const written = async (name: string) => await bytesOf(formatNamed(name)!, document);
  const [camt, ofx] = [
    (await written('camt')).toString('utf8'),
    (await written('ofx')).toString('utf8'),
  ];
  const books: Readonly<Record<string, readonly BookedRow[]>> = {
    fec: readFecRows(await written('fec')),
    sage: readSageRows(await written('sage')).rows,
    odoo: readOdooRows(await written('odoo')),
  };
  const journal = (await written('journal')).toString('utf8');
  const keys = Object.entries(books).flatMap(([name, rows]) => [
    [
      `${name} auxiliaries`,
      rows.flatMap(({ auxiliary }) => (auxiliary === '' ? [] : [auxiliary])),
    ] as const,
    [`${name} pieces`, rows.map(({ piece }) => piece)] as const,
  ]);
  return {
    ...Object.fromEntries(keys),
    'journal auxiliaries': found(journal, /; auxiliary:(.*)$/gm),
    'camt entries': found(camt, /<AcctSvcrRef>([^<]+)</g, 35),
    'camt operations': found(camt, /<EndToEndId>([^<]+)</g, 35),
    'ofx entries': found(ofx, /<FITID>([^<]+)</g, 255),
    'ofx operations': found(ofx, /<REFNUM>([^<]+)</g, 32),
  };
}

/**
 * Returns every file about a merchant, by the folder or the mailbox in which files of several
 * merchants meet.
 */
function filesOf(merchant: string): readonly string[] {
  const document = documentOf(merchant, ['x']);
  const key = { merchant, period: '2026-10' };
  const own = FORMATS.flatMap(({ fileName }) => fileName?.(document.statement) ?? []);
  const statements = [...FORMATS, ...DELTAS].map(
    ({ extension }) => `${statementName(key, 1)}.${extension}`,
  );
  const kinds = ['KIT', 'AUDIT', 'LETTER', 'DOSSIER', 'CONFIRMATION', 'CLOTURE'];
  const papers = kinds.map((kind) => `${documentName(kind, merchant, '2026')}.pdf`);
  return [
    inFileName(merchant),
    statementName({ ...key, period: '2026-10-31' }, 1),
    ...own,
    ...statements,
    ...papers,
  ];
}

/**
 * Returns the names of a file as a client takes it that reads the plain form alone, and as a folder
 * of deliveries has it.
 */
const shownNames = (file: string): readonly string[] => [
  file,
  safeFileName(file),
  /filename="([\w.-]+)"/.exec(dispositionOf(file))![1]!,
];

const upper = (text: string): string => text.toUpperCase();
/** Targets that take capitals for small letters. */
const FOLDED = /^sage/;

function expectApart(one: Keys, other: Keys): void {
  for (const [what, keys] of Object.entries(one)) {
    const fold = FOLDED.test(what) ? upper : (text: string) => text;
    const [own, others] = [keys, other[what]!].map((some) => new Set(some.map(fold)));
    expect(own!.size, what).toBeGreaterThan(0);
    expect(
      [...own!].filter((key) => others!.has(key)),
      what,
    ).toEqual([]);
  }
}

test('two merchants whose references meet share no account, no id and no file', async () => {
  await assertProperty(
    fc.asyncProperty(meetingPairs, async ([one, other]) => {
      expectApart(
        await keysOfAccount(documentOf(one, ['A'])),
        await keysOfAccount(documentOf(other, ['A'])),
      );
      const [files, others] = [filesOf(one), filesOf(other)].map((some) =>
        some.flatMap(shownNames).map(onDisk),
      );
      expect(files!.filter((file) => others!.includes(file))).toEqual([]);
    }),
    { runs: 60 },
  );
});

test('all merchants whose references are known to meet have files of their own in one folder', () => {
  const names = MEETING.flatMap((merchant) => [...new Set(filesOf(merchant).map(onDisk))]);
  expect(names.length).toBeGreaterThan(20 * MEETING.length);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(Buffer.byteLength(name)).toBeLessThan(200);
});

test('texts that meet are as many accounts, pieces and entries in every file', async () => {
  await assertProperty(
    fc.asyncProperty(meetingPairs, async ([one, other]) => {
      // A text of blanks alone names nothing.
      fc.pre(one.trim() !== '' && other.trim() !== '');
      for (const [what, keys] of Object.entries(
        await keysInside(documentOf('M001', [one, other])),
      )) {
        expect(new Set(keys.map(FOLDED.test(what) ? upper : String)).size, what).toBe(2);
      }
    }),
    { runs: 60 },
  );
});
