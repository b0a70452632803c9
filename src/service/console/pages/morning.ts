// This morning: what the newest run covered and found, what changed, which statements are held,
// which deliveries failed.

import { STUCK_STATES } from '../../../core/domain/delivery/delivery.ts';
import { isOpen, SEVERITIES } from '../../../core/domain/finding.ts';
import { AGES, type Age } from '../../../core/domain/measures.ts';
import type { RunRecord } from '../../workflows/operators/operator-backend.ts';
import {
  amountText,
  badge,
  type Column,
  findingLink,
  instantCell,
  instantText,
  merchantLink,
  monthLink,
  severityBadge,
  tableOf,
  verdictBadge,
  worded,
} from '../port/cells.ts';
import { type Html, html, type Shown } from '../port/html.ts';
import { layout, type Pages, type Visiting } from '../port/layout.ts';
import type { Visit } from '../port/visit.ts';
import { deliveryColumns } from './deliveries.ts';

const MOST_MEMBERS = 30;
const MOST_STUCK = 20;

export function addMorning({ page, backend }: Pages): void {
  page('/', async (visit) => {
    const tonight = await backend.loadTonight();
    const { run } = tonight;
    const { words } = visit;
    if (run === null)
      return layout(visit, words.places.morning, html`<p class="none">${words.morning.none}</p>`);
    const parts = [
      nightOf(visit, run, tonight),
      openOf(visit, tonight.open),
      stakeTable(visit, tonight.exposure),
      changesOf(visit, run, tonight.changes),
      ...(await Promise.all([
        unsoundOf(visit, backend, run),
        heldOf(visit, backend),
        stuckOf(visit, backend),
      ])),
    ];
    return layout(visit, words.places.morning, parts);
  });
}

type Backend = Pages['backend'];

type Tonight = Awaited<ReturnType<Backend['loadTonight']>>;

function nightOf(visit: Visit, run: RunRecord, { down, verdicts, logFault }: Tonight): Html {
  const { morning } = visit.words;
  const { expected, judged, unread, failed, waiting } = run.coverage;
  const gaps = unread + failed + waiting;
  const tile = (verdict: 'clean' | 'broken' | 'incomplete'): Html =>
    html`<li class="${verdicts[verdict] === 0 ? 'zero' : verdict}"><strong>${visit.wording.amount(verdicts[verdict])}</strong> ${morning[verdict]}</li>`;
  return html`<section class="night">
<p>${worded(visit, morning.run, { id: run.runId, at: instantText(visit, run.startedAt) })}. ${run.finishedAt === null ? badge('warning', morning.going) : null}</p>
${run.closed === null ? null : html`<p class="fault">${worded(visit, morning.closed, { why: run.closed })}</p>`}
<p class="coverage">${worded(visit, morning.coverage, { judged, expected })}</p>
${gaps === 0 ? null : html`<p class="fault">${worded(visit, morning.gaps, { unread, failed, waiting })}</p>`}
${down.map(({ place, why, merchants }) => html`<p class="fault">${worded(visit, morning.down, { place, why, count: merchants })}</p>`)}
${logFault === null ? null : html`<p class="fault">${worded(visit, morning.log, { ...logFault })}</p>`}
<h2>${morning.verdicts}</h2>
<ul class="tiles">${tile('clean')}${tile('broken')}${tile('incomplete')}</ul>
</section>`;
}

/** Shows how many findings are open, and the oldest root. */
function openOf(visit: Visit, { counts, oldest }: Tonight['open']): Html {
  const { words, labels } = visit;
  const { morning } = words;
  const named = SEVERITIES.flatMap((severity) =>
    counts[severity] === 0
      ? []
      : [worded(visit, labels.verdict.parts[severity], { count: counts[severity] })],
  );
  if (named.length === 0)
    return html`<section><h2>${morning.open}</h2><p class="none">${words.merchant.noFindings}</p></section>`;
  const followers =
    counts.followers === 0
      ? []
      : [worded(visit, labels.verdict.parts.followers, { count: counts.followers })];
  return html`<section>
<h2>${morning.open}</h2>
<p><a href="/console/findings?state=open">${[...named, ...followers].join(', ')}</a></p>
${oldest === null ? null : html`<p>${morning.oldest} ${merchantLink(oldest.merchant)}, <a href="/console/findings/${oldest.fingerprint}?merchant=${encodeURIComponent(oldest.merchant)}"><code>${oldest.fingerprint}</code></a>, ${instantCell(visit, oldest.since)}</p>`}
</section>`;
}

/** Shows a row for each currency and state: amounts, with the number of findings behind them. */
function stakeTable(visit: Visit, exposure: Tonight['exposure']): Shown {
  const { morning, columns, states } = visit.words;
  type Row = Tonight['exposure'][number];
  if (exposure.length === 0) return null;
  const cellOf = (
    currency: string | null,
    one: Pick<Row, 'findings' | 'stake'> | undefined,
  ): Shown =>
    one === undefined
      ? null
      : html`<span>${one.stake === null ? null : amountText(visit, one.stake, currency)} <span class="who">(${visit.wording.amount(one.findings)})</span></span>`;
  const ofAge = (age: Age): Column<Row> => ({
    head: morning.ages[age],
    cell: ({ currency, ages }) => cellOf(currency, ages[age]),
    isFigure: true,
  });
  const table = tableOf(
    [
      { head: morning.currency, cell: ({ currency }) => currency ?? morning.unknown },
      {
        head: columns.state,
        cell: ({ state }) =>
          html`<a href="/console/findings?state=${state}">${badge(state, states[state])}</a>`,
      },
      { head: morning.total, cell: (row) => cellOf(row.currency, row), isFigure: true },
      ...AGES.map(ofAge),
    ],
    exposure,
    visit.words.none,
  );
  return html`<section><h2>${morning.stake}</h2><p class="note">${morning.stakeNote}</p>${stakeCharts(visit, exposure)}${table}</section>`;
}

/**
 * Shows what is still open, by age: a chart for each currency, because amounts of two currencies
 * are never on one scale.
 */
function stakeCharts(visit: Visit, exposure: Tonight['exposure']): Shown {
  const { morning } = visit.words;
  const open = exposure.filter((one) => one.stake !== null && isOpen(one));
  return [...Map.groupBy(open, ({ currency }) => currency)].map(([currency, rows]) => {
    const bars = AGES.map((age) => {
      const parts = rows.flatMap(({ state, ages }) => {
        const stake = ages[age]?.stake ?? null;
        return stake === null ? [] : [{ tone: state, stake }];
      });
      const text = parts.map(({ stake }) => amountText(visit, stake, currency)).join(' + ');
      return {
        label: morning.ages[age],
        text,
        parts: parts.map(({ tone, stake }) => ({ tone, amount: Number(stake) })),
      };
    });
    return barsOf(worded(visit, morning.chart, { currency: currency! }), bars);
  });
}

function changesOf(visit: Visit, { findings }: RunRecord, changes: Tonight['changes']): Html {
  const { morning, columns } = visit.words;
  const groups = Map.groupBy(changes, ({ change }) => change);
  const more = findings.added + findings.resolved + findings.reopened - changes.length;
  return html`<section>
<h2>${morning.changes}</h2>
${changes.length === 0 ? html`<p class="none">${morning.noChanges}</p>` : null}
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
      { head: columns.period, cell: (month) => monthLink(visit, month) },
      { head: morning.roots, cell: ({ open }) => open ?? morning.rewritten, isFigure: true },
    ],
    await backend.listHeldMonths(),
    morning.noHeld,
  );
  return html`<section><h2>${morning.held}</h2>${table}</section>`;
}

async function stuckOf(visit: Visiting, backend: Backend): Promise<Html> {
  const { morning } = visit.words;
  const lists = STUCK_STATES.map((state) => backend.listDeliveries({ state, limit: MOST_STUCK }));
  const failed = (await Promise.all(lists)).map(({ items }) => items);
  return html`<section><h2>${morning.stuck}</h2>${tableOf(deliveryColumns(visit), failed.flat(), morning.noStuck)}</section>`;
}

interface Bar {
  readonly label: string;
  /** Text beside the bar, as the table has it. */
  readonly text: string;
  /** The parts of the bar from left to right; `tone` is a class of the style sheet. */
  readonly parts: readonly { readonly tone: string; readonly amount: number }[];
}

/** Height of a row, in pixels. */
const ROW = 28;
/** Height of a bar, in pixels. */
const THICK = 18;
/** Where bars begin, and how long the longest bar is, in hundredths of the chart's width. */
const [START, LONGEST] = [32, 36];

/** Draws all bars on one scale. */
function barsOf(title: string, bars: readonly Bar[]): Html {
  const lengthOf = ({ parts }: Bar): number => parts.reduce((sum, { amount }) => sum + amount, 0);
  const scale = LONGEST / Math.max(1, ...bars.map(lengthOf));
  const drawn = bars.map((bar, i) => {
    const [top, middle] = [i * ROW + (ROW - THICK) / 2, i * ROW + ROW / 2 + 5];
    let at = START;
    const parts = bar.parts.map(({ tone, amount }) => {
      const [from, width] = [at, amount * scale];
      at += width;
      return html`<rect class="${tone}" x="${from}%" y="${top}" width="${width}%" height="${THICK}"></rect>`;
    });
    return html`<text x="0" y="${middle}">${bar.label}</text>${parts}<text class="figure" x="${at + 1.5}%" y="${middle}">${bar.text}</text>`;
  });
  return html`<figure class="chart"><figcaption>${title}</figcaption><svg role="img" aria-label="${title}" width="100%" height="${bars.length * ROW}">${drawn}</svg></figure>`;
}
