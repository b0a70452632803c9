// The trail: who did and looked at what, newest first, by pages of their entry numbers; also as CSV.

import { z } from 'zod';
import { columnsOf } from '../../../core/statements/tables/table.ts';
import { reference } from '../../http/port/operator-api.ts';
import { requirePermission } from '../../http/port/operators.ts';
import { entryNumber } from '../../http/routes/trail.ts';
import type { TrailEntry } from '../../workflows/operators/trail.ts';
import { addressWith, type Column, instantCell, merchantLink, tableOf } from '../port/cells.ts';
import { MOST_ROWS, sendCsv } from '../port/csv.ts';
import { type Html, html } from '../port/html.ts';
import { layout } from '../port/layout.ts';
import type { Pages } from '../port/pages.ts';
import type { Visit } from '../port/visit.ts';

const PAGE = 50;
const FILTERS = ['operator', 'merchant'] as const;
const COLUMNS = columnsOf<TrailEntry>(['number', 'at', 'operator', 'via', 'action', 'merchant', 'subject', 'status']);

/** What is no filter filters nothing. */
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
    const { trail, places, csv } = visit.words;
    const older = items.length < PAGE ? null : addressWith(visit, { before: String(items.at(-1)!.number) });
    return layout(visit, places.trail, [
      filterForm(visit, given),
      html`<p><a href="${addressWith(visit, { before: null }).replace('/console/trail', '/console/trail.csv')}">${csv}</a></p>`,
      tableOf(trailColumns(visit), items, trail.none),
      older === null ? null : html`<nav class="pager"><a rel="next" href="${older}">${trail.older}</a></nav>`,
    ]);
  });
  page('/console/trail.csv', async (_, request, reply) => {
    requirePermission(request, 'trail');
    const items = await backend.listTrail({ ...filter.parse(request.query), limit: MOST_ROWS });
    return sendCsv(reply, 'trail', COLUMNS, items);
  });
}

function filterForm({ words }: Visit, given: z.output<typeof filter>): Html {
  const names = { operator: words.trail.operator, merchant: words.columns.merchant };
  const fields = FILTERS.map(
    (name) =>
      html`<p><label for="${name}">${names[name]}</label><input id="${name}" name="${name}" value="${given[name] ?? ''}"></p>`,
  );
  return html`<form class="filter" method="get" action="/console/trail" aria-label="${words.findings.filter}">
${fields}
<button>${words.show}</button>
<a href="/console/trail">${words.findings.clear}</a>
</form>`;
}

function trailColumns(visit: Visit): readonly Column<TrailEntry>[] {
  const { trail, columns } = visit.words;
  return [
    { head: trail.at, cell: ({ at }) => instantCell(visit, at) },
    { head: trail.operator, cell: ({ operator }) => operator },
    { head: trail.via, cell: ({ via }) => trail.ways[via] },
    { head: trail.action, cell: ({ action }) => html`<code>${action}</code>` },
    { head: columns.merchant, cell: ({ merchant }) => (merchant === null ? null : merchantLink(merchant)) },
    { head: trail.subject, cell: ({ subject }) => subject },
    { head: trail.status, cell: ({ status }) => status, isFigure: true },
  ];
}
