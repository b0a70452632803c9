// Section 6, Grand livre: every line of the month, under the number that the service gave it, each page beginning with what was
// carried forward and ending with what is carried on; and the adjustments and reversals once more, with their whole reasons.

import { invariant } from '../../../../core/domain/invariant.ts';
import type { CorrectionLine } from '../../../../core/statements/section-reconciliation.ts';
import type { LineStream, StatementLine } from '../../../../core/statements/statement-line.ts';
import { fill } from '../../../../core/words/message.ts';
import { nameKind } from '../../port/kind-names.ts';
import { drawHeading, drawParagraph, drawSubheading, type Flow } from '../page/flow.ts';
import { joined, type LongColumn, type LongRow, type OpenTable, openLongTable } from '../page/long-table.ts';
import { dateColumn, drawNote, drawTable, figureColumn, textColumn } from '../page/tables.ts';

/** Debits and credits of the lines so far, and the figures after the last of them. */
interface Carried {
  debit: number;
  credit: number;
  balance: number;
  reserved: number;
}

export function isLedgerTooLong({ statement, layout }: Pick<Flow, 'statement' | 'layout'>): boolean {
  return statement.summary.entryCount > layout.ledger.mostLines;
}

/** Instead of a ledger that is too long for paper: where the whole of it is. */
export function drawLedgerElsewhere(flow: Flow): void {
  const { labels, statement, words, layout } = flow;
  const values = { count: words.amount(statement.summary.entryCount), most: words.amount(layout.ledger.mostLines) };
  drawHeading(flow, labels.ledger.heading);
  drawParagraph(flow, fill(labels.ledger.tooLong, values));
  drawCorrections(flow);
}

/** Yields after each batch, so that what was drawn can be taken away. Throws when there are more or fewer lines than stated. */
export async function* drawLedger(flow: Flow, lines: LineStream): AsyncGenerator<void> {
  const ledger = openLedger(flow);
  let count = 0;
  for await (const batch of lines()) {
    for (const line of batch) ledger.add(line);
    count += batch.length;
    yield;
  }
  invariant(count === flow.statement.summary.entryCount, 'a statement counts as many lines as stream beside it');
  finishLedger(flow, ledger);
}

/** Turns the pages that the ledger will take, without a line of it. */
export function countLedger(flow: Flow): void {
  const ledger = openLedger(flow);
  for (let line = 0; line < flow.statement.summary.entryCount; line++) ledger.add(null);
  finishLedger(flow, ledger);
}

function openLedger(flow: Flow): OpenTable<StatementLine> {
  const { statement, labels, layout } = flow;
  const { openingBalance, openingReserved, entryCount } = statement.summary;
  const said = labels.ledger;
  drawHeading(flow, said.heading);
  drawParagraph(flow, said.note, { tone: 'muted', size: layout.sizes.note });
  const carried: Carried = { debit: 0, credit: 0, balance: openingBalance, reserved: openingReserved };
  return openLongTable<StatementLine>(flow, {
    columns: columnsOf(flow),
    details: { title: said.details, under: 1 },
    count: entryCount,
    rowOf: (line) => {
      carried.debit += line.debit ?? 0;
      carried.credit += line.credit ?? 0;
      carried.balance = line.balance;
      carried.reserved = line.reserved;
      return lineRow(flow, line);
    },
    carried: {
      above: (isFirst) => carryRow(flow, isFirst ? said.opening : said.broughtForward, carried),
      below: (isLast) => carryRow(flow, isLast ? said.closing : said.carriedForward, carried),
    },
  });
}

function finishLedger(flow: Flow, ledger: OpenTable<StatementLine>): void {
  ledger.finish();
  if (flow.statement.summary.entryCount === 0) drawNote(flow, flow.labels.ledger.empty);
  drawCorrections(flow);
}

function columnsOf({ labels }: Flow): readonly LongColumn[] {
  const said = labels.ledger;
  const column = (title: string, share: number, holds: LongColumn['holds']): LongColumn => ({
    title,
    share,
    holds,
    cell: () => '',
  });
  return [
    column(said.number, 36, 'figure'),
    column(said.date, 84, 'date'),
    column(said.kind, 179, 'text'),
    column(said.debit, 52, 'figure'),
    column(said.credit, 52, 'figure'),
    column(said.balance, 58, 'figure'),
    column(said.reserved, 54, 'figure'),
  ];
}

function lineRow({ words, language, labels }: Flow, line: StatementLine): LongRow {
  const { flags, kind, isMemo, reservedMove } = line;
  const name = nameKind(kind, language);
  const kindCell = isMemo ? `${name} ${signed(words.amount(reservedMove), reservedMove)}` : name;
  return {
    cells: [
      words.amount(line.sequence),
      words.time(line.localTime),
      joined([...flags.map((flag) => labels.ledger.flags[flag]), kindCell]),
      line.debit === null ? '' : words.amount(line.debit),
      line.credit === null ? '' : words.amount(line.credit),
      words.amount(line.balance),
      words.amount(line.reserved),
    ],
    whole: joined([line.operationReference, line.externalReference]),
    rest: joined([line.operator, line.counterpartyName, line.counterpartyNumber, labelBeside(line)]),
    tone: flags.length > 0 ? 'alert' : isMemo ? 'muted' : 'plain',
  };
}

/** The line's own label where it says more than the name of its kind. */
function labelBeside({ label, kind }: StatementLine): string | null {
  if (label === null) return null;
  const bare = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
  // Most labels are longer or shorter than any name, which is seen at once.
  const isName = (name: string): boolean => Math.abs(name.length - label.length) < 4 && bare(name) === bare(label);
  return isName(nameKind(kind, 'fr')) || isName(nameKind(kind, 'en')) || isName(kind) ? null : label;
}

/** `+12 345` or `−12 345`. */
function signed(text: string, amount: number): string {
  return amount > 0 ? `+${text}` : text;
}

function carryRow({ words }: Flow, name: string, { debit, credit, balance, reserved }: Carried): LongRow {
  const amounts = [debit, credit, balance, reserved].map((figure) => words.amount(figure));
  return { cells: ['', '', name, ...amounts], whole: '', rest: '', tone: 'strong' };
}

/** Reasons are printed to their last word: accounts of suspense are cleared by them. */
function drawCorrections(flow: Flow): void {
  const { statement, labels, words, language } = flow;
  const { rows, count } = statement.corrections;
  if (count === 0) return;
  const said = labels.ledger.corrections;
  drawSubheading(flow, said.heading);
  drawTable<CorrectionLine>(flow, {
    columns: [
      figureColumn(labels.ledger.number, 24, ({ sequence }) => words.amount(sequence)),
      dateColumn(labels.ledger.date, 60, ({ at }) => words.instant(at)),
      textColumn(labels.ledger.kind, 62, ({ kind }) => nameKind(kind, language), 2),
      figureColumn(said.amount, 40, ({ amount }) => words.amount(amount)),
      textColumn(said.reference, 72, ({ operationReference }) => operationReference ?? '', 4),
      textColumn(said.reason, 110, ({ reason }) => reason ?? '', MOST_LINES),
    ],
    rows,
    count,
  });
}

/** As many as a page has room for. */
const MOST_LINES = 60;
