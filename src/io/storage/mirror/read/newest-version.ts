// The newest version of each of several operations, within a query that knows them as `wanted.reference`.

import { sql } from 'kysely';
import { build } from '../../server/ask.ts';

/** To be joined laterally: of all versions, or of those that a page up to `intake` brought. */
export function newestVersion(merchantId: number, intake: number | null = null) {
  return build
    .selectFrom('operation_versions as v')
    .selectAll('v')
    .where('v.merchant_id', '=', merchantId)
    .where('v.reference', '=', sql.ref<string>('wanted.reference'))
    .$if(intake !== null, (versions) => versions.where('v.intake', '<=', intake!))
    .orderBy('v.version', 'desc')
    .limit(1);
}
