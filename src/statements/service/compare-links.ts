// The service's own report of a month beside its payments by link, key by key, as the audit judges it: under the reading of the
// summary that fits best (`summary-differences.ts`).

import type { PaymentTally } from '../../checks/reports/payment-tally.ts';
import { readSummary } from '../../checks/reports/read-summary.ts';
import { compareWithPayments } from '../../checks/reports/summary-differences.ts';
import { decimalText } from '../../domain/decimal.ts';
import type { SummaryKey } from '../../domain/summary-keys.ts';
import { cut, notCompared, type ServiceComparison } from './comparison.ts';

/** `tally.report` has a summary that counts payments by link. `unread`: rows of payments that could not be read. */
export function compareLinks(
  tally: PaymentTally,
  { keys, unread }: { readonly keys: readonly SummaryKey[]; readonly unread: number },
): ServiceComparison {
  const read = readSummary(tally.report.summary!, keys);
  const compared = read.groups.reduce((sum, { known }) => sum + known.size, read.totals.length);
  if (compared === 0) return notCompared({ why: 'its summary holds no figure', code: 'REPORT_WITHOUT_FIGURES' });
  const { differences } = compareWithPayments(read, [...tally.cells.values()]);
  if (differences.length > 0 && unread > 0) {
    const why = `its summary differs from the payments read, and ${unread} rows of payments could not be read`;
    return notCompared({ why, code: 'REPORT_DOUBTFUL', figures: { doubt: unread } });
  }
  return {
    notCompared: null,
    compared,
    differences: differences.map(({ name, stated, due }) => ({
      key: cut(name),
      service: stated === null ? null : cut(decimalText(stated)),
      ours: due.toString(),
    })),
  };
}
