// FEC and camt.053, read back by readers of this test's own and compared with the statement. Also
// rules of MT940 and OFX that no reader complains about.

import { describe, expect, test } from 'vitest';
import type { PhoneNumbers } from '../../../src/core/statements/mask-phone-numbers.ts';
import type { StatementLine } from '../../../src/core/statements/statement-line.ts';
import { camtFormat } from '../../../src/io/formats/bank/camt.ts';
import { mt940Format } from '../../../src/io/formats/bank/mt940.ts';
import { ofxFormat } from '../../../src/io/formats/bank/ofx.ts';
import { fecFormat } from '../../../src/io/formats/bookkeeping/entry-layouts.ts';
import type { StatementDocument } from '../../../src/io/formats/port/format.ts';
import { latin9 } from '../../../src/io/formats/port/latin9.ts';
import { SAMPLE_OPENING } from '../../support/sample-lines.ts';
import { sampleDocument } from '../../support/sample-statement.ts';
import { bytesOf } from '../../support/written-document.ts';

async function linesOf({ lines }: StatementDocument): Promise<readonly StatementLine[]> {
  const all: StatementLine[] = [];
  for await (const batch of lines()) all.push(...batch);
  return all;
}

/** The columns in article A47 A-1 of the French Livre des procédures fiscales, in its order. */
const FEC_COLUMNS =
  'JournalCode JournalLib EcritureNum EcritureDate CompteNum CompteLib CompAuxNum CompAuxLib PieceRef PieceDate EcritureLib Debit Credit EcritureLet DateLet ValidDate Montantdevise Idevise'.split(
    ' ',
  );

async function readFec(
  document: StatementDocument,
): Promise<readonly Readonly<Record<string, string>>[]> {
  const text = new TextDecoder('iso-8859-15').decode(await bytesOf(fecFormat, document));
  const [header, ...rows] = text.split('\r\n');
  expect(header).toBe(FEC_COLUMNS.join('\t'));
  expect(rows.pop()).toBe('');
  return rows.map((row) => {
    const cells = row.split('\t');
    expect(cells).toHaveLength(18);
    return Object.fromEntries(cells.map((cell, i) => [FEC_COLUMNS[i], cell]));
  });
}

describe('FEC', () => {
  test.each(['plain', 'hostile'] as const)(
    'has 18 columns, its own dates and decimals, and balances: %s',
    async (texts) => {
      const document = sampleDocument({ lines: 300, texts });
      const rows = await readFec(document);
      const { journal } = document.statement;
      for (const row of rows) {
        expect(row.EcritureDate).toMatch(/^202610\d\d$/);
        for (const cell of Object.values(row)) expect(cell).not.toMatch(/^[=+\-@]/);
        expect([row.ValidDate, row.PieceDate]).toEqual(['20261102', row.EcritureDate]);
        expect(`${row.Debit} ${row.Credit}`).toMatch(/^(?:0,00 [1-9]\d*,00|[1-9]\d*,00 0,00)$/);
        expect(
          [row.CompteNum, row.CompteLib, row.PieceRef, row.EcritureLib].filter(
            (cell) => cell === '',
          ),
        ).toEqual([]);
      }
      const sum = (column: 'Debit' | 'Credit'): number =>
        rows.reduce((total, row) => total + Number(row[column]!.replace(',', '.')), 0);
      expect([sum('Debit'), sum('Credit')]).toEqual([journal.debit, journal.credit]);
      expect(new Set(rows.map((row) => row.EcritureNum)).size).toBe(journal.entryCount);
      expect(rows[0]!.JournalLib).toBe('Monnaie électronique');
    },
  );

  test('of a month without lines is its header', async () => {
    expect(await readFec(sampleDocument({ lines: 0 }))).toEqual([]);
  });

  test('has one byte a character, plain forms of typographic anomalies, and ? for what it cannot hold', () => {
    const decoded = (text: string): string => new TextDecoder('iso-8859-15').decode(latin9(text));
    expect(decoded('é œ Œ € Ÿ ÿ e\u0301')).toBe('é œ Œ € Ÿ ÿ é');
    expect(decoded('l’été – « ok » …')).toBe("l'été - « ok » ...");
    expect(decoded('¤ 🎉 م')).toBe('? ? ?');
  });
});

interface Element {
  readonly name: string;
  readonly attributes: string;
  readonly children: Element[];
  text: string;
}

/** Reads well-formed XML of elements, attributes and text. Throws for any other. */
function readXml(xml: string): Element {
  const root: Element = { name: '', attributes: '', children: [], text: '' };
  const open = [root];
  const token =
    /<\?xml[^>]*\?>|<(\/?)([A-Za-z]+)((?: [\w:]+="[^"<&]*")*)>|((?:[^<&]|&(?:amp|lt|gt|quot|apos);)+)/gy;
  while (token.lastIndex < xml.length) {
    const from = token.lastIndex;
    const found = token.exec(xml);
    if (found === null)
      throw new Error(`not well-formed at ${from}: ${xml.slice(from, from + 40)}`);
    const [, closes, name, attributes, text] = found;
    if (text !== undefined) open.at(-1)!.text += text;
    else if (closes === '/') {
      if (open.pop()!.name !== name) throw new Error(`${name} closes nothing`);
    } else if (name !== undefined) {
      const element: Element = { name, attributes: attributes!, children: [], text: '' };
      open.at(-1)!.children.push(element);
      open.push(element);
    }
  }
  if (open.length !== 1) throw new Error('something stays open');
  return root;
}

/** Returns the elements at that path below an element. */
function at(element: Element, path: string): readonly Element[] {
  return path
    .split('/')
    .reduce<readonly Element[]>(
      (found, name) =>
        found.flatMap(({ children }) => children.filter((child) => child.name === name)),
      [element],
    );
}

const signed = (element: Element): number =>
  Number(at(element, 'Amt')[0]!.text) * (at(element, 'CdtDbtInd')[0]!.text === 'DBIT' ? -1 : 1);

describe('camt.053', () => {
  test.each(['plain', 'hostile'] as const)(
    'is well-formed, and opening + entries = closing: %s',
    async (texts) => {
      const document = sampleDocument({ lines: 300, texts });
      const { summary, journal } = document.statement;
      const xml = (await bytesOf(camtFormat, document)).toString('utf8');
      const [statement] = at(readXml(xml), 'Document/BkToCstmrStmt/Stmt');
      const balances = at(statement!, 'Bal').map((one) => [
        at(one, 'Tp/CdOrPrtry/Cd')[0]!.text,
        signed(one),
      ]);
      expect(balances).toEqual([
        ['OPBD', summary.openingBalance],
        ['CLBD', summary.closingBalance],
        ['CLAV', summary.availableAtClose],
      ]);
      const entries = at(statement!, 'Ntry');
      expect(entries).toHaveLength(journal.entryCount);
      const moved = entries.reduce((sum, entry) => sum + signed(entry), 0);
      expect(summary.openingBalance + moved).toBe(summary.closingBalance);
      for (const id of [
        'NtryRef',
        'AcctSvcrRef',
        'NtryDtls/TxDtls/Refs/EndToEndId',
        'BkTxCd/Prtry/Cd',
      ]) {
        const ids = entries.flatMap((entry) => at(entry, id)).map(({ text }) => text);
        expect(ids.length, id).toBeGreaterThan(200);
        expect(
          ids.filter((text) => text.length > 35),
          id,
        ).toEqual([]);
      }
    },
  );

  test('says who owns the account and who keeps it, and nothing where nothing is configured', async () => {
    const { statement, ...streams } = sampleDocument({ texts: 'hostile' });
    const accountIn = async (of: typeof statement) => {
      const xml = (await bytesOf(camtFormat, { statement: of, ...streams })).toString('utf8');
      return at(readXml(xml), 'Document/BkToCstmrStmt/Stmt/Acct')[0]!;
    };
    const account = await accountIn(statement);
    const texts = (path: string) => at(account, path).map(({ text }) => text);
    expect(texts('Ownr/Nm')).toEqual(['=Kora SARL (fictive) &lt;&amp;&gt; 🎉']);
    expect(texts('Ownr/PstlAdr/AdrLine')).toEqual(['Boulevard Inventé 1', 'Abidjan, Plateau']);
    expect(texts('Ownr/Id/OrgId/Othr/Id')).toEqual(['2600001 A']);
    expect(texts('Svcr/FinInstnId/Nm')).toEqual(['=Monnaie Inventée SA &lt;&amp;&gt; 🎉']);
    expect(texts('Svcr/FinInstnId/Othr/SchmeNm/Prtry')).toEqual(['NCC']);
    const bare = await accountIn({
      ...statement,
      issuer: null,
      merchant: { ...statement.merchant, holder: null },
    });
    expect(at(bare, 'Svcr')).toEqual([]);
    expect(at(bare, 'Ownr')[0]!.children.map(({ name }) => name)).toEqual(['Nm']);
  });

  test('gives each kind its codes, and holds and releases no entry', async () => {
    const document = sampleDocument({ lines: 300 });
    const [statement] = at(
      readXml((await bytesOf(camtFormat, document)).toString('utf8')),
      'Document/BkToCstmrStmt/Stmt',
    );
    const codes = new Map(
      at(statement!, 'Ntry/BkTxCd').map((code) => [
        at(code, 'Prtry/Cd')[0]!.text,
        ['Domn/Cd', 'Domn/Fmly/Cd', 'Domn/Fmly/SubFmlyCd']
          .map((path) => at(code, path)[0]!.text)
          .join('/'),
      ]),
    );
    expect(Object.fromEntries([...codes].sort())).toEqual({
      ADJUSTMENT_CREDIT: 'PMNT/MCOP/ADJT',
      CASHIN_CREDIT: 'PMNT/RCDT/OTHR',
      CASHIN_FEE: 'PMNT/MDOP/COMM',
      CASHOUT_DEBIT: 'PMNT/ICDT/OTHR',
      CASHOUT_FEE: 'PMNT/MDOP/COMM',
      REVERSAL_DEBIT: 'PMNT/MDOP/OTHR',
    });
    const kinds = (await linesOf(document)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => /HOLD|RELEASE/.test(kind)).length).toBeGreaterThan(10);
    const reversed = at(statement!, 'Ntry').filter((entry) => at(entry, 'RvslInd').length > 0);
    expect(reversed).toHaveLength(kinds.filter((kind) => kind.startsWith('REVERSAL_')).length);
  });

  test('of a month without lines has balances and no entry', async () => {
    const xml = (await bytesOf(camtFormat, sampleDocument({ lines: 0 }))).toString('utf8');
    const [statement] = at(readXml(xml), 'Document/BkToCstmrStmt/Stmt');
    expect([at(statement!, 'Bal').length, at(statement!, 'Ntry').length]).toEqual([3, 0]);
  });

  test('books on the local day that the CSV has, and keeps the instant beside it', async () => {
    const document = onTheFirstOfOctober(sampleDocument({ lines: 300 }));
    const xml = (await bytesOf(camtFormat, document)).toString('utf8');
    const [statement] = at(readXml(xml), 'Document/BkToCstmrStmt/Stmt');
    const entries = at(statement!, 'Ntry');
    const lines = (await linesOf(document)).filter(
      (line) => line.debit !== null || line.credit !== null,
    );
    for (const path of ['BookgDt/Dt', 'ValDt/Dt']) {
      const days = entries.map((entry) => at(entry, path)[0]?.text);
      expect(days).toEqual(lines.map((line) => line.localTime.slice(0, 10)));
    }
    const instants = entries.map((entry) => at(entry, 'NtryDtls/TxDtls/RltdDts/TxDtTm')[0]!.text);
    expect(instants.map(Date.parse)).toEqual(lines.map((line) => line.createdAt));
    expect(instants[0]).toBe('2026-09-30T23:30:00.000Z');
  });

  test('counts one more each month, across the year', async () => {
    const numbers: number[] = [];
    for (const period of ['2026-10', '2026-11', '2026-12', '2027-01']) {
      const { statement, ...streams } = sampleDocument({ lines: 0 });
      const other = {
        statement: { ...statement, period: { ...statement.period, period } },
        ...streams,
      };
      const [found] = at(
        readXml((await bytesOf(camtFormat, other)).toString('utf8')),
        'Document/BkToCstmrStmt/Stmt',
      );
      numbers.push(
        ...['ElctrncSeqNb', 'LglSeqNb'].map((name) => Number(at(found!, name)[0]!.text)),
      );
    }
    expect(numbers).toEqual([322, 322, 323, 323, 324, 324, 325, 325]);
  });

  test('names who paid and who was paid, but the service nowhere; a masked number is no account', async () => {
    const read = async (phoneNumbers: PhoneNumbers) => {
      const { statement, ...streams } = sampleDocument({ lines: 300 });
      const xml = await bytesOf(camtFormat, {
        statement: { ...statement, phoneNumbers },
        ...streams,
      });
      const [found] = at(readXml(xml.toString('utf8')), 'Document/BkToCstmrStmt/Stmt');
      return at(found!, 'Ntry').map((entry) => ({
        kind: at(entry, 'BkTxCd/Prtry/Cd')[0]!.text,
        parties: at(entry, 'NtryDtls/TxDtls/RltdPties').flatMap(({ children }) =>
          children.map(({ name }) => name),
        ),
        account: at(entry, 'NtryDtls/TxDtls/RltdPties/DbtrAcct/Id/Othr/Id')[0]?.text,
      }));
    };
    const partiesOf = (entries: Awaited<ReturnType<typeof read>>) =>
      Object.fromEntries(entries.map(({ kind, parties }) => [kind, parties.join(' ')]));
    const masked = await read('masked');
    expect(partiesOf(masked)).toEqual({
      CASHIN_CREDIT: 'Dbtr',
      CASHIN_FEE: '',
      CASHOUT_DEBIT: 'Cdtr',
      CASHOUT_FEE: '',
      REVERSAL_DEBIT: 'Cdtr',
      ADJUSTMENT_CREDIT: '',
    });
    expect(masked.filter(({ account }) => account !== undefined)).toEqual([]);
    const whole = await read('whole');
    expect(partiesOf(whole).CASHIN_CREDIT).toBe('Dbtr DbtrAcct');
    expect(whole.find(({ kind }) => kind === 'CASHIN_CREDIT')!.account).toMatch(/^\+225/);
  });

  test('names what was paid and the commission inside a collection posted net', async () => {
    const document = postedNet(sampleDocument({ lines: 5 }));
    const [statement] = at(
      readXml((await bytesOf(camtFormat, document)).toString('utf8')),
      'Document/BkToCstmrStmt/Stmt',
    );
    const [entry, other] = at(statement!, 'Ntry');
    expect(signed(entry!)).toBe(46_500);
    expect(at(entry!, 'AmtDtls/InstdAmt/Amt')[0]!.text).toBe('47000');
    expect(at(entry!, 'Chrgs/TtlChrgsAndTaxAmt')[0]!.text).toBe('500');
    expect(at(entry!, 'Chrgs/Rcrd/Amt')[0]!.text).toBe('500');
    expect([...at(other!, 'Chrgs'), ...at(other!, 'AmtDtls')]).toEqual([]);
  });
});

/**
 * Moves the first line to half an hour into October where clocks are an hour ahead, which is still
 * September in UTC.
 */
function onTheFirstOfOctober({ lines, ...rest }: StatementDocument): StatementDocument {
  const createdAt = Date.UTC(2026, 8, 30, 23, 30);
  return {
    ...rest,
    lines: async function* () {
      for await (const batch of lines()) {
        yield batch.map((line) =>
          line.sequence === SAMPLE_OPENING.sequence + 1
            ? { ...line, createdAt, localTime: '2026-10-01 00:30:00' }
            : line,
        );
      }
    },
  };
}

/** Changes the first line to one of a service that keeps its commission of 500. */
function postedNet({ lines, ...rest }: StatementDocument): StatementDocument {
  const kept = {
    role: 'fees',
    account: '6317',
    accountLabel: 'Frais',
    auxiliary: null,
    debit: 500,
    credit: 0,
  } as const;
  return {
    ...rest,
    lines: async function* () {
      for await (const batch of lines()) {
        yield batch.map((line) =>
          line.sequence === SAMPLE_OPENING.sequence + 1
            ? { ...line, entry: { ...line.entry!, rows: [...line.entry!.rows, kept] } }
            : line,
        );
      }
    },
  };
}

describe('MT940', () => {
  test.each(['plain', 'hostile'] as const)(
    'has only lines that the standard allows: %s',
    async (texts) => {
      const text = (await bytesOf(mt940Format, sampleDocument({ lines: 300, texts }))).toString(
        'latin1',
      );
      const rows = text.split('\r\n');
      expect(rows.pop()).toBe('');
      expect(rows.filter((row) => row.replace(/^:86:/, '').length > 65)).toEqual([]);
      expect(rows.filter((row) => !/^[A-Za-z0-9/\-?:().,'+ ]+$/.test(row))).toEqual([]);
      expect(rows.filter((row) => !/^(?::\d\d[A-Z]?:|\?\d\d|-$)/.test(row))).toEqual([]);
      for (const [, details] of text.matchAll(/:86:([^:]*)\r\n:/g))
        expect(details!.split('\r\n').length).toBeLessThan(7);
      expect(rows.filter((row) => row.startsWith(':61:'))[0]).toBe(
        ':61:2610011001C46500,NTRFGUI-CI-00000001//4301',
      );
    },
  );

  test('marks what a reversal takes back, and shortens a reference that is too long', async () => {
    const { lines, ...rest } = sampleDocument({ lines: 300 });
    const longer = async function* () {
      for await (const batch of lines()) {
        yield batch.map((line) => ({ ...line, operationReference: 'GUI-CI-PVT2AX00002' }));
      }
    };
    const text = (await bytesOf(mt940Format, { ...rest, lines: longer })).toString('latin1');
    expect(text).toMatch(/^:61:\d{10}RC\d+,NMSCGUICIPVT2AX00002\/\/\d+\r$/m);
    expect(text).toContain('?20EREF+GUI-CI-PVT2AX00002');
  });
});

describe('OFX', () => {
  test.each(['plain', 'hostile'] as const)(
    'is ASCII, closes what it opens, and names no id twice: %s',
    async (texts) => {
      const document = sampleDocument({ lines: 300, texts });
      const bytes = await bytesOf(ofxFormat, document);
      expect(
        bytes.filter((byte) => byte > 0x7e || (byte < 0x20 && byte !== 0x0d && byte !== 0x0a)),
      ).toHaveLength(0);
      const [header, body] = bytes.toString('latin1').split('\r\n\r\n');
      expect(header!.split('\r\n').slice(0, 3)).toEqual([
        'OFXHEADER:100',
        'DATA:OFXSGML',
        'VERSION:102',
      ]);
      const closed = [...body!.matchAll(/<\/(\w+)>/g)].map(([, name]) => name);
      for (const name of new Set(closed)) {
        const opened = body!.split(`<${name}>`).length - 1;
        expect(opened, name).toBe(closed.filter((one) => one === name).length);
      }
      const ids = [...body!.matchAll(/<FITID>([^<]+)/g)].map(([, id]) => id);
      expect(ids).toHaveLength(document.statement.journal.entryCount);
      expect(new Set(ids).size).toBe(ids.length);
    },
  );

  test('gives a line the same id in every revision', async () => {
    const idsOf = async (document: StatementDocument) =>
      [...(await bytesOf(ofxFormat, document)).toString('latin1').matchAll(/<FITID>([^<]+)/g)].map(
        ([, id]) => id,
      );
    const { statement, ...streams } = sampleDocument({ lines: 30 });
    const second = { ...statement, revision: { ...statement.revision, number: 2 } };
    expect(await idsOf({ statement: second, ...streams })).toEqual(
      await idsOf({ statement, ...streams }),
    );
  });
});
