// The failure of a walk that met a row where it had already passed. A reading in order could no longer be given; nothing
// is passed over in silence.

import { SourceFailed } from '../source.ts';
import type { PagedList } from './served-page.ts';

export function movedWhileReading<Row>(list: PagedList<Row>, rank: number): SourceFailed {
  return new SourceFailed(
    'MOVED_WHILE_READING',
    `${list.request} of ${list.merchant} served ${list.kind.nameRank(rank)} after rows far newer than it: it was inserted late, or the list is not in order; read it again.`,
  );
}
