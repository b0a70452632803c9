// What was announced to whom, each attempt at it, and a form to have a delivery tried again. The
// list can be had as CSV and workbook.

import type { FastifyRequest } from 'fastify';
import {
  DELIVERY_STATES,
  type DeliveryOutcome,
  STUCK_STATES,
} from '../../../core/domain/delivery/delivery.ts';
import { isPermitted } from '../../../core/domain/operators/role.ts';
import { maskPhoneNumbers } from '../../../core/statements/mask-phone-numbers.ts';
import { columnsOf } from '../../../core/statements/tables/table.ts';
import { ROWS_ASKED } from '../../http/port/csv.ts';
import { notFound } from '../../http/port/errors.ts';
import { requirePermission } from '../../http/port/operators.ts';
import { DELIVERY_KEYS } from '../../workflows/deliveries/manage-deliveries.ts';
import {
  addressWith,
  badge,
  type Column,
  fileLinks,
  instantCell,
  merchantLink,
  PAGE,
  pagerOf,
  tableOf,
} from '../port/cells.ts';
import { answerForm, type Fields, fieldsOf, hidden, noteOf } from '../port/forms.ts';
import { type Html, html, type Shown } from '../port/html.ts';
import { layout, offsetOf, type Pages, type Visiting } from '../port/layout.ts';
import { addFiles, sendList } from '../port/lists.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type Delivery = Awaited<ReturnType<Pages['backend']['listDeliveries']>>['items'][number];

export function addDeliveryPages({ page, form, backend }: Pages): void {
  const wishOf = ({ state, merchant }: Fields) => ({
    merchant,
    state: DELIVERY_STATES.find((one) => one === state),
  });
  const draw = async (
    visit: Visiting,
    given: Fields,
    { offset, note }: { readonly offset: number; readonly note: Shown },
  ) => {
    const wish = wishOf(given);
    const { total, items } = await backend.listDeliveries({ ...wish, limit: PAGE, offset });
    const { deliveries, places, all } = visit.words;
    const to = (state: string | null): string => addressWith(visit, { state, offset: null });
    const link = (state: (typeof DELIVERY_STATES)[number]): Shown =>
      html`<a href="${to(state)}"${state === wish.state ? html` aria-current="true"` : null}>${deliveries.states[state]}</a> · `;
    return layout(visit, places.deliveries, [
      note,
      html`<p>${DELIVERY_STATES.map(link)}<a href="${to(null)}">${all}</a></p>`,
      html`<p>${fileLinks(visit)}</p>`,
      tableOf(deliveryColumns(visit), items, deliveries.none),
      pagerOf(visit, { total, offset }),
    ]);
  };
  page('/console/deliveries', async (visit, request) => {
    const given = request.query as Fields;
    const note = noteOf(visit, given.done === undefined ? null : visit.words.deliveries.done);
    return draw(visit, given, { offset: offsetOf(request), note });
  });
  addFiles(page, '/console/deliveries', async (visit, request, reply) => {
    const { items } = await backend.listDeliveries({
      ...wishOf(request.query as Fields),
      limit: ROWS_ASKED,
    });
    return sendList(visit, reply, {
      now: backend.clock(),
      name: 'deliveries',
      columns: columnsOf(DELIVERY_KEYS),
      rows: items,
    });
  });
  page('/console/deliveries/:id', async (visit, request) =>
    oneOf(visit, await backend.findDelivery(idIn(request))),
  );
  form('/console/deliveries/:id', async (visit, request, reply) => {
    requirePermission(request, 'publish');
    const note = await answerForm(visit, reply, async () => {
      await backend.retryDelivery(idIn(request), fieldsOf(request).state ?? '');
      return '/console/deliveries?done=1';
    });
    return note === null ? null : draw(visit, {}, { offset: 0, note });
  });
}

function oneOf(
  visit: Visiting,
  { content, history, ...delivery }: Awaited<ReturnType<Pages['backend']['findDelivery']>>,
): Html {
  const { deliveries, morning, columns } = visit.words;
  const attempts = tableOf(
    [
      { head: morning.since, cell: ({ startedAt }) => instantCell(visit, startedAt) },
      { head: deliveries.until, cell: ({ finishedAt }) => instantCell(visit, finishedAt) },
      {
        head: columns.state,
        cell: ({ outcome }) => deliveries.outcomes[outcome as DeliveryOutcome],
      },
      { head: deliveries.answer, cell: ({ detail }) => detail },
    ],
    history,
    deliveries.noAttempts,
  );
  return layout(visit, deliveries.topics[delivery.topic], [
    tableOf(deliveryColumns(visit), [delivery], deliveries.none),
    html`<section><h2>${deliveries.attempts}</h2>${attempts}</section>`,
    html`<section><h2>${deliveries.content}</h2><p class="note">${deliveries.contentNote}</p><pre>${maskPhoneNumbers(JSON.stringify(content, null, 2))}</pre></section>`,
  ]);
}

function idIn({ params }: FastifyRequest): string {
  const { id } = params as { readonly id: string };
  if (!UUID.test(id)) throw notFound('delivery');
  return id;
}

/**
 * Returns the columns of a list of deliveries. The page of a month has such a list too; there an
 * accountant, who may open no delivery, sees them without a link.
 */
export function deliveryColumns(visit: Visiting): readonly Column<Delivery>[] {
  const { columns, deliveries, morning } = visit.words;
  const isStuck = ({ state }: Delivery): boolean => STUCK_STATES.some((one) => one === state);
  const retry = ({ id, state }: Delivery): Shown =>
    html` <form method="post" action="/console/deliveries/${id}">${hidden({ form: visit.formToken, state })}<button>${deliveries.retry}</button></form>`;
  const stateCell = (one: Delivery): Shown => {
    const tone = one.state === 'SUCCESS' ? 'clean' : isStuck(one) ? 'error' : 'calm';
    return [
      badge(tone, deliveries.states[one.state]),
      isStuck(one) && isPermitted(visit.operator, 'publish') ? retry(one) : null,
    ];
  };
  return [
    { head: deliveries.written, cell: ({ createdAt }) => instantCell(visit, createdAt) },
    {
      head: deliveries.what,
      cell: ({ id, topic }) =>
        visit.operator.merchant === null
          ? html`<a href="/console/deliveries/${id}">${deliveries.topics[topic]}</a>`
          : deliveries.topics[topic],
    },
    {
      head: columns.merchant,
      cell: ({ merchant }) => (merchant === null ? null : merchantLink(merchant)),
    },
    { head: morning.to, cell: ({ target }) => target },
    { head: columns.state, cell: stateCell },
    { head: deliveries.attempts, cell: ({ attempts }) => attempts, isFigure: true },
    { head: morning.lastAnswer, cell: ({ lastDetail }) => lastDetail },
  ];
}
