// `pointage trail`: what operators did and looked at, over HTTP, in the console and by command.

import { formatInstant } from '../../../core/domain/instant.ts';
import { printable } from '../../../core/domain/printable.ts';
import { instantIn, TRAIL_FILTER } from '../../http/port/filters.ts';
import { requireMerchant } from '../../workflows/operators/runs-and-merchants.ts';
import { listTrail, TRAIL_COLUMNS, type TrailEntry, type TrailQuery } from '../../workflows/operators/trail.ts';
import { defineList, filterIn, type List } from './subject.ts';

const LIST: List<object, Omit<TrailQuery, 'limit'>, TrailEntry> = {
  does: 'what operators did and looked at, newest first',
  examples: ['--operator awa --since 2026-11-01', '--merchant M001 --limit 100000 --format csv --out trail.csv'],
  limit: 50,
  filter: TRAIL_FILTER,
  queryOf: (flags) => {
    const { since, ...same } = filterIn(TRAIL_FILTER, flags);
    return { ...same, from: instantIn(since) };
  },
  find: async (store, query) => {
    if (query.merchant !== undefined) await requireMerchant(store, query.merchant);
    return { items: await listTrail(store, query) };
  },
  title: 'Trail',
  none: 'There are no such entries.',
  table: [
    { head: 'at', cell: ({ at }) => formatInstant(at).slice(0, 19) },
    { head: 'operator', cell: ({ operator, via }) => `${printable(operator)}\nby ${via}` },
    { head: 'what', wraps: 60, cell: ({ action, subject }) => `${printable(action)}\n${printable(subject ?? '')}` },
    { head: 'merchant', cell: ({ merchant }) => printable(merchant ?? '') },
    { head: 'status', align: 'right', cell: ({ status }) => String(status) },
  ],
  columns: TRAIL_COLUMNS,
};

export const defineTrail = defineList('trail', LIST);
