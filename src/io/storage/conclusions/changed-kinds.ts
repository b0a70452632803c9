// Findings that change their kind or their line but are the same fault of the same operation: a
// debit that was missing is posted too small, later twice. The new finding succeeds the old one: it
// keeps the run that first saw the fault, the owner, labels and due day, and its history shows the
// old finding's too.

import type pg from 'pg';
import type { Finding } from '../../../core/domain/finding.ts';
import { merchantIdOf } from '../merchants/merchants.ts';
import { ask, build, type Queries } from '../server/ask.ts';

type Root = Pick<Finding, 'fingerprint' | 'kind' | 'operationReference' | 'causedBy'>;

/**
 * Returns the successor of each root in `before`, by the root's fingerprint. `before` holds roots
 * that are no longer found. Each finding of `now` succeeds at most one of them.
 */
export function successorsOf<Before extends Root, Now extends Root>(
  before: readonly Before[],
  now: readonly Now[],
): ReadonlyMap<string, Now> {
  const isPlaced = ({ causedBy, operationReference }: Root): boolean =>
    causedBy === null && operationReference !== null;
  const free = Map.groupBy(now.filter(isPlaced), storyOf);
  return new Map(
    before.filter(isPlaced).flatMap((root) => {
      const next = free.get(storyOf(root))?.shift();
      return next === undefined ? [] : [[root.fingerprint, next] as const];
    }),
  );
}

/**
 * Returns one key for all faults of one part of an operation, for example `DEBIT` and the
 * reference, because a fault of the hold, debit, credit, fee or reversal may change its kind and
 * still be the same fault.
 */
function storyOf({ kind, operationReference }: Root): string {
  return `${kind.slice(0, kind.indexOf('_'))} ${operationReference}`;
}

/**
 * Copies owner, labels and due day from the finding `from` to its successor `to`. The caller must
 * hold the lock of the merchant's head.
 */
export async function handOn(
  client: pg.ClientBase,
  merchantId: number,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const change = build
    .updateTable('findings as f')
    .from('findings as p')
    .set(({ ref }) => ({
      owner: ref('p.owner'),
      labels: ref('p.labels'),
      due_on: ref('p.due_on'),
      goes_on_from: ref('p.fingerprint'),
    }))
    .where(({ and }) => and({ 'f.merchant_id': merchantId, 'f.fingerprint': to }))
    .where(({ and }) => and({ 'p.merchant_id': merchantId, 'p.fingerprint': from }));
  await ask(client, change);
}

/**
 * Returns the fingerprints of the findings that this finding succeeded, of whatever kinds, the
 * newest first.
 */
export async function earlierOf(
  queries: Queries,
  { merchant, fingerprint }: { readonly merchant: string; readonly fingerprint: string },
): Promise<readonly string[]> {
  const story = [fingerprint];
  for (;;) {
    const before: string | null = await loadBefore(queries, {
      merchant,
      fingerprint: story.at(-1)!,
    });
    // A fault may have come back to an earlier kind, which would make this loop endless.
    if (before === null || story.includes(before)) return story.slice(1);
    story.push(before);
  }
}

async function loadBefore(
  queries: Queries,
  { merchant, fingerprint }: { readonly merchant: string; readonly fingerprint: string },
): Promise<string | null> {
  const load = build
    .selectFrom('findings')
    .select('goes_on_from')
    .where('merchant_id', '=', merchantIdOf(merchant))
    .where('fingerprint', '=', fingerprint);
  return (await ask(queries, load)).rows[0]?.goes_on_from ?? null;
}
