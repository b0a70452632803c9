// The trail: who did and looked at what, newest first, by pages of their entry numbers. The list
// can be had as CSV and workbook.

import { z } from 'zod';
import { ROWS_ASKED } from '../../http/port/csv.ts';
import { reference } from '../../http/port/operator-api.ts';
import { requirePermission } from '../../http/port/operators.ts';
import { entryNumber } from '../../http/routes/trail.ts';
import { TRAIL_COLUMNS, type TrailEntry } from '../../workflows/operators/trail.ts';
import {
  addressWith,
  type Column,
  fileLinks,
  instantCell,
  merchantLink,
  PAGE,
  tableOf,
} from '../port/cells.ts';
import { filterForm } from '../port/filters.ts';
import { html } from '../port/html.ts';
import { layout, type Pages } from '../port/layout.ts';
import { addFiles, sendList } from '../port/lists.ts';
import type { Visit } from '../port/visit.ts';

/** The filter of the page. A value that cannot be one is ignored. */
const filter = z.object({
  operator: reference.optional().catch(undefined),
  merchant: reference.optional().catch(undefined),
  before: entryNumber.optional().catch(undefined),
});

export function addTrailPages({ page, backend }: Pages): void {
  page('/console/trail', async (visit, request) => {
    requirePermission(request, 'trail');
    const given = filter.parse(request.query);
    const items = await backend.listTrail({ ...given, limit: PAGE });
    const { trail, places, columns } = visit.words;
    const older =
      items.length < PAGE ? null : addressWith(visit, { before: String(items.at(-1)!.number) });
    return layout(visit, places.trail, [
      filterForm(visit, { names: { operator: trail.operator, merchant: columns.merchant }, given }),
      html`<p>${fileLinks(visit)}</p>`,
      tableOf(trailColumns(visit), items, trail.none),
      older === null
        ? null
        : html`<nav class="pager"><a rel="next" href="${older}">${trail.older}</a></nav>`,
    ]);
  });
  addFiles(page, '/console/trail', async (visit, request, reply) => {
    requirePermission(request, 'trail');
    const items = await backend.listTrail({ ...filter.parse(request.query), limit: ROWS_ASKED });
    return sendList(visit, reply, {
      now: backend.clock(),
      name: 'trail',
      columns: TRAIL_COLUMNS,
      rows: items,
    });
  });
}

function trailColumns(visit: Visit): readonly Column<TrailEntry>[] {
  const { trail, columns } = visit.words;
  return [
    { head: trail.at, cell: ({ at }) => instantCell(visit, at) },
    { head: trail.operator, cell: ({ operator }) => operator },
    { head: trail.via, cell: ({ via }) => trail.ways[via] },
    { head: trail.action, cell: ({ action }) => html`<code>${action}</code>` },
    {
      head: columns.merchant,
      cell: ({ merchant }) => (merchant === null ? null : merchantLink(merchant)),
    },
    { head: trail.subject, cell: ({ subject }) => subject },
    { head: trail.status, cell: ({ status }) => status, isFigure: true },
  ];
}
