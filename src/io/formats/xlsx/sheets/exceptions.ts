// Exceptions: the confirmed findings of the month, and the named differences between the recorded and the recomputed
// figures, as one table that can be filtered.

import type { ReconciliationSide, StatementFinding } from '../../../../core/statements/section-reconciliation.ts';
import { nameFinding, wordFinding, wordStanding } from '../../../../core/words/finding.ts';
import { fill } from '../../../../core/words/message.ts';
import { rowRange, sumWhere } from '../sheet/address.ts';
import {
  amount,
  type Cell,
  type CellStyle,
  type Cells,
  count,
  dateTime,
  figure,
  formula,
  headers,
  serial,
  spread,
  text,
  wrapped,
} from '../sheet/cell.ts';
import { addHeading, planOf, type SheetContext, type SheetPlan, startSheet } from '../sheet/sheet.ts';

/** Columns, in the order of `labels.workbook.exceptions.columns`. */
const COLUMN = { topic: 1, count: 5, difference: 10 } as const;
const WIDTHS = [20, 12, 30, 12, 8, 22, 18, 12, 12, 12, 50, 19, 34];
/** Fingerprints are for the screen. */
const PRINTED_COLUMNS = 11;
const HEADER_ROW = 8;

export interface Exceptions {
  readonly plan: SheetPlan;
  /** Σ named differences of the month, those beyond the list included. */
  readonly balanceItems: string;
  readonly reservedItems: string;
}

export function planExceptions(context: SheetContext): Exceptions {
  const { labels, statement } = context;
  const { reconciliation, findings } = statement;
  const { topics } = labels.workbook.exceptions;
  const sheet = startSheet(labels.workbook.sheets.exceptions);
  addHeading(sheet, context, sheet.name);
  sheet.add([text(labels.workbook.exceptions.note, 'note')]);
  const rows = [
    ...findings.rows.map((finding) => findingCells(context, finding)),
    ...othersRow(context, { topic: topics.finding, many: findings.count - findings.rows.length, sum: null }),
    ...sideRows(context, topics.balance, reconciliation.balance),
    ...sideRows(context, topics.reserved, reconciliation.reserved),
  ];
  const range = rowRange(sheet.name, HEADER_ROW + 1, rows.length);
  sheet.add(
    spread(WIDTHS.length, 'total', {
      1: text(topics.finding, 'total'),
      [COLUMN.count]: count(findings.count, 'total'),
    }),
  );
  const addTotal = (topic: string, { items, others }: ReconciliationSide): string => {
    const row = sheet.rows.length + 1;
    const key = { keyColumn: COLUMN.topic, key: `A${row}`, column: COLUMN.difference };
    const result = items.reduce((sum, item) => sum + item.amount, others.amount);
    sheet.add(
      spread(WIDTHS.length, 'total', {
        1: text(topic, 'total'),
        [COLUMN.count]: count(items.length + others.count, 'total'),
        [COLUMN.difference]: formula(sumWhere([range], key), result, { style: 'total' }),
      }),
    );
    return sheet.at({ column: COLUMN.difference, row });
  };
  const balanceItems = addTotal(topics.balance, reconciliation.balance);
  const reservedItems = addTotal(topics.reserved, reconciliation.reserved);
  sheet.skip();
  sheet.add(headers(labels.workbook.exceptions.columns));
  sheet.addAll(rows);
  if (rows.length === 0) sheet.add([text(labels.workbook.exceptions.none, 'note')]);
  const table = { headerRow: HEADER_ROW, columns: WIDTHS.length, lastRow: range.last };
  return {
    plan: planOf(sheet, { widths: WIDTHS, frozenRows: HEADER_ROW, table, printedColumns: PRINTED_COLUMNS }),
    balanceItems,
    reservedItems,
  };
}

function findingCells({ labels, zone, speech }: SheetContext, finding: StatementFinding): Cells {
  const grave = finding.state !== 'settled' && (finding.severity === 'critical' || finding.severity === 'error');
  const style: CellStyle = grave ? 'alert' : 'plain';
  return [
    text(`${labels.workbook.exceptions.topics.finding} · ${labels.workbook.exceptions.when[finding.when]}`, style),
    text(labels.workbook.severities[finding.severity], style),
    text(nameFinding(speech, finding.kind), style),
    finding.causedBy === null
      ? text(labels.workbook.exceptions.root, style)
      : text(labels.workbook.exceptions.consequence, style),
    serial(finding.sequence, style),
    text(finding.operationReference, style),
    dateTime(finding.at, zone, style),
    figure(finding.expected, style),
    figure(finding.actual, style),
    figure(finding.difference, style),
    wrapped(wordStanding(speech, finding), style),
    text(finding.fingerprint, style),
    text(finding.causedBy, style),
  ];
}

function sideRows(context: SheetContext, topic: string, { items, others }: ReconciliationSide): readonly Cells[] {
  const { labels, zone, speech } = context;
  const listed = items.map((item) => [
    text(topic, 'alert'),
    null,
    text(nameFinding(speech, item.findingKind), 'alert'),
    item.rootFingerprint === item.fingerprint
      ? text(labels.workbook.exceptions.root, 'alert')
      : text(labels.workbook.exceptions.consequence, 'alert'),
    serial(item.sequence, 'alert'),
    text(item.operationReference, 'alert'),
    dateTime(item.at, zone, 'alert'),
    null,
    null,
    amount(item.amount, 'alert'),
    wrapped(wordFinding(speech, item.findingKind, item.figures), 'alert'),
    text(item.fingerprint, 'alert'),
    item.rootFingerprint === item.fingerprint ? null : text(`${item.rootKind} ${item.rootFingerprint}`, 'alert'),
  ]);
  return [...listed, ...othersRow(context, { topic, many: others.count, sum: others.amount })];
}

interface Others {
  readonly topic: string;
  readonly many: number;
  readonly sum: number | null;
}

function othersRow({ labels, speech }: SheetContext, { topic, many, sum }: Others): readonly Cells[] {
  if (many === 0) return [];
  const rest = fill(labels.workbook.exceptions.others, { count: many }, speech);
  const cells: readonly (Cell | null)[] = WIDTHS.map(() => null);
  return [
    cells
      .with(0, text(topic))
      .with(COLUMN.difference - 1, amount(sum))
      .with(COLUMN.difference, text(rest)),
  ];
}
