// The demonstration prints what the README shows, and programs that are not ours read what it ends
// with. pdftotext finds every figure of the summary in the PDF, and LibreOffice finds it in the
// workbook after it has recomputed every cell. verify.py, and the transparency log library of the
// Go project, accept the evidence of each merchant's newest night and of the issued statement. They
// refuse twelve tamperings, each of another bundle. Checks that take seconds for a merchant are
// made for a sample; `POINTAGE_MERCHANTS=all` makes them for all merchants, and tries each
// tampering on every bundle.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Statement } from '../../src/core/statements/statement.ts';
import type {
  StatementLine,
  StatementOperation,
} from '../../src/core/statements/statement-line.ts';
import type { StatementSummary } from '../../src/core/statements/summary.ts';
import { newSigningKey, signerOf, verifierKeyOf } from '../../src/io/evidence/signed-note.ts';
import { typeset } from '../../src/io/formats/port/one-line.ts';
import { readStatement } from '../../src/io/formats/text/json.ts';
import { openStore } from '../../src/io/storage/server/open-store.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import { pointage } from '../support/command.ts';
import { demoSample } from '../support/demo-sample.ts';
import { englishIn } from '../support/english-words.ts';
import { areInstalled } from '../support/installed.ts';
import { hasLibreOffice, recompute } from '../support/libre-office.ts';
import { linesOf, pagesOf, rawPagesOf, squeezed } from '../support/pdf-tools.ts';
import { buildProofChecker, hasGoLibrary } from '../support/proof-checker.ts';
import { readCells, type Sheets } from '../support/sheet-cells.ts';
import { figuresOf, summaryCell } from '../support/summary-cells.ts';

const MERCHANTS = 12;
const COMPARED = 'LIBRAIRIE_KORAFICTIVE';
/**
 * One merchant of each currency: a sound one, one with a fault, and one whose fault was put right.
 */
const READ = demoSample([COMPARED, 'MINES_DE_PAPIER', 'GARAGE_MODELE_DEMO']).map(
  ({ reference }) => reference,
);
/** Each tampering is tried on every so manieth bundle. */
const EVERY = READ.length === MERCHANTS ? 1 : READ.length;
const scratch = mkdtempSync(join(tmpdir(), 'pointage-demo-statements-'));
const folder = join(scratch, 'out');
const dataDirectory = join(scratch, 'data');
const data = ['--data-directory', dataDirectory];
const filesOf = (extension: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(`_2026-10_r1.${extension}`))
    .sort();
/** Returns the files of the merchants that foreign programs read. */
const readOf = (extension: string): readonly string[] =>
  filesOf(extension).filter((name) => READ.includes(/^RELEVE_(.*)_2026-10_r1/.exec(name)![1]!));
const summaries = new Map<string, StatementSummary>();
let said = '';
/**
 * The store, which is kept open so that the server is not started and stopped for every command.
 */
let kept: Store;

beforeAll(async () => {
  const ended = await pointage(['lab', 'demo', ...data, '--out', folder]);
  expect(ended.status, ended.err).toBe(0);
  said = ended.out;
  kept = await openStore({ databaseUrl: null, dataDirectory });
  for (const name of filesOf('json')) {
    const { statement } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as {
      statement: { summary: StatementSummary };
    };
    summaries.set(name.replace(/\.json$/, ''), statement.summary);
  }
  expect(summaries.size).toBe(MERCHANTS);
}, 180_000);
afterAll(async () => {
  await kept?.close();
  rmSync(scratch, { recursive: true, force: true });
});

/** Returns the figures as a French document writes them, without the spaces. */
function numbersOf(summary: StatementSummary): readonly (readonly [string, string])[] {
  return [...figuresOf(summary)]
    .filter(([, figure]) => typeof figure === 'number')
    .map(([path, figure]) => [path, String(figure).replace('-', '−')]);
}

/** The pages of each file, so that each file is read once. */
const printed = new Map<string, readonly string[]>();

beforeAll(() => {
  if (areInstalled('pdftotext'))
    for (const name of filesOf('pdf')) printed.set(name, pagesOf(join(folder, name)));
}, 180_000);

test('what it prints has the recorded opening and closing of each month that they are not the lines’ own of', () => {
  const off = filesOf('json').map((name) => {
    const { statement } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Told;
    const { openingBalance, closingBalance, recorded } = statement.summary;
    const { opening } = statement.journal.wallet;
    const isOff = opening !== openingBalance || recorded.balance !== closingBalance;
    return [
      statement.merchant.reference,
      isOff ? `${opening} → ${recorded.balance}` : null,
    ] as const;
  });
  expect(off.filter(([, figures]) => figures !== null)).toHaveLength(2);
  for (const [merchant, figures] of off) {
    const line = said.split('\n').find((one) => one.includes(`  ${merchant}: `))!;
    const stated = /\(recorded: (.*?)\)/.exec(line)?.[1] ?? null;
    expect(stated?.replaceAll(/(?<=\d)\s(?=\d)/g, '') ?? null, merchant).toBe(figures);
  }
});

describe('the README', () => {
  test('shows what the demonstration prints, cut only where it says so', () => {
    const withoutPort = (text: string): string =>
      text.replace(/127\.0\.0\.1:\d+/, '127.0.0.1').replace(folder, 'out');
    const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
    const blocks = [...readme.matchAll(/^ *```text\n([\s\S]*?)^ *```$/gm)].map(
      ([, block]) => block!,
    );
    const shown = blocks.filter((block) => !block.includes('EPICERIE_EXEMPLE'));
    expect(shown.length).toBe(2);
    for (const block of shown) {
      let rest = withoutPort(said);
      for (const piece of withoutPort(block).split(/^…\n/m)) {
        const at = rest.indexOf(piece);
        expect(at, `the demonstration prints, in this order:\n${piece}`).toBeGreaterThanOrEqual(0);
        rest = rest.slice(at + piece.length);
      }
    }
  });
});

describe.skipIf(!areInstalled('pdftotext'))('the PDFs (need pdftotext)', () => {
  test('hold every figure of the summary, for every merchant', () => {
    expect(filesOf('pdf').length).toBe(MERCHANTS);
    for (const name of filesOf('pdf')) {
      const text = squeezed(printed.get(name)!.join('\n'));
      const numbers = numbersOf(summaries.get(name.replace(/\.pdf$/, ''))!);
      expect(numbers.length, name).toBeGreaterThan(30);
      expect(
        numbers.filter(([, figure]) => !text.includes(figure)),
        name,
      ).toEqual([]);
    }
  });
});

/** A document in its JSON form. */
interface Told {
  readonly statement: Statement;
  readonly lines: readonly StatementLine[];
  readonly operations: readonly StatementOperation[];
}

/** The document of each file, so that each file is read once. */
const documents = new Map<string, Told>();

function toldBeside(name: string): Told {
  const known =
    documents.get(name) ??
    (JSON.parse(readFileSync(join(folder, name.replace(/pdf$/, 'json')), 'utf8')) as Told);
  documents.set(name, known);
  return known;
}

const PARTS: Readonly<Record<string, 'gross' | 'fee' | 'other'>> = {
  CASHIN_CREDIT: 'gross',
  CASHOUT_DEBIT: 'gross',
  CASHIN_FEE: 'fee',
  CASHOUT_FEE: 'fee',
};

/**
 * Builds the list of operations a second time, all at once: the n-th credit of an operation goes
 * with its n-th fee, at the later of the two.
 */
function foldedOf({
  statement,
  lines,
  operations,
}: Told): readonly (readonly [string, readonly number[]])[] {
  const fees = new Map(operations.map((one) => [one.reference, one.fees]));
  const isNet = !lines.some(({ kind }) => kind === 'CASHIN_FEE');
  const rows = new Map<
    string,
    { at: number; reference: string; gross: number[]; fee: number[]; other: number[] }
  >();
  lines.forEach((line, at) => {
    const { kind, credit, debit, operationReference: reference } = line;
    const effect = (credit ?? 0) - (debit ?? 0);
    if (effect === 0) return;
    const part = PARTS[kind] ?? 'other';
    let nth = 0;
    const keyOf = () => (part === 'other' ? `line ${at}` : `${reference} ${nth}`);
    while ((rows.get(keyOf())?.[part].length ?? 0) > 0) nth += 1;
    const row = rows.get(keyOf()) ?? {
      at,
      reference: reference ?? '',
      gross: [],
      fee: [],
      other: [],
    };
    const withheld = isNet && kind === 'CASHIN_CREDIT' ? (fees.get(reference ?? '') ?? 0) : 0;
    row[part].push(effect + withheld);
    if (withheld > 0) row.fee.push(-withheld);
    rows.set(keyOf(), { ...row, at });
  });
  let balance = statement.summary.openingBalance;
  return [...rows.values()]
    .sort((one, other) => one.at - other.at)
    .map(({ reference, gross, fee, other }) => {
      const net = [...gross, ...fee, ...other].reduce((sum, one) => sum + one, 0);
      balance += net;
      return [reference, [...gross, ...fee, net, balance]];
    });
}

/**
 * Returns the rows of the list of operations as they are on paper: the text in the column of
 * references, and the figures at the end.
 */
function listedIn(file: string): readonly (readonly [string, readonly number[]])[] {
  const rows = linesOf(file).flat();
  return rows.flatMap((row) => {
    const [, figures] =
      /^\d\d\/\d\d \d\d:\d\d .*?((?: {2}−?\d{1,3}(?: \d{3})*){2,})$/.exec(row) ?? [];
    if (figures === undefined) return [];
    const numbers = figures.split('  ').slice(1);
    return [
      [
        /GUI-[\w-]+/.exec(row)?.[0] ?? '',
        numbers.map((one) => Number(one.replaceAll(' ', '').replace('−', '-'))),
      ],
    ];
  });
}

describe.skipIf(!areInstalled('pdftotext'))('from paper to the operation (needs pdftotext)', () => {
  test.each(['lines', 'operations', 'corrections'] as const)(
    'no reference and no reason of %s is cut',
    (what) => {
      let looked = 0;
      for (const name of filesOf('pdf')) {
        const told = toldBeside(name);
        // A text that goes on in its column is read line after line.
        const text = squeezed(rawPagesOf(join(folder, name)).join('\n'));
        const wanted =
          what === 'lines'
            ? told.lines.flatMap((line) =>
                line.isMemo ? [] : [line.operationReference, line.externalReference],
              )
            : what === 'operations'
              ? told.operations.map((one) => one.reference)
              : told.statement.corrections.rows.map(({ reason }) =>
                  reason?.replaceAll(/\p{Extended_Pictographic}.*/gu, ''),
                );
        const texts = wanted.filter((one) => one != null).map((one) => squeezed(typeset(one)));
        looked += texts.length;
        expect(
          texts.filter((one) => !text.includes(one)),
          name,
        ).toEqual([]);
      }
      expect(looked).toBeGreaterThan(20);
    },
  );

  test('each operation has one row: gross, commission, net and balance after, as the lines make them', () => {
    let looked = 0;
    for (const name of readOf('pdf')) {
      const folded = foldedOf(toldBeside(name));
      expect(listedIn(join(folder, name)), name).toEqual(folded);
      expect(folded.at(-1)![1].at(-1), name).toBe(
        summaries.get(name.replace(/\.pdf$/, ''))!.closingBalance,
      );
      looked += folded.length;
    }
    expect(looked).toBeGreaterThan(300);
  });

  test('of 450 operations it has at most 12 pages', () => {
    const counts = filesOf('pdf').map((name) => [
      toldBeside(name).statement.operations.count,
      printed.get(name)!.length,
    ]);
    expect(counts.filter(([operations]) => operations! > 440).length).toBeGreaterThan(0);
    expect(counts.filter(([operations, pages]) => pages! > (operations! > 250 ? 12 : 9))).toEqual(
      [],
    );
  });

  test('a line of the ledger, where it is wanted, has the number of the service, and no other', async () => {
    const annexed = join(scratch, 'annexed');
    for (const merchant of READ) {
      const wish = [
        'statement',
        'make',
        merchant,
        '2026-10',
        '--format',
        'pdf',
        '--annex',
        '--out',
        annexed,
      ];
      const made = await pointage([...wish, ...data]);
      expect(made.status, made.err).toBeLessThan(2);
    }
    for (const name of readOf('pdf')) {
      const { lines } = toldBeside(name);
      const text = pagesOf(join(annexed, name)).join('\n');
      const ledger = text.slice(text.indexOf(' Grand livre\n'));
      const rows = [...ledger.matchAll(/^ *(\d[\d\s]*?) +\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d /gm)];
      const shown = rows.map(([, number]) => Number(number!.replaceAll(/\s/g, '')));
      expect(shown, name).toEqual(lines.map(({ sequence }) => sequence));
      expect(printed.get(name)!.join('\n')).not.toContain(' Grand livre\n');
    }
  }, 60_000);

  test('the first page has the legal name of a merchant that has one', () => {
    const named = filesOf('pdf').flatMap((name) => {
      const legalName = toldBeside(name).statement.merchant.profile?.legalName ?? null;
      return legalName === null ? [] : [{ legalName, page: printed.get(name)![0]! }];
    });
    expect(named.length).toBeGreaterThan(1);
    for (const { legalName, page } of named) expect(squeezed(page)).toContain(squeezed(legalName));
  });

  test('no page but the last, and the letter to the service, has fewer than 25 lines', () => {
    for (const name of filesOf('pdf')) {
      const pages = printed
        .get(name)!
        .filter((page) => !page.includes('Lettre au service'))
        .map((page) => page.split('\n').filter((line) => line.trim() !== ''));
      const short = pages.slice(0, -1).filter((page) => page.length < 25);
      expect(short, name).toEqual([]);
    }
  });
});

/**
 * Returns what a reader of French stumbles over: English words, and codes without words beside
 * them.
 */
function strangeIn(text: string): readonly string[] {
  const codes = text.match(
    /(?<![\w(-])(?:CASHIN|CASHOUT|CREDIT|DEBIT|HOLD|SUCCEEDED|FAILED|PENDING|EXPIRED)(?:_[A-Z_]+)?(?![\w)-])/g,
  );
  return [...englishIn(text), ...(codes ?? [])];
}

/** The cells of each workbook, so that each is read once. */
const workbooks = new Map<string, Promise<Sheets>>();

function cellsOf(name: string): Promise<Sheets> {
  const known =
    workbooks.get(name) ?? readCells(readFileSync(join(folder, name))).then(({ cells }) => cells);
  workbooks.set(name, known);
  return known;
}

describe('the documents of the demonstration', () => {
  test.skipIf(!areInstalled('pdftotext'))(
    'hold no word of English on a French page (needs pdftotext)',
    () => {
      for (const name of filesOf('pdf'))
        expect(strangeIn(printed.get(name)!.join('\n')), name).toEqual([]);
    },
  );

  test('hold no word of English in a French sheet, and codes only under that name', async () => {
    for (const name of readOf('xlsx')) {
      const cells = await cellsOf(name);
      const texts = [...cells.values()]
        .flatMap((own) => [...own.values()])
        .filter((cell) => typeof cell === 'string');
      expect(texts.length, name).toBeGreaterThan(500);
      expect(texts.flatMap(englishIn), name).toEqual([]);
    }
  });
});

describe.skipIf(!hasLibreOffice)('the workbooks (need soffice)', () => {
  test('keep every cell when they are recomputed, and hold every figure of the summary, for a merchant of each currency', {
    timeout: 240_000,
  }, async () => {
    const names = readOf('xlsx').map((name) => name.replace(/\.xlsx$/, ''));
    expect(names.length).toBe(READ.length);
    const books = Object.fromEntries(
      names.map((name) => [name, readFileSync(join(folder, `${name}.xlsx`))]),
    );
    const after = await recompute(books);
    for (const name of names) {
      for (const [sheet, own] of await cellsOf(`${name}.xlsx`))
        expect(rounded(after[name]!.get(sheet)!), `${name} ${sheet}`).toEqual(rounded(own));
      for (const [path, figure] of figuresOf(summaries.get(name)!)) {
        expect(summaryCell(after[name]!, path), `${name} ${path}`).toBe(figure);
      }
    }
  });
});

/** Returns cells with dates rounded to the second, because they are fractions of days. */
function rounded(cells: NonNullable<ReturnType<Sheets['get']>>): ReadonlyMap<string, unknown> {
  return new Map(
    [...cells].map(([at, value]) => [
      at,
      typeof value === 'number' ? Math.round(value * 1e6) / 1e6 : value,
    ]),
  );
}

const bundles: Record<'night' | 'statement', string[]> = { night: [], statement: [] };
let program = '';

beforeAll(async () => {
  if (hasGoLibrary) program = buildProofChecker(scratch);
  const month = '2026-10';
  expect(await pointage(['statement', 'issue', COMPARED, '2026-09', ...data])).toMatchObject({
    status: 0,
  });
  for (const merchant of READ) {
    expect(await pointage(['statement', 'issue', merchant, month, ...data])).toMatchObject({
      status: 0,
    });
    for (const [kind, words] of [['night', []] as const, ['statement', [month]] as const]) {
      const bundle = join(scratch, `${kind}-${merchant}`);
      const out = await pointage([
        'evidence',
        'export',
        merchant,
        ...words,
        ...data,
        '--out',
        bundle,
      ]);
      expect(out.status, out.err).toBe(0);
      bundles[kind].push(bundle);
    }
  }
}, 300_000);

/**
 * Returns the figures of the first page's column, with those of the column beside it, if there is
 * one.
 */
function columnsOf(file: string): ReadonlyMap<string, readonly string[]> {
  const rows = pagesOf(file)[0]!
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/));
  return new Map(
    rows.map(([name, ...cells]) => [
      name!,
      cells.map((cell) => cell.replaceAll(/[\s\u202f]/g, '')),
    ]),
  );
}

describe.skipIf(!areInstalled('pdftotext'))('the month before (needs pdftotext)', () => {
  test.each([
    ['the folder', () => join(folder, `RELEVE_${COMPARED}_2026-10_r1.pdf`)],
    [
      'the store',
      () => join(scratch, `statement-${COMPARED}`, pdfIn(join(scratch, `statement-${COMPARED}`))),
    ],
  ])('has a column of its own, by what is issued in %s', (_, fileOf) => {
    const text = readFileSync(join(folder, `RELEVE_${COMPARED}_2026-09_r1.json`), 'utf8');
    const { summary } = readStatement(text.split('\n'))!;
    const columns = columnsOf(fileOf());
    const written = (figure: number): string => String(figure).replace('-', '−');
    expect(columns.get('Mouvement')!.slice(-2)).toEqual(['octobre2026', 'révision1']);
    expect(columns.has('septembre 2026,')).toBe(true);
    for (const [name, figure] of [
      ['Solde à l’ouverture, comptabilisé par le service', summary.openingBalance],
      ['Encaissé (brut)', summary.collected],
      ['Commissions', -summary.fees],
      ['Décaissé', -summary.disbursed],
      ['Solde comptabilisé par le service, et dû', summary.recorded.balance],
    ] as const)
      expect(columns.get(name)?.at(-1), name).toBe(written(figure));
    const basket = Math.round(summary.totalAmount / summary.paymentCount);
    expect(columns.get('septembre 2026, révision 1')?.slice(0, 2)).toEqual(
      [summary.paymentCount, basket].map(written),
    );
    const own = summaries.get(`RELEVE_${COMPARED}_2026-10_r1`)!;
    // The month begins where the month before ended.
    expect(columns.get('Solde à l’ouverture, comptabilisé par le service')!.at(-2)).toBe(
      written(own.openingBalance),
    );
    expect(summary.recorded.balance).toBe(own.openingBalance);
  });

  test('has none where it is not issued', () => {
    const other = filesOf('pdf').find((name) => !name.includes(COMPARED))!;
    expect(columnsOf(join(folder, other)).get('Mouvement')).toEqual(['Lignes', 'octobre2026']);
  });
});

const python = (folder: string) =>
  spawnSync('python3', [join(folder, 'verify.py'), folder], { encoding: 'utf8' });
/**
 * Starts the interpreter once and runs each folder's own verify.py in a fork of it. Fails when one
 * of them fails.
 */
const FORKS = `
import os, runpy, sys
failed = 0
for folder in sys.argv[1:]:
    if os.fork() == 0:
        sys.argv[1:] = [folder]
        runpy.run_path(os.path.join(folder, "verify.py"), run_name="__main__")
        sys.exit(0)
    failed += os.wait()[1] != 0
sys.exit(failed)
`;
const pythonOfAll = (folders: readonly string[]) =>
  spawnSync('python3', ['-c', FORKS, ...folders], { encoding: 'utf8' });
const go = (folder: string) =>
  spawnSync(
    program,
    ['leaf.txt', 'leaf.tlog-proof', 'log.vkey'].map((name) => join(folder, name)),
    { encoding: 'utf8' },
  );

type Tamper = (folder: string, other: string) => void;

const edit =
  (name: string, change: (text: string) => string): Tamper =>
  (folder) => {
    const before = readFileSync(join(folder, name), 'utf8');
    const after = change(before);
    expect(after, name).not.toBe(before);
    writeFileSync(join(folder, name), after);
  };
const flip = (text: string): string => `${text[0] === 'A' ? 'B' : 'A'}${text.slice(1)}`;
const proof = (change: (text: string) => string) => edit('leaf.tlog-proof', change);
const lines = (change: (all: string[]) => readonly string[]) =>
  edit('lines.le1', (text) => `${change(text.split('\n').slice(0, -1)).join('\n')}\n`);
const pdfIn = (folder: string): string =>
  readdirSync(folder).find((name) => name.endsWith('.pdf'))!;

/**
 * Tamperings of leaf, proof or key, which both programs must refuse. Tamperings of lines, texts and
 * files are for verify.py alone.
 */
const OF_PROOF: Readonly<Record<string, Tamper>> = {
  'another merchant in the leaf': edit('leaf.txt', (text) =>
    text.replace('merchant\t', 'merchant\tX'),
  ),
  'the leaf of another merchant': (folder, other) =>
    cpSync(join(other, 'leaf.txt'), join(folder, 'leaf.txt')),
  'another index': proof((text) =>
    text.replace(/^index (\d+)/m, (_, index) => `index ${Number(index) + 1}`),
  ),
  'a hash of the proof': proof((text) =>
    text.replace(/(index \d+\n)(.+)/, (_, a, b) => a + flip(b)),
  ),
  'another size of the tree': proof((text) =>
    text.replace(/\n(\d+)\n(?=\S{44}\n\n)/, (_, n) => `\n${Number(n) + 1}\n`),
  ),
  'another root': proof((text) => text.replace(/(\n\d+\n)(\S{44}\n\n)/, (_, a, b) => a + flip(b))),
  'another signature': proof((text) => text.replace(/(— \S+ .{20})(.)/, (_, a, b) => a + flip(b))),
  'the key of another log': edit('log.vkey', (text) =>
    verifierKeyOf(signerOf(newSigningKey(), text.split('+')[0]!)!),
  ),
};

const OF_NIGHT: Readonly<Record<string, Tamper>> = {
  'another amount': edit('lines.le1', (text) =>
    text.replace(/\t(\d+)\t(XOF|XAF|GNF)/, (_, n, unit) => `\t${Number(n) + 1}\t${unit}`),
  ),
  'a line left out': lines((all) => all.toSpliced(5, 1)),
  'two lines that changed places': lines((all) => [
    ...all.slice(0, 3),
    all[4]!,
    all[3]!,
    ...all.slice(5),
  ]),
  'another finding': edit('findings.txt', (text) => `${text}f00d\tBALANCE_DRIFT\n`),
};

const OF_STATEMENT: Readonly<Record<string, Tamper>> = {
  'a longer file': (folder) => {
    const file = join(folder, pdfIn(folder));
    writeFileSync(file, Buffer.concat([readFileSync(file), Buffer.from(' ')]));
  },
  'the file of another merchant': (folder, other) =>
    cpSync(join(other, pdfIn(other)), join(folder, pdfIn(folder))),
  'another hash of a file in the leaf': edit('leaf.txt', (text) =>
    text.replace(/^(file\t.*\t)(.)/m, (_, a, b) => `${a}${b === '0' ? '1' : '0'}`),
  ),
  'no file at all': (folder) => {
    const logged = /^file\t([^\t]+)\t/gm;
    for (const [, name] of readFileSync(join(folder, 'leaf.txt'), 'utf8').matchAll(logged))
      rmSync(join(folder, name!));
  },
};

const kinds = [
  { kind: 'night', own: OF_NIGHT },
  { kind: 'statement', own: OF_STATEMENT },
] as const;

describe.skipIf(!areInstalled('python3'))('a merchant of each currency', () => {
  test.each(kinds)(
    'has a bundle of a $kind that others accept',
    ({ kind }) => {
      expect(bundles[kind]).toHaveLength(READ.length);
      const { status, stdout, stderr } = pythonOfAll(bundles[kind]);
      expect([status, stderr]).toEqual([0, '']);
      expect(stdout.match(/^OK kind \w+, merchant \w+/gm)).toEqual(
        bundles[kind].map((folder) =>
          basename(folder).replace(`${kind}-`, `OK kind ${kind}, merchant `),
        ),
      );
      if (hasGoLibrary)
        for (const folder of bundles[kind]) expect(go(folder), folder).toMatchObject({ status: 0 });
    },
    120_000,
  );

  test.each(
    kinds.flatMap(({ kind, own }) =>
      Object.entries({ ...OF_PROOF, ...own }).map(([what, tamper], nth) => ({
        kind,
        what,
        tamper,
        nth,
      })),
    ),
  )(
    'has a bundle of a $kind that others refuse with $what',
    ({ kind, what, tamper, nth }) => {
      for (const [i, folder] of bundles[kind].entries()) {
        if (i % EVERY !== nth % EVERY) continue;
        const changed = join(scratch, 'tampered');
        cpSync(folder, changed, { recursive: true });
        tamper(changed, bundles[kind][(i + 1) % READ.length]!);
        expect(python(changed), folder).toMatchObject({
          status: 1,
          stderr: expect.stringMatching(/^REFUSED /),
        });
        if (hasGoLibrary && what in OF_PROOF)
          expect(go(changed), folder).toMatchObject({ status: 1 });
        rmSync(changed, { recursive: true });
      }
    },
    120_000,
  );

  test('twelve tamperings of each kind were tried', () => {
    for (const { own } of kinds) expect(Object.keys({ ...OF_PROOF, ...own })).toHaveLength(12);
  });
});
