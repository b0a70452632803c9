// Findings: a list that keeps its filter in the address and says which filter is in force, with a
// form that decides about all of the list, and files with the same filter.

import type { FastifyRequest } from 'fastify';
import { SEVERITIES } from '../../../core/domain/finding.ts';
import { parseDay, parseInstant } from '../../../core/domain/instant.ts';
import { isPermitted } from '../../../core/domain/operators/role.ts';
import { KINDS } from '../../../core/kernel/checks/port/kinds.ts';
import { ROWS_ASKED } from '../../http/port/csv.ts';
import { invalid } from '../../http/port/errors.ts';
import { FINDING_FILTER, type FindingFilter, queryOf } from '../../http/port/filters.ts';
import { noteSubjects, requirePermission } from '../../http/port/operators.ts';
import {
  type DatedFinding,
  FINDING_ACTIONS,
  MOST_TOGETHER,
  NOTES,
  PERMISSION_OF,
  verbsFrom,
} from '../../workflows/operators/operator-backend.ts';
import {
  ageAt,
  CORRECTION_COLUMNS,
  correctionsOf,
  FINDING_COLUMNS,
} from '../../workflows/operators/weigh-findings.ts';
import {
  addressWith,
  badge,
  type Column,
  fileLinks,
  findingLink,
  instantCell,
  kindName,
  merchantLink,
  namesText,
  offText,
  PAGE,
  pagerOf,
  sentenceOf,
  severityBadge,
  tableOf,
  worded,
} from '../port/cells.ts';
import { filterForm, filterIn, filterInForce } from '../port/filters.ts';
import {
  answerForm,
  choiceOf,
  type Fields,
  fieldsOf,
  noteOf,
  optionsOf,
  reasonField,
  refused,
} from '../port/forms.ts';
import { type Html, html, type Shown } from '../port/html.ts';
import { layout, offsetOf, type Pages, type Visiting } from '../port/layout.ts';
import { addFiles, sendList } from '../port/lists.ts';
import type { Visit } from '../port/visit.ts';

export function addFindings({ merchantPage, form, backend }: Pages): void {
  const address = '/console/findings';
  const draw = async (
    visit: Visiting,
    request: FastifyRequest,
    note: Shown,
    filled: Fields,
  ): Promise<Html> => {
    const filter = filterIn(FINDING_FILTER, request);
    const offset = offsetOf(request);
    const query = { ...queryOf(filter), offset, rootsOnly: true, limit: PAGE };
    const { total, items, seen } = await backend.listDecidable(query);
    const { findings, none } = visit.words;
    const filtering = { names: findings.filters, choices: choicesOf(visit), given: filter };
    const body = html`${note}
${filterForm(visit, filtering)}
${filterInForce(visit, filtering, findings.unfiltered)}
<p><strong>${worded(visit, findings.count, { total })}</strong> · ${fileLinks(visit)} · <a href="${addressWith(visit, { offset: null, done: null }).replace(visit.path, '/console/corrections.csv')}">${findings.corrections}</a></p>
<div class="choices">${togetherOf(visit, filter, { total, seen }, filled)}</div>
${tableOf(findingColumns(visit), items, none)}
${pagerOf(visit, { total, offset })}`;
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
      const { expect = '', seen = '' } = filled;
      if (!/^\d+$/.test(expect)) throw invalid(['expect: must be the count of the page']);
      const filter = queryOf(filterIn(FINDING_FILTER, request));
      const decided = await backend.decideTogether({
        ...wish,
        reason,
        filter,
        expect: Number(expect),
        seen,
      });
      noteSubjects(request, decided);
      return addressWith(visit, { done: `${decided.length} ${wish.action}` });
    });
    return note === null ? null : draw(visit, request, note, filled);
  });
  const allOf = (request: FastifyRequest) => ({
    ...queryOf(filterIn(FINDING_FILTER, request)),
    limit: ROWS_ASKED,
  });
  addFiles(merchantPage, '/console/corrections', async (visit, request, reply) => {
    const { items } = await backend.listFindings({
      ...allOf(request),
      rootsOnly: true,
      proposed: true,
    });
    const rows = correctionsOf(items);
    return sendList(visit, reply, {
      now: backend.clock(),
      name: 'corrections',
      columns: CORRECTION_COLUMNS,
      rows,
    });
  });
  addFiles(merchantPage, '/console/findings', async (visit, request, reply) => {
    const { items } = await backend.listFindings({ ...allOf(request), rootsOnly: true });
    const rows = items.map((one) => {
      const finding = { ...one.finding, message: sentenceOf(visit, one.finding) };
      return ageAt({ ...one, finding }, backend.clock());
    });
    return sendList(visit, reply, {
      now: backend.clock(),
      name: 'findings',
      columns: FINDING_COLUMNS,
      rows,
    });
  });
}

/** Returns what a form decides. Throws `DirectError`: 400, 403, or 409 for a day that is none. */
export function wishOf({ operator, words }: Visiting, request: FastifyRequest) {
  const filled = fieldsOf(request);
  const action = FINDING_ACTIONS.find((one) => one === filled.action);
  if (action === undefined) throw invalid(['action: must be one of the page']);
  requirePermission(request, PERMISSION_OF[action]);
  const day = filled.until?.trim();
  const until = day ? parseDay(day) : undefined;
  if (until === null) throw refused(words.finding.badDay);
  return { action, reason: filled.reason?.trim() || undefined, until, by: operator.name };
}

type Decidable = Omit<Awaited<ReturnType<Pages['backend']['listDecidable']>>, 'items'>;

/**
 * Returns the form of one decision about all findings of a filter. It offers the actions that the
 * findings' state and the visitor's roles allow.
 */
function togetherOf(
  visit: Visiting,
  filter: FindingFilter,
  { total, seen }: Decidable,
  filled: Fields,
): Shown {
  const { findings, finding } = visit.words;
  const moves: readonly string[] =
    filter.state === undefined ? FINDING_ACTIONS : [...verbsFrom(filter.state), ...NOTES];
  const actions = FINDING_ACTIONS.filter(
    (one) => moves.includes(one) && isPermitted(visit.operator, PERMISSION_OF[one]),
  );
  if (actions.length === 0 || Object.keys(filter).length === 0) return null;
  if (seen === null)
    return total === 0
      ? null
      : html`<p class="note">${worded(visit, findings.tooMany, { most: MOST_TOGETHER })}</p>`;
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

/**
 * Returns the columns of a list of findings, which is also on the page of a merchant and of a root.
 */
export function findingColumns(visit: Visit): readonly Column<DatedFinding>[] {
  const { columns, states } = visit.words;
  return [
    { head: columns.severity, cell: ({ finding }) => severityBadge(visit, finding.severity) },
    { head: columns.merchant, cell: ({ merchant }) => merchantLink(merchant) },
    {
      head: columns.kind,
      cell: ({ merchant, finding }) => findingLink(visit, { ...finding, merchant }),
    },
    { head: columns.off, cell: (one) => offText(visit, one), isFigure: true },
    {
      head: columns.since,
      cell: ({ finding, firstSeenAt }) =>
        instantCell(visit, finding.itemAt === null ? firstSeenAt : parseInstant(finding.itemAt)),
    },
    { head: columns.state, cell: ({ state }) => badge(state, states[state]) },
    { head: columns.owner, cell: ({ owner }) => owner },
    {
      head: columns.due,
      cell: ({ dueDay }) => (dueDay === null ? null : visit.wording.day(dueDay)),
    },
    {
      head: columns.who,
      cell: ({ lastDecision }) =>
        lastDecision === null ? null : namesText(visit, lastDecision.by),
    },
  ];
}

function choicesOf(visit: Visit) {
  const { words, labels } = visit;
  const pairs = (names: Readonly<Record<string, string>>) => Object.entries(names);
  return {
    kind: pairs(
      Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, kindName(visit, kind)])),
    ).sort(([, a], [, b]) => (a < b ? -1 : 1)),
    severity: SEVERITIES.map((one) => [one, labels.terms[one]] as const),
    state: pairs(words.states),
    status: pairs(words.statuses),
  };
}
