// Refused rows in the mirror: rows that could not be read, which of them are still refused, and
// which were repaired since. Refuses to delete any: a repaired row keeps its record, and may be
// refused again.

import { sql } from 'kysely';
import type pg from 'pg';
import type { BookPart, RejectedRow } from '../../../core/domain/snapshot.ts';
import { askTogether } from '../../together/ask-together.ts';
import type { RereadState } from '../merchants/judged-lines.ts';
import { addingTo, anyOf, ask, build, by, prepare, type Slots } from '../server/ask.ts';
import { digestOf, storableJson, storableNullable, storableText } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';

/** The merchant's head while its page is being saved. */
export interface PageHead extends RereadState {
  readonly merchantId: number;
  /** The number that this page takes; the merchant's pages count up from 1. */
  readonly intake: number;
  readonly lastSequence: number | null;
  readonly operationCount: number;
  readonly entryCount: number;
  /**
   * The state of the hash chain; `null` when no line was stored yet, or when all were stored before
   * there were chains.
   */
  readonly chain: Uint8Array | null;
}

/**
 * What a reading that went to its end has read again. Refused rows that it did not meet are now
 * repaired or missed.
 */
export interface Reread {
  /** Number of the newest page that was stored before the reading began. */
  readonly beganAfter: number;
  /**
   * True when every part was read from its first row on. False when the reading covered the lines
   * after some sequence, the operations asked for, profile and wallet.
   */
  readonly whole: boolean;
  /** References of the operations that were fetched one by one, when the reading was not whole. */
  readonly references: readonly string[];
  /** Digests of all rows that the reading refused. */
  readonly refused: ReadonlySet<string>;
}

/** How much a later reading must read again, because of the rows that are still refused. */
export interface StandingRefusals {
  /**
   * True when a reading of single rows will not do: some row has no name by which to fetch it, or
   * has the sequence of a sound line, or was missed where it should have been.
   */
  readonly needsWhole: boolean;
  /** The lowest sequence of a refused line; `null` when no line with a sequence is refused. */
  readonly lowestSequence: number | null;
  readonly references: readonly string[];
}

/**
 * Selects the last change of the query's row `r`; `null` when the row was refused once and never
 * looked for again.
 */
function lastChange() {
  return build
    .selectFrom('rejected_row_changes as c')
    .select('c.change')
    .where('c.merchant_id', '=', sql.ref<number>('r.merchant_id'))
    .where('c.digest', '=', sql.ref<string>('r.digest'))
    .orderBy('c.intake', 'desc')
    .limit(sql.lit(1))
    .$asScalar();
}

/** The last change of `r`, or `refused` when there was none. */
function changeNow() {
  return build.fn.coalesce(lastChange(), sql.lit('refused'));
}

/**
 * Returns a digest that is equal for rows which are refused at the same place, for the same reason
 * and with the same content. The parts of the reason (`refusal`) do not enter it, because they
 * follow from the reason.
 */
export function digestOfRejected(row: RejectedRow): string {
  return digestOf(Object.values(storable(row)));
}

/**
 * Saves the rows that a page refused. A row that is refused again adds nothing, unless it had been
 * repaired or missed meanwhile.
 */
export async function saveRejected(
  client: pg.ClientBase,
  head: PageHead,
  rejected: readonly RejectedRow[],
): Promise<void> {
  if (rejected.length === 0) return;
  const { merchantId, intake } = head;
  const rows = rejected.map((row) => ({
    merchant_id: merchantId,
    intake,
    ...storable(row),
    digest: digestOfRejected(row),
    refusal: row.refusal === null ? null : storableJson(row.refusal),
  }));
  await ask(client, addedRefusals(rows));
  const digests = rows.map(({ digest }) => digest);
  const again = build
    .insertInto('rejected_row_changes')
    .columns(['merchant_id', 'digest', 'intake', 'change'])
    .expression((from) =>
      from
        .selectFrom('rejected_rows as r')
        .select(({ val }) => [
          'r.merchant_id',
          'r.digest',
          val(intake).as('intake'),
          sql.lit('refused').as('change'),
        ])
        .where('r.merchant_id', '=', merchantId)
        .where('r.digest', '=', anyOf('text', digests))
        .where(lastChange(), 'in', ['repaired', 'missed']),
    );
  await ask(client, again);
}

const addedRefusals = addingTo(
  'rejected_rows',
  {
    bigint: ['merchant_id', 'intake', 'sequence'],
    text: ['digest', 'part', 'place', 'reason', 'reference', 'raw'],
    jsonb: ['refusal'],
  },
  { name: null, key: ['merchant_id', 'digest'], taken: 'keep' },
);

/** Returns the numbers of the merchants that ever had a refused row. */
export async function findRejected(
  client: pg.ClientBase,
  merchantIds: readonly number[],
): Promise<ReadonlySet<number>> {
  return new Set(
    (await ask(client, everRejected({ merchantIds }))).rows.map((row) => row.merchant_id),
  );
}

const everRejected = prepare(
  'ever rejected',
  (at: Slots<{ readonly merchantIds: readonly number[] }>) =>
    build
      .selectFrom('merchant_heads as h')
      .select('h.merchant_id')
      .where('h.merchant_id', '=', anyOf('bigint', at('merchantIds')))
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('rejected_rows as r')
            .select('r.digest')
            .whereRef('r.merchant_id', '=', 'h.merchant_id'),
        ),
      ),
);

/**
 * Saves, for each row that was refused before a reading and not in it, whether it was repaired or
 * missed. When the reading was not whole, a line is repaired only if a sound line was stored under
 * its sequence, because it might have stood elsewhere.
 */
export async function saveReread(
  client: pg.ClientBase,
  head: PageHead,
  reread: Reread,
): Promise<void> {
  const { whole, references, beganAfter, refused } = reread;
  const stood = build
    .selectFrom('rejected_rows as r')
    .select(({ and, eb, exists, or, selectFrom, val }) => [
      'r.merchant_id',
      'r.digest',
      changeNow().as('last_change'),
      or([
        val(whole),
        eb('r.part', 'in', ['merchant', 'wallet']),
        and([eb('r.part', '=', 'operations'), eb('r.reference', '=', anyOf('text', references))]),
        and([
          eb('r.part', '=', 'ledger'),
          exists(
            selectFrom('entries as e')
              .select('e.variant')
              .whereRef('e.merchant_id', '=', 'r.merchant_id')
              .whereRef('e.sequence', '=', sql.ref<number>('r.sequence'))
              .where('e.intake', '>', beganAfter),
          ),
        ]),
      ]).as('is_repaired'),
    ])
    .where('r.merchant_id', '=', head.merchantId)
    .where(({ eb, not }) => not(eb('r.digest', '=', anyOf('text', [...refused]))));
  const note = build
    .insertInto('rejected_row_changes')
    .columns(['merchant_id', 'digest', 'intake', 'change'])
    .expression((from) =>
      from
        .selectFrom(stood.as('r'))
        .select(({ val }) => [
          'r.merchant_id',
          'r.digest',
          val(head.intake).as('intake'),
          sql`case when r.is_repaired then 'repaired' else 'missed' end`.as('change'),
        ])
        .where('r.last_change', '<>', 'repaired')
        .where(({ eb, or, ref }) =>
          or([ref('r.is_repaired').$castTo<boolean>(), eb('r.last_change', '<>', 'missed')]),
        ),
    );
  await ask(client, note);
}

/**
 * Loads the rows that are still refused, in the order in which they were first refused; at most
 * `limit`.
 */
export async function loadRejected(
  client: pg.ClientBase,
  of: { readonly merchantId: number; readonly limit: number },
): Promise<readonly RejectedRow[]> {
  return (await ask(client, standingRows(of))).rows;
}

const standingRows = prepare(
  'rejected rows',
  (at: Slots<{ readonly merchantId: number; readonly limit: number }>) =>
    build
      .selectFrom('rejected_rows as r')
      .select(({ ref }) => [
        ref('r.part').$castTo<BookPart>().as('part'),
        'r.place',
        'r.reason',
        ref('r.refusal').$castTo<RejectedRow['refusal']>().as('refusal'),
        'r.sequence',
        'r.reference',
        'r.raw',
      ])
      .where('r.merchant_id', '=', at('merchantId'))
      .where(changeNow(), '<>', sql.lit('repaired'))
      .$call(by('r.intake', 'r.part', 'r.place', 'r.digest'))
      .limit(at('limit')),
);

const NONE_STANDS: StandingRefusals = { needsWhole: false, lowestSequence: null, references: [] };

export const loadStandingRefusals = askTogether<string, StandingRefusals, Store>(
  async ({ pool }, merchants) => {
    const { rows } = await ask(pool, standingRefusals({ merchants }));
    const standing = new Map(rows.map((row) => [row.merchant, row]));
    return merchants.map((merchant) => standing.get(merchant) ?? NONE_STANDS);
  },
);

const standingRefusals = prepare(
  'standing refusals',
  (at: Slots<{ readonly merchants: readonly string[] }>) => {
    const each = build
      .selectFrom('merchants as m')
      .innerJoin('rejected_rows as r', 'r.merchant_id', 'm.merchant_id')
      .select(({ exists, selectFrom }) => {
        const isTaken = exists(
          selectFrom('entries as e')
            .select('e.variant')
            .whereRef('e.merchant_id', '=', 'r.merchant_id')
            .whereRef('e.sequence', '=', sql.ref<number>('r.sequence')),
        );
        return [
          'm.reference as merchant',
          'r.part',
          'r.sequence',
          'r.reference',
          sql<boolean>`${lastChange()} is not distinct from 'missed'
          or case r.part
            when 'ledger' then r.sequence is null or ${isTaken}
            when 'operations' then r.reference is null
            else r.part not in ('merchant', 'wallet')
          end`.as('needs_whole'),
        ];
      })
      .where('m.reference', '=', anyOf('text', at('merchants')))
      .where(changeNow(), '<>', sql.lit('repaired'));
    return build
      .selectFrom(each.as('s'))
      .select(({ fn }) => [
        's.merchant',
        fn.agg<boolean>('bool_or', ['s.needs_whole']).as('needsWhole'),
        fn
          .min<number | null>('s.sequence')
          .filterWhere('s.part', '=', sql.lit('ledger'))
          .as('lowestSequence'),
        fn
          .coalesce(
            fn
              .agg<readonly string[]>('array_agg', ['s.reference'])
              .distinct()
              .filterWhere('s.part', '=', sql.lit('operations'))
              .filterWhere('s.reference', 'is not', null),
            sql<readonly string[]>`'{}'`,
          )
          .as('references'),
      ])
      .groupBy('s.merchant');
  },
);

function storable(row: RejectedRow) {
  return {
    part: row.part,
    place: storableText(row.place),
    reason: storableText(row.reason),
    sequence: row.sequence,
    reference: storableNullable(row.reference),
    raw: storableText(row.raw),
  };
}
