// Findings: a list that keeps its filter in the address, and says which one is in force. As CSV with the same filter.

import { z } from 'zod';
import { KINDS } from '../../../core/checks/port/kinds.ts';
import { SEVERITIES } from '../../../core/domain/finding.ts';
import { csvOf } from '../../../io/formats/text/layout.ts';
import { invalid } from '../../http/port/errors.ts';
import { reference } from '../../http/port/operator-api.ts';
import { type DatedFinding, FINDING_STATES } from '../../workflows/operators/operator-backend.ts';
import { ageAt, FINDING_COLUMNS, worthOf } from '../../workflows/operators/weigh-findings.ts';
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
import { type Html, html, type Shown } from '../port/html.ts';
import { layout } from '../port/layout.ts';
import type { Pages } from '../port/pages.ts';
import type { Visit } from '../port/visit.ts';

const PAGE = 50;
/** Of a file. */
const MOST_ROWS = 10_000;

/** A choice that is left open is sent as an empty text. */
const open = <T extends z.ZodType>(choice: T) => z.union([z.literal('').transform(() => undefined), choice]).optional();

const query = z.object({
  merchant: open(reference),
  kind: open(z.string().regex(/^[A-Z_]{1,60}$/)),
  severity: open(z.enum(SEVERITIES)),
  state: open(z.enum(FINDING_STATES)),
  status: open(z.enum(['confirmed', 'provisional'])),
  offset: z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .default(0),
});

type Filter = z.output<typeof query>;

function filterOf(given: unknown): Filter {
  const read = query.safeParse(given);
  if (read.success) return read.data;
  throw invalid(read.error.issues.map(({ path, message }) => `query.${path.join('.')}: ${message}`));
}

export function addFindings({ page, backend }: Pages): void {
  page('/console/findings', async (visit, request) => {
    const filter = filterOf(request.query);
    const { total, items } = await backend.listFindings({ ...filter, rootsOnly: true, limit: PAGE });
    const { findings, none } = visit.words;
    const body = html`${filterForm(visit, filter)}
${filterInForce(visit, filter)}
<p><strong>${worded(visit, findings.count, { total })}</strong> · <a href="${csvAddress(visit)}">${visit.words.csv}</a></p>
${tableOf(findingColumns(visit), items, none)}
${pagerOf(visit, { total, limit: PAGE, offset: filter.offset })}`;
    return layout(visit, findings.title, body);
  });
  page('/console/findings.csv', async (visit, request, reply) => {
    const { items } = await backend.listFindings({
      ...filterOf(request.query),
      offset: 0,
      rootsOnly: true,
      limit: MOST_ROWS,
    });
    const rows = items.map((one) => {
      const finding = { ...one.finding, message: sentenceOf(visit, one.finding) };
      return ageAt({ ...one, finding }, backend.clock());
    });
    reply.headers({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="findings.csv"',
    });
    await reply.send(csvOf(FINDING_COLUMNS, rows));
    return null;
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
      cell: ({ finding, firstSeenAt }) => instantCell(visit, worthOf(finding).itemAt ?? firstSeenAt),
    },
    { head: columns.state, cell: ({ state }) => badge(state, states[state]) },
    { head: columns.owner, cell: ({ owner }) => owner },
    { head: columns.due, cell: ({ dueDay }) => (dueDay === null ? null : visit.wording.day(dueDay)) },
    { head: columns.who, cell: ({ lastDecision }) => lastDecision?.by ?? null },
  ];
}

const FIELDS = ['merchant', 'kind', 'severity', 'state', 'status'] as const;

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

function headOf({ words }: Visit, field: (typeof FIELDS)[number]): string {
  return field === 'status' ? words.findings.status : words.columns[field];
}

function filterForm(visit: Visit, filter: Filter): Html {
  const { words } = visit;
  const choices = choicesOf(visit);
  const select = (field: keyof typeof choices): Html => {
    const options = choices[field].map(
      ([value, name]) =>
        html`<option value="${value}"${filter[field] === value ? html` selected` : null}>${name}</option>`,
    );
    return html`<p><label for="${field}">${headOf(visit, field)}</label><select id="${field}" name="${field}"><option value="">${words.all}</option>${options}</select></p>`;
  };
  return html`<form class="filter" method="get" action="/console/findings" aria-label="${words.findings.filter}">
<p><label for="merchant">${words.columns.merchant}</label><input id="merchant" name="merchant" value="${filter.merchant ?? ''}"></p>
${select('kind')}${select('severity')}${select('state')}${select('status')}
<button>${words.show}</button>
<a href="/console/findings">${words.findings.clear}</a>
</form>`;
}

function filterInForce(visit: Visit, filter: Filter): Shown {
  const choices = choicesOf(visit);
  const said = FIELDS.flatMap((field) => {
    const value = filter[field];
    if (value === undefined) return [];
    const known: readonly (readonly [string, string])[] = field === 'merchant' ? [] : choices[field];
    return [`${headOf(visit, field)} = ${known.find(([one]) => one === value)?.[1] ?? value}`];
  });
  const { findings } = visit.words;
  const text =
    said.length === 0 ? findings.unfiltered : worded(visit, findings.filtered, { filters: said.join(' ; ') });
  return html`<p class="note">${text}</p>`;
}

function csvAddress(visit: Visit): string {
  return addressWith(visit, { offset: null }).replace('/console/findings', '/console/findings.csv');
}
