// Programs of others, and what they read in bank statements: AqBanking (by which GnuCash and
// KMyMoney import), libofx, and ofxparse for Python. All must read the same figures.

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { isThereOrNotRequired } from './installed.ts';

const run = promisify(execFile);
const MOST_OUTPUT = 256 * 1024 * 1024;

/** What a reader found; a figure that it does not give is left out. */
export interface ReadStatement {
  readonly count: number;
  /** `YYYY-MM-DD` → signed sum of the day's entries. */
  readonly byDay: Readonly<Record<string, number>>;
  readonly balances: readonly number[];
  /** Entries that name another party; absent where the reader does not tell. */
  readonly named?: number;
}

const IMPORTERS = {
  camt: ['--importer=xml', '--profile=camt_053_001_04'],
  mt940: ['--importer=swift', '--profile=SWIFT-MT940'],
  ofx: ['--importer=ofx', '--profile=default'],
} as const;

/** Reads a file by AqBanking. It works in a folder beside the file, because it keeps settings. */
export async function readByAqBanking(
  file: string,
  format: keyof typeof IMPORTERS,
): Promise<ReadStatement> {
  const context = `${file}.ctx`;
  const home = dirname(file);
  await run(
    'aqbanking-cli',
    [
      '-n',
      '-D',
      `${home}/aqbanking`,
      'import',
      ...IMPORTERS[format],
      `--infile=${file}`,
      `--ctxfile=${context}`,
    ],
    { env: { PATH: process.env.PATH ?? '', HOME: home, AQBANKING_LOGLEVEL: 'error', TZ: 'UTC' } },
  );
  const text = await readFile(context, 'utf8');
  const transactions = [...text.matchAll(/^ +transaction \{$([^}]*)\} #transaction$/gm)].map(
    ([, body]) => body!,
  );
  const balances = [...text.matchAll(/^ +balance \{$([^}]*)\} #balance$/gm)].map(([, body]) =>
    amountIn(body!),
  );
  const named = transactions.filter((body) => /^ *char remoteName=/m.test(body)).length;
  return { ...summed(transactions.map((body) => [dayIn(body), amountIn(body)])), balances, named };
}

function dayIn(body: string): string {
  return (
    /^ *char date="(\d{8})"$/m.exec(body)?.[1]?.replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3') ??
    'no date'
  );
}

/** Returns the amount in a text that holds a whole number and its currency. */
function amountIn(body: string): number {
  return Number(/^ *char value="(-?\d+)%3A[A-Z]{3}"$/m.exec(body)?.[1] ?? Number.NaN);
}

/**
 * Reads a file by libofx, in the zone of some of the merchants, because days must not move there.
 */
export async function readByLibOfx(file: string): Promise<ReadStatement> {
  const env = { PATH: process.env.PATH ?? '', TZ: 'Africa/Douala' };
  const { stdout } = await run('ofxdump', [file], { env, maxBuffer: MOST_OUTPUT });
  const [head = '', ...transactions] = stdout.split('ofx_proc_transaction():');
  const entries = transactions.map((text): Entry => {
    const [, month, day, year] = /Date posted: \w+ (\w+) +(\d+) [\d:]+ (\d+)/.exec(text) ?? [];
    const date = new Date(`${month} ${day}, ${year} UTC`).toISOString().slice(0, 10);
    return [date, Number(/Total money amount: (-?[\d.]+)/.exec(text)?.[1])];
  });
  const balances = [...head.matchAll(/(?:Ledger|Available) balance: (-?[\d.]+)/g)].map(
    ([, amount]) => Number(amount),
  );
  return { ...summed(entries), balances };
}

const OFXPARSE = `
import sys, json
from ofxparse import OfxParser
found = []
for name in sys.argv[1:]:
    with open(name, 'rb') as file:
        statement = OfxParser.parse(file).account.statement
    found.append({
        'entries': [[str(one.date.date()), int(one.amount)] for one in statement.transactions],
        'balances': [int(statement.balance), int(statement.available_balance)],
        'ids': len(set(one.id for one in statement.transactions)),
    })
print(json.dumps(found))
`;
/** Debian's Python, because ofxparse is installed for it, whatever else is called python3. */
const PYTHON = '/usr/bin/python3';

export const hasOfxParse = isThereOrNotRequired(
  await run(PYTHON, ['-c', 'import ofxparse']).then(
    () => true,
    () => false,
  ),
  'ofxparse for Python',
);

/**
 * Reads files by ofxparse. Rejects when two entries of a file have one id, because a program that
 * imports them would drop one.
 */
export async function readByOfxParse(files: readonly string[]): Promise<readonly ReadStatement[]> {
  const { stdout } = await run(PYTHON, ['-c', OFXPARSE, ...files], { maxBuffer: MOST_OUTPUT });
  const found = JSON.parse(stdout) as readonly {
    entries: Entry[];
    balances: number[];
    ids: number;
  }[];
  return found.map(({ entries, balances, ids }, i) => {
    if (ids !== entries.length) throw new Error(`${files[i]} has two entries of one id`);
    return { ...summed(entries), balances };
  });
}

type Entry = readonly [day: string, amount: number];

function summed(entries: readonly Entry[]): Omit<ReadStatement, 'balances'> {
  const byDay: Record<string, number> = {};
  for (const [day, amount] of entries) byDay[day] = (byDay[day] ?? 0) + amount;
  return { count: entries.length, byDay };
}
