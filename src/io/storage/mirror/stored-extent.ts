// How far a merchant's mirror reaches: by the counters that every page keeps, by the runs that read
// it to the end, and by the operations that should have been final by now. Refuses to read history:
// indexes give the few rows.

import { type RawBuilder, sql } from 'kysely';
import type { Instant } from '../../../core/domain/instant.ts';
import { askTogether } from '../../together/ask-together.ts';
import { merchantIdOf } from '../merchants/merchants.ts';
import { anyOf, ask, build, by, countOf, prepare, type Slots } from '../server/ask.ts';
import type { Store } from '../server/store.ts';
import type { LineRound, LineWatch, MissedOperations, OperationRound } from './line-watch.ts';

/**
 * What a source needs to serve only what is new. All but `lastIntake` are fields of the sources'
 * own `Since`.
 */
export interface StoredExtent {
  /**
   * Highest sequence stored, or served when the service was last seen to end earlier; −1 when there
   * is no line yet.
   */
  readonly lastSequence: number;
  /** Lines that the service's list has up to there, without further contents of one sequence. */
  readonly entryCount: number;
  readonly operationCount: number;
  /** 0 when there is no operation yet. */
  readonly newestOperationCreatedAt: Instant;
  readonly newestOperationUpdatedAt: Instant;
  /** Number of the newest page stored. */
  readonly lastIntake: number;
  /**
   * Number of the newest page that brought a line at or below the head stored before it; 0: none
   * did.
   */
  readonly lateIntake: number;
  /**
   * Lines stored, without further contents of one sequence, and the highest sequence among them.
   */
  readonly lineCount: number;
  readonly newestSequence: number;
  /**
   * When the lines were last compared with their hash chain, or the first of them stored; null: not
   * yet.
   */
  readonly chainComparedAt: Instant | null;
  /**
   * The newest page that the replay has concluded from; null: it began with the first line each
   * time, or has not yet.
   */
  readonly concludedIntake: number | null;
  /** They did not fit it then. */
  readonly isTampered: boolean;
  readonly missed: MissedOperations;
  readonly operationRound: OperationRound | null;
  /** Of the wallet as it was last read; null: it never was. */
  readonly walletId: string | null;
  /**
   * The newest operations: as many as a night may serve again, of the seven hours that a source
   * reads again at most.
   */
  readonly newest: readonly { readonly reference: string; readonly created_at: Instant }[];
  /** Null: no reading has come to its end yet. */
  readonly watch: (LineWatch & { readonly round: LineRound | null }) | null;
}

/** Pages after `after`, up to and including `until`. */
export interface PageSpan {
  readonly after: number;
  readonly until: number;
}

/**
 * How many lines and versions of operations these pages brought. Reads all of the merchant's lines.
 */
export async function countBrought(
  { pool }: Store,
  merchantId: number,
  { after, until }: PageSpan,
): Promise<{ readonly entries: number; readonly operations: number }> {
  const broughtTo = (table: 'entries' | 'operation_versions') =>
    build
      .selectFrom(table)
      .where('merchant_id', '=', merchantId)
      .where('intake', '>', after)
      .where('intake', '<=', until);
  return {
    entries: await countOf(pool, broughtTo('entries')),
    operations: await countOf(pool, broughtTo('operation_versions')),
  };
}

/** Replays that begin together do not end together. */
const AFTER_REPLAYS = { isAwaited: true };

/** Null when nothing has been stored for the merchant. */
export const loadStoredExtent = askTogether<string, StoredExtent | null, Store>(
  async ({ pool }, merchants) => {
    const { rows } = await ask(pool, extentsOf({ merchants }));
    const known = new Map(rows.map(({ merchant, ...row }) => [merchant, extentOf(row)]));
    return merchants.map((merchant) => known.get(merchant) ?? null);
  },
  AFTER_REPLAYS,
);

/** As stored; where the service has been seen to end earlier, up to there. */
function extentOf(row: Omit<ExtentRow, 'merchant'>): StoredExtent {
  const { entryCount, variantCount, comparedIntake, positionShift, headSequence, ...rest } = row;
  const { nextPosition, beganAt, earlierBeganAt, ...kept } = rest;
  const extent = { ...kept, missed: kept.missed ?? {}, newest: kept.newest ?? [] };
  const lineCount = entryCount - variantCount;
  const newestSequence = extent.lastSequence;
  if (comparedIntake === null || positionShift === null || nextPosition === null) {
    return { ...extent, newestSequence, lineCount, entryCount: lineCount, watch: null };
  }
  const lastSequence = headSequence ?? newestSequence;
  const round = beganAt === null ? null : { nextPosition, beganAt, earlierBeganAt };
  const watch = { comparedIntake, positionShift, headSequence, round };
  const served = Math.max(0, lineCount - positionShift);
  return { ...extent, lastSequence, newestSequence, lineCount, entryCount: served, watch };
}

type ExtentRow = ReturnType<typeof extentsOf>['row'] & object;

const extentsOf = prepare('stored extent', (at: Slots<{ readonly merchants: readonly string[] }>) =>
  build
    .selectFrom('merchants as m')
    .innerJoin('merchant_heads as h', 'h.merchant_id', 'm.merchant_id')
    .leftJoin('line_watches as w', 'w.merchant_id', 'h.merchant_id')
    .leftJoin('checkpoints as c', 'c.merchant_id', 'h.merchant_id')
    .select(({ eb, fn, lit, ref, selectFrom }) => [
      'm.reference as merchant',
      ref('w.missing').$castTo<MissedOperations | null>().as('missed'),
      ref('w.operation_round').$castTo<OperationRound | null>().as('operationRound'),
      selectFrom((from) =>
        from
          .selectFrom('operation_versions as v')
          .select(['v.created_at', 'v.reference'])
          .whereRef('v.merchant_id', '=', 'h.merchant_id')
          .where('v.created_at', '>', sql<Instant>`h.newest_operation_created_at - 25200000`)
          .orderBy('v.created_at', 'desc')
          .limit(sql.lit(1_000))
          .as('n'),
      )
        .select(sql<StoredExtent['newest'] | null>`json_agg(n)`.as('rows'))
        .as('newest'),
      selectFrom('wallet_readings as x')
        .select('x.wallet_id')
        .whereRef('x.merchant_id', '=', 'h.merchant_id')
        .orderBy('x.intake', 'desc')
        .limit(1)
        .as('walletId'),
      'h.chain_compared_at as chainComparedAt',
      'c.last_intake as concludedIntake',
      eb('h.tampered', 'is not', null).$castTo<boolean>().as('isTampered'),
      fn.coalesce('h.last_sequence', lit(-1)).as('lastSequence'),
      'h.entry_count as entryCount',
      'h.variant_count as variantCount',
      'h.late_intake as lateIntake',
      'w.compared_intake as comparedIntake',
      'w.position_shift as positionShift',
      'w.head_sequence as headSequence',
      'w.next_position as nextPosition',
      'w.round_began_at as beganAt',
      'w.earlier_round_began_at as earlierBeganAt',
      'h.operation_count as operationCount',
      'h.intake as lastIntake',
      fn.coalesce('h.newest_operation_created_at', lit(0)).as('newestOperationCreatedAt'),
      fn.coalesce('h.newest_operation_updated_at', lit(0)).as('newestOperationUpdatedAt'),
    ])
    .where('m.reference', '=', anyOf('text', at('merchants')))
    .where('h.intake', '>', sql.lit(0)),
);

/** Null: no run has read the merchant to the end, or its clock is unknown. */
export async function loadWatermark(store: Store, merchant: string): Promise<Instant | null> {
  return (await loadReading(store, merchant))?.watermark ?? null;
}

/**
 * The newest such run. `behind`: by what instant of the books its clock was seen to be behind, and
 * what it said; null: it was not.
 */
export async function loadReading(store: Store, merchant: string) {
  const query = booksKnownUntil(merchantIdOf(merchant)).select(({ selectFrom }) =>
    selectFrom('run_merchants as s')
      .select(BEHIND.as('behind'))
      .whereRef('s.merchant_id', '=', 'x.merchant_id')
      .whereRef('s.run_id', '=', 'x.run_id')
      .as('behind'),
  );
  return (await ask(store.pool, query)).rows[0] ?? null;
}

/** As its report says it; instants as texts. */
const BEHIND = sql<{
  readonly clock: string;
  readonly newest: string;
} | null>`jsonb_path_query_first(s.report,
  '$.notChecked[*] ? (@.code == "CLOCK_BEHIND").figures')`;

type MerchantId = RawBuilder<number> | ReturnType<typeof merchantIdOf>;

/**
 * By the source's clock, when the newest run that read the merchant to the end began: the mirror
 * has everything before. A run that did not has left no watermark.
 */
export function booksKnownUntil(merchantId: MerchantId) {
  return readingsOf(merchantId)
    .select(({ ref }) => ref('x.watermark').$notNull().as('watermark'))
    .orderBy('x.run_id', 'desc')
    .limit(sql.lit(1));
}

/** Runs that read the merchant to the end, by a clock that is known. */
function readingsOf(merchantId: MerchantId) {
  return build
    .selectFrom('run_members as x')
    .where('x.merchant_id', '=', merchantId)
    .where('x.watermark', 'is not', null);
}

/**
 * Known operations created from then on, oldest first: so many, if there are, and all of the last
 * one's instant.
 */
export async function loadKnownFrom(
  { pool }: Store,
  {
    merchantId,
    from,
    least,
  }: { readonly merchantId: number; readonly from: Instant; readonly least: number },
): Promise<StoredExtent['newest']> {
  const query = build
    .selectFrom('operation_versions')
    .select(['reference', 'created_at'])
    .distinct()
    .where('merchant_id', '=', merchantId)
    .where('created_at', '>=', from)
    .orderBy('created_at')
    .fetch(least, 'with ties');
  return (await ask(pool, query)).rows;
}

/** How often the merchant was read to the end. */
export function countReadings(store: Store, merchant: string): Promise<number> {
  return countOf(store.pool, readingsOf(merchantIdOf(merchant)));
}

interface OverdueScope {
  /** Those that expired after the one and up to the other. */
  readonly after: Instant;
  readonly until: Instant;
  /** Of one merchant, at most; those that expired last come first. */
  readonly mostPerMerchant: number;
}

/** By merchant, then by expiry, the newest first. */
export async function loadOverdue(store: Store, scope: OverdueScope) {
  const overdue = build
    .selectFrom('operation_versions as v')
    .select(({ fn }) => [
      'v.merchant_id',
      'v.reference',
      'v.expires_at',
      fn
        .agg<number>('row_number')
        .over((over) =>
          over.partitionBy('v.merchant_id').orderBy('v.expires_at', 'desc').orderBy('v.reference'),
        )
        .as('place'),
    ])
    .where('v.status', 'in', ['CREATED', 'PENDING', 'AWAITING_PAYER'])
    .where('v.expires_at', '>', scope.after)
    .where('v.expires_at', '<=', scope.until)
    .where(({ exists, not, selectFrom }) =>
      not(
        exists(
          selectFrom('operation_versions as later')
            .select('later.version')
            .whereRef('later.merchant_id', '=', 'v.merchant_id')
            .whereRef('later.reference', '=', 'v.reference')
            .whereRef('later.version', '>', 'v.version'),
        ),
      ),
    );
  const load = build
    .selectFrom(overdue.as('overdue'))
    .innerJoin('merchants as m', 'm.merchant_id', 'overdue.merchant_id')
    .select(['m.reference as merchant', 'overdue.reference'])
    .where('overdue.place', '<=', scope.mostPerMerchant)
    .$call(by('m.reference', 'overdue.expires_at desc', 'overdue.reference'));
  return (await ask(store.pool, load)).rows;
}
