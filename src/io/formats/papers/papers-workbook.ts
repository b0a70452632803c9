// An auditor's working papers as one workbook, a sheet each. Computes nothing but sums: figures are those of the statements and of the
// tests, and formulas take up what the auditor writes into the cells that are left empty.

import type { Writable } from 'node:stream';
import type { Instant } from '../../../core/domain/instant.ts';
import { sumAccounts } from '../../../core/statements/certificate.ts';
import {
  type certifySequences,
  type compareMonths,
  type Draw,
  itemRows,
  METHODS,
  type SampleItem,
  type testCutOff,
  type testEntries,
  uncorrectedOf,
} from '../../../core/statements/papers/audit-papers.ts';
import type { Statement } from '../../../core/statements/statement.ts';
import type { Form, Tone, Value } from '../../../core/statements/tables/table.ts';
import { fill } from '../../../core/words/message.ts';
import { wordUnchecked } from '../../../core/words/names.ts';
import type { Labels } from '../../../core/words/tree.ts';
import type { FormatOptions } from '../port/format.ts';
import { itemLine } from '../sentences/verdict-reasons.ts';
import { type Block, heading, note, type PairBlock, type TableBlock, tableOf } from '../tables/block.ts';
import { openContext, type SheetContext, type SheetPlan, type SmallSheetForm } from '../xlsx/sheet/sheet.ts';
import { openStyles } from '../xlsx/sheet/styles.ts';
import { planBlocks } from '../xlsx/sheet/table.ts';
import { writeWorkbook } from '../xlsx/write-workbook.ts';

/** `statements`: of the period, ascending, at least one. `notifiedAt`: by operation, first. `entryCount`: also those not listed. */
export interface AuditPapers {
  readonly statements: readonly Statement[];
  readonly draw: Draw;
  readonly items: readonly SampleItem[];
  readonly notifiedAt: ReadonlyMap<string, Instant | null>;
  readonly cutOff: ReturnType<typeof testCutOff>;
  readonly sequences: ReturnType<typeof certifySequences>;
  readonly months: ReturnType<typeof compareMonths>;
  readonly entries: ReturnType<typeof testEntries>;
  readonly entryCount: number;
}

/** Ends `out`. Same papers, same bytes. */
export async function writePapers(papers: AuditPapers, options: FormatOptions, out: Writable): Promise<void> {
  const { default: library } = await import('exceljs');
  const statement = ofPeriod(papers.statements);
  const none = async function* () {};
  const context = openContext({ statement, lines: none, operations: none }, options);
  const { merchant, period, engine, generatedAt } = statement;
  const title = `${context.labels.papers.title} ${period.label[options.language]} · ${merchant.reference}`;
  const frame = { footer: '&R&8 &P/&N', title, engine, madeAt: new Date(generatedAt) };
  const sheets = sheetsOf(papers, context);
  await writeWorkbook(library, { ...frame, styleOf: openStyles(options.language), sheets }, out);
}

/** The last statement, under the name of the whole period. */
function ofPeriod(statements: readonly Statement[]): Statement {
  const last = statements.at(-1)!;
  const year = last.period.period.slice(0, 4);
  return statements.length === 1 ? last : { ...last, period: { ...last.period, label: { fr: year, en: year } } };
}

function* sheetsOf(papers: AuditPapers, context: SheetContext): Generator<SheetPlan> {
  const { sheets, notes, about, figures, codes } = context.labels.papers;
  const { draw, items, entries, entryCount: count } = papers;
  const paper = (name: keyof typeof sheets, blocks: readonly Block[], form: SmallSheetForm = {}): SheetPlan => {
    const first = blocks.find((block) => block.form === 'table');
    const filtered = first === undefined ? form : { ...form, filter: first.name };
    return planBlocks(context, sheets[name], [note(notes[name]), ...blocks], filtered).plan;
  };
  const list = (name: TableName, rows: readonly object[]) => listed(context, name, rows);
  const names = Object.keys(about) as (keyof typeof about)[];
  const contents = names.map((name) => ({ name: sheets[name], value: about[name] }));
  const rows = itemRows(items, papers.notifiedAt);
  const { seed, sizes, count: population, amount, interval, start } = draw;
  const drawn = { seed, population, amount, monetarySize: sizes.monetary, interval, start, randomSize: sizes.random };
  const pairs = [{ form: 'pairs', pairs: contents } as const, heading(sheets.sample), pairsOf(figures, drawn)];
  yield paper('contents', pairs, { widths: [40, 110] });
  // The evidence of an item is for the screen.
  yield paper('sample', [list('sample', rows)], { printedColumns: 15 });
  const lines = items.flatMap((one, i) =>
    one.lines.map((line) => ({ ...line, item: i + 1, piece: line.entry?.number })),
  );
  yield paper('sampleLines', [list('sampleLines', lines)]);
  const results = rows.map((row) => ({ ...row, error: 0, projected: 0 }));
  const resultsOf = (method: string) => results.filter((row) => row.method === method);
  yield paper(
    'result',
    METHODS.flatMap((one) => [heading(codes[one]), list('result', resultsOf(one))]),
  );
  yield paper('cutOff', [list('cutOff', papers.cutOff)]);
  yield paper('sequences', sequenceBlocks(papers, context), { portrait: true });
  yield paper('months', [list('months', papers.months)]);
  yield paper('lead', [list('lead', leadRows(papers, context))]);
  yield paper('misstatements', [list('misstatements', misstatements(papers, context))]);
  const times = (['weekday', 'hour'] as const).map((by) => {
    const groups = [...Map.groupBy(entries, (entry) => entry[by])].sort(([a], [b]) => (a < b ? -1 : 1));
    const sum = (some: typeof entries) => some.reduce((all, { effect }) => all + effect, 0);
    return list(
      `${by}s`,
      groups.map(([time, some]) => ({ [by]: time, count: some.length, effect: sum(some) })),
    );
  });
  yield paper('entries', [{ ...list('entries', entries), count }, ...times]);
}

/** Its columns by their keys, those with `+` summed up. */
const TABLES = {
  sample:
    'item method place reference type status amount stratum represents createdLocal completedLocal fees expected moved off lines notifiedAt operator country counterpartyName counterpartyNumber externalReference description',
  sampleLines: 'item operationReference sequence localTime kind +debit +credit balance recordedBalance piece',
  result: 'item reference +amount audited +error +represents +projected remark',
  cutOff: 'bound side sequence kind operationReference amount createdAt succeededAt at toSuccess toLine +crosses',
  gaps: 'first last +missing',
  months:
    'month +collected +count mean successRate +fees feeRate +disbursed +adjustments +reversals closing before change yearBefore yearChange',
  lead: 'account accountName +opening +debit +credit +total books +difference source remark',
  misstatements: 'item message sequence operationReference at age +effect +reserved state proposed fingerprint remark',
  entries:
    'sequence localTime weekday kind operationReference label +effect +night +weekend +round +near +opposite +unreferenced +unexplained +flags',
  weekdays: 'weekday +count +effect',
  hours: 'hour +count +effect',
} as const;
type TableName = keyof typeof TABLES;

/** Of columns that are no amounts; `word`: a code that has a name among the papers' words. */
const FORMS: Readonly<Partial<Record<Form | 'word', string>>> = {
  serial: 'item place sequence first last',
  word: 'method stratum bound side state weekday',
  text: 'reference operationReference lines operator country counterpartyName counterpartyNumber externalReference description piece account accountName source message proposed fingerprint label',
  ...{ type: 'type', state: 'status', kind: 'kind', month: 'month', check: 'off', own: 'audited remark books' },
  time: 'createdLocal completedLocal localTime',
  instant: 'notifiedAt createdAt succeededAt at',
  count:
    'toSuccess toLine crosses missing count age hour night weekend round near opposite unreferenced unexplained flags',
  rate: 'successRate feeRate change yearChange',
};
const FORM_OF = new Map(
  Object.entries(FORMS).flatMap(([form, keys]) => keys.split(' ').map((key) => [key, form] as const)),
);
const WIDTHS: Readonly<Record<string, number>> = { serial: 10, count: 12, text: 24, time: 19, instant: 19, kind: 26 };
const OWN_WIDTHS: Readonly<Record<string, number>> = { message: 60, source: 54, accountName: 54, label: 36 };
const FORMULAS: Readonly<Record<string, string>> = {
  off: 'moved - expected',
  error: 'IF(audited="",0,amount-audited)',
  projected: 'IF(amount=0,0,ROUND(error/amount*represents,0))',
  mean: 'IF(count=0,0,ROUND(collected/count,0))',
  feeRate: 'IF(collected=0,0,ROUND(fees/collected,4))',
  change: 'IF(before=0,0,ROUND((collected-before)/before,4))',
  yearChange: 'IF(yearBefore=0,0,ROUND((collected-yearBefore)/yearBefore,4))',
  total: 'opening + debit - credit',
  difference: 'total - books',
  flags: 'SUM(night,weekend,round,near,opposite,unreferenced,unexplained)',
};

type PaperRow = Readonly<Record<string, Value>> & { readonly tone?: Tone };

function listed({ labels }: SheetContext, name: TableName, given: readonly object[]): TableBlock {
  const { columns: titles, codes } = labels.papers;
  const rows = given as readonly PaperRow[];
  const named: Readonly<Record<string, string>> = codes;
  const total: Record<string, number> = {};
  const columns = TABLES[name].split(' ').map((declared) => {
    const key = declared.replace('+', '');
    const form = FORM_OF.get(key) ?? 'amount';
    const pick = (row: PaperRow): Value => {
      if (form === 'own') return '';
      return form === 'word' ? named[row[key] ?? ''] : row[key];
    };
    if (key !== declared) total[key] = rows.reduce((sum, row) => sum + Number(row[key] ?? 0), 0);
    const width = OWN_WIDTHS[key] ?? WIDTHS[form] ?? 15;
    const formula = key in FORMULAS ? { formula: FORMULAS[key]! } : {};
    const sum = form === 'own' ? {} : ({ sum: 'sum' } as const);
    const look = { ...formula, ...(key in OWN_WIDTHS ? { lines: 6 } : {}), ...sum };
    return { key, form: form === 'word' ? 'text' : (form as Form), width, pick, ...look };
  });
  const table = { columns, toneOf: ({ tone = 'plain' }: PaperRow) => tone };
  return tableOf(name, table, { titles, rows, total: Object.keys(total).length === 0 ? null : total });
}

function pairsOf(names: Labels['papers']['figures'], values: Readonly<Record<string, Value>>): PairBlock {
  const pairs = Object.entries(values).map(([key, value]) => {
    return {
      name: names[key as keyof typeof names],
      value,
      form: typeof value === 'number' ? 'amount' : 'text',
    } as const;
  });
  return { form: 'pairs', pairs };
}

function sequenceBlocks({ sequences, statements }: AuditPapers, context: SheetContext): readonly Block[] {
  const { labels, words } = context;
  const { figures } = labels.papers;
  const { first, last, lines, gaps, repeated } = sequences;
  const unread = statements.flatMap(({ circumstances, period: { period } }) =>
    circumstances.notChecked
      .filter(({ what }) => what === 'history')
      .map((unchecked) => fill(figures.notReadAgain, { period, why: wordUnchecked(words.speech, unchecked).why })),
  );
  return [
    pairsOf(figures, { first, last, lines, repeated: repeated.length, gaps: gaps.length }),
    ...(gaps.length === 0 ? [] : [heading(figures.gaps), listed(context, 'gaps', gaps)]),
    ...(repeated.length === 0 ? [] : [heading(figures.repeated), note(repeated.join(', '))]),
    heading(figures.secondReading),
    ...(unread.length === 0 ? [figures.readAgain] : unread).map((text) => note(text)),
  ];
}

/** Where each account's movements are shown in detail, by its role. */
function leadRows({ statements }: AuditPapers, { labels }: SheetContext) {
  const sources: Readonly<Record<string, string>> = labels.papers.sources;
  return sumAccounts(statements).map(({ label: accountName, balance: total, role, ...account }) => {
    return { ...account, accountName, total, difference: total, source: sources[role] ?? sources.other };
  });
}

/** What is not listed is one row. */
function misstatements({ statements }: AuditPapers, { labels, words }: SheetContext) {
  const last = statements.at(-1)!;
  const { count, balance, reserved } = last.due.others;
  const rows = uncorrectedOf(last).map((item, i) => ({
    ...{ ...item, item: i + 1, effect: item.balance },
    message: itemLine(item, labels.due, words.speech),
    proposed: item.proposal.map(({ kind, amount }) => `${words.code('kind', kind)} ${words.figure(amount)}`).join('\n'),
  }));
  const message = fill(labels.document.more, { count }, words.speech);
  return count === 0 ? rows : [...rows, { message, effect: balance, reserved }];
}
