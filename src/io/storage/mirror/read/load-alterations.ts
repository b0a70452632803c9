// Loads the alterations of lines: what readings served otherwise than earlier readings, since the
// books were last read anew. Each run of altered lines is one alteration, even if several pages and
// readings found it piece by piece.

import type pg from 'pg';
import type { Alteration } from '../../../../core/domain/alteration.ts';
import type { LedgerEntry } from '../../../../core/domain/ledger-entry.ts';
import { anyOf, ask, build, by, prepare, type Slots } from '../../server/ask.ts';

/**
 * Loads alterations by merchant, in the order of their first lines. `client` must be in one
 * transaction.
 */
export async function loadAlterations(
  client: pg.ClientBase,
  merchantIds: readonly number[],
): Promise<ReadonlyMap<number, readonly Alteration[]>> {
  if (merchantIds.length === 0) return new Map();
  const { rows } = await ask(client, alterationsOf({ merchantIds }));
  const byMerchant = Map.groupBy(rows, (row) => row.merchant_id);
  return new Map(
    [...byMerchant].map(([merchantId, pieces]) => [merchantId, joinPieces(pieces.map(pieceOf))]),
  );
}

export interface Piece extends Alteration {
  /** The sequence of the known line before the first altered one; `null` when there is none. */
  readonly afterSequence: number | null;
}

type AlterationRow = Awaited<ReturnType<typeof alterationsOf>>['row'] & object;

function pieceOf(row: AlterationRow): Piece {
  return {
    change: row.change as Alteration['change'],
    sequence: row.sequence,
    lastSequence: row.last_sequence,
    afterSequence: row.after_sequence,
    lines: row.lines,
    before: row.before_row as LedgerEntry | null,
    now: row.now_row as LedgerEntry | null,
    off: { balance: row.balance_off, reserved: row.reserved_off },
    fillsGap: row.fills_gap,
  };
}

const alterationsOf = prepare(
  'alterations',
  (at: Slots<{ readonly merchantIds: readonly number[] }>) =>
    build
      .selectFrom('entry_alterations as a')
      .innerJoin('merchant_heads as h', 'h.merchant_id', 'a.merchant_id')
      .leftJoin('ledger_rereads as r', (join) =>
        join.onRef('r.merchant_id', '=', 'h.merchant_id').onRef('r.reread', '=', 'h.reread'),
      )
      .selectAll('a')
      .where('a.merchant_id', '=', anyOf('bigint', at('merchantIds')))
      .where(({ eb, or }) =>
        or([
          eb('r.intake', 'is', null),
          eb('a.intake', '>', eb.ref('r.intake')),
          eb('a.last_sequence', '<', eb.ref('h.reread_from')),
        ]),
      )
      .$call(by('a.merchant_id', 'a.sequence', 'a.intake')),
);

/**
 * Joins pieces into runs. A piece that begins where another ends belongs to the same run. Of two
 * pieces at one sequence, the newer one says how the line is served now. `pieces` must be in the
 * order of their sequences, then of their pages.
 */
export function joinPieces(pieces: readonly Piece[]): readonly Alteration[] {
  const runs: Piece[] = [];
  for (const piece of pieces) {
    if (piece.change === 'fallen') continue;
    const last = runs.at(-1);
    if (last !== undefined && last.sequence === piece.sequence)
      runs[runs.length - 1] = { ...piece, before: last.before };
    else if (last !== undefined && last.fillsGap === piece.fillsGap && continues(last, piece)) {
      runs[runs.length - 1] = joined(last, piece);
    } else runs.push(piece);
  }
  return [...joinFallen(pieces.filter(({ change }) => change === 'fallen')), ...runs]
    .map(({ afterSequence: _, ...run }) => run)
    .sort((a, b) => a.sequence - b.sequence);
}

/**
 * Joins all pieces of fallen lines into one run. A piece whose lines another piece includes adds
 * none, because a reading anew may have reported the same lines again.
 */
function joinFallen(fallen: readonly Piece[]): readonly Piece[] {
  if (fallen.length === 0) return [];
  const { lastSequence, now } = fallen.reduce((a, b) => (b.lastSequence > a.lastSequence ? b : a));
  const isSaidAgain = (one: Piece) =>
    fallen.some(
      (by) => by !== one && by.sequence <= one.sequence && by.lastSequence >= one.lastSequence,
    );
  const lines = fallen.reduce((sum, one) => sum + (isSaidAgain(one) ? 0 : one.lines), 0);
  return [{ ...fallen[0]!, lastSequence, now, lines }];
}

function continues(run: Piece, { sequence, afterSequence }: Piece): boolean {
  if (afterSequence === null || sequence <= run.lastSequence) return false;
  return afterSequence >= run.sequence && afterSequence <= run.lastSequence;
}

/**
 * Joins a run and the piece after it. Rewritten lines before a reset make the whole run a reset:
 * the ledger ended earlier and went on with other lines.
 */
function joined(run: Piece, next: Piece): Piece {
  const change = run.change === 'rewritten' && next.change === 'reset' ? 'reset' : run.change;
  return {
    ...run,
    change,
    lastSequence: next.lastSequence,
    lines: run.lines + next.lines,
    off: next.off,
  };
}
