// Sheets whose rows stream: the ledger, with a formula beside each line that holds its balance and
// reserved amount against the line before; the month's operations; the double-entry journal, one
// row for each side of an entry.

import type { JournalEntry } from '../../../../core/statements/journal.ts';
import { hasOperations } from '../../../../core/statements/statement.ts';
import {
  ENTRIES,
  type EntryRow,
  LEDGER,
  type LedgerLine,
  OPERATIONS,
} from '../../../../core/statements/tables/ledger.ts';
import { entryNamer, journalOf, streamEntries } from '../../bookkeeping/stream-entries.ts';
import { columnLetters } from '../sheet/address.ts';
import { amount, spread, text } from '../sheet/cell.ts';
import type { SheetContext } from '../sheet/sheet.ts';
import { type LongSheets, planLong, totalsOver } from '../sheet/table.ts';

type KeyOf<Table extends { readonly columns: readonly { readonly key: string }[] }> =
  Table['columns'][number]['key'];

interface LedgerSheets extends LongSheets<KeyOf<typeof LEDGER>> {
  /** Rows of the journal that the lines written so far have. */
  readonly seen: { journalRows: number };
}

const OPENING_ROW = 3;
const TOTAL_ROW = OPENING_ROW + 1;

export function planLedger(context: SheetContext, rowsPerSheet: number): LedgerSheets {
  const { labels, statement, lines, payments } = context;
  const {
    entryCount: count,
    openingBalance,
    closingBalance,
    openingReserved,
    closingReserved,
  } = statement.summary;
  const { lines: posted, others } = statement.journal;
  const seen = { journalRows: rowsIn(others) };
  for (const batch of payments?.() ?? [])
    seen.journalRows += rowsIn(batch.flatMap(({ entries }) => entries));
  const long = planLong(context, {
    name: labels.workbook.sheets.ledger,
    table: LEDGER,
    titles: labels.ledgerColumns,
    count,
    rows: flagged(),
    rowsPerSheet,
    printedTo: 'reserved',
    openingRow: OPENING_ROW,
    head: (columnOf, parts) => {
      const at = (key: KeyOf<typeof LEDGER>, row: number): string =>
        `${columnLetters(columnOf(key))}${row}`;
      const sum = `${at('balance', OPENING_ROW)}-${at('debit', TOTAL_ROW)}+${at('credit', TOTAL_ROW)}`;
      const held = `${at('reserved', OPENING_ROW)}+${at('reservedMove', TOTAL_ROW)}`;
      return [
        spread(LEDGER.columns.length, 'total', {
          1: text(labels.ledger.opening, 'total'),
          [columnOf('balance')]: amount(openingBalance, 'total'),
          [columnOf('reserved')]: amount(openingReserved, 'total'),
        }),
        spread(LEDGER.columns.length, 'total', {
          1: text(labels.ledger.closing, 'total'),
          ...totalsOver(LEDGER, parts, {
            debit: posted.credit,
            credit: posted.debit,
            reservedMove: closingReserved - openingReserved,
            check: 0,
          }),
          [columnOf('balance')]: { ...amount(closingBalance, 'total')!, formula: sum },
          [columnOf('reserved')]: { ...amount(closingReserved, 'total')!, formula: held },
        }),
      ];
    },
  });
  return { ...long, seen };

  async function* flagged(): AsyncGenerator<readonly LedgerLine[]> {
    const { flags: names } = labels.ledger;
    for await (const batch of lines()) {
      yield batch.map((line) => {
        if (line.entry?.source === 'line') seen.journalRows += line.entry.rows.length;
        return line.flags.length === 0
          ? line
          : { ...line, flagText: line.flags.map((flag) => names[flag]).join(', ') };
      });
    }
  }
}

/**
 * What a year begins with is a column of the sheet of accounts; a conversion has nothing in the
 * wallet's currency.
 */
function isShown({ source }: JournalEntry): boolean {
  return source !== 'opening' && source !== 'conversion';
}

function rowsIn(entries: readonly JournalEntry[]): number {
  return entries.filter(isShown).reduce((sum, { rows }) => sum + rows.length, 0);
}

export function planMonthOperations(
  context: SheetContext,
  rowsPerSheet: number,
): LongSheets<KeyOf<typeof OPERATIONS>> {
  const { labels, statement, operations } = context;
  const said = labels.monthOperations;
  return planLong(context, {
    name: labels.workbook.sheets.monthOperations,
    table: OPERATIONS,
    titles: said.columns,
    count: statement.operations.count,
    rows: operations(),
    rowsPerSheet,
    printedTo: 'name',
    head: () => [
      [text(hasOperations(statement) ? said.note : labels.document.operationsUnread, 'note')],
    ],
  });
}

/**
 * To be called when the ledger has been written: only then is the number of rows known. Reads the
 * lines once more.
 */
export function planJournal(
  context: SheetContext,
  { journalRows: count }: LedgerSheets['seen'],
  rowsPerSheet: number,
): LongSheets<KeyOf<typeof ENTRIES>> {
  const { labels, statement } = context;
  const { debit, credit } = statement.journal;
  return planLong(context, {
    name: labels.workbook.sheets.journal,
    table: ENTRIES,
    titles: { ...labels.annex, ...labels.ledgerColumns, ...labels.workbook.journal },
    count,
    rows: entryRows(context),
    rowsPerSheet,
    head: (_, parts) => [
      spread(ENTRIES.columns.length, 'total', {
        1: text(labels.document.total, 'total'),
        ...totalsOver(ENTRIES, parts, { debit, credit }),
      }),
    ],
  });
}

async function* entryRows({
  statement,
  lines,
  payments,
  language,
}: SheetContext): AsyncGenerator<readonly EntryRow[]> {
  const nameOf = entryNamer(statement, language);
  for await (const batch of streamEntries(statement.journal, lines, payments)) {
    yield batch.flatMap((streamed) => {
      const { entry } = streamed;
      if (entry === null || !isShown(entry)) return [];
      const label = nameOf(streamed);
      const journal = journalOf(statement, entry).code;
      return entry.rows.map((row) => ({ ...row, entry, journal, label }));
    });
  }
}
