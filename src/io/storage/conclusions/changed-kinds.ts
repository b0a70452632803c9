// A fault of an operation that is of another kind or at another line now: a debit that was missing
// is posted too small, then twice. The finding that it is goes on from the one that it was: first
// seen then, with its owner, labels and due day, and its history beside its own.

import type pg from 'pg';
import type { Finding } from '../../../core/domain/finding.ts';
import { merchantIdOf } from '../merchants/merchants.ts';
import { ask, build, type Queries } from '../server/ask.ts';

type Root = Pick<Finding, 'fingerprint' | 'kind' | 'operationReference' | 'causedBy'>;

/**
 * By fingerprint of a root that is no longer found, the one that it is now: each of `now` is that
 * of one at most.
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

/** What is wrong with an operation's hold, debit, credit, fee or reversal is one story. */
function storyOf({ kind, operationReference }: Root): string {
  return `${kind.slice(0, kind.indexOf('_'))} ${operationReference}`;
}

/** Hands on what people have noted. The merchant's head is locked. */
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

/** Fingerprints of what the finding was before, of whatever kinds, the last first. */
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
    // It may have come back to what it was.
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
