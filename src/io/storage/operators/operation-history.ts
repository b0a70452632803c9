// One operation as the mirror has it: every version, every line that names it, every notification;
// and the lines around a place. Each line comes with the recorded figures of the judged line before
// it. Refuses to judge.

import { type InferResult, sql } from 'kysely';
import type { Instant } from '../../../core/domain/instant.ts';
import type { Merchant } from '../../../core/domain/merchant.ts';
import type { DescribedOperation } from '../../../core/domain/operation.ts';
import { ENTRY_TABLE } from '../../../core/domain/rows/entry-fields.ts';
import { DESCRIBED_TABLE } from '../../../core/domain/rows/operation-fields.ts';
import type { RecalledEntry } from '../../../core/domain/snapshot.ts';
import { isJudged, type RereadState } from '../merchants/judged-lines.ts';
import { entryOf, readDescribed } from '../mirror/copy/rows.ts';
import { PROFILE_COLUMNS, profileOf } from '../mirror/profile-rows.ts';
import { FIGURES_BEFORE, figuresBefore, lineBefore } from '../mirror/read/recall.ts';
import { anyOf, ask, build, by, columnsOf } from '../server/ask.ts';
import type { Store } from '../server/store.ts';

/** The most lines, versions or notifications of an operation to load: the first ones. */
const MOST = 200;

export interface MirroredMerchant extends RereadState {
  readonly merchant: string;
  readonly merchantId: number;
  /** The versions of the merchant's profile, oldest first. */
  readonly profiles: readonly Merchant[];
}

/** Loads a merchant; `null` when the mirror does not know it. */
export async function loadMirrored(
  { pool }: Store,
  merchant: string,
): Promise<MirroredMerchant | null> {
  const load = build
    .selectFrom('merchants as m')
    .innerJoin('merchant_heads as h', 'h.merchant_id', 'm.merchant_id')
    .select(['h.merchant_id as merchantId', 'h.reread', 'h.reread_from as rereadFrom'])
    .where('m.reference', '=', merchant);
  const [head] = (await ask(pool, load)).rows;
  if (head === undefined) return null;
  const profiles = build
    .selectFrom('profile_versions')
    .select(PROFILE_COLUMNS)
    .where('merchant_id', '=', head.merchantId)
    .orderBy('version');
  const { rows } = await ask(pool, profiles);
  return { ...head, merchant, profiles: rows.map((record) => profileOf({ merchant, record })) };
}

/**
 * A stored line. `isJudged` is false for a further content of a sequence, which is stored beside
 * the judged one.
 */
export interface MirroredLine extends RecalledEntry {
  readonly isJudged: boolean;
}

/**
 * Loads the lines of an operation, the lines with these sequences, or the reversals and adjustments
 * since an instant; by sequence, then variant.
 */
export async function loadLines(
  { pool }: Store,
  of: MirroredMerchant,
  named: string | readonly number[] | { readonly correctedSince: Instant },
): Promise<readonly MirroredLine[]> {
  const lines = linesOf(of)
    .where((eb) => {
      if (typeof named === 'string') return eb('e.operation_reference', '=', named);
      if (!('correctedSince' in named)) return eb('e.sequence', '=', anyOf('bigint', named));
      return eb.and([
        eb('e.created_at', '>=', named.correctedSince),
        eb('e.kind', '~', '^(ADJUSTMENT|REVERSAL)_'),
      ]);
    })
    .$call(by('e.sequence', 'e.variant'))
    .limit(MOST);
  return (await ask(pool, lines)).rows.map(lineOf);
}

/**
 * Loads up to `before` lines below the sequence, and up to `after` lines from it on, ascending.
 * When `sequence` is `null`, loads the newest `before` lines.
 */
export async function loadLinesAround(
  { pool }: Store,
  of: MirroredMerchant,
  around: { readonly sequence: number | null; readonly before: number; readonly after: number },
): Promise<readonly MirroredLine[]> {
  const { sequence, before, after } = around;
  const below = linesOf(of)
    .$if(sequence !== null, (lines) => lines.where('e.sequence', '<', sequence!))
    .$call(by('e.sequence desc', 'e.variant desc'))
    .limit(before);
  const found = (await ask(pool, below)).rows.toReversed();
  if (sequence === null) return found.map(lineOf);
  const above = linesOf(of)
    .where('e.sequence', '>=', sequence)
    .orderBy('e.sequence')
    .orderBy('e.variant')
    .limit(after);
  return [...found, ...(await ask(pool, above)).rows].map(lineOf);
}

function linesOf(of: MirroredMerchant) {
  return build
    .selectFrom('entries as e')
    .leftJoinLateral(lineBefore(of.merchantId, of).as('b'), (join) => join.onTrue())
    .select([...columnsOf(ENTRY_TABLE, 'e'), ...FIGURES_BEFORE, isJudged(of, 'e').as('is_judged')])
    .where('e.merchant_id', '=', of.merchantId);
}

function lineOf(record: Readonly<Record<string, unknown>>): MirroredLine {
  return {
    entry: entryOf(record),
    before: figuresBefore(record),
    isJudged: record.is_judged === true,
  };
}

/**
 * A version of an operation. It was read between `readAfter` and `readUntil`: the instants of
 * wallet readings around it, because pages have no time. `null` when no wallet was read before, or
 * since.
 */
export interface MirroredVersion {
  readonly number: number;
  readonly operation: DescribedOperation;
  readonly readAfter: number | null;
  readonly readUntil: number | null;
}

/** Loads the versions of an operation, oldest first. */
export async function loadVersions(
  { pool }: Store,
  { merchantId }: MirroredMerchant,
  reference: string,
): Promise<readonly MirroredVersion[]> {
  const readings = build.selectFrom('wallet_readings as w').where('w.merchant_id', '=', merchantId);
  const intake = sql.ref<number>('v.intake');
  const before = readings
    .where('w.intake', '<', intake)
    .select(({ fn }) => fn.max('w.read_at').as('at'));
  const since = readings
    .where('w.intake', '>=', intake)
    .select(({ fn }) => fn.min('w.read_at').as('at'));
  const load = build
    .selectFrom('operation_versions as v')
    .select([
      ...columnsOf(DESCRIBED_TABLE, 'v'),
      'v.version',
      before.as('read_after'),
      since.as('read_until'),
    ])
    .where(({ and }) => and({ 'v.merchant_id': merchantId, 'v.reference': reference }))
    .orderBy('v.version')
    .limit(MOST);
  return (await ask(pool, load)).rows.map((record) => ({
    number: record.version,
    operation: readDescribed(record),
    readAfter: record.read_after,
    readUntil: record.read_until,
  }));
}

const NOTIFICATIONS = build
  .selectFrom('notifications as n')
  .select([
    'n.event_id as eventId',
    'n.variant',
    'n.channel',
    'n.type',
    'n.created_at as createdAt',
    'n.received_at as receivedAt',
    'n.fault',
  ]);

/**
 * A stored notification. It is signed when `channel` is `direct`. A body that came again is not
 * stored again, so the number of times that it was sent is not known.
 */
export type MirroredNotification = InferResult<typeof NOTIFICATIONS>[number];

/** Loads the notifications about an operation, in the order in which they came. */
export async function loadNotifications(
  { pool }: Store,
  { merchantId }: MirroredMerchant,
  reference: string,
): Promise<readonly MirroredNotification[]> {
  const load = NOTIFICATIONS.where('n.merchant_id', '=', merchantId)
    .where('n.operation_reference', '=', reference)
    .$call(by('n.received_at', 'n.event_id', 'n.variant'))
    .limit(MOST);
  return (await ask(pool, load)).rows;
}
