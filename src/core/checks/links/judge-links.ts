// All that one look at a merchant's payments by link, the looks before it and what was notified show to be wrong.

import { type Judgement, joined } from '../looks.ts';
import type { LinkCase } from './link-case.ts';
import { judgeClaims } from './notified.ts';
import { judgeOrders } from './orders.ts';
import { judgeOverdue, judgeVersions } from './versions.ts';

export function judgeLinks(subject: LinkCase): Judgement {
  return joined([judgeOverdue(subject), judgeVersions(subject), judgeOrders(subject), judgeClaims(subject)]);
}
