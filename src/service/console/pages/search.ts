// Finds operations and lines by what people have in hand, from the box in the frame of every page.
// A search with one hit leads to its page at once.

import {
  amountText,
  instantCell,
  merchantLink,
  operationLink,
  tableOf,
  worded,
} from '../port/cells.ts';
import type { Fields } from '../port/forms.ts';
import { html } from '../port/html.ts';
import { layout, type Pages } from '../port/layout.ts';

const LONGEST = 200;

export function addSearch({ page, backend }: Pages): void {
  page('/console/search', async (visit, request, reply) => {
    const { q = '' } = request.query as Fields;
    const text = q.trim().slice(0, LONGEST);
    const { search, columns, finding, merchant: heads, none } = visit.words;
    const { items, more, reading } = await backend.search({ text });
    const [only] = items;
    const merchant = items.length === 0 && text !== '' ? await backend.findMerchant(text) : null;
    const isOne = items.length === 1 && only?.reference != null;
    const place = merchant === null ? null : `/console/merchants/${encodeURIComponent(text)}`;
    if (isOne || place !== null) {
      const found = `/console/operations/${encodeURIComponent(only?.reference ?? '')}?merchant=${encodeURIComponent(only?.merchant ?? '')}`;
      await reply.redirect(place ?? found, 303);
      return null;
    }
    const hits = tableOf(
      [
        { head: finding.operation, cell: (hit) => operationLink(hit.reference, hit.merchant) },
        { head: finding.line, cell: ({ sequence }) => sequence, isFigure: true },
        { head: columns.merchant, cell: ({ merchant }) => merchantLink(merchant) },
        { head: search.by, cell: ({ by }) => search.hits[by] },
        {
          head: heads.amount,
          cell: ({ amount, currency }) =>
            amountText(visit, amount === null ? null : String(amount), currency),
          isFigure: true,
        },
        { head: search.created, cell: ({ createdAt }) => instantCell(visit, createdAt) },
      ],
      items,
      none,
    );
    return layout(visit, search.title, [
      html`<p class="note">${worded(visit, search.read, { text, as: search.readings[reading] })}</p>`,
      hits,
      more ? html`<p class="note">${search.more}</p>` : null,
    ]);
  });
}
