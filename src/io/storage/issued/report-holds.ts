// Reports that are held: issued, and kept from the merchant, its accountants and the folder until a person releases them. Refuses
// nothing; who is shown a report asks `ReportRecord.isHeld`.

import { type ExpressionBuilder, sql } from 'kysely';
import type pg from 'pg';
import type { Database } from '../../../../sql/tables.d.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import type { MonthKey } from '../../../core/domain/period.ts';
import { releaseHeld } from '../deliveries/outbox.ts';
import { ask, build } from '../server/ask.ts';
import { inTransaction } from '../server/connections.ts';
import { storableText } from '../server/storable-text.ts';
import type { Store } from '../server/store.ts';

/** Within the transaction that issues the report. */
export async function holdReport(
  client: pg.ClientBase,
  { merchantId, id, at }: { readonly merchantId: number; readonly id: string; readonly at: Instant },
): Promise<void> {
  const row = { merchant_id: merchantId, report_id: id, act: 'held', acted_at: at } as const;
  await ask(client, build.insertInto('report_holds').values(row));
}

/** Of a report that is held: it is READY for its merchant from now on. Returns how many deliveries of it are sent from now on. */
export async function releaseReport(
  store: Store,
  report: MonthKey & { readonly id: string },
  { by, now }: { readonly by: string; readonly now: Instant },
): Promise<number> {
  const { merchant, id } = report;
  return inTransaction(store, async (client) => {
    const release = build
      .insertInto('report_holds')
      .columns(['merchant_id', 'report_id', 'act', 'acted_at', 'acted_by'])
      .expression((from) =>
        from
          .selectFrom('merchants')
          .select(({ val }) => [
            'merchant_id',
            val(id).as('report_id'),
            val('released').as('act'),
            val(now).as('acted_at'),
            val(storableText(by)).as('acted_by'),
          ])
          .where('reference', '=', merchant),
      )
      .onConflict((conflict) => conflict.doNothing());
    await ask(client, release);
    return releaseHeld(client, report, now);
  });
}

/** Whether the report `r` of a query is held: released, it has both acts. */
export function isHeld({ eb, selectFrom }: ExpressionBuilder<Database & { r: Database['reports'] }, 'r'>) {
  const acts = selectFrom('report_holds as a')
    .select(({ fn }) => fn.countAll<number>().as('acts'))
    .whereRef('a.merchant_id', '=', 'r.merchant_id')
    .whereRef('a.report_id', '=', 'r.report_id');
  return eb(acts, '=', sql.lit(1)).$castTo<boolean>();
}
