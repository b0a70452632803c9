// Écritures: the double-entry journal, one row for each side of an entry, and above it the totals by account. What each
// entry holds was decided by the model; here it is laid out and added up.

import { fill } from '../../../../core/words/message.ts';
import { entryNamer, type StreamedEntry, streamEntries } from '../../bookkeeping/stream-entries.ts';
import { partsOf, type RowRange, sumOver, sumWhere } from '../sheet/address.ts';
import { amount, type Cell, type Cells, day, formula, headers, spread, text, total, wrapped } from '../sheet/cell.ts';
import {
  addHeading,
  hasManyTexts,
  type SheetContext,
  type SheetDraft,
  type SheetPlan,
  startSheet,
  stretchesOf,
} from '../sheet/sheet.ts';

/** In the order of `labels.workbook.journal.columns`; above the table, `opening` and `balance` stand beside both sides. */
const JOURNAL = { number: 1, account: 5, opening: 8, debit: 9, credit: 10, balance: 11 } as const;
const COLUMNS = 10;
const WIDTHS = [22, 11, 8, 22, 9, 34, 14, 30, 14, 14, 15];

/** Where the figures above the table stand, known before the journal is written. */
export interface JournalPlaces {
  /** One row for each account, in the order of `statement.journal.accounts`. */
  readonly opening: (account: number) => string;
  readonly debit: (account: number) => string;
  readonly credit: (account: number) => string;
  readonly totalDebit: string;
  readonly totalCredit: string;
}

const FIRST_ACCOUNT_ROW = 6;

export function journalPlaces({ labels, statement }: SheetContext): JournalPlaces {
  const { at } = startSheet(labels.workbook.sheets.journal);
  const totalRow = FIRST_ACCOUNT_ROW + statement.journal.accounts.length;
  return {
    opening: (account) => at({ column: JOURNAL.opening, row: FIRST_ACCOUNT_ROW + account }),
    debit: (account) => at({ column: JOURNAL.debit, row: FIRST_ACCOUNT_ROW + account }),
    credit: (account) => at({ column: JOURNAL.credit, row: FIRST_ACCOUNT_ROW + account }),
    totalDebit: at({ column: JOURNAL.debit, row: totalRow }),
    totalCredit: at({ column: JOURNAL.credit, row: totalRow }),
  };
}

/** To be called when the ledger has been written: only then is the number of rows known. Reads the lines once more. */
export function planJournal(
  context: SheetContext,
  seen: { readonly journalRows: number },
  rowsPerSheet: number,
): readonly SheetPlan[] {
  const { labels, lines, statement } = context;
  const headerRow = FIRST_ACCOUNT_ROW + statement.journal.accounts.length + 2;
  const parts = partsOf(labels.workbook.sheets.journal, seen.journalRows, {
    rowsPerSheet,
    firstRow: headerRow + 1,
  });
  const stretches = stretchesOf(rowsOfEntries(context, streamEntries(statement.journal, lines)));
  return parts.map((range, part) => ({
    name: range.sheet,
    widths: WIDTHS,
    frozenRows: headerRow,
    table: { headerRow, columns: COLUMNS, lastRow: range.last },
    printedColumns: null,
    portrait: false,
    onOnePage: false,
    isLong: hasManyTexts(context),
    drawing: null,
    rows: withHead(headOf({ context, parts, part, headerRow }), stretches.take(rowsPerSheet)),
  }));
}

async function* withHead(
  head: readonly Cells[],
  rows: AsyncIterable<readonly Cells[]>,
): AsyncGenerator<readonly Cells[]> {
  yield head;
  yield* rows;
}

interface JournalPart {
  readonly context: SheetContext;
  readonly parts: readonly RowRange[];
  readonly part: number;
  readonly headerRow: number;
}

function headOf({ context, parts, part, headerRow }: JournalPart): readonly Cells[] {
  const { labels } = context;
  const sheet = startSheet(parts[part]!.sheet);
  addHeading(sheet, context, sheet.name);
  if (part === 0) addAccounts(sheet, context, parts);
  else sheet.add([text(fill(labels.workbook.ledger.continued, { sheet: labels.workbook.sheets.journal }), 'note')]);
  while (sheet.rows.length < headerRow - 1) sheet.skip();
  sheet.add(headers(labels.workbook.journal.columns));
  return sheet.rows;
}

function addAccounts(sheet: SheetDraft, { labels, statement }: SheetContext, parts: readonly RowRange[]): void {
  const { journal } = statement;
  sheet.add([text(fill(labels.workbook.journal.note, { code: journal.code, label: journal.label }), 'note')]);
  sheet.add(spread(WIDTHS.length, 'section', { 1: text(labels.workbook.journal.accounts, 'section') }));
  sheet.add(spread(WIDTHS.length, 'header', headersOf(labels.workbook.journal.accountColumns)));
  for (const { account, label, opening, debit, credit, balance } of journal.accounts) {
    const row = sheet.rows.length + 1;
    const key = `$E${row}`;
    const sum = (column: number): string => sumWhere(parts, { keyColumn: JOURNAL.account, key, column });
    sheet.add(
      spread(WIDTHS.length, 'plain', {
        [JOURNAL.account]: text(account),
        [JOURNAL.account + 1]: text(label),
        [JOURNAL.opening]: amount(opening),
        [JOURNAL.debit]: formula(sum(JOURNAL.debit), debit),
        [JOURNAL.credit]: formula(sum(JOURNAL.credit), credit),
        [JOURNAL.balance]: formula(`H${row}+I${row}-J${row}`, balance),
      }),
    );
  }
  sheet.add(
    spread(WIDTHS.length, 'total', {
      1: text(labels.workbook.journal.total, 'total'),
      [JOURNAL.debit]: total(sumOver(parts, JOURNAL.debit), journal.debit),
      [JOURNAL.credit]: total(sumOver(parts, JOURNAL.credit), journal.credit),
    }),
  );
}

/** Over the columns that they head. */
function headersOf(
  titles: SheetContext['labels']['workbook']['journal']['accountColumns'],
): Readonly<Record<number, Cell>> {
  const columns = [
    JOURNAL.account,
    JOURNAL.account + 1,
    JOURNAL.opening,
    JOURNAL.debit,
    JOURNAL.credit,
    JOURNAL.balance,
  ];
  return Object.fromEntries(columns.map((column, i) => [column, wrapped(titles[i]!, 'header')!]));
}

/** In the order of `labels.workbook.journal.columns`. */
async function* rowsOfEntries(
  { statement, language }: SheetContext,
  batches: AsyncIterable<readonly StreamedEntry[]>,
): AsyncGenerator<readonly Cells[]> {
  const { code } = statement.journal;
  const nameOf = entryNamer(statement, language);
  for await (const batch of batches) {
    const rows: Cells[] = [];
    for (const streamed of batch) {
      const { entry } = streamed;
      if (entry === null) continue;
      for (const side of entry.rows) {
        rows.push([
          text(entry.number),
          day(entry.date),
          text(code),
          text(entry.piece),
          text(side.account),
          text(side.accountLabel),
          text(side.auxiliary?.number ?? null),
          text(nameOf(streamed)),
          amount(side.debit === 0 ? null : side.debit),
          amount(side.credit === 0 ? null : side.credit),
        ]);
      }
    }
    yield rows;
  }
}
