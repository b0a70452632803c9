// Baselines: what a reader finds who does next to nothing. Four of them: no claim at all, chance,
// one SQL window query, and the balance assertions of ledger-cli. None states what is due.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { drawFrom, seedRandom } from '../../../src/sandbox/model/random.ts';
import type { Case, Claim } from '../case.ts';
import { type Row, readCsv } from '../csv.ts';

/** Claims by the name of the case. A case that has no claim is missing. */
type Claims = ReadonlyMap<string, readonly Claim[]>;

/** Claims one of the kinds at one of the lines, by chance. */
export function claimAtRandom({ name, nights }: Case, kinds: readonly string[]): readonly Claim[] {
  const random = seedRandom(`chance/${name}`);
  const lines = readCsv(nights.at(-1)!.ledger);
  if (lines.length === 0) return [];
  const { sequence, operationReference } = drawFrom(random, lines);
  return [
    {
      kind: drawFrom(random, kinds),
      sequence: sequence!,
      reference: operationReference!,
      due: null,
    },
  ];
}

/**
 * Finds balances and reserved amounts that do not follow from the line before, by one query over
 * all cases.
 */
const WINDOW_QUERY = `
  with chain as (
    select
      ledger.*,
      lag(sequence, 1, 0::bigint) over by_sequence as sequence_before,
      lag(balance, 1, 0::bigint) over by_sequence as balance_before,
      lag(reserved, 1, 0::bigint) over by_sequence as reserved_before
    from ledger
    window by_sequence as (partition by name order by sequence, place)
  )
  select name, sequence
  from chain
  where balance <> balance_before + case direction when 'CREDIT' then amount when 'DEBIT' then -amount else 0 end
    or (direction = 'HOLD' and reserved <> reserved_before + amount)
    or (direction = 'RELEASE' and reserved <> reserved_before - amount)
    or (direction = 'CREDIT' and reserved <> reserved_before)
    or sequence = sequence_before
  order by name, sequence`;

export async function queryWindows(client: pg.Client, cases: readonly Case[]): Promise<Claims> {
  const lines = cases.flatMap(({ name, nights }) =>
    readCsv(nights.at(-1)!.ledger).map((line, i) => ({ name, line, i })),
  );
  const readable = lines.filter(({ line }) =>
    [line.sequence, line.amount, line.balanceAfter, line.reservedAfter].every(isWhole),
  );
  const column = (pick: (one: (typeof readable)[number]) => string | number) => readable.map(pick);
  await client.query(
    `create temporary table if not exists ledger (
      name text, place int, sequence bigint, direction text, amount bigint, balance bigint, reserved bigint
    )`,
  );
  await client.query('truncate ledger');
  await client.query(
    `insert into ledger
    select * from unnest($1::text[], $2::int[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[])`,
    [
      column(({ name }) => name),
      column(({ i }) => i),
      column(({ line }) => line.sequence!),
      column(({ line }) => line.direction!),
      column(({ line }) => line.amount!),
      column(({ line }) => line.balanceAfter!),
      column(({ line }) => line.reservedAfter!),
    ],
  );
  const { rows } = await client.query<{ name: string; sequence: string }>(WINDOW_QUERY);
  return Map.groupBy(
    rows.map(({ name, sequence }) => ({ name, ...anyAt(sequence) })),
    ({ name }) => name,
  );
}

/** Claims the first assertion that fails in each case; `null`: ledger-cli is not installed. */
export async function assertBalances(cases: readonly Case[]): Promise<Claims | null> {
  const lines = cases.flatMap(({ name, nights }, i) =>
    readCsv(nights.at(-1)!.ledger)
      .filter(({ amount, balanceAfter }) => [amount, balanceAfter].every(isWhole))
      .map((line) => ({ name, line, account: `Case${i}` })),
  );
  const folder = mkdtempSync(join(tmpdir(), 'faultbench-'));
  const file = join(folder, 'cases.ledger');
  // The file has three lines for each line of a ledger.
  writeFileSync(file, lines.map(({ line, account }) => assertionOf(line, account)).join(''));
  const stderr = await new Promise<string | null>((resolve) => {
    const options = { maxBuffer: 2 ** 30, env: { ...process.env, LC_ALL: 'C' } };
    // The exit status is ignored, because it only says that assertions failed.
    execFile('ledger', ['-f', file, 'accounts'], options, (error, _, said) =>
      resolve(error?.code === 'ENOENT' ? null : said),
    );
  });
  rmSync(folder, { recursive: true });
  if (stderr === null) return null;
  const claims = new Map<string, readonly Claim[]>();
  for (const [, place] of stderr.matchAll(/^While parsing file ".*", line (\d+):/gm)) {
    const { name, line } = lines[Math.floor((Number(place) - 1) / 3)]!;
    if (!claims.has(name)) claims.set(name, [anyAt(line.sequence!)]);
  }
  return claims;
}

/**
 * Returns a transaction that asserts the balance alone, because only a reader of the documents can
 * say by how much a debit lowers the reserved amount.
 */
function assertionOf({ direction, amount, balanceAfter }: Row, account: string): string {
  const sign = direction === 'CREDIT' ? 1 : direction === 'DEBIT' ? -1 : 0;
  return `2026/01/01 *\n  ${account}  ${sign * Number(amount)} = ${balanceAfter}\n  Other\n`;
}

function anyAt(sequence: string): Claim {
  return { kind: 'ANY', sequence, reference: '', due: null };
}

function isWhole(cell: string | undefined): boolean {
  return /^-?\d+$/.test(cell ?? '');
}
