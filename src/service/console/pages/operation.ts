// An operation: what it is, how its state moved, its lines with the figures recorded after them,
// what was notified, the months that state it, and the findings that name it. Phone numbers are
// masked.

import { nameCode } from '../../../core/words/names.ts';
import { notFound } from '../../http/port/errors.ts';
import { noteMerchant } from '../../http/port/operators.ts';
import type {
  FollowedOperation,
  FollowedLine as Line,
} from '../../workflows/operators/operator-backend.ts';
import {
  badge,
  type Column,
  findingLink,
  instantCell,
  merchantLink,
  operationLink,
  severityBadge,
  tableOf,
} from '../port/cells.ts';
import type { Fields } from '../port/forms.ts';
import { type Html, html, type Shown } from '../port/html.ts';
import { layout, type Pages } from '../port/layout.ts';
import type { Visit } from '../port/visit.ts';

export function addOperation({ merchantPage, backend }: Pages): void {
  merchantPage('/console/operations/:reference', async (visit, request) => {
    const { reference } = request.params as { readonly reference: string };
    const { merchant } = request.query as Fields;
    const found = await backend.followOperation({ reference, merchant });
    if (!('holders' in found)) {
      noteMerchant(request, found.merchant);
      return layout(visit, reference, partsOf(visit, found));
    }
    if (found.holders.length === 0) throw notFound('operation');
    const holders = found.holders.map(
      (holder) => html`<li>${merchantLink(holder)} : ${operationLink(reference, holder)}</li>`,
    );
    return layout(
      visit,
      reference,
      html`<p>${visit.words.operation.several}</p><ul>${holders}</ul>`,
    );
  });
}

function partsOf(visit: Visit, found: FollowedOperation): Html {
  const { words, labels } = visit;
  const { operation: heads, columns, finding } = words;
  const { merchant, versions, lines, notifications, months, findings } = found;
  const versionTable = tableOf(
    [
      { head: columns.state, cell: ({ status }) => nameCode(labels, 'statuses', status) },
      { head: heads.changed, cell: ({ updatedAt }) => instantCell(visit, updatedAt) },
      {
        head: heads.failure,
        cell: ({ failureCode }) =>
          failureCode === null ? null : nameCode(labels, 'failures', failureCode),
      },
    ],
    versions,
    heads.unread,
  );
  const lineTable = tableOf(lineColumns(visit, merchant), lines, heads.noLines, ({ off }) =>
    off === null ? null : finding.here,
  );
  const notificationTable = tableOf(
    [
      { head: columns.kind, cell: ({ type }) => type },
      { head: heads.sent, cell: ({ createdAt }) => instantCell(visit, createdAt) },
      { head: heads.received, cell: ({ receivedAt }) => instantCell(visit, receivedAt) },
    ],
    notifications,
    heads.noNotifications,
  );
  const monthTable = tableOf(
    [
      { head: columns.period, cell: ({ period }) => visit.wording.code('month', period) },
      { head: finding.line, cell: (one) => one.lines.join(', ') },
      {
        head: words.merchant.generated,
        cell: ({ report }) => instantCell(visit, report?.issuedAt ?? null),
      },
    ],
    months,
    words.merchant.noMonths,
  );
  const findingTable = tableOf(
    [
      { head: columns.severity, cell: ({ severity }) => severityBadge(visit, severity) },
      { head: columns.kind, cell: (one) => findingLink(visit, { ...one, merchant }) },
      { head: columns.state, cell: ({ state }) => badge(state, words.states[state]) },
    ],
    findings,
    heads.noFindings,
  );
  const parts: readonly (readonly [string, Html])[] = [
    [finding.facts, factsOf(visit, found)],
    [words.findings.title, findingTable],
    [labels.audit.identity.lines, lineTable],
    [heads.versions, versionTable],
    [heads.notifications, notificationTable],
    [words.merchant.months, monthTable],
  ];
  return html`${parts.map(([head, part]) => html`<section><h2>${head}</h2>${part}</section>\n`)}`;
}

function factsOf(
  visit: Visit,
  { merchant, currency, versions, hold, fee, reversal }: FollowedOperation,
): Html {
  const { labels, wording, words } = visit;
  const { operation: heads } = words;
  const { columns } = labels.monthOperations;
  const newest = versions.at(-1);
  const amount = (figure: number): string => `${wording.amount(figure)} ${currency ?? ''}`;
  const served: readonly (readonly [string, Shown])[] =
    newest === undefined
      ? []
      : [
          [columns.type, nameCode(labels, 'types', newest.type)],
          [columns.state, nameCode(labels, 'statuses', newest.status)],
          [columns.amount, amount(newest.amount)],
          [columns.fees, amount(newest.fees)],
          [columns.net, amount(newest.netAmount)],
          [columns.operator, newest.operator],
          [columns.name, newest.counterpartyName],
          [columns.number, newest.counterpartyNumber],
          [columns.partner, newest.externalReference],
          [columns.description, newest.description],
          [columns.created, instantCell(visit, newest.createdAt)],
          [columns.completed, instantCell(visit, newest.completedAt)],
        ];
  const facts: readonly (readonly [string, Shown])[] = [
    [words.columns.merchant, merchantLink(merchant)],
    ...served,
    [heads.held, hold === null ? null : amount(hold.amount)],
    [heads.left, hold === null ? null : amount(hold.left)],
    [heads.feePosted, fee === null ? null : amount(fee.posted)],
    [heads.reversed, reversal === null ? null : instantCell(visit, reversal.at)],
  ];
  return html`<dl>${facts.map(([head, fact]) => (fact === null ? null : html`<dt>${head}</dt><dd>${fact}</dd>\n`))}</dl>`;
}

/**
 * Returns the columns of a list of lines, which is also on the page of a finding: recorded figures
 * as the payment service served them, and by how much they do not follow from the line before.
 */
export function lineColumns(visit: Visit, merchant: string): readonly Column<Line>[] {
  const { labels, wording, words } = visit;
  const heads = labels.ledgerColumns;
  const amount = (head: string, pick: (line: Line) => number): Column<Line> => ({
    head,
    cell: (line) => wording.amount(pick(line)),
    isFigure: true,
  });
  const offOf = ({ off }: Line): string | null =>
    off === null ? null : wording.amount(off.balance === 0 ? off.reserved : off.balance);
  return [
    { head: heads.sequence, cell: (one) => one.sequence, isFigure: true },
    { head: heads.moment, cell: ({ createdAt }) => instantCell(visit, createdAt) },
    { head: heads.kind, cell: ({ kind }) => nameCode(labels, 'kinds', kind) },
    { head: heads.reference, cell: (one) => operationLink(one.operationReference, merchant) },
    { head: heads.label, cell: ({ description }) => description },
    amount(heads.amount, (one) => one.amount),
    amount(heads.recordedBalance, (one) => one.balanceAfter),
    amount(heads.recordedReserved, (one) => one.reservedAfter),
    { head: words.columns.off, cell: offOf, isFigure: true },
  ];
}
