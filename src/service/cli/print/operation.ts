// Prints what is known of one operation, of a line and its neighbours, or what a search found, as
// wide as the terminal. Every text from outside is on one line, with characters that would act
// shown as their escapes.

import { formatInstant, formatKnown, type Instant } from '../../../core/domain/instant.ts';
import { commandLine, printable, shellWord } from '../../../core/domain/printable.ts';
import { namedLines } from '../../../core/domain/settlement.ts';
import { money } from '../../../core/words/finding.ts';
import type {
  EntryPage,
  FollowedLine,
  FollowedOperation,
} from '../../workflows/operators/follow-operation.ts';
import type { Hit, SearchAnswer } from '../../workflows/operators/search-books.ts';
import { paint, type Terminal } from '../stage/terminal.ts';
import { SPOKEN } from './spoken.ts';
import { type Print, rowsOf, type TableColumn, tableText } from './table.ts';

export function printOperation(terminal: Terminal, followed: FollowedOperation): void {
  const { merchant, reference, currency, versions, lines } = followed;
  const row = rowsOf(terminal);
  const newest = versions.at(-1);
  const unit = currency === null ? '' : ` ${printable(currency)}`;
  terminal.out(`${paint(terminal, 'bold', printable(reference))} of ${printable(merchant)}\n`);
  if (newest === undefined) row('operation', 'never served; its lines or notifications name it');
  else {
    row('what', `${newest.type} ${money(newest.amount)}${unit}, ${newest.status}`);
    const party = [newest.counterpartyNumber, newest.counterpartyName]
      .filter((text) => text !== null)
      .join(', ');
    const who = party === '' ? '' : `${party} · `;
    row(newest.type === 'CASHIN' ? 'from' : 'to', `${who}${newest.operator} ${newest.country}`);
    row('partner', newest.externalReference);
    row('says', newest.description);
    row(
      'failure',
      newest.failureCode === null
        ? null
        : [newest.failureCode, newest.failureMessage ?? ''].join(' '),
    );
    row('created', formatInstant(newest.createdAt));
    row('completed', formatKnown(newest.completedAt));
  }
  for (const { number, status, updatedAt, readAfter, readUntil } of versions)
    row(
      `version ${number}`,
      `${status} ${formatInstant(updatedAt)}; read ${readWords(readAfter, readUntil)}`,
    );
  printMoney(row, followed);
  for (const { type, channel, createdAt, receivedAt, fault } of followed.notifications) {
    const kind = `${type ?? 'unreadable'}${channel === 'payments' ? ', unsigned' : ''}`;
    const made = createdAt === null ? '' : `made ${formatInstant(createdAt)}, `;
    row(
      'notified',
      `${kind}: ${made}came ${formatInstant(receivedAt)}${fault === null ? '' : ` (${fault})`}`,
    );
  }
  for (const month of followed.months) row('month', monthWords(month));
  if (lines.length === 0) row('lines', 'none names it');
  else terminal.out(`${tableText(terminal, COLUMNS, lines)}\n`);
  printNamed(row, followed);
}

function printMoney(row: Print, { hold, fee, reversal }: FollowedOperation): void {
  if (hold !== null) {
    const released =
      hold.releasedBy.length === 0 ? 'no release' : `released by ${namedLines(hold.releasedBy)}`;
    row(
      'hold',
      `${money(hold.amount)} by ${namedLines(hold.lines)}, ${released}; ${money(hold.left)} left`,
    );
  }
  if (fee !== null) {
    const { price } = fee;
    const due =
      price === null || price.least === price.most ? [price?.least] : [price.least, price.most];
    const rate =
      price === null
        ? ''
        : `${price.bps / 100} % + ${money(price.flat)} = ${due.map((one) => money(one!)).join(' to ')}`;
    const priced =
      price === null
        ? 'no price known'
        : `${price.fits ? 'priced' : 'no price fits; last'} ${rate}`;
    row('fee', `${money(fee.charged)} charged, ${money(fee.posted)} posted; ${priced}`);
  }
  if (reversal === null) return;
  const at = reversal.at === null ? 'the operation is not REVERSED' : formatInstant(reversal.at);
  row('reversal', `${at}; ${reversal.lines.length === 0 ? 'no line' : namedLines(reversal.lines)}`);
}

function printNamed(row: Print, { findings, merchant, lines }: FollowedOperation): void {
  for (const { fingerprint, kind, severity, state, message, causedBy } of findings) {
    const follows = causedBy === null ? '' : `, follows from ${causedBy.slice(0, 8)}`;
    row(fingerprint.slice(0, 8), `${kind} (${severity}, ${state}${follows})`);
    row('', message);
  }
  if (findings.length === 0) row('findings', 'none names it');
  const root = findings.find(({ causedBy }) => causedBy === null);
  const first = lines[0]?.sequence;
  if (root !== undefined) row('next', commandLine('findings show', root.fingerprint.slice(0, 8)));
  else if (first !== undefined) row('next', commandLine('show', `${merchant}#${first}`));
}

export function printEntries(terminal: Terminal, { merchant, around, items }: EntryPage): void {
  const row = rowsOf(terminal);
  terminal.out(`${paint(terminal, 'bold', `Lines of ${printable(merchant)}`)}\n`);
  if (items.length === 0) row('lines', 'none there');
  const sign = ({ sequence }: FollowedLine): string => (sequence === around ? '▶ ' : '');
  const [line, ...others] = COLUMNS;
  const named = { ...line!, cell: (one: FollowedLine) => `${sign(one)}${line!.cell(one)}` };
  if (items.length > 0) terminal.out(`${tableText(terminal, [named, ...others], items)}\n`);
  if (!items.some(({ sequence }) => sequence === around))
    row(`line ${around}`, 'not in the mirror');
  for (const { sequence, findings } of items)
    for (const { fingerprint, kind } of findings)
      row(`line ${sequence}`, `${kind} ${fingerprint.slice(0, 8)}`);
  const asked = items.find(({ sequence }) => sequence === around)?.operationReference ?? null;
  if (asked !== null) row('next', commandLine('show', asked));
}

const HITS: readonly TableColumn<Hit>[] = [
  {
    head: 'operation',
    cell: ({ reference, merchant, sequence, externalReference }) =>
      [reference ?? `line ${sequence}`, merchant, externalReference]
        .flatMap((text) => (text === null ? [] : printable(text)))
        .join('\n'),
  },
  { head: 'state', cell: ({ type, status }) => [type ?? '', status ?? ''].join('\n') },
  {
    head: 'amount',
    align: 'right',
    cell: ({ amount, currency, createdAt }) =>
      [amount === null ? '' : money(amount), printable(currency ?? ''), SPOKEN.day(createdAt)].join(
        '\n',
      ),
  },
];

export function printHits(terminal: Terminal, { items, reading, more }: SearchAnswer): void {
  const row = rowsOf(terminal);
  terminal.out(`${tableText(terminal, HITS, items)}\n`);
  row('read as', `${reading}${more ? '; there are more: name one with --merchant' : ''}`);
  const { reference, merchant, sequence } = items[0]!;
  const next =
    sequence === null
      ? commandLine(`show --merchant ${shellWord(merchant)}`, reference!)
      : commandLine('show', `${merchant}#${sequence}`);
  terminal.out(`next\n  ${next}\n`);
}

const SIGNS: Readonly<Record<string, string>> = { CREDIT: '+', DEBIT: '−' };

const COLUMNS: readonly TableColumn<FollowedLine>[] = [
  {
    head: 'line',
    align: 'right',
    cell: ({ sequence, isJudged }) => `${sequence}${isJudged ? '' : '\nother'}`,
  },
  {
    head: 'what',
    cell: ({ kind, createdAt, operationReference }) =>
      [kind, operationReference, SPOKEN.second(createdAt)]
        .flatMap((text) => (text === null ? [] : printable(text)))
        .join('\n'),
  },
  {
    head: 'amount',
    align: 'right',
    cell: ({ direction, amount }) => `${SIGNS[direction] ?? ''}${money(amount)}`,
  },
  { head: 'balance\nreserved', align: 'right', cell: figuresOf },
];

function figuresOf({ balanceAfter, reservedAfter, off, missing }: FollowedLine): string {
  const sides = [
    ['balance', off?.balance ?? 0],
    ['reserved', off?.reserved ?? 0],
  ] as const;
  const breaks = sides.flatMap(([side, by]) =>
    by === 0 ? [] : `! ${side} ${by > 0 ? '+' : ''}${money(by)}`,
  );
  return [
    ...(missing === 0 ? [] : [`${money(missing)} missing before`]),
    money(balanceAfter),
    money(reservedAfter),
    ...breaks,
  ].join('\n');
}

function readWords(after: Instant | null, until: Instant | null): string {
  if (until === null)
    return after === null ? 'at an unknown time' : `after ${formatInstant(after)}`;
  return after === null
    ? `by ${formatInstant(until)}`
    : `${formatInstant(after)} to ${formatInstant(until)}`;
}

function monthWords({
  period,
  report,
  closedAt,
  closedBy,
}: FollowedOperation['months'][number]): string {
  const issued =
    report === null ? 'not issued' : `revision ${report.revision}${report.isHeld ? ', held' : ''}`;
  if (closedAt === null) return `${period}: ${issued}`;
  return `${period}: ${issued}; closed ${SPOKEN.day(closedAt)} by ${closedBy ?? ''}`;
}
