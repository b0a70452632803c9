// The merchants, and one of them: its figures as recorded, recomputed and due, what was not
// checked, its months, its open findings and holds.

import { FIGURES, type Figures } from '../../../core/domain/finding.ts';
import { MERCHANT_STATUSES } from '../../../core/domain/merchant.ts';
import { wordUnchecked } from '../../../core/words/names.ts';
import { ROWS_ASKED } from '../../http/port/csv.ts';
import { thereIs } from '../../http/port/errors.ts';
import { MERCHANT_FILTER, MERCHANT_VERDICTS } from '../../http/port/filters.ts';
import { MERCHANT_COLUMNS } from '../../workflows/operators/runs-and-merchants.ts';
import {
  amountText,
  type Column,
  fileLinks,
  instantCell,
  instantText,
  merchantLink,
  operationLink,
  PAGE,
  pagerOf,
  tableOf,
  verdictBadge,
  worded,
} from '../port/cells.ts';
import { filterForm, filterIn, filterInForce } from '../port/filters.ts';
import { type Html, html } from '../port/html.ts';
import { type Backend, layout, offsetOf, type Pages } from '../port/layout.ts';
import { addFiles, sendList } from '../port/lists.ts';
import type { Visit } from '../port/visit.ts';
import { findingColumns } from './findings.ts';
import { monthColumns } from './months.ts';

type Merchant = NonNullable<Awaited<ReturnType<Backend['findMerchant']>>>;

export function addMerchants({ page, merchantPage, backend }: Pages): void {
  page('/console/merchants', async (visit, request) => {
    const offset = offsetOf(request);
    const given = filterIn(MERCHANT_FILTER, request);
    const { total, items } = await backend.listMerchants({ ...given, limit: PAGE, offset });
    const { columns, places, none } = visit.words;
    const filtering = { ...filteringOf(visit), given };
    const shown: readonly Column<(typeof items)[number]>[] = [
      { head: columns.merchant, cell: ({ reference }) => merchantLink(reference) },
      { head: columns.name, cell: ({ name }) => name },
      { head: columns.country, cell: ({ country }) => countryOf(visit, country) },
      { head: columns.verdict, cell: (one) => standingVerdict(visit, one) },
      { head: columns.open, cell: ({ openFindings }) => openFindings, isFigure: true },
      { head: columns.knownUntil, cell: ({ watermark }) => instantCell(visit, watermark) },
    ];
    return layout(visit, places.merchants, [
      filterForm(visit, filtering),
      filterInForce(visit, filtering, worded(visit, visit.words.merchants.all, { total })),
      html`<p>${fileLinks(visit)}</p>`,
      tableOf(shown, items, none),
      pagerOf(visit, { total, offset }),
    ]);
  });
  addFiles(page, '/console/merchants', async (visit, request, reply) => {
    const wanted = { ...filterIn(MERCHANT_FILTER, request), limit: ROWS_ASKED, offset: 0 };
    const { items } = await backend.listMerchants(wanted);
    return sendList(visit, reply, {
      now: backend.clock(),
      name: 'merchants',
      columns: MERCHANT_COLUMNS,
      rows: items,
    });
  });
  merchantPage('/console/merchants/:merchant', async (visit, request) => {
    const { merchant } = request.params as { readonly merchant: string };
    const found = thereIs(await backend.findMerchant(merchant), 'merchant');
    return layout(visit, found.name ?? merchant, await partsOf(visit, backend, found));
  });
}

/**
 * Returns the verdict. If the newest run did not judge the merchant, it is followed by the verdict
 * of the last run that did, and when that was.
 */
function standingVerdict(
  visit: Visit,
  {
    verdict,
    judged,
    lastVerdict,
    lastRunAt,
  }: Pick<Merchant, 'verdict' | 'judged' | 'lastVerdict' | 'lastRunAt'>,
): Html {
  const { merchants, morning } = visit.words;
  const last =
    judged || lastVerdict === null
      ? null
      : worded(visit, merchants.lastJudged, {
          verdict: morning[lastVerdict],
          at: instantText(visit, lastRunAt!),
        });
  return html`${verdictBadge(visit, verdict)}${last === null ? null : html` <span class="who">(${last})</span>`}`;
}

function filteringOf({ words, labels }: Visit) {
  const { columns, merchants, morning } = words;
  const { codes } = labels;
  return {
    names: { ...{ verdict: columns.verdict, status: columns.state }, ...merchants.filters },
    choices: {
      verdict: MERCHANT_VERDICTS.map(
        (one) => [one, one === 'none' ? merchants.unjudged : morning[one]] as const,
      ),
      status: MERCHANT_STATUSES.map((one) => [one, codes.states[one]] as const),
    },
  };
}

function countryOf({ labels }: Visit, country: string | null): string | null {
  const names: Readonly<Record<string, string>> = labels.countries;
  return country !== null && Object.hasOwn(names, country) ? names[country]! : country;
}

async function partsOf(visit: Visit, backend: Backend, found: Merchant): Promise<Html> {
  const { words } = visit;
  const { merchant: heads } = words;
  const { reference, books } = found;
  const of = encodeURIComponent(reference);
  const months = await backend.listMonths({ merchant: reference, limit: PAGE, offset: 0 });
  return html`<p><code>${reference}</code> ${countryOf(visit, found.country)} ${standingVerdict(visit, found)} ${words.columns.knownUntil} ${instantCell(visit, found.watermark)}</p>
${books === null ? html`<p class="fault">${heads.unread}</p>` : booksOf(visit, books)}
<section><h2>${heads.findings}</h2>${tableOf(findingColumns(visit), found.worst, heads.noFindings)}
<p><a href="/console/findings?merchant=${of}">${heads.allFindings}</a></p></section>
<section><h2>${heads.months}</h2>${tableOf(monthColumns(visit), months.items, heads.noMonths)}</section>
<section><h2>${heads.holds}</h2>${holdsOf(visit, found)}</section>
${visit.operator?.merchant === null ? html`<p><a href="/console/audits?merchant=${of}">${heads.audit}</a></p>` : null}`;
}

function booksOf(visit: Visit, books: NonNullable<Merchant['books']>): Html {
  const { labels, wording, words } = visit;
  const heads = labels.audit.figures;
  const { due, currency, recorded, recomputed } = books;
  const figure = (figures: Partial<Figures> | null, name: keyof Figures): string =>
    amountText(visit, figures?.[name] ?? null, currency);
  const table = tableOf(
    [
      { head: heads.figure, cell: (name) => heads.names[name] },
      { head: heads.recorded, cell: (name) => figure(recorded, name), isFigure: true },
      { head: heads.recomputed, cell: (name) => figure(recomputed, name), isFigure: true },
      { head: heads.due, cell: (name) => figure(due, name), isFigure: true },
    ],
    FIGURES,
    words.none,
  );
  const unchecked = books.notChecked.map((note) => wordUnchecked(wording.speech, note));
  const list = html`<ul>${unchecked.map(({ what, why }) => html`<li><strong>${what}</strong> : ${why}</li>`)}</ul>`;
  return html`<section><h2>${words.merchant.books}</h2>${table}</section>
<section><h2>${words.merchant.notChecked}</h2>${unchecked.length === 0 ? html`<p class="none">${words.merchant.allChecked}</p>` : list}</section>`;
}

function holdsOf(visit: Visit, { reference, holds, books }: Merchant): Html {
  const { merchant: heads, finding } = visit.words;
  if (holds === null) return html`<p class="none">${heads.holdsUnknown}</p>`;
  return tableOf(
    [
      { head: finding.operation, cell: (one) => operationLink(one.operationReference, reference) },
      {
        head: heads.amount,
        cell: ({ amount }) => amountText(visit, String(amount), books?.currency ?? null),
        isFigure: true,
      },
      { head: heads.heldAt, cell: ({ heldAt }) => instantCell(visit, heldAt) },
      { head: heads.expires, cell: ({ expiresAt }) => instantCell(visit, expiresAt) },
    ],
    holds.items,
    heads.noHolds,
  );
}
