// Situations that people met, as text: a title, what happened, a public source, then steps in their order.
//
//   == books                      rows of a sample (`core/samples`); later ones replace those of the same line, operation or wallet,
//                                 and `gone line 3` takes one away
//   == opening 750000/0           the opening that is declared from here on; below it the totals before it: `totalFees=50200`
//   == audit                      what an audit of the books says
//   == cut 2026-11-01             what an audit as of that instant says
//   == month 2026-10              what the statement of that month says
//   == journal                    the configuration of the merchant's journal, as JSON
//   == fec 2026-10                the entries of that month or year in the form of a FEC, without those of the wallet
//   == night 2026-11-03T02:00     a night reads the books, and what it says
//   == issue 2026-10              the month is issued from what the nights have read
//   == issue 2026-10 Africa/Lagos the same, where months are configured in that zone
//   == accounts                   what the issued months have moved on each account, debit − credit
//
// Below a step that says something stands what it must say, line for line. Instants are in UTC.

import type { AuditReport, Finding } from '../../src/core/domain/finding.ts';
import { type Instant, MINUTE, parseInstant } from '../../src/core/domain/instant.ts';
import type { DeclaredOpening } from '../../src/core/domain/merchant.ts';
import { parsePeriod } from '../../src/core/domain/period.ts';
import { openZone } from '../../src/core/domain/zone.ts';
import { readSample } from '../../src/core/samples/read-sample.ts';
import { StatementRefused } from '../../src/core/statements/exact.ts';
import { DEFAULT_JOURNAL, type JournalSettings } from '../../src/core/statements/journal.ts';
import type { IssuedStatement } from '../../src/core/statements/revision.ts';
import type { Statement } from '../../src/core/statements/statement.ts';
import { formatNamed } from '../../src/io/formats/register.ts';
import { jsonFormat } from '../../src/io/formats/text/json.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import { checkConfiguration } from '../../src/service/config/check-configuration.ts';
import { journalFor } from '../../src/service/config/for-merchant.ts';
import { publishStatements } from '../../src/service/workflows/month/publish-statement.ts';
import { arraySource } from './array-source.ts';
import { readFecRows } from './bookkeeping-readers.ts';
import {
  auditBooks,
  documentOf,
  judgeAtCut,
  type StatedMonth,
  stateBooks,
} from './month-of-books.ts';
import { outcomeOf, runSource } from './nightly-run.ts';
import { publishTask } from './report-books.ts';
import type { DecodedBooks } from './sandbox-books.ts';
import { bytesOf } from './written-document.ts';

export interface FieldCase {
  readonly title: string;
  readonly steps: readonly FieldStep[];
}

interface FieldStep {
  readonly what: string;
  readonly at: string;
  /** The zone of the month that is issued. */
  readonly zone: string;
  readonly rows: readonly string[];
}

/** Reads a case. Throws an Error where it names no source. */
export function readFieldCase(text: string): FieldCase {
  const [head, ...parts] = text.split(/^== /m);
  if (!/^Source: \S/m.test(head!))
    throw new Error('a case names the public report that it is made from: Source: …');
  const steps = parts.map((part): FieldStep => {
    const [first, ...rows] = part.split('\n').map((row) => row.trim());
    const [what, at = '', zone = 'UTC'] = first!.split(' ');
    return { what: what!, at, zone, rows: rows.filter((row) => row !== '') };
  });
  return { title: head!.split('\n')[0]!, steps };
}

/** Plays a case under this name, and yields each step that says something, with what it said. */
export async function* playFieldCase(
  { steps }: FieldCase,
  { name, store }: { readonly name: string; readonly store: Store },
): AsyncGenerator<{ readonly step: FieldStep; readonly said: readonly string[] }> {
  const rows = new Map<string, string>();
  const issued: Played['issued'] = new Map();
  let journal = DEFAULT_JOURNAL;
  let opening: DeclaredOpening | null = null;
  for (const step of steps) {
    if (step.what === 'journal')
      journal = journalFor(
        checkConfiguration({ journal: JSON.parse(step.rows.join('\n')) }, name),
        name,
      );
    if (step.what === 'opening') opening = openingIn(step);
    if (step.what === 'books') for (const row of step.rows) takeRow(rows, row);
    if (['journal', 'opening', 'books'].includes(step.what)) continue;
    const books = (asOf: Instant): DecodedBooks =>
      booksOf([...rows.values()], { reference: name, asOf });
    yield { step, said: await sayStep(step, { name, store, books, issued, journal, opening }) };
  }
}

/**
 * Returns the name by which a row replaces another: the line, operation or event of its second
 * word, or else its kind.
 */
const nameOfRow = (row: string): string =>
  row
    .split(' ')
    .slice(0, /^(line|op|event) /.test(row) ? 2 : 1)
    .join(' ');

function takeRow(rows: Map<string, string>, row: string): void {
  if (!row.startsWith('gone ')) rows.set(nameOfRow(row), row);
  else if (!rows.delete(nameOfRow(row.slice('gone '.length)))) throw new Error(`not there: ${row}`);
}

function openingIn({ at, rows }: FieldStep): DeclaredOpening {
  const [balance, reserved] = at.split('/').map(Number) as [number, number];
  const totals = rows.flatMap((row) => row.split(' ')).map((word) => word.split('='));
  return {
    balance,
    reserved,
    ...Object.fromEntries(totals.map(([name, value]) => [name, Number(value)])),
  };
}

interface Played {
  readonly name: string;
  readonly store: Store;
  readonly books: (asOf: Instant) => DecodedBooks;
  /** The newest revision of each month. */
  readonly issued: Map<string, IssuedStatement>;
  readonly journal: JournalSettings;
  readonly opening: DeclaredOpening | null;
}

const JUDGED = { grace: 0, clockTolerance: 5 * MINUTE, pinned: {} };

/**
 * The instant at which nights and audits read the books, unless they are dated: long after the
 * books ended.
 */
const READ_AT = instantOf('2026-12-01');

async function sayStep({ what, at, zone }: FieldStep, played: Played): Promise<readonly string[]> {
  const { name, store, books, issued, journal, opening } = played;
  if (what === 'audit') return sayReport(auditBooks(books(READ_AT), opening));
  if (what === 'cut') {
    const cut = { end: instantOf(at), closed: [], withWallet: false, opening };
    return sayReport(judgeAtCut(books(READ_AT), cut).report);
  }
  if (what === 'month')
    return saysOrRefuses(stateBooks(books(READ_AT), { period: at, month: { opening } }));
  if (what === 'fec')
    return sayEntries(
      await stateBooks(books(instantOf('2027-01-01')), { period: at, month: { journal } }),
    );
  if (what === 'night') return sayNight(played, books(instantOf(at)));
  if (what === 'issue') {
    const [zoneFor, auditFor] = [
      () => openZone(zone)!,
      () => ({ ...JUDGED, asOf: READ_AT, opening }),
    ];
    const of = { period: parsePeriod(at)!, formats: [jsonFormat], now: READ_AT, zoneFor, auditFor };
    const [outcome] = await publishStatements(publishTask(store, of), [name]);
    if ('refused' in outcome!) return [`refused: ${outcome.refused.replaceAll(name, 'M')}`];
    const { report, isNew } = outcome!;
    if (report.issued === null) return [`${report.status}: ${report.error}`];
    const statement = report.issued as unknown as IssuedStatement;
    const { summary } = statement;
    issued.set(at, statement);
    return [
      `revision ${report.revision}, ${isNew ? 'new' : 'as it was'}: ${summary.verdict.state}`,
    ];
  }
  if (what === 'accounts') return sayAccounts([...issued.values()]);
  throw new Error(`no step is called '${what}'`);
}

function sayAccounts(issued: readonly IssuedStatement[]): readonly string[] {
  const sums = new Map<string, number>();
  for (const { account, debit, credit } of issued.flatMap(({ books }) => books!.accounts))
    sums.set(account, (sums.get(account) ?? 0) + debit - credit);
  const moved = [...sums].filter(([, sum]) => sum !== 0);
  return moved.map(([account, sum]) => `${account} ${sum}`).sort();
}

async function saysOrRefuses(stated: Promise<StatedMonth>): Promise<readonly string[]> {
  try {
    return sayMonth((await stated).statement);
  } catch (failure) {
    if (!(failure instanceof StatementRefused)) throw failure;
    return [`refused: ${failure.message}`];
  }
}

async function sayNight(
  { name, store, opening }: Played,
  books: DecodedBooks,
): Promise<readonly string[]> {
  const run = await runSource(store, arraySource(books), {
    merchants: [name],
    clock: () => books.asOf,
    optionsFor: (_, asOf) => ({ ...JUDGED, asOf, opening }),
  });
  const { report, changes } = outcomeOf(run, name);
  const gone = changes.resolved.length + changes.settled.length;
  return [...sayReport(report), ...(gone === 0 ? [] : [`no longer open: ${gone}`])];
}

const isRoot = ({ causedBy, severity }: Pick<Finding, 'causedBy' | 'severity'>): boolean =>
  causedBy === null && severity !== 'info';

function sayReport({ verdict, due, findings }: AuditReport): readonly string[] {
  const roots = findings.filter(isRoot);
  const figures = due === null ? 'due unknown' : `due ${due.balance}/${due.reserved}`;
  return [`${verdict}, ${figures}`, ...roots.map(sayRoot)];
}

function sayRoot({ kind, sequence, operationReference, status, settledBy }: Finding): string {
  const settled = settledBy === null ? '' : `, put right by ${settledBy.lines.join(' ')}`;
  return `${placeOf(kind, sequence, operationReference)}${status === 'provisional' ? ', provisional' : settled}`;
}

function placeOf(kind: string, sequence: string | number | null, reference: string | null): string {
  const line = sequence === null ? '' : ` line ${sequence}`;
  return `${kind}${line}${reference === null ? '' : ` ${reference.replace('GUI-', '')}`}`;
}

function sayMonth({ summary, findings, due }: Statement): readonly string[] {
  const roots = findings.rows.filter(isRoot);
  const figures = due.due === null ? 'due unknown' : `due ${due.due.balance}/${due.due.reserved}`;
  const since = new Map(
    due.items.map((item) => [item.fingerprint, 'settledSince' in item ? item.settledSince : null]),
  );
  return [
    `${summary.verdict.state}, ${figures}`,
    ...roots.map(({ kind, sequence, operationReference, state, fingerprint }) => {
      const lines = since.get(fingerprint)?.lines;
      const later = lines === undefined ? '' : `, put right since by ${lines.join(' ')}`;
      return `${placeOf(kind, sequence, operationReference)}, ${state}${later}`;
    }),
    ...due.items
      .filter(({ kind }) => kind === null)
      .map((item) => `in transit ${item.balance}/${item.reserved}`),
  ];
}

async function sayEntries(stated: StatedMonth): Promise<readonly string[]> {
  const rows = readFecRows(await bytesOf(formatNamed('fec')!, documentOf(stated)));
  const own = rows.filter(({ account, entry }) => account !== '552' || entry.endsWith('-D'));
  return own.map(({ entry, piece, account, debit, credit, letter }) => {
    const side = debit > 0 ? `D ${debit}` : `C ${credit}`;
    return `${entry} ${piece.replace('GUI-', '')} ${account} ${side}${letter === '' ? '' : ` ${letter}`}`;
  });
}

function instantOf(text: string): Instant {
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text;
  return parseInstant(`${day}:00Z`)!;
}

function booksOf(
  rows: readonly string[],
  { reference, asOf }: { readonly reference: string; readonly asOf: Instant },
): DecodedBooks {
  const { books, profiles } = readSample(rows.join('\n'));
  const { entries, operations, wallet } = books;
  return {
    asOf,
    profile: { ...profiles[0]!, reference },
    wallet: wallet!,
    entries,
    operations,
    payments: [],
    reports: [],
    notifications: [],
  };
}
