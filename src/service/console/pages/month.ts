// A merchant's month: what is open in it, its files and deliveries, forms to release it, to send it once more and to close it, and what of
// that waits for a second person. What is refused is shown with the form as it was filled in.

import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isPermitted } from '../../../core/domain/operators/role.ts';
import { invalid, notFound } from '../../http/port/errors.ts';
import { requirePermission } from '../../http/port/operators.ts';
import { sendMonthFile } from '../../http/routes/months.ts';
import { tableOf, worded } from '../port/cells.ts';
import { type Fields, fieldsOf } from '../port/forms.ts';
import { type Html, html, type Shown } from '../port/html.ts';
import { layout } from '../port/layout.ts';
import type { Pages, Visiting } from '../port/pages.ts';
import { deliveryColumns } from './deliveries.ts';
import { findingColumns } from './findings.ts';
import { monthColumns } from './months.ts';
import { endProposal, refusedFor, type Taken, waitingShown } from './waiting.ts';

type Backend = Pages['backend'];
type Month = NonNullable<Awaited<ReturnType<Backend['findMonth']>>>;

export function addMonth({ merchantPage, form, backend }: Pages): void {
  const address = '/console/merchants/:merchant/months/:period';
  merchantPage(address, async (visit, request) => {
    const { done } = request.query as Fields;
    const said = done === 'proposed' ? visit.words.finding.proposed : visit.words.month.done;
    const note = done === undefined ? null : html`<p class="done" role="status">${said}</p>`;
    const restored = visit.draft === null ? null : html`<p class="note">${visit.words.finding.restored}</p>`;
    const month = await findMonth(backend, request);
    return draw(visit, backend, { month, note: note ?? restored, filled: visit.draft ?? {} });
  });
  form(address, async (visit, request, reply) => {
    requirePermission(request, 'publish');
    const filled = fieldsOf(request);
    const month = await findMonth(backend, request);
    const about = { merchant: month.merchant, subject: month.period, filled };
    const taken = await (filled.proposal === undefined
      ? act(visit, backend, { month, filled })
      : endProposal(visit, request, backend, about)
    ).catch(refusedFor);
    if (!('refused' in taken)) {
      await reply.redirect(`${visit.path}?done=${taken.done}`, 303);
      return null;
    }
    reply.code(409);
    const why = worded(visit, visit.words.finding.refused, { why: taken.refused });
    return draw(visit, backend, { month, note: html`<p class="fault" role="alert">${why}</p>`, filled });
  });
  merchantPage(`${address}/files/:format`, async ({ operator }, request, reply) => {
    const { merchant, period, format } = request.params as Record<'merchant' | 'period' | 'format', string>;
    const report = await backend.findStatement({ merchant, period }, operator);
    await sendMonthFile(reply, backend, { report, format });
    return null;
  });
}

async function findMonth(backend: Backend, request: FastifyRequest): Promise<Month> {
  const month = await backend.findMonth(request.params as Record<'merchant' | 'period', string>);
  if (month === null) throw notFound('statement');
  return month;
}

/** What was read is what is released, sent and closed. */
function seenOf({ reportId, isHeld, closedAt, closing }: Month): string {
  return [reportId, isHeld, closedAt, closing?.openRoots.length].join(' ');
}

const ACTS = ['release', 'send', 'close'] as const;

interface Filled {
  readonly month: Month;
  readonly filled: Fields;
}

async function act({ operator, words }: Visiting, backend: Backend, { month, filled }: Filled): Promise<Taken> {
  const { merchant, period, closing } = month;
  const name = ACTS.find((one) => one === filled.action);
  if (name === undefined) throw invalid(['action: must be one of the page']);
  if (filled.seen !== seenOf(month)) return { refused: words.month.changed };
  const key = { merchant, period, by: operator.name };
  const [reason, to] = [(filled.reason ?? '').trim(), (filled.to ?? '').trim()];
  if (name !== 'send' && reason === '') return { refused: words.month.noReason };
  if (to !== '' && !z.email().safeParse(to).success) return { refused: words.month.badAddress };
  const acts = {
    release: () => backend.releaseMonth({ ...key, reason }),
    send: () => backend.sendMonth({ ...key, to: to || undefined }),
    close: () => backend.closeMonth({ ...key, reason, expectOpen: closing?.openRoots.length ?? 0 }),
  };
  return { done: (await acts[name]()) === null ? 'decided' : 'proposed' };
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
    closing === null || closing.lateLines === 0 ? null : worded(visit, heads.late, { count: closing.lateLines });
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

/** Forms of what the month's state and the visitor's roles allow. */
function formsOf(visit: Visiting, month: Month, filled: Fields): readonly Html[] {
  const { month: heads, finding } = visit.words;
  const { isHeld, closedAt, closing } = month;
  const offered = ACTS.filter((name) =>
    name === 'close' ? closedAt === null && closing !== null : isHeld === (name === 'release'),
  );
  const hidden = (name: string, value: string): Html => html`<input type="hidden" name="${name}" value="${value}">`;
  const count = closing?.openRoots.length ?? 0;
  return (isPermitted(visit.operator, 'publish') ? offered : []).map((name) => {
    const own = filled.action === name ? filled : {};
    const reason = html`<label for="${name}-reason">${finding.reason}</label><textarea id="${name}-reason" name="reason" maxlength="2000" required>${own.reason ?? ''}</textarea>`;
    const to = html`<label for="send-to">${heads.to}</label><input id="send-to" name="to" type="email" value="${own.to ?? ''}">`;
    return html`<details${filled.action === name ? html` open` : null}>
<summary>${heads.names[name]}</summary>
<p class="hint">${worded(visit, heads.help[name], { count, held: String(isHeld) })}</p>
<form method="post" action="${visit.path}">
${hidden('form', visit.formToken)}${hidden('action', name)}${hidden('seen', seenOf(month))}
${name === 'send' ? to : reason}
<p><button>${heads.names[name]}</button></p>
</form>
</details>`;
  });
}
