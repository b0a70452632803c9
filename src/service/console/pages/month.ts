// A merchant's month: what is open in it, its files and deliveries, forms to release it, to send it
// once more and to close it, and proposals about it that wait for a second person. A refusal is
// shown with the form as it was filled in.

import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isPermitted } from '../../../core/domain/operators/role.ts';
import { invalid, thereIs } from '../../http/port/errors.ts';
import { requirePermission } from '../../http/port/operators.ts';
import { sendMonthFile } from '../../http/routes/months.ts';
import { tableOf, worded } from '../port/cells.ts';
import {
  answerForm,
  choiceOf,
  type Fields,
  fieldsOf,
  noteOf,
  reasonField,
  refused,
} from '../port/forms.ts';
import { type Html, html, type Shown } from '../port/html.ts';
import { type Backend, layout, type Pages, type Visiting } from '../port/layout.ts';
import { deliveryColumns } from './deliveries.ts';
import { findingColumns } from './findings.ts';
import { monthColumns } from './months.ts';
import { type Done, endProposal, waitingShown } from './waiting.ts';

type Month = NonNullable<Awaited<ReturnType<Backend['findMonth']>>>;

export function addMonth({ merchantPage, form, backend }: Pages): void {
  const address = '/console/merchants/:merchant/months/:period';
  merchantPage(address, async (visit, request) => {
    const { done } = request.query as Fields;
    const said = done === 'proposed' ? visit.words.finding.proposed : visit.words.month.done;
    const month = await findMonth(backend, request);
    const note = noteOf(visit, done === undefined ? null : said);
    return draw(visit, backend, { month, note, filled: visit.draft ?? {} });
  });
  form(address, async (visit, request, reply) => {
    requirePermission(request, 'publish');
    const filled = fieldsOf(request);
    const month = await findMonth(backend, request);
    const about = { merchant: month.merchant, subject: month.period, filled };
    const note = await answerForm(visit, reply, async () => {
      const done = await (filled.proposal === undefined
        ? act(visit, backend, { month, filled })
        : endProposal(visit, request, backend, about));
      return `${visit.path}?done=${done}`;
    });
    return note === null ? null : draw(visit, backend, { month, note, filled });
  });
  merchantPage(`${address}/files/:format`, async ({ operator }, request, reply) => {
    const { merchant, period, format } = request.params as Record<
      'merchant' | 'period' | 'format',
      string
    >;
    const report = await backend.findStatement({ merchant, period }, operator);
    await sendMonthFile(reply, backend, { report, format });
    return null;
  });
}

async function findMonth(backend: Backend, request: FastifyRequest): Promise<Month> {
  return thereIs(
    await backend.findMonth(request.params as Record<'merchant' | 'period', string>),
    'statement',
  );
}

/** Returns what a person saw of the month, because only that may be released, sent and closed. */
function seenOf({ reportId, isHeld, closedAt, closing }: Month): string {
  return [reportId, isHeld, closedAt, closing?.openRoots.length].join(' ');
}

const ACTS = ['release', 'send', 'close'] as const;

interface Filled {
  readonly month: Month;
  readonly filled: Fields;
}

async function act(
  { operator, words }: Visiting,
  backend: Backend,
  { month, filled }: Filled,
): Promise<Done> {
  const { merchant, period, closing } = month;
  const name = ACTS.find((one) => one === filled.action);
  if (name === undefined) throw invalid(['action: must be one of the page']);
  if (filled.seen !== seenOf(month)) throw refused(words.month.changed);
  const key = { merchant, period, by: operator.name };
  const [reason, to] = [(filled.reason ?? '').trim(), (filled.to ?? '').trim()];
  if (name !== 'send' && reason === '') throw refused(words.month.noReason);
  if (to !== '' && !z.email().safeParse(to).success) throw refused(words.month.badAddress);
  const acts = {
    release: () => backend.releaseMonth({ ...key, reason }),
    send: () => backend.sendMonth({ ...key, to: to || undefined }),
    close: () => backend.closeMonth({ ...key, reason, expectOpen: closing?.openRoots.length ?? 0 }),
  };
  return (await acts[name]()) === null ? 'decided' : 'proposed';
}

async function draw(
  visit: Visiting,
  backend: Backend,
  { month, note, filled }: Filled & { readonly note: Shown },
): Promise<Html> {
  const { words, wording } = visit;
  const { month: heads } = words;
  const { merchant, period, closing, files, deliveryList } = month;
  const place = `/console/merchants/${encodeURIComponent(merchant)}/months/${period}/files`;
  const forms = formsOf(visit, month, filled);
  const isOwn = visit.operator.merchant !== null;
  const late =
    closing === null || closing.lateLines === 0
      ? null
      : worded(visit, heads.late, { count: closing.lateLines });
  const body = html`${note}
<section><h2>${heads.open}</h2>${tableOf(findingColumns(visit), closing?.openRoots ?? [], heads.nothingOpen)}<p class="note">${late}</p></section>
<section><h2>${words.finding.facts}</h2>${tableOf(monthColumns(visit), [month], words.none)}</section>
<section><h2>${heads.files}</h2>${month.isHeld ? html`<p class="note">${isOwn ? heads.heldFromYou : heads.heldFiles}</p>` : null}
<ul>${(isOwn && month.isHeld ? [] : files).map(({ format, fileName, sha256 }) => html`<li><a href="${place}/${format}">${fileName}</a> <code>SHA-256 ${sha256.slice(0, 16)}…</code></li>\n`)}</ul></section>
<section><h2>${words.places.deliveries}</h2>${tableOf(deliveryColumns(visit), deliveryList, words.deliveries.none)}</section>
${await waitingShown(visit, backend, { merchant, subject: period })}
${forms.length === 0 ? null : html`<section class="choices-of"><h2>${heads.acts}</h2><div class="choices">${forms}</div></section>`}`;
  return layout(visit, `${merchant} · ${wording.code('month', period)}`, body);
}

/** Returns the forms that the month's state and the visitor's roles allow. */
function formsOf(visit: Visiting, month: Month, filled: Fields): readonly Html[] {
  const { month: heads } = visit.words;
  const { isHeld, closedAt, closing } = month;
  const offered = ACTS.filter((name) =>
    name === 'close' ? closedAt === null && closing !== null : isHeld === (name === 'release'),
  );
  const count = closing?.openRoots.length ?? 0;
  return (isPermitted(visit.operator, 'publish') ? offered : []).map((name) => {
    const own = filled.action === name ? filled : {};
    const reason = reasonField(visit, { id: `${name}-reason`, text: own.reason });
    const to = html`<label for="send-to">${heads.to}</label><input id="send-to" name="to" type="email" value="${own.to ?? ''}">`;
    const help = worded(visit, heads.help[name], { count, held: String(isHeld) });
    const carries = { action: name, seen: seenOf(month) };
    const choice = { name: heads.names[name], help, isOpen: filled.action === name, carries };
    return choiceOf(visit, choice, name === 'send' ? to : reason);
  });
}
