// This morning: what the newest run covered and found, what changed, which statements are held, which deliveries failed.

import type { RunRecord } from '../../workflows/operators/operator-backend.ts';
import {
  badge,
  type Column,
  findingLink,
  instantCell,
  instantText,
  merchantLink,
  severityBadge,
  tableOf,
  verdictBadge,
  worded,
} from '../port/cells.ts';
import { type Html, html, type Shown } from '../port/html.ts';
import { layout } from '../port/layout.ts';
import type { Pages } from '../port/pages.ts';
import type { Visit } from '../port/visit.ts';

const MOST_CHANGES = 60;
const MOST_MEMBERS = 30;
const MOST_STUCK = 20;

export function addMorning({ page, backend }: Pages): void {
  page('/', async (visit) => {
    const {
      items: [run],
    } = await backend.listRuns({ limit: 1, offset: 0 });
    const { words } = visit;
    if (run === undefined) return layout(visit, words.places.morning, html`<p class="none">${words.morning.none}</p>`);
    const parts = [
      nightOf(visit, run),
      await changesOf(visit, backend, run),
      await unsoundOf(visit, backend, run),
      await heldOf(visit, backend),
      await stuckOf(visit, backend),
    ];
    return layout(visit, words.places.morning, parts);
  });
}

type Backend = Pages['backend'];

function nightOf(visit: Visit, run: RunRecord): Html {
  const { morning } = visit.words;
  const { expected, judged, unread, failed, waiting } = run.coverage;
  const gaps = unread + failed + waiting;
  const tile = (verdict: 'clean' | 'broken' | 'incomplete'): Html =>
    html`<li class="${run.verdicts[verdict] === 0 ? 'zero' : verdict}"><strong>${visit.wording.amount(run.verdicts[verdict])}</strong> ${morning[verdict]}</li>`;
  return html`<section class="night">
<p>${worded(visit, morning.run, { id: run.runId, at: instantText(visit, run.startedAt) })}. ${run.finishedAt === null ? badge('warning', morning.going) : null}</p>
${run.closed === null ? null : html`<p class="fault">${worded(visit, morning.closed, { why: run.closed })}</p>`}
<p class="coverage">${worded(visit, morning.coverage, { judged, expected })}</p>
${gaps === 0 ? null : html`<p class="fault">${worded(visit, morning.gaps, { unread, failed, waiting })}</p>`}
<h2>${morning.verdicts}</h2>
<ul class="tiles">${tile('clean')}${tile('broken')}${tile('incomplete')}</ul>
</section>`;
}

async function changesOf(visit: Visit, backend: Backend, run: RunRecord): Promise<Html> {
  const { morning, columns } = visit.words;
  const listed = await backend.listChanges(run.runId, { limit: MOST_CHANGES, offset: 0 });
  const { total, items } = listed ?? { total: 0, items: [] };
  const groups = Map.groupBy(items, ({ change }) => change);
  const more = total - items.length;
  return html`<section>
<h2>${morning.changes}</h2>
${items.length === 0 ? html`<p class="none">${morning.noChanges}</p>` : null}
${(['added', 'reopened', 'settled', 'resolved'] as const).flatMap((change) => {
  const rows = (groups.get(change) ?? []).filter(({ causedBy }) => causedBy === null);
  if (rows.length === 0) return [];
  const table = tableOf(
    [
      { head: columns.severity, cell: ({ severity }) => severityBadge(visit, severity) },
      { head: columns.merchant, cell: ({ merchant }) => merchantLink(merchant) },
      { head: columns.kind, cell: (one) => findingLink(visit, one) },
    ],
    rows,
    visit.words.none,
  );
  return [html`<h3>${morning[change]}</h3>${table}`];
})}
${more <= 0 ? null : html`<p class="note">${worded(visit, morning.more, { count: more })}</p>`}
</section>`;
}

async function unsoundOf(visit: Visit, backend: Backend, { runId }: RunRecord): Promise<Shown> {
  const { morning, columns } = visit.words;
  const page = { limit: MOST_MEMBERS, offset: 0 };
  const lists = [
    await backend.listMembers(runId, { ...page, state: 'failed' }),
    await backend.listMembers(runId, { ...page, verdict: 'incomplete' }),
    await backend.listMembers(runId, { ...page, verdict: 'broken' }),
  ];
  const rows = lists.flatMap(({ items }) => items);
  const more = lists.reduce((sum, { total }) => sum + total, 0) - rows.length;
  if (rows.length === 0) return null;
  type Row = (typeof rows)[number];
  const shown: readonly Column<Row>[] = [
    { head: columns.merchant, cell: ({ merchant }) => merchantLink(merchant) },
    { head: columns.verdict, cell: ({ verdict }) => verdictBadge(visit, verdict) },
    { head: morning.reason, cell: ({ reason }) => reason },
    { head: columns.knownUntil, cell: ({ watermark }) => instantCell(visit, watermark) },
  ];
  return html`<section><h2>${morning.unsound}</h2>${tableOf(shown, rows, visit.words.none)}
${more === 0 ? null : html`<p class="note">${worded(visit, morning.more, { count: more })}</p>`}</section>`;
}

async function heldOf(visit: Visit, backend: Backend): Promise<Html> {
  const { morning, columns } = visit.words;
  const table = tableOf(
    [
      { head: columns.merchant, cell: ({ merchant }) => merchantLink(merchant) },
      { head: columns.period, cell: ({ period }) => visit.wording.code('month', period) },
      { head: morning.roots, cell: ({ open }) => open ?? morning.rewritten, isFigure: true },
    ],
    await backend.listHeldMonths(),
    morning.noHeld,
  );
  return html`<section><h2>${morning.held}</h2>${table}</section>`;
}

async function stuckOf(visit: Visit, backend: Backend): Promise<Html> {
  const { morning, columns } = visit.words;
  const table = tableOf(
    [
      { head: morning.to, cell: ({ target }) => target },
      { head: columns.merchant, cell: ({ merchant }) => (merchant === null ? null : merchantLink(merchant)) },
      { head: morning.since, cell: ({ createdAt }) => instantCell(visit, createdAt) },
      { head: morning.lastAnswer, cell: ({ lastDetail }) => lastDetail },
    ],
    await backend.listDeliveries({ state: 'FAILED', limit: MOST_STUCK }),
    morning.noStuck,
  );
  return html`<section><h2>${morning.stuck}</h2>${table}</section>`;
}
