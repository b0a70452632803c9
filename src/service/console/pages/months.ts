// Months that were issued: those of all merchants for one month, with counts that link to the
// months they count. The list can be had as CSV and workbook.

import { z } from 'zod';
import {
  formatPeriod,
  parsePeriod,
  periodAfter,
  periodBefore,
} from '../../../core/domain/period.ts';
import { columnsOf } from '../../../core/statements/tables/table.ts';
import { ROWS_ASKED } from '../../http/port/csv.ts';
import { thereIs } from '../../http/port/errors.ts';
import { holdOf } from '../../workflows/month/read-reports.ts';
import { MONTH_KEYS } from '../../workflows/operators/month-desk.ts';
import type { MonthRecord } from '../../workflows/operators/operator-backend.ts';
import {
  addressWith,
  badge,
  type Column,
  fileLinks,
  instantCell,
  merchantLink,
  monthLink,
  namesText,
  PAGE,
  pagerOf,
  tableOf,
  verdictBadge,
  worded,
} from '../port/cells.ts';
import { type Html, html, type Shown } from '../port/html.ts';
import { layout, offsetOf, type Pages } from '../port/layout.ts';
import { sendList } from '../port/lists.ts';
import type { Visit } from '../port/visit.ts';

/** The filter that a count links to. */
const ONLY = { broken: { verdict: 'broken' }, held: { isHeld: true } } as const;
const query = z.object({ only: z.enum(['broken', 'held']).optional().catch(undefined) });

export function addMonths({ page, backend }: Pages): void {
  page('/console/months', async (visit, _, reply) => {
    const { period } = await backend.listMonths({ limit: 1, offset: 0 });
    const { months, places } = visit.words;
    if (period === null)
      return layout(visit, places.months, html`<p class="none">${months.none}</p>`);
    await reply.redirect(`/console/months/${period}`, 303);
    return null;
  });
  page('/console/months/:period', async (visit, request, reply) => {
    const [, period, ending] =
      /^(\d{4}-\d\d)(\.csv|\.xlsx)?$/.exec(
        (request.params as { readonly period: string }).period,
      ) ?? [];
    const month = thereIs(period === undefined ? null : parsePeriod(period), 'month');
    const { only } = query.parse(request.query);
    const wish = { period, ...(only === undefined ? {} : ONLY[only]) };
    if (ending !== undefined) {
      const { items } = await backend.listMonths({ ...wish, limit: ROWS_ASKED, offset: 0 });
      return sendList(visit, reply, {
        now: backend.clock(),
        name: `months-${period}`,
        columns: columnsOf(MONTH_KEYS),
        rows: items,
      });
    }
    const offset = offsetOf(request);
    const { total, items, counts } = await backend.listMonths({ ...wish, limit: PAGE, offset });
    const { words, wording } = visit;
    const said =
      only === undefined
        ? null
        : worded(visit, words.findings.filtered, { filters: words.months.counts[only] });
    const others = [periodBefore(month), periodAfter(month)].map(formatPeriod);
    return layout(visit, `${words.places.months} · ${wording.code('month', period!)}`, [
      html`<p class="pager">${others.map((one) => html`<a href="/console/months/${one}">${wording.code('month', one)}</a> `)}</p>`,
      countsOf(visit, counts),
      html`<p class="note">${said} ${fileLinks(visit)}</p>`,
      tableOf(monthColumns(visit), items, words.none),
      pagerOf(visit, { total, offset }),
    ]);
  });
}

const TONES = {
  stated: 'calm',
  broken: 'broken',
  held: 'incomplete',
  sent: 'clean',
  closed: 'clean',
} as const;
type Counts = Awaited<ReturnType<Pages['backend']['listMonths']>>['counts'];

function countsOf(visit: Visit, counts: Counts): Html {
  const tile = (name: keyof typeof TONES): Html => {
    const only = name in ONLY ? name : null;
    const text = html`<strong>${visit.wording.amount(counts[name])}</strong> ${visit.words.months.counts[name]}`;
    const isLink = name === 'stated' || only !== null;
    const link = html`<a href="${addressWith(visit, { only, offset: null })}">${text}</a>`;
    return html`<li class="${counts[name] === 0 ? 'zero' : TONES[name]}">${isLink ? link : text}</li>`;
  };
  return html`<ul class="tiles">${(Object.keys(TONES) as (keyof typeof TONES)[]).map(tile)}</ul>`;
}

/**
 * Returns the columns of a list of months, which is also on the page of a merchant and of one
 * month.
 */
export function monthColumns(visit: Visit): readonly Column<MonthRecord>[] {
  const { columns, merchant, months, morning } = visit.words;
  const by = (who: string | null, at: number | null): Shown =>
    who === null ? null : [namesText(visit, who), ' ', instantCell(visit, at)];
  const holdCell = (month: MonthRecord): Shown => {
    const held = holdOf(month);
    return held === null
      ? [by(month.releasedBy, month.releasedAt), ' ', month.releaseReason]
      : badge('held', months.why[held]);
  };
  return [
    { head: columns.merchant, cell: (month) => merchantLink(month.merchant) },
    { head: columns.period, cell: (month) => monthLink(visit, month) },
    { head: columns.verdict, cell: ({ verdict }) => verdictBadge(visit, verdict) },
    { head: months.hold, cell: holdCell },
    { head: morning.roots, cell: ({ openRoots }) => openRoots, isFigure: true },
    { head: merchant.revision, cell: ({ revision }) => revision, isFigure: true },
    { head: merchant.generated, cell: ({ statedAt }) => instantCell(visit, statedAt) },
    {
      head: months.sent,
      cell: ({ sent, deliveries }) => `${sent} / ${deliveries}`,
      isFigure: true,
    },
    { head: months.closed, cell: ({ closedBy, closedAt }) => by(closedBy, closedAt) },
  ];
}
