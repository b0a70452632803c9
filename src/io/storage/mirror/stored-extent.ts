// How far a merchant's mirror reaches: by the counters that every page updates, by the runs that
// read the merchant to the end, and by the operations that should have been final by now. Refuses
// to read history, except in `countBrought`: indexes give the few rows.

import { type RawBuilder, sql } from 'kysely';
import type { Instant } from '../../../core/domain/instant.ts';
import { askTogether } from '../../together/ask-together.ts';
import { merchantIdOf } from '../merchants/merchants.ts';
import { anyOf, ask, build, by, countOf, prepare, type Slots } from '../server/ask.ts';
import type { Store } from '../server/store.ts';
import type { LineRound, LineWatch, MissedOperations, OperationRound } from './line-watch.ts';

/**
 * How far the mirror reaches, which a source must know to serve only newer rows. Sources take most
 * of these fields in their `Since`.
 */
export interface StoredExtent {
  /**
   * The highest sequence stored, or the last one served if the service was last seen to end
   * earlier; −1 when there is no line yet.
   */
  readonly lastSequence: number;
  /**
   * The number of lines that the service's list has up to `lastSequence`. Further contents of one
   * sequence do not count.
   */
  readonly entryCount: number;
  readonly operationCount: number;
  /** 0 when there is no operation yet. */
  readonly newestOperationCreatedAt: Instant;
  readonly newestOperationUpdatedAt: Instant;
  /** Number of the newest page stored. */
  readonly lastIntake: number;
  /**
   * The number of the newest page that brought a line at or below the last line stored before it; 0
   * when no page did.
   */
  readonly lateIntake: number;
  /** The number of stored lines. Further contents of one sequence do not count. */
  readonly lineCount: number;
  /** The highest sequence stored; −1 when there is no line yet. */
  readonly newestSequence: number;
  /**
   * When the lines were last compared with their hash chain, or when the first of them was stored;
   * `null` when neither has happened.
   */
  readonly chainComparedAt: Instant | null;
  /** The newest page that the replay's checkpoint includes; `null` when there is no checkpoint. */
  readonly concludedIntake: number | null;
  /** True when the rows did not fit their chain or digests at the last comparison. */
  readonly isTampered: boolean;
  readonly missed: MissedOperations;
  readonly operationRound: OperationRound | null;
  /** The id of the wallet as it was last read; `null` when it never was. */
  readonly walletId: string | null;
  /**
   * The newest operations: at most 1,000 of the last seven hours, because a source reads at most
   * that far back again.
   */
  readonly newest: readonly { readonly reference: string; readonly created_at: Instant }[];
  /** `null` when no reading has come to its end yet. */
  readonly watch: (LineWatch & { readonly round: LineRound | null }) | null;
}

/** Pages after `after`, up to and including `until`. */
export interface PageSpan {
  readonly after: number;
  readonly until: number;
}

/**
 * Counts the lines and versions of operations that these pages brought. Reads all lines of the
 * merchant.
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

/** The query waits for late merchants, because replays that begin together do not end together. */
const AFTER_REPLAYS = { isAwaited: true };

/**
 * Loads how far the mirror of a merchant reaches; `null` when nothing has been stored for the
 * merchant.
 */
export const loadStoredExtent = askTogether<string, StoredExtent | null, Store>(
  async ({ pool }, merchants) => {
    const { rows } = await ask(pool, extentsOf({ merchants }));
    const known = new Map(rows.map(({ merchant, ...row }) => [merchant, extentOf(row)]));
    return merchants.map((merchant) => known.get(merchant) ?? null);
  },
  AFTER_REPLAYS,
);

/**
 * Returns the extent as stored. Where the service was last seen to end earlier, `lastSequence` and
 * `entryCount` reach only up to there.
 */
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

/**
 * Loads the instant up to which the books are known; `null` when no run has read the merchant to
 * the end, or only by an unknown clock.
 */
export async function loadWatermark(store: Store, merchant: string): Promise<Instant | null> {
  return (await loadReading(store, merchant))?.watermark ?? null;
}

/**
 * Loads the watermark of the newest run that read the merchant to the end. `behind` is set when the
 * run saw that the source's clock was behind: `clock` is what it said, and `newest` the newest
 * instant in the books.
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

/** The figures of the report's note CLOCK_BEHIND; instants are texts. */
const BEHIND = sql<{
  readonly clock: string;
  readonly newest: string;
} | null>`jsonb_path_query_first(s.report,
  '$.notChecked[*] ? (@.code == "CLOCK_BEHIND").figures')`;

type MerchantId = RawBuilder<number> | ReturnType<typeof merchantIdOf>;

/**
 * Selects the instant, by the source's clock, at which the newest run began that read the merchant
 * to the end: the mirror has everything before it. A run that did not read to the end has no
 * watermark.
 */
export function booksKnownUntil(merchantId: MerchantId) {
  return readingsOf(merchantId)
    .select(({ ref }) => ref('x.watermark').$notNull().as('watermark'))
    .orderBy('x.run_id', 'desc')
    .limit(sql.lit(1));
}

/** Selects the runs that read the merchant to the end, by a clock that is known. */
function readingsOf(merchantId: MerchantId) {
  return build
    .selectFrom('run_members as x')
    .where('x.merchant_id', '=', merchantId)
    .where('x.watermark', 'is not', null);
}

/**
 * Loads known operations created at `from` or later, oldest first: `least` of them, if there are,
 * and all others with the last one's instant.
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

/** Counts the runs that read the merchant to the end. */
export function countReadings(store: Store, merchant: string): Promise<number> {
  return countOf(store.pool, readingsOf(merchantIdOf(merchant)));
}

interface OverdueScope {
  /** Only operations that expired after `after`, up to and with `until`. */
  readonly after: Instant;
  readonly until: Instant;
  /** The most operations of one merchant: those that expired last. */
  readonly mostPerMerchant: number;
}

/**
 * Loads operations that have expired and are not final, by merchant, then by expiry, the newest
 * first.
 */
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
