// The newest report of every merchant as the store keeps it, for tests that compare runs.

import type { AuditReport } from '../../src/core/domain/finding.ts';
import type { Store } from '../../src/io/storage/server/store.ts';

export interface StoredReport {
  readonly runId: number;
  readonly report: AuditReport;
}

/** Returns the newest report of every merchant that has one, by merchant reference. */
export async function loadLastReports(store: Store): Promise<readonly StoredReport[]> {
  const { rows } = await store.pool.query<{ run_id: number; report: AuditReport }>(
    `select s.run_id, s.report
    from (
      select distinct on (merchant_id) merchant_id, run_id, report
      from run_merchants
      order by merchant_id, run_id desc
    ) s
    join merchants m on m.merchant_id = s.merchant_id
    order by m.reference`,
  );
  return rows.map((row) => ({ runId: row.run_id, report: row.report }));
}
