// Findings: a list that keeps its filter in the address, and says which one is in force. As CSV with the same filter.

import { KINDS } from '../../../core/checks/port/kinds.ts';
import { SEVERITIES } from '../../../core/domain/finding.ts';
import { parseInstant } from '../../../core/domain/instant.ts';
import { invalid } from '../../http/port/errors.ts';
import { FINDING_FILTER, type FindingFilter, queryOf, readFilter } from '../../http/port/finding-filter.ts';
import type { DatedFinding } from '../../workflows/operators/operator-backend.ts';
import { ageAt, FINDING_COLUMNS } from '../../workflows/operators/weigh-findings.ts';
import {
  addressWith,
  badge,
  type Column,
  findingLink,
  instantCell,
  kindName,
  merchantLink,
  offText,
  pagerOf,
  sentenceOf,
  severityBadge,
  tableOf,
  worded,
} from '../port/cells.ts';
import { MOST_ROWS, sendCsv } from '../port/csv.ts';
import { type Html, html, type Shown } from '../port/html.ts';
import { layout } from '../port/layout.ts';
import { offsetOf, type Pages } from '../port/pages.ts';
import type { Visit } from '../port/visit.ts';

const PAGE = 50;

function filterOf(given: unknown): FindingFilter {
  const { offset: _, lang: __, ...filter } = given as Readonly<Record<string, unknown>>;
  return readFilter(filter, (problems) => invalid(problems.map((one) => `query.${one}`)));
}

export function addFindings({ merchantPage, backend }: Pages): void {
  merchantPage('/console/findings', async (visit, request) => {
    const filter = filterOf(request.query);
    const offset = offsetOf(request);
    const { total, items } = await backend.listFindings({ ...queryOf(filter), offset, rootsOnly: true, limit: PAGE });
    const { findings, none } = visit.words;
    const body = html`${filterForm(visit, filter)}
${filterInForce(visit, filter)}
<p><strong>${worded(visit, findings.count, { total })}</strong> · <a href="${csvAddress(visit)}">${visit.words.csv}</a></p>
${tableOf(findingColumns(visit), items, none)}
${pagerOf(visit, { total, limit: PAGE, offset })}`;
    return layout(visit, findings.title, body);
  });
  merchantPage('/console/findings.csv', async (visit, request, reply) => {
    const { items } = await backend.listFindings({
      ...queryOf(filterOf(request.query)),
      rootsOnly: true,
      limit: MOST_ROWS,
    });
    const rows = items.map((one) => {
      const finding = { ...one.finding, message: sentenceOf(visit, one.finding) };
      return ageAt({ ...one, finding }, backend.clock());
    });
    return sendCsv(reply, 'findings', FINDING_COLUMNS, rows);
  });
}

/** Of a list of findings: also on the page of a merchant, and of a root. */
export function findingColumns(visit: Visit): readonly Column<DatedFinding>[] {
  const { columns, states } = visit.words;
  return [
    { head: columns.severity, cell: ({ finding }) => severityBadge(visit, finding.severity) },
    { head: columns.merchant, cell: ({ merchant }) => merchantLink(merchant) },
    { head: columns.kind, cell: ({ merchant, finding }) => findingLink(visit, { ...finding, merchant }) },
    { head: columns.off, cell: (one) => offText(visit, one), isFigure: true },
    {
      head: columns.since,
      cell: ({ finding, firstSeenAt }) =>
        instantCell(visit, finding.itemAt === null ? firstSeenAt : parseInstant(finding.itemAt)),
    },
    { head: columns.state, cell: ({ state }) => badge(state, states[state]) },
    { head: columns.owner, cell: ({ owner }) => owner },
    { head: columns.due, cell: ({ dueDay }) => (dueDay === null ? null : visit.wording.day(dueDay)) },
    { head: columns.who, cell: ({ lastDecision }) => lastDecision?.by ?? null },
  ];
}

const FIELDS = Object.keys(FINDING_FILTER) as readonly (keyof FindingFilter)[];

/** What each choice is called. */
function choicesOf(visit: Visit) {
  const { words, labels } = visit;
  const pairs = (names: Readonly<Record<string, string>>) => Object.entries(names);
  return {
    kind: pairs(Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, kindName(visit, kind)]))).sort(
      ([, a], [, b]) => (a < b ? -1 : 1),
    ),
    severity: SEVERITIES.map((one) => [one, labels.terms[one]] as const),
    state: pairs(words.states),
    status: pairs(words.statuses),
  };
}

function filterForm(visit: Visit, filter: FindingFilter): Html {
  const { words } = visit;
  const own = visit.operator?.merchant ?? null;
  const choices = choicesOf(visit);
  const fieldOf = (field: keyof FindingFilter): Html => {
    const chosen = filter[field] ?? '';
    if (!(field in choices))
      return html`<input id="${field}" name="${field}" value="${chosen}"${field === 'merchant' && own !== null ? html` readonly` : null}>`;
    const options = choices[field as keyof typeof choices].map(
      ([value, name]) => html`<option value="${value}"${chosen === value ? html` selected` : null}>${name}</option>`,
    );
    return html`<select id="${field}" name="${field}"><option value="">${words.all}</option>${options}</select>`;
  };
  const fields = FIELDS.map(
    (field) => html`<p><label for="${field}">${words.findings.filters[field]}</label>${fieldOf(field)}</p>`,
  );
  return html`<form class="filter" method="get" action="/console/findings" aria-label="${words.findings.filter}">
${fields}
<button>${words.show}</button>
<a href="/console/findings${own === null ? '' : `?merchant=${encodeURIComponent(own)}`}">${words.findings.clear}</a>
</form>`;
}

function filterInForce(visit: Visit, filter: FindingFilter): Shown {
  const choices: Readonly<Record<string, readonly (readonly [string, string])[]>> = choicesOf(visit);
  const { findings } = visit.words;
  const said = FIELDS.flatMap((field) => {
    const value = filter[field];
    if (value === undefined) return [];
    return [`${findings.filters[field]} = ${choices[field]?.find(([one]) => one === value)?.[1] ?? value}`];
  });
  const text =
    said.length === 0 ? findings.unfiltered : worded(visit, findings.filtered, { filters: said.join(' ; ') });
  return html`<p class="note">${text}</p>`;
}

function csvAddress(visit: Visit): string {
  return addressWith(visit, { offset: null }).replace('/console/findings', '/console/findings.csv');
}
