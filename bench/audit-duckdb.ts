// Part j: `pointage audit --source file:` as a person runs it, against what an auditor would write
// first: two queries of DuckDB over the same files, on as many threads. They look at each line's
// running figures and at each operation's sums; pointage also at order, times, identity,
// notifications and the wallet, and says what is wrong, not only how often.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditOf, WHOLE, WITHOUT_NOTIFICATIONS } from './audit-files.ts';
import { booksOf } from './books.ts';
import { findProgram, type Ran, runProgram } from './child.ts';
import { type Figure, figureOf, ratioOf, type Sample } from './figures.ts';
import { type Contender, runRounds } from './rounds.ts';
import type { Part, Settings } from './settings.ts';

export const auditDuckdb: Part = {
  letter: 'j',
  name: 'duckdb',
  says: 'audit of files against two queries of DuckDB over them',
  run,
};

/** DuckDB may use as many threads as the audit, which has one that reads and one that judges. */
const THREADS = 2;

/**
 * SQL that counts the lines, and the lines after which the balance or the reserved amount does not
 * follow from the line.
 */
const RUNNING_FIGURES = `
select count(*) as rows, count(*) filter (
  balanceAfter <> balanceBefore + case direction when 'CREDIT' then amount when 'DEBIT' then -amount else 0 end
  or reservedAfter <> reservedBefore + case
    when direction = 'HOLD' then amount
    when direction = 'RELEASE' or kind in ('CASHOUT_DEBIT', 'CASHOUT_FEE') then -amount
    else 0 end
) as odd
from (
  select *,
    coalesce(lag(balanceAfter) over (order by sequence), 0) as balanceBefore,
    coalesce(lag(reservedAfter) over (order by sequence), 0) as reservedBefore
  from read_ndjson($ledger, columns = {sequence: 'BIGINT', direction: 'VARCHAR', kind: 'VARCHAR', amount: 'BIGINT',
    balanceAfter: 'BIGINT', reservedAfter: 'BIGINT'})
)`;

/**
 * SQL that counts the operations, and those whose amounts or lines do not follow from their type
 * and status.
 */
const OPERATIONS = `
with sums as (
  select operationReference as reference,
    sum(amount) filter (kind = 'CASHIN_CREDIT') as credit,
    sum(amount) filter (kind in ('CASHIN_FEE', 'CASHOUT_FEE')) as fee,
    sum(amount) filter (kind = 'CASHOUT_HOLD') as hold,
    sum(amount) filter (kind = 'CASHOUT_RELEASE') as release,
    sum(amount) filter (kind = 'CASHOUT_DEBIT') as debit,
    sum(amount) filter (kind = 'REVERSAL_CREDIT') as givenBack,
    sum(amount) filter (kind = 'REVERSAL_DEBIT') as takenBack
  from read_ndjson($ledger, columns = {operationReference: 'VARCHAR', kind: 'VARCHAR', amount: 'BIGINT'})
  where operationReference is not null
  group by operationReference
), judged as (
  select type, status, amount, fees, netAmount, coalesce(credit, 0) as credit, coalesce(fee, 0) as fee,
    coalesce(hold, 0) as hold, coalesce(release, 0) as release, coalesce(debit, 0) as debit,
    coalesce(givenBack, 0) as givenBack, coalesce(takenBack, 0) as takenBack,
    status in ('SUCCEEDED', 'REVERSED') as isDone, status = 'REVERSED' as isReversed
  from read_ndjson($operations, columns = {reference: 'VARCHAR', type: 'VARCHAR', status: 'VARCHAR', amount: 'BIGINT',
    fees: 'BIGINT', netAmount: 'BIGINT'}) as operations
  full join sums on sums.reference = operations.reference
)
select count(*) as rows, count(*) filter (not coalesce(case type
  when 'CASHIN' then netAmount = amount - fees and hold = 0 and release = 0 and debit = 0
    and credit = if(isDone, amount, 0) and fee = if(isDone, fees, 0)
    and takenBack = if(isReversed, amount, 0) and givenBack = if(isReversed, fees, 0)
  when 'CASHOUT' then netAmount = amount + fees and credit = 0 and takenBack = 0
    and hold in (netAmount, if(isDone, netAmount, 0))
    and release = if(status in ('FAILED', 'CANCELLED', 'EXPIRED'), hold, 0)
    and debit = if(isDone, amount, 0) and fee = if(isDone, fees, 0)
    and givenBack = if(isReversed, netAmount, 0)
  end, false)) as odd
from judged`;

interface Counted {
  readonly rows: number;
  readonly odd: number;
}

async function run({ cache, lines, rounds, note }: Settings): Promise<readonly Figure[]> {
  const duckdb = findProgram('duckdb');
  if (duckdb === null) {
    note('  duckdb is not installed: skipped\n');
    return [];
  }
  await requireSight(duckdb);
  const books = await booksOf(cache, lines);
  const queries = {
    name: `two queries of DuckDB on ${THREADS} threads`,
    run: () => countSound(duckdb, books),
  };
  const audits = [WHOLE, WITHOUT_NOTIFICATIONS].map((given) => ({
    name: given.name,
    run: () => auditOf(books, given),
  }));
  // A first run is not counted, so that no round pays for reading the files off the disk.
  await audits[0]!.run();
  const samples = await runRounds<Contender>([queries, ...audits], rounds, note);
  const theirs = samples.get(queries)!;
  return [
    ...audits.map((audit) => {
      const ours = samples.get(audit)!;
      const ratio = ratioOf(
        'DuckDB',
        ours.map(({ seconds }, i) => ({ ours: seconds, theirs: theirs[i]!.seconds })),
      );
      return figureOf(
        { part: 'j', name: audit.name, lines: books.lines, ratio, ...processorNote(ours, theirs) },
        ours,
      );
    }),
    figureOf({ part: 'j', name: queries.name, lines: books.lines }, theirs),
  ];
}

/** Returns a note on processor time; empty where the system tells none. */
function processorNote(
  ours: readonly Sample[],
  theirs: readonly Sample[],
): { readonly note?: string } {
  const pairs = ours.map(({ cpuSeconds }, i) => ({
    ours: cpuSeconds ?? NaN,
    theirs: theirs[i]!.cpuSeconds ?? NaN,
  }));
  const { median, least, most } = ratioOf('DuckDB', pairs);
  if (Number.isNaN(median)) return {};
  return {
    note: `${median.toFixed(2)} × its processor time (${least.toFixed(2)} … ${most.toFixed(2)})`,
  };
}

/**
 * Counts sound books by the queries. Throws unless the queries have seen everything and found
 * nothing.
 */
async function countSound(
  duckdb: string,
  books: { readonly folder: string; readonly lines: number; readonly operations: number },
): Promise<Sample> {
  const { counts, ...sample } = await count(duckdb, books.folder);
  requireCounts(counts, [
    { rows: books.lines, odd: 0 },
    { rows: books.operations, odd: 0 },
  ]);
  return sample;
}

async function count(
  duckdb: string,
  folder: string,
): Promise<Ran & { readonly counts: readonly Counted[] }> {
  const file = (name: string): string => `'${join(folder, name).replaceAll("'", "''")}'`;
  const sql = [`set threads = ${THREADS}`, RUNNING_FIGURES, OPERATIONS]
    .join(';\n')
    .replaceAll('$ledger', file('ledger.jsonl'))
    .replaceAll('$operations', file('operations.jsonl'));
  // `-init /dev/null` leaves out the start-up file of the person who measures.
  const ran = await runProgram({
    command: duckdb,
    words: ['-init', '/dev/null', '-bail', '-json', '-c', sql],
  });
  const counts = [...ran.output.matchAll(/"rows":(\d+),"odd":(\d+)/g)];
  return {
    ...ran,
    counts: counts.map(([, rows, odd]) => ({ rows: Number(rows), odd: Number(odd) })),
  };
}

function requireCounts(counts: readonly Counted[], wanted: readonly Counted[]): void {
  if (JSON.stringify(counts) === JSON.stringify(wanted)) return;
  throw new Error(`DuckDB counts ${JSON.stringify(counts)}, not ${JSON.stringify(wanted)}`);
}

/**
 * Throws unless the queries see a line with a wrong balance and an operation without lines, because
 * queries that see nothing would be quick for nothing.
 */
async function requireSight(duckdb: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pointage-bench-duckdb-'));
  const line = {
    sequence: 1,
    direction: 'CREDIT',
    kind: 'CASHIN_CREDIT',
    amount: 100,
    operationReference: 'A',
  };
  const operation = { type: 'CASHIN', status: 'SUCCEEDED', amount: 100, fees: 0, netAmount: 100 };
  const rowsOf = (...rows: readonly object[]): string =>
    rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  try {
    writeFileSync(
      join(folder, 'ledger.jsonl'),
      rowsOf({ ...line, balanceAfter: 101, reservedAfter: 0 }),
    );
    writeFileSync(
      join(folder, 'operations.jsonl'),
      rowsOf({ reference: 'A', ...operation }, { reference: 'B', ...operation }),
    );
    requireCounts((await count(duckdb, folder)).counts, [
      { rows: 1, odd: 1 },
      { rows: 2, odd: 1 },
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
