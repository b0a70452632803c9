// Which way a list is served (not shown by the document): known from the ranks on its pages. Refuses a list that runs
// against the order that was set or seen, since paging through it would lose rows unnoticed.

import { SourceFailed } from '../source.ts';
import type { ServedOrder } from './http-settings.ts';
import type { PagedList, ServedPage } from './served-page.ts';

export type KnownOrder = Exclude<ServedOrder, 'auto'>;

/** Fewer steps than this one way prove nothing: rows created close together may stand the other way round. */
const SURE_STEPS = 20;

export interface SeenOrder {
  /** Null when the page shows neither order. */
  readonly order: KnownOrder | null;
  readonly isSure: boolean;
}

/** Throws when a page with many rows shows neither order. */
export function seeOrder<Row>(list: PagedList<Row>, page: ServedPage<Row>): SeenOrder {
  const { rising, falling } = countSteps(page);
  const [fewer, more] = rising < falling ? [rising, falling] : [falling, rising];
  const isSure = more >= SURE_STEPS;
  if (fewer * 4 <= more && more > 0) return { order: rising > falling ? 'ascending' : 'descending', isSure };
  if (!isSure) return { order: null, isSure };
  throw new SourceFailed(
    'UNREADABLE_ORDER',
    `${list.request} of ${list.merchant} is served in neither ascending nor descending order (${rising} steps up and ${falling} down on the page at offset ${page.from}): it cannot be paged through without losing rows.`,
  );
}

/** Throws when the page surely shows the other order. */
export function expectOrder<Row>(list: PagedList<Row>, page: ServedPage<Row>, order: KnownOrder): void {
  const seen = seeOrder(list, page);
  if (seen.isSure && seen.order !== order) {
    throw new SourceFailed(
      'UNREADABLE_ORDER',
      `${list.request} of ${list.merchant} was taken to be ${order} but its page at offset ${page.from} is ${seen.order}: set its order to what the service serves, or to auto.`,
    );
  }
}

function countSteps<Row>(page: ServedPage<Row>): { readonly rising: number; readonly falling: number } {
  let [rising, falling] = [0, 0];
  let previous: number | null = null;
  for (const { rank } of page.rows) {
    if (rank === null) continue;
    if (previous !== null && rank > previous) rising += 1;
    if (previous !== null && rank < previous) falling += 1;
    previous = rank;
  }
  return { rising, falling };
}
