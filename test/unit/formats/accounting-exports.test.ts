// FEC and camt.053 read back by readers of this test's own, and compared with the statement.

import { describe, expect, test } from 'vitest';
import { camtFormat } from '../../../src/formats/camt.ts';
import { FEC_COLUMNS, fecFormat } from '../../../src/formats/fec.ts';
import type { StatementDocument } from '../../../src/formats/format.ts';
import { latin9 } from '../../../src/formats/latin9.ts';
import type { StatementLine } from '../../../src/statements/statement-line.ts';
import { sampleDocument } from '../../support/sample-statement.ts';
import { bytesOf } from '../../support/written-document.ts';

async function linesOf({ lines }: StatementDocument): Promise<readonly StatementLine[]> {
  const all: StatementLine[] = [];
  for await (const batch of lines()) all.push(...batch);
  return all;
}

async function readFec(document: StatementDocument): Promise<readonly Readonly<Record<string, string>>[]> {
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
        expect([row.ValidDate, row.PieceDate]).toEqual(['20261102', row.EcritureDate]);
        expect(`${row.Debit} ${row.Credit}`).toMatch(/^(?:0,00 [1-9]\d*,00|[1-9]\d*,00 0,00)$/);
        expect([row.CompteNum, row.CompteLib, row.PieceRef, row.EcritureLib].filter((cell) => cell === '')).toEqual([]);
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

/** Well-formed XML of elements, attributes and text, or an error. */
function readXml(xml: string): Element {
  const root: Element = { name: '', attributes: '', children: [], text: '' };
  const open = [root];
  const token = /<\?xml[^>]*\?>|<(\/?)([A-Za-z]+)((?: [\w:]+="[^"<&]*")*)>|((?:[^<&]|&(?:amp|lt|gt|quot|apos);)+)/gy;
  while (token.lastIndex < xml.length) {
    const from = token.lastIndex;
    const found = token.exec(xml);
    if (found === null) throw new Error(`not well-formed at ${from}: ${xml.slice(from, from + 40)}`);
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

/** The elements at that path below an element. */
function at(element: Element, path: string): readonly Element[] {
  return path
    .split('/')
    .reduce<readonly Element[]>(
      (found, name) => found.flatMap(({ children }) => children.filter((child) => child.name === name)),
      [element],
    );
}

const signed = (element: Element): number =>
  Number(at(element, 'Amt')[0]!.text) * (at(element, 'CdtDbtInd')[0]!.text === 'DBIT' ? -1 : 1);

describe('camt.053', () => {
  test.each(['plain', 'hostile'] as const)('is well-formed, and opening + entries = closing: %s', async (texts) => {
    const document = sampleDocument({ lines: 300, texts });
    const { summary, journal } = document.statement;
    const xml = (await bytesOf(camtFormat, document)).toString('utf8');
    const [statement] = at(readXml(xml), 'Document/BkToCstmrStmt/Stmt');
    const balances = at(statement!, 'Bal').map((one) => [at(one, 'Tp/CdOrPrtry/Cd')[0]!.text, signed(one)]);
    expect(balances).toEqual([
      ['OPBD', summary.openingBalance],
      ['CLBD', summary.closingBalance],
      ['CLAV', summary.availableAtClose],
    ]);
    const entries = at(statement!, 'Ntry');
    expect(entries).toHaveLength(journal.entryCount);
    const moved = entries.reduce((sum, entry) => sum + signed(entry), 0);
    expect(summary.openingBalance + moved).toBe(summary.closingBalance);
    for (const id of ['NtryRef', 'AcctSvcrRef', 'NtryDtls/TxDtls/Refs/EndToEndId', 'BkTxCd/Prtry/Cd']) {
      const ids = entries.flatMap((entry) => at(entry, id)).map(({ text }) => text);
      expect(ids.length, id).toBeGreaterThan(200);
      expect(
        ids.filter((text) => text.length > 35),
        id,
      ).toEqual([]);
    }
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
        ['Domn/Cd', 'Domn/Fmly/Cd', 'Domn/Fmly/SubFmlyCd'].map((path) => at(code, path)[0]!.text).join('/'),
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
});
