// Findings: a list that keeps its filter in the address, and says which one is in force, with a form that decides about all of it. As
// CSV with the same filter.

import type { FastifyRequest } from 'fastify';
import { KINDS } from '../../../core/checks/port/kinds.ts';
import { SEVERITIES } from '../../../core/domain/finding.ts';
import { parseInstant } from '../../../core/domain/instant.ts';
import { isPermitted } from '../../../core/domain/operators/role.ts';
import { invalid } from '../../http/port/errors.ts';
import { FINDING_FILTER, type FindingFilter, queryOf, readFilter } from '../../http/port/finding-filter.ts';
import { noteSubjects, requirePermission } from '../../http/port/operators.ts';
import {
  type DatedFinding,
  FINDING_ACTIONS,
  MOST_TOGETHER,
  NOTES,
  PERMISSION_OF,
  verbsFrom,
} from '../../workflows/operators/operator-backend.ts';
import { ageAt, FINDING_COLUMNS } from '../../workflows/operators/weigh-findings.ts';
import {
  addressWith,
  badge,
  type Column,
  findingLink,
  instantCell,
  kindName,
  merchantLink,
  namesText,
  offText,
  pagerOf,
  sentenceOf,
  severityBadge,
  tableOf,
  worded,
} from '../port/cells.ts';
import { MOST_ROWS, sendCsv } from '../port/csv.ts';
import { answerForm, choiceOf, type Fields, fieldsOf, noteOf, optionsOf, reasonField, refused } from '../port/forms.ts';
import { type Html, html, type Shown } from '../port/html.ts';
import { layout } from '../port/layout.ts';
import { offsetOf, type Pages, type Visiting } from '../port/pages.ts';
import type { Visit } from '../port/visit.ts';

const PAGE = 50;

function filterOf(given: unknown): FindingFilter {
  const { offset: _, lang: __, done: ___, ...filter } = given as Readonly<Record<string, unknown>>;
  return readFilter(filter, (problems) => invalid(problems.map((one) => `query.${one}`)));
}

export function addFindings({ merchantPage, form, backend }: Pages): void {
  const address = '/console/findings';
  const draw = async (visit: Visiting, request: FastifyRequest, note: Shown, filled: Fields): Promise<Html> => {
    const filter = filterOf(request.query);
    const offset = offsetOf(request);
    const query = { ...queryOf(filter), offset, rootsOnly: true, limit: PAGE };
    const { total, items, seen } = await backend.listDecidable(query);
    const { findings, none } = visit.words;
    const body = html`${note}
${filterForm(visit, filter)}
${filterInForce(visit, filter)}
<p><strong>${worded(visit, findings.count, { total })}</strong> · <a href="${csvAddress(visit)}">${visit.words.csv}</a></p>
<div class="choices">${togetherOf(visit, filter, { total, seen }, filled)}</div>
${tableOf(findingColumns(visit), items, none)}
${pagerOf(visit, { total, limit: PAGE, offset })}`;
    return layout(visit, findings.title, body);
  };
  merchantPage(address, (visit, request) => {
    const note = noteOf(visit, doneText(visit, request.query as Fields));
    return draw(visit, request, note, visit.draft ?? {});
  });
  form(address, async (visit, request, reply) => {
    const filled = fieldsOf(request);
    const note = await answerForm(visit, reply, async () => {
      const { reason = '', ...wish } = wishOf(visit, request);
      const { expect, seen = '' } = filled;
      const filter = queryOf(filterOf(request.query));
      const decided = await backend.decideTogether({ ...wish, reason, filter, expect: Number(expect), seen });
      noteSubjects(request, decided);
      return addressWith(visit, { done: `${decided.length} ${wish.action}` });
    });
    return note === null ? null : draw(visit, request, note, filled);
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

/** What a form decides. Throws `DirectError`: 400, 403, or 409 for a day that is none. */
export function wishOf({ operator, words }: Visiting, request: FastifyRequest) {
  const filled = fieldsOf(request);
  const action = FINDING_ACTIONS.find((one) => one === filled.action);
  if (action === undefined) throw invalid(['action: must be one of the page']);
  requirePermission(request, PERMISSION_OF[action]);
  const day = filled.until?.trim();
  const until = day ? parseInstant(`${day}T00:00:00Z`) : undefined;
  if (until === null) throw refused(words.finding.badDay);
  return { action, reason: filled.reason?.trim() || undefined, until, by: operator.name };
}

type Decidable = Omit<Awaited<ReturnType<Pages['backend']['listDecidable']>>, 'items'>;

/** One decision about all that a filter finds: of those that their state and the visitor's roles allow. */
function togetherOf(visit: Visiting, filter: FindingFilter, { total, seen }: Decidable, filled: Fields): Shown {
  const { findings, finding } = visit.words;
  const moves: readonly string[] =
    filter.state === undefined ? FINDING_ACTIONS : [...verbsFrom(filter.state), ...NOTES];
  const actions = FINDING_ACTIONS.filter(
    (one) => moves.includes(one) && isPermitted(visit.operator, PERMISSION_OF[one]),
  );
  if (actions.length === 0 || Object.keys(filter).length === 0) return null;
  if (seen === null)
    return total === 0 ? null : html`<p class="note">${worded(visit, findings.tooMany, { most: MOST_TOGETHER })}</p>`;
  const choices = optionsOf(
    actions.map((one) => [one, finding.actions[one]]),
    filled.action,
  );
  const choice = {
    name: worded(visit, findings.together, { count: total }),
    help: findings.help,
    isOpen: filled.action !== undefined,
    carries: { expect: String(total), seen },
    address: addressWith(visit, { offset: null }),
  };
  return choiceOf(visit, choice, [
    html`<p><label for="action">${finding.decide}</label><select id="action" name="action">${choices}</select></p>`,
    reasonField(visit, { id: 'reason', text: filled.reason }),
    html`<label for="until">${finding.until}</label><input id="until" name="until" type="date" value="${filled.until ?? ''}">`,
  ]);
}

function doneText(visit: Visit, { done = '' }: Fields): string | null {
  const [, count, name] = /^(\d{1,3}) (\w+)$/.exec(done) ?? [];
  const action = FINDING_ACTIONS.find((one) => one === name);
  const { findings, finding } = visit.words;
  return action === undefined
    ? null
    : worded(visit, findings.done, { count: Number(count), action: finding.actions[action] });
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
    {
      head: columns.who,
      cell: ({ lastDecision }) => (lastDecision === null ? null : namesText(visit, lastDecision.by)),
    },
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
    const options = optionsOf(choices[field as keyof typeof choices], chosen);
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
