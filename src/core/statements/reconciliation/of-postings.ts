// Which findings are about the money lines of their operation, as their kinds declare it.

import { declared } from '../../checks/port/kinds.ts';
import type { Finding } from '../../domain/finding.ts';

/** Lines of its operation are not those that it asks for, also where they move just the money that those would. */
export function isOfPostings(finding: Pick<Finding, 'kind'>): boolean {
  const { subject, effect, figure } = declared(finding);
  if (subject !== 'operation' || figure?.endsWith('reserved') === true) return false;
  return effect === 'lack' || effect === 'amount' || effect === 'surplus';
}
