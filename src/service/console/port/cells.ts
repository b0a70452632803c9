// What pages show alike: instants, amounts with their currency, badges, sentences of findings,
// tables and the pager. Phone numbers in texts from outside are masked.

import type { Finding, Severity, Verdict } from '../../../core/domain/finding.ts';
import { formatInstant, type Instant } from '../../../core/domain/instant.ts';
import type { MonthKey } from '../../../core/domain/period.ts';
import { isKind } from '../../../core/kernel/checks/port/kinds.ts';
import { maskFigures, maskPhoneNumbers } from '../../../core/statements/mask-phone-numbers.ts';
import { fill, type MessageValues, nameFinding, wordFinding } from '../../../core/words/finding.ts';
import { DASH } from '../../../io/formats/port/wording.ts';
import type { DatedFinding } from '../../workflows/operators/operator-backend.ts';
import { CONFIRMED_BY } from '../../workflows/operators/proposals.ts';
import { type Html, html, type Shown } from './html.ts';
import { merchantPlace } from './layout.ts';
import type { Visit } from './visit.ts';

export function worded({ wording }: Visit, text: string, values: MessageValues): string {
  return fill(text, values, wording.speech);
}

/**
 * Returns who decided. Two persons are named in the language of the page, because the history names
 * them in English.
 */
export function namesText(visit: Visit, by: string): string {
  const [proposer, confirmer] = by.split(CONFIRMED_BY);
  return confirmer === undefined
    ? by
    : worded(visit, visit.words.twoNames, { proposer: proposer!, confirmer });
}

export function instantText({ words, wording }: Visit, at: Instant | null): string {
  return at === null ? DASH : fill(words.utc, { instant: wording.instant(at) });
}

export function instantCell(visit: Visit, at: Instant | null): Shown {
  return at === null
    ? DASH
    : html`<time datetime="${formatInstant(at)}">${instantText(visit, at)}</time>`;
}

/** Says a whole amount, given as decimal text. Without a currency it says the figure alone. */
export function amountText(
  { wording }: Visit,
  amount: string | null,
  currency: string | null,
): string {
  if (amount === null) return DASH;
  return currency === null ? wording.figure(amount) : `${wording.figure(amount)}\u00a0${currency}`;
}

/**
 * Returns by how much a root puts the figures off, with the reserved part only where there is one.
 * For a root that puts no figure off, returns the amount that it is about.
 */
export function offText(
  visit: Visit,
  { finding: { item, concerned }, currency }: DatedFinding,
): string {
  if (concerned !== null)
    return `${amountText(visit, concerned, currency)} (${visit.words.concerned})`;
  if (item === null) return DASH;
  const reserved = `${amountText(visit, item.reserved, currency)} (${visit.words.reserved})`;
  if (item.reserved === '0') return amountText(visit, item.balance, currency);
  return item.balance === '0'
    ? reserved
    : `${amountText(visit, item.balance, currency)} · ${reserved}`;
}

export function badge(tone: string, text: string): Html {
  return html`<span class="badge ${tone}">${text}</span>`;
}

export function verdictBadge({ words }: Visit, verdict: Verdict | null): Shown {
  return verdict === null ? DASH : badge(verdict, words.morning[verdict]);
}

export function severityBadge({ labels }: Visit, severity: Severity): Html {
  return badge(severity, labels.terms[severity]);
}

export function kindName({ labels }: Visit, kind: string): string {
  return nameFinding({ words: labels }, kind);
}

/**
 * Returns the sentence of a finding in the language of the page. A kind that this version does not
 * know keeps the sentence with which it was reported.
 */
export function sentenceOf({ wording }: Visit, { kind, figures, message }: Finding): string {
  return isKind(kind)
    ? wordFinding(wording.speech, kind, maskFigures(figures))
    : maskPhoneNumbers(message);
}

export function findingLink(
  visit: Visit,
  found: Record<'merchant' | 'fingerprint' | 'kind', string>,
): Html {
  return html`<a href="/console/findings/${found.fingerprint}?merchant=${encodeURIComponent(found.merchant)}">${kindName(visit, found.kind)}</a>`;
}

/** Links to a merchant. A long reference may break after its underscores. */
export function merchantLink(reference: string): Html {
  const parts = reference.split(/(?<=_)/).map((part, i) => (i === 0 ? part : html`<wbr>${part}`));
  return html`<a href="${merchantPlace(reference)}">${parts}</a>`;
}

export function monthLink({ wording }: Visit, { merchant, period }: MonthKey): Html {
  return html`<a href="/console/merchants/${encodeURIComponent(merchant)}/months/${period}">${wording.code('month', period)}</a>`;
}

/** Links to an operation; `null` where there is none. */
export function operationLink(reference: string | null, merchant: string): Shown {
  if (reference === null) return null;
  const place = `/console/operations/${encodeURIComponent(reference)}?merchant=${encodeURIComponent(merchant)}`;
  return html`<a href="${place}">${reference}</a>`;
}

export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => Shown;
  /** Whether the cells are figures, which align to the right. */
  readonly isFigure?: boolean;
}

/**
 * Shows a table. `markOf` returns why a row is set off from the others; `null`: it is not. On a
 * narrow page each row becomes a block, and each cell bears its head.
 */
export function tableOf<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  none: string,
  markOf: (row: Row) => string | null = () => null,
): Html {
  if (rows.length === 0) return html`<p class="none">${none}</p>`;
  const kindOf = ({ isFigure = false }: Column<Row>): string => (isFigure ? 'figure' : 'words');
  return html`<table>
<thead><tr>${columns.map((column) => html`<th scope="col" class="${kindOf(column)}">${column.head}</th>`)}</tr></thead>
<tbody>
${rows.map((row) => {
  const mark = markOf(row);
  const cells = columns.map(
    (one) => html`<td class="${kindOf(one)}" data-head="${one.head}">${one.cell(row)}</td>`,
  );
  return mark === null
    ? html`<tr>${cells}</tr>\n`
    : html`<tr class="here" title="${mark}">${cells}</tr>\n`;
})}
</tbody>
</table>`;
}

/** Rows on a page of a list. */
export const PAGE = 50;

/** Shows the pager, whose links keep everything else of the address. */
export function pagerOf(
  visit: Visit,
  { total, offset }: { readonly total: number; readonly offset: number },
): Shown {
  if (total <= PAGE && offset === 0) return null;
  const { pager } = visit.words;
  const at = (to: number): string => addressWith(visit, { offset: to === 0 ? null : String(to) });
  const range = { first: Math.min(offset + 1, total), last: Math.min(offset + PAGE, total), total };
  const earlier =
    offset === 0
      ? null
      : html`<a rel="prev" href="${at(Math.max(0, offset - PAGE))}">${pager.earlier}</a>`;
  const later =
    offset + PAGE >= total
      ? null
      : html`<a rel="next" href="${at(offset + PAGE)}">${pager.later}</a>`;
  return html`<nav class="pager" aria-label="${pager.label}">${earlier}<span>${worded(visit, pager.range, range)}</span>${later}</nav>`;
}

/** Links to this list as files: all its pages, by the same filter. */
export function fileLinks(visit: Visit): Html {
  const address = addressWith(visit, { offset: null, before: null, done: null });
  const at = (ending: string): string => address.replace(visit.path, `${visit.path}.${ending}`);
  return html`<a href="${at('csv')}">${visit.words.csv}</a> · <a href="${at('xlsx')}">${visit.words.xlsx}</a>`;
}

/** Returns the address of this page with other parts of its query; `null` takes a part away. */
export function addressWith(
  { address }: Visit,
  parts: Readonly<Record<string, string | null>>,
): string {
  const { pathname, searchParams } = new URL(address, 'http://console');
  for (const [name, value] of Object.entries(parts))
    if (value === null) searchParams.delete(name);
    else searchParams.set(name, value);
  return searchParams.size === 0 ? pathname : `${pathname}?${searchParams}`;
}
