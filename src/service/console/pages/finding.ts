// A finding: its sentence, the lines around it, what would put it right, what follows from it, what
// was decided, and forms to decide. What the backend refuses is shown with the form as it was
// filled in.

import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Finding } from '../../../core/domain/finding.ts';
import { parseInstant } from '../../../core/domain/instant.ts';
import { isPermitted } from '../../../core/domain/operators/role.ts';
import { isMoney } from '../../../core/kernel/checks/port/kinds.ts';
import { nameCode } from '../../../core/words/names.ts';
import { DASH, explainKind } from '../../../io/formats/port/wording.ts';
import { thereIs } from '../../http/port/errors.ts';
import { namedAlone } from '../../http/port/operators.ts';
import { sendLetter } from '../../http/routes/corrections.ts';
import {
  type FindingDecision,
  type FindingPage,
  NOTES,
  PERMISSION_OF,
  verbsFrom,
} from '../../workflows/operators/operator-backend.ts';
import {
  amountText,
  badge,
  instantCell,
  instantText,
  kindName,
  merchantLink,
  namesText,
  operationLink,
  sentenceOf,
  severityBadge,
  tableOf,
  worded,
} from '../port/cells.ts';
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
import { type Backend, layout, type Pages, type Visiting } from '../port/layout.ts';
import type { Visit } from '../port/visit.ts';
import { findingColumns, wishOf } from './findings.ts';
import { lineColumns } from './operation.ts';
import { type Done, endProposal, termsShown, waitingShown } from './waiting.ts';

const MOST_FOLLOWERS = 50;
const LINES_AROUND = 7;

const params = z.object({ fingerprint: z.string().regex(/^[0-9a-f]{16}$/) });

export function addFinding({ merchantPage, form, backend }: Pages): void {
  const address = '/console/findings/:fingerprint';
  merchantPage(address, async (visit, request) => {
    const { merchant, done } = request.query as Fields;
    const found = await findOne(backend, request, merchant);
    const { finding } = visit.words;
    const said = done === 'proposed' ? finding.proposed : finding.done;
    const note = noteOf(visit, done === undefined ? null : said);
    return draw(visit, backend, { found, note, filled: visit.draft ?? {} });
  });
  merchantPage(`${address}/letter`, async ({ language }, request, reply) => {
    const found = await findOne(backend, request, (request.query as Fields).merchant);
    await sendLetter(reply, await backend.writeLetter(found, language));
    return null;
  });
  form(address, async (visit, request, reply) => {
    const filled = fieldsOf(request);
    const found = await findOne(backend, request, filled.merchant);
    const about = { merchant: found.merchant, subject: found.finding.fingerprint, filled };
    const note = await answerForm(visit, reply, async () => {
      const done = await (filled.proposal === undefined
        ? decide(visit, request, backend, found)
        : endProposal(visit, request, backend, about));
      return `${visit.path}?merchant=${encodeURIComponent(found.merchant)}&done=${done}`;
    });
    return note === null ? null : draw(visit, backend, { found, note, filled });
  });
}

async function findOne(
  backend: Backend,
  request: FastifyRequest,
  merchant: string | undefined,
): Promise<FindingPage> {
  const read = params.safeParse(request.params);
  return namedAlone(
    request,
    read.success ? await backend.findFinding({ ...read.data, merchant }) : null,
    'finding',
  );
}

async function decide(
  visit: Visiting,
  request: FastifyRequest,
  backend: Backend,
  { finding: { fingerprint }, merchant, decisions }: FindingPage,
): Promise<Done> {
  const { seen, lines, limit } = fieldsOf(request);
  const wish = wishOf(visit, request);
  // The decision must be about what the person read, so it is refused when another came between.
  if (seen !== String(decisions.length)) throw refused(visit.words.finding.changed);
  const terms = {
    lines: lines?.trim() ? lines.trim().split(/[\s,;]+/) : undefined,
    limit: limit?.trim() || undefined,
  };
  const decided = thereIs(
    await backend.decide({ fingerprint, merchant, ...wish, ...terms }),
    'finding',
  );
  return 'proposed' in decided ? 'proposed' : 'decided';
}

interface Shows {
  readonly found: FindingPage;
  readonly note: Shown;
  readonly filled: Fields;
}

async function draw(
  visit: Visiting,
  backend: Backend,
  { found, note, filled }: Shows,
): Promise<Html> {
  const { finding, state, merchant, decisions, earlier } = found;
  const { words } = visit;
  const page = { merchant, causedBy: finding.fingerprint, limit: MOST_FOLLOWERS };
  const followers = await backend.listFindings(page);
  const letter =
    finding.causedBy === null && verbsFrom(state).includes('settle')
      ? html`<p><a href="${visit.path}/letter?merchant=${encodeURIComponent(merchant)}">${words.letter.download}</a></p>`
      : null;
  const body = html`${note}
<p>${severityBadge(visit, finding.severity)} ${badge(state, words.states[state])} ${badge('calm', words.statuses[finding.status])} ${merchantLink(merchant)}</p>
<p class="sentence">${sentenceOf(visit, finding)}</p>
<section><h2>${words.finding.facts}</h2>${factsOf(visit, found)}</section>
<section><h2>${words.finding.lines}</h2>${await linesOf(visit, backend, found)}</section>
<section><h2>${words.finding.proposal}</h2>${proposalOf(visit, found)}${letter}</section>
<section><h2>${words.finding.followers}</h2>${tableOf(findingColumns(visit), followers.items, words.finding.noFollowers)}${moreOf(visit, followers.total - followers.items.length)}</section>
<section><h2>${words.finding.decisions}</h2>${decisionsOf(visit, [...earlier, ...decisions])}</section>
${await waitingShown(visit, backend, { merchant, subject: finding.fingerprint })}
<section class="choices-of"><h2>${words.finding.decide}</h2><div class="choices">${formsOf(visit, found, filled)}</div></section>
${meaningOf(visit, finding)}`;
  return layout(visit, kindName(visit, finding.kind), body);
}

function moreOf(visit: Visit, count: number): Shown {
  return count === 0
    ? null
    : html`<p class="note">${worded(visit, visit.words.morning.more, { count })}</p>`;
}

function factsOf(visit: Visit, { finding, currency, merchant, ...seen }: FindingPage): Html {
  const { words, wording } = visit;
  const { finding: heads } = words;
  const { concerned, itemAt } = finding;
  const figure = (text: string | null): string | null =>
    text === null ? null : wording.figure(text);
  const amount = (text: string | null): string | null =>
    text === null || !isMoney(finding) ? figure(text) : amountText(visit, text, currency);
  const sight = (at: number | null, id: number): string =>
    worded(visit, heads.run, { at: instantText(visit, at), id: String(id) });
  const facts: readonly (readonly [string, Shown])[] = [
    [heads.line, figure(finding.sequence)],
    [heads.operation, operationLink(finding.operationReference, merchant)],
    [heads.itemAt, itemAt === null ? null : instantCell(visit, parseInstant(itemAt))],
    [heads.expected, amount(finding.expected)],
    [heads.actual, amount(finding.actual)],
    [heads.difference, amount(finding.difference)],
    [heads.concerned, concerned === null ? null : amountText(visit, concerned, currency)],
    [
      heads.balance,
      finding.item === null ? null : amountText(visit, finding.item.balance, currency),
    ],
    [
      heads.reserved,
      finding.item === null ? null : amountText(visit, finding.item.reserved, currency),
    ],
    [words.columns.owner, seen.owner],
    [words.columns.labels, seen.labels.join(' ') || null],
    [words.columns.due, seen.dueDay],
    [heads.firstSeen, sight(seen.firstSeenAt, seen.firstSeenRun)],
    [heads.lastSeen, sight(seen.lastSeenAt, seen.lastSeenRun)],
    [heads.fingerprint, html`<code>${finding.fingerprint}</code>`],
    [
      heads.causedBy,
      finding.causedBy === null
        ? null
        : html`<a href="/console/findings/${finding.causedBy}">${finding.causedBy}</a>`,
    ],
  ];
  return html`<dl>${facts.map(([head, fact]) => (fact === null ? null : html`<dt>${head}</dt><dd>${fact}</dd>\n`))}</dl>`;
}

async function linesOf(
  visit: Visit,
  backend: Backend,
  { merchant, finding }: FindingPage,
): Promise<Html> {
  const { words } = visit;
  const sequence =
    finding.sequence ?? finding.evidence.find((one) => one.sequence !== null)?.sequence ?? null;
  if (sequence === null) return html`<p class="none">${words.finding.noLines}</p>`;
  const page = await backend.listEntries({
    merchant,
    around: Number(sequence),
    limit: LINES_AROUND,
  });
  return tableOf(lineColumns(visit, merchant), page?.items ?? [], words.finding.noLines, (line) =>
    String(line.sequence) === finding.sequence || line.off !== null ? words.finding.here : null,
  );
}

function proposalOf(visit: Visit, { finding, currency }: FindingPage): Html {
  const { words, labels } = visit;
  const { proposal, proposedSettlement, settledBy } = finding;
  const listed = (lines: readonly string[]): string => lines.join(', ');
  const entries = (proposal ?? []).map(
    (entry) =>
      html`<li>${nameCode(labels, 'kinds', entry.kind)} · <strong>${amountText(visit, entry.amount, currency)}</strong> ${entry.operationReference === null ? null : html`· ${entry.operationReference}`}<br><code>${entry.description}</code></li>`,
  );
  const settled = settledBy == null ? null : { lines: listed(settledBy.lines), at: settledBy.at };
  return html`${entries.length === 0 ? html`<p class="none">${words.finding.noProposal}</p>` : html`<ul>${entries}</ul>`}
${proposedSettlement == null ? null : html`<p>${worded(visit, words.finding.fits, { lines: listed(proposedSettlement.lines) })}</p>`}
${settled === null ? null : html`<p>${worded(visit, words.finding.settledBy, { ...settled, at: instantText(visit, parseInstant(settled.at)) })}</p>`}`;
}

function decisionsOf(visit: Visit, decisions: readonly FindingDecision[]): Html {
  const { finding } = visit.words;
  if (decisions.length === 0) return html`<p class="none">${finding.noDecisions}</p>`;
  return html`<ol class="story">${decisions.map(
    ({ action, by, at, reason, terms }) =>
      html`<li><strong>${finding.actions[action]}</strong> <span class="who">${worded(visit, finding.by, { by: namesText(visit, by), at: instantText(visit, at) })}</span><br>${reason === '-' ? DASH : reason}${termsShown(visit, terms)}</li>`,
  )}</ol>`;
}

/**
 * Returns the forms that the finding's state and the visitor's roles allow. A finding that follows
 * from another takes notes alone.
 */
function formsOf(
  visit: Visiting,
  { finding, state, merchant, decisions }: FindingPage,
  filled: Fields,
): readonly Html[] {
  const { words } = visit;
  const { actions, help } = words.finding;
  const offered = (['acknowledge', 'settle', 'accept', 'reopen'] as const).filter(
    (action) =>
      isPermitted(visit.operator, PERMISSION_OF[action]) &&
      verbsFrom(state).includes(action) &&
      finding.causedBy === null,
  );
  const seen = { merchant, seen: String(decisions.length) };
  const forms = offered.map((action) => {
    const own = filled.action === action ? filled : {};
    const field = (name: string, head: string, type: string): Html =>
      html`<label for="${action}-${name}">${head}</label><input id="${action}-${name}" name="${name}" type="${type}" value="${own[name] ?? ''}">`;
    const fields = html`${reasonField(visit, { id: `${action}-reason`, text: own.reason, isFree: action === 'settle' })}
${action === 'settle' ? field('lines', words.finding.lineHint, 'text') : null}
${action === 'accept' ? [field('limit', words.finding.limit, 'text'), field('until', words.finding.until, 'date')] : null}`;
    const choice = { name: actions[action], help: help[action], isOpen: filled.action === action };
    return choiceOf(visit, { ...choice, carries: { ...seen, action } }, fields);
  });
  if (!isPermitted(visit.operator, 'investigate')) return forms;
  const noted = NOTES.find((one) => one === filled.action);
  const choices = optionsOf(
    NOTES.map((one) => [one, actions[one]]),
    noted,
  );
  const fields = html`<select name="action" aria-label="${words.finding.note}">${choices}</select>
<textarea name="reason" aria-label="${words.finding.noteText}" maxlength="2000" required>${noted === undefined ? '' : (filled.reason ?? '')}</textarea>`;
  const choice = {
    name: words.finding.note,
    help: help.note,
    isOpen: noted !== undefined,
    carries: seen,
  };
  return [choiceOf(visit, choice, fields), ...forms];
}

function meaningOf({ words, language }: Visit, { kind }: Finding): Shown {
  const explanation = explainKind(kind, language);
  if (explanation === null) return null;
  return html`<details class="meaning"><summary>${words.finding.meaning}</summary><p>${explanation}</p><p><code>${kind}</code></p></details>`;
}
