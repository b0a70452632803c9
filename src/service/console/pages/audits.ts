// Audits on demand: the audits that were asked for, a form to ask for another, and the report of
// each as PDF.

import { isPermitted } from '../../../core/domain/operators/role.ts';
import { parsePeriod } from '../../../core/domain/period.ts';
import { attach } from '../../http/port/csv.ts';
import { namedAlone, requirePermission } from '../../http/port/operators.ts';
import { drawAudit } from '../../http/routes/audits.ts';
import { AUDIT_SOURCES, type Requested } from '../../workflows/operators/operator-backend.ts';
import {
  badge,
  type Column,
  instantCell,
  merchantLink,
  PAGE,
  pagerOf,
  tableOf,
} from '../port/cells.ts';
import {
  answerForm,
  type Fields,
  fieldsOf,
  hidden,
  noteOf,
  optionsOf,
  refused,
} from '../port/forms.ts';
import { type Html, html, type Shown } from '../port/html.ts';
import { layout, offsetOf, type Pages, type Visiting } from '../port/layout.ts';
import type { Visit } from '../port/visit.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function addAuditPages(pages: Pages): void {
  const { page, form, backend } = pages;
  const draw = async (
    visit: Visiting,
    offset: number,
    note: Shown,
    filled: Fields,
  ): Promise<Html> => {
    const { total, items } = await backend.listAudits({ limit: PAGE, offset });
    const list = tableOf(columnsOf(visit), items, visit.words.audits.none);
    const pager = pagerOf(visit, { total, offset });
    return layout(visit, visit.words.audits.title, [
      note,
      isPermitted(visit.operator, 'investigate') ? formOf(visit, filled) : null,
      list,
      pager,
    ]);
  };
  page('/console/audits', async (visit, request) => {
    const { merchant, done } = request.query as Fields;
    const note = noteOf(visit, done === undefined ? null : visit.words.audits.asked);
    return draw(
      visit,
      offsetOf(request),
      note,
      visit.draft ?? (merchant === undefined ? {} : { merchant }),
    );
  });
  form('/console/audits', async (visit, request, reply) => {
    requirePermission(request, 'investigate');
    const filled = fieldsOf(request);
    const { merchant = '', period = '' } = filled;
    const month = period.trim() === '' ? null : parsePeriod(period.trim());
    const source = AUDIT_SOURCES.find((one) => one === filled.source) ?? 'mirror';
    const note = await answerForm(visit, reply, async () => {
      if (month === null && period.trim() !== '') throw refused(visit.words.audits.badPeriod);
      const wish = { merchant: merchant.trim(), source, asOf: month, by: visit.operator.name };
      const asked = await backend.requestAudit(wish);
      if (asked.kind !== 'queued') throw refused(refusalOf(visit, asked));
      return '/console/audits?done=1';
    });
    return note === null ? null : draw(visit, 0, note, filled);
  });
  page('/console/audits/:id/report.pdf', async (_, request, reply) => {
    const { id } = request.params as { readonly id: string };
    const audit = namedAlone(request, UUID.test(id) ? await backend.findAudit(id) : null, 'audit');
    const { name, bytes } = await drawAudit(pages, audit);
    await attach(reply, 'application/pdf', name).send(bytes);
    return null;
  });
}

function refusalOf(
  { words }: Visit,
  asked: Exclude<Requested, { readonly kind: 'queued' }>,
): string {
  if (asked.kind === 'refused') return asked.why;
  return asked.kind === 'too many' ? words.audits.tooMany : words.audits.unknown;
}

type Audit = Awaited<ReturnType<Pages['backend']['listAudits']>>['items'][number];

function columnsOf(visit: Visit): readonly Column<Audit>[] {
  const { audits, columns } = visit.words;
  return [
    { head: columns.merchant, cell: ({ merchant }) => merchantLink(merchant) },
    { head: audits.asOf, cell: ({ asOf }) => instantCell(visit, asOf) },
    { head: audits.source, cell: ({ source }) => audits[source] },
    { head: audits.by, cell: ({ requestedBy }) => requestedBy },
    {
      head: audits.state,
      cell: ({ state, error }) => [
        badge(state, audits.states[state]),
        error === null ? null : ` ${error}`,
      ],
    },
    {
      head: audits.lines,
      cell: ({ entriesRead }) => visit.wording.amount(entriesRead),
      isFigure: true,
    },
    {
      head: audits.report,
      cell: ({ id, state }) =>
        state === 'DONE' ? html`<a href="/console/audits/${id}/report.pdf">PDF</a>` : null,
    },
  ];
}

function formOf({ words, formToken }: Visit, filled: Fields): Html {
  const { audits } = words;
  const options = optionsOf(
    AUDIT_SOURCES.map((source) => [source, audits[source]]),
    filled.source,
  );
  return html`<form class="filter" method="post" action="/console/audits" aria-label="${words.merchant.audit}">
${hidden({ form: formToken })}
<p><label for="merchant">${audits.merchant}</label><input id="merchant" name="merchant" value="${filled.merchant ?? ''}" required></p>
<p><label for="source">${audits.source}</label><select id="source" name="source">${options}</select></p>
<p><label for="period">${audits.period}</label><input id="period" name="period" value="${filled.period ?? ''}" size="8"></p>
<button>${audits.ask}</button>
</form>`;
}
