// `pointage trail`: what operators did and looked at, over HTTP, in the console and by command.

import { formatInstant, type Instant } from '../../../core/domain/instant.ts';
import { printable } from '../../../core/domain/printable.ts';
import { columnsOf } from '../../../core/statements/tables/table.ts';
import { requireMerchant } from '../../workflows/operators/runs-and-merchants.ts';
import { listTrail, type TrailEntry } from '../../workflows/operators/trail.ts';
import { instantOf } from '../stage/stage.ts';
import { defineList, type List } from './subject.ts';

interface TrailFlags {
  readonly operator?: string;
  readonly merchant?: string;
  readonly since?: string;
}

interface Query {
  readonly operator: string | undefined;
  readonly merchant: string | undefined;
  readonly from: Instant | undefined;
}

const LIST: List<TrailFlags, Query, TrailEntry> = {
  does: 'what operators did and looked at, newest first',
  examples: ['--operator awa --since 2026-11-01', '--merchant M001 --limit 100000 --format csv --out trail.csv'],
  limit: 50,
  define: (command) =>
    command
      .option('--operator <name>', 'of one operator')
      .option('--merchant <reference>', 'about one merchant')
      .option('--since <instant>', 'at or after it: 2026-11-01, or with a time and a zone'),
  queryOf: ({ operator, merchant, since }) => ({
    operator,
    merchant,
    from: since === undefined ? undefined : instantOf(since, 0),
  }),
  find: async (store, { limit, ...query }) => {
    if (query.merchant !== undefined) await requireMerchant(store, query.merchant);
    const found = await listTrail(store, { ...query, limit: limit + 1 });
    const notes = found.length > limit ? [`There are more: --limit lists more than ${limit}.`] : [];
    return { rows: found.slice(0, limit), notes };
  },
  title: 'Trail',
  none: 'There are no such entries.',
  table: [
    { head: 'at', cell: ({ at }) => formatInstant(at).slice(0, 19) },
    { head: 'operator', cell: ({ operator, via }) => `${printable(operator)}\nby ${via}` },
    { head: 'what', wraps: 60, cell: ({ action, subject }) => printable(`${action}\n${subject ?? ''}`) },
    { head: 'merchant', cell: ({ merchant }) => printable(merchant ?? '') },
    { head: 'status', align: 'right', cell: ({ status }) => String(status) },
  ],
  // Keys are a contract with programs: they are added, never renamed.
  columns: [
    { key: 'number', form: 'serial', pick: ({ number }) => number },
    { key: 'at', form: 'text', pick: ({ at }) => formatInstant(at) },
    ...columnsOf<TrailEntry>(['operator', 'via', 'action', 'merchant', 'subject']),
    { key: 'status', form: 'count', pick: ({ status }) => status },
  ],
};

export const defineTrail = defineList('trail', LIST);
