// A list of findings: for people the sentence beside what it weighs and how long it stands; for programs a column for each.

import { DAY, formatInstant, type Instant } from '../../../core/domain/instant.ts';
import { printable } from '../../../core/domain/printable.ts';
import { money } from '../../../core/words/english.ts';
import { figureOf, type ListColumn } from '../../../io/formats/list-column.ts';
import type { FoundFinding, FoundList } from '../../workflows/operators/decide-findings.ts';
import type { Listing } from './listing.ts';
import { saidProposal, saidStand } from './stand.ts';
import type { TableColumn } from './table.ts';

export function findingsListing({ items, total, followers }: FoundList, now: Instant): Listing<FoundFinding> {
  const left = total - items.length;
  const notes = [
    ...(left > 0 ? [`${money(left)} more: --limit ${total} lists them all.`] : []),
    ...(followers > 0 ? [`${money(followers)} more follow from a root: --followers lists them too.`] : []),
  ];
  const none = 'There are no such findings.';
  return { title: 'Findings', rows: items, table: tableOf(now), columns: columnsOf(now), none, notes };
}

function tableOf(now: Instant): readonly TableColumn<FoundFinding>[] {
  return [
    { head: 'finding', cell: ({ finding, state }) => `${finding.fingerprint}\n${statusOf(finding, state)}` },
    {
      head: 'merchant',
      cell: ({ merchant, finding }) =>
        `${printable(merchant)}\n${finding.causedBy === null ? '' : '└ '}${finding.kind}`,
    },
    { head: 'severity', cell: ({ finding }) => finding.severity },
    { head: 'amount', align: 'right', cell: (found) => `${saidAmount(found)}\n${saidAge(ageOf(found, now))}` },
    { head: 'what', wraps: 70, cell: saidWhole },
  ];
}

function statusOf(finding: FoundFinding['finding'], state: string): string {
  return finding.status === 'provisional' ? `${state}, provisional` : state;
}

/** By how much a recorded figure is too high, or with a minus too low. */
function saidAmount({ finding: { item }, currency }: FoundFinding): string {
  const unit = currency === null ? '' : ` ${currency}`;
  const said = (['balance', 'reserved'] as const).flatMap((side) => {
    const figure = item?.[side] ?? '0';
    return figure === '0' ? [] : [`${money(figure)}${unit}${side === 'reserved' ? '\nreserved' : ''}`];
  });
  return said.length === 0 ? '—' : said.join('\n');
}

function saidAge(days: number | null): string {
  if (days === null) return '';
  if (days === 0) return 'new today';
  return days === 1 ? 'since 1 day' : `since ${money(days)} days`;
}

/** Whole days since a run has seen it first. */
function ageOf({ firstSeenAt }: FoundFinding, now: Instant): number | null {
  return firstSeenAt === null ? null : Math.max(0, Math.floor((now - firstSeenAt) / DAY));
}

function saidWhole({ finding, lastDecision }: FoundFinding): string {
  const followed = finding.causedBy === null ? [] : [`Follows from ${finding.causedBy}.`];
  const decided =
    lastDecision === null || saidStand(finding).length > 0
      ? []
      : [`${printable(lastDecision.by)}: ${lastDecision.action} (${printable(lastDecision.reason)})`];
  return [finding.message, ...followed, ...saidStand(finding), ...decided, saidProposal(finding)]
    .filter((sentence) => sentence !== null)
    .join('\n');
}

/** Keys are a contract with programs: they are added, never renamed. */
function columnsOf(now: Instant): readonly ListColumn<FoundFinding>[] {
  return [
    { key: 'fingerprint', kind: 'text', of: ({ finding }) => finding.fingerprint },
    { key: 'merchant', kind: 'text', of: ({ merchant }) => merchant },
    { key: 'kind', kind: 'text', of: ({ finding }) => finding.kind },
    { key: 'severity', kind: 'text', of: ({ finding }) => finding.severity },
    { key: 'status', kind: 'text', of: ({ finding }) => finding.status },
    { key: 'state', kind: 'text', of: ({ state }) => state },
    { key: 'balance', kind: 'amount', of: ({ finding }) => figureOf(finding.item?.balance) },
    { key: 'reserved', kind: 'amount', of: ({ finding }) => figureOf(finding.item?.reserved) },
    { key: 'currency', kind: 'text', of: ({ currency }) => currency },
    { key: 'ageDays', kind: 'count', of: (found) => ageOf(found, now) },
    { key: 'firstSeenAt', kind: 'text', of: ({ firstSeenAt }) => instantOf(firstSeenAt) },
    { key: 'lastSeenAt', kind: 'text', of: ({ lastSeenAt }) => instantOf(lastSeenAt) },
    { key: 'line', kind: 'serial', of: ({ finding }) => figureOf(finding.sequence) },
    { key: 'operation', kind: 'text', of: ({ finding }) => finding.operationReference },
    { key: 'causedBy', kind: 'text', of: ({ finding }) => finding.causedBy },
    { key: 'decision', kind: 'text', of: ({ lastDecision }) => lastDecision?.action ?? null },
    { key: 'decidedBy', kind: 'text', of: ({ lastDecision }) => lastDecision?.by ?? null },
    { key: 'decidedAt', kind: 'text', of: ({ lastDecision }) => instantOf(lastDecision?.at ?? null) },
    { key: 'reason', kind: 'text', of: ({ lastDecision }) => lastDecision?.reason ?? null },
    { key: 'message', kind: 'text', of: ({ finding }) => finding.message },
  ];
}

function instantOf(at: Instant | null): string | null {
  return at === null ? null : formatInstant(at);
}
