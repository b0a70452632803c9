// An auditor's working papers as one workbook, with a sheet for each paper. It computes nothing but
// sums: figures are those of the statements and of the tests. Formulas use what the auditor writes
// into the cells that are left empty.

import type { Writable } from 'node:stream';
import type { Instant } from '../../../core/domain/instant.ts';
import { sumAccounts } from '../../../core/statements/certificate.ts';
import {
  type compareMonths,
  itemRows,
  METHODS,
  type openTests,
  type testCutOff,
  uncorrectedOf,
  WEEKDAYS,
} from '../../../core/statements/papers/audit-papers.ts';
import type { Statement } from '../../../core/statements/statement.ts';
import type { Form, Tone, Value } from '../../../core/statements/tables/table.ts';
import { fill } from '../../../core/words/finding.ts';
import { nameFigure, nameUnchecked, wordUnchecked } from '../../../core/words/names.ts';
import type { Labels } from '../../../core/words/tree.ts';
import type { FormatOptions } from '../port/format.ts';
import { itemLine } from '../sentences/verdict-reasons.ts';
import {
  type Block,
  heading,
  note,
  type PairBlock,
  pairs,
  sentence,
  type TableBlock,
  tableOf,
} from '../tables/block.ts';
import {
  openContext,
  type SheetContext,
  type SheetPlan,
  type SmallSheetForm,
} from '../xlsx/sheet/sheet.ts';
import { openStyles } from '../xlsx/sheet/styles.ts';
import {
  type Places,
  type PlannedSheet,
  planBlocks,
  type TablePlaces,
} from '../xlsx/sheet/table.ts';
import { writeWorkbook } from '../xlsx/write-workbook.ts';

/**
 * What the papers are made of. `notifiedAt` is when each operation was first notified. `entryCount`
 * counts the entries that are not listed, too. `runs`, `corrections`, `changes` and `deeds` are
 * rows of the sheets of these names, with the columns in `TABLES`.
 */
export interface AuditPapers
  extends ReturnType<ReturnType<typeof openTests>['end']>,
    Readonly<Record<'runs' | 'corrections' | 'changes' | 'deeds', readonly object[]>> {
  /** Months of the period without a statement, as text; `null` when there are none. */
  readonly missing: string | null;
  readonly notifiedAt: ReadonlyMap<string, Instant | null>;
  readonly cutOff: ReturnType<typeof testCutOff>;
  readonly months: ReturnType<typeof compareMonths>;
}

/** Writes the workbook and ends `out`. The same papers give the same bytes. */
export async function writePapers(
  papers: AuditPapers,
  options: FormatOptions,
  out: Writable,
): Promise<void> {
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

/** Returns the last statement with the label of the whole period. */
function ofPeriod(statements: readonly Statement[]): Statement {
  const last = statements.at(-1)!;
  const year = last.period.period.slice(0, 4);
  return statements.length === 1
    ? last
    : { ...last, period: { ...last.period, label: { fr: year, en: year } } };
}

function* sheetsOf(papers: AuditPapers, context: SheetContext): Generator<SheetPlan> {
  const { sheets, notes, about, figures, codes } = context.labels.papers;
  const { draw, items, entries, entryCount: count } = papers;
  const planPaper = (
    name: keyof typeof sheets,
    blocks: readonly Block[],
    form: SmallSheetForm = {},
  ): PlannedSheet => {
    const first = blocks.find((block) => block.form === 'table');
    const filtered = first === undefined ? form : { ...form, filter: first.name };
    // Each sentence has a cell of its own, because a cell shows one and a page would show them all.
    const said = notes[name].split(/(?<=\.) /).map((text) => note(text));
    return planBlocks(context, sheets[name], [...said, ...blocks], filtered);
  };
  const paper = (...given: Parameters<typeof planPaper>): SheetPlan => planPaper(...given).plan;
  const list = (name: TableName, rows: readonly object[]) => listed(context, name, rows);
  const names = Object.keys(about) as (keyof typeof about)[];
  const contents = names.map((name) => sentence(`${sheets[name]} — ${about[name]}`));
  const rows = itemRows(items, papers.notifiedAt);
  const { seed, sizes, count: population, amount, interval, start } = draw;
  const drawn = {
    seed,
    population,
    amount,
    monetarySize: sizes.monetary,
    interval,
    start,
    randomSize: sizes.random,
  };
  yield paper('contents', [...contents, heading(sheets.sample), pairsOf(figures, drawn)]);
  // The columns with an item's evidence are for the screen and are not printed.
  yield paper('sample', [list('sample', rows)], { printedColumns: 12 });
  const lines = items.flatMap((one, i) =>
    one.lines.map((line) => ({ ...line, item: i + 1, piece: line.entry?.number })),
  );
  yield paper('sampleLines', [list('sampleLines', lines)]);
  const results = rows.map((row) => ({ ...row, tested: 0, error: 0, projected: 0 }));
  const resultsOf = (method: string) => results.filter((row) => row.method === method);
  const tests = (method: (typeof METHODS)[number]): TableBlock => ({
    ...list('result', resultsOf(method)),
    name: method,
  });
  const result = planPaper(
    'result',
    METHODS.flatMap((one) => [heading(codes[one]), tests(one)]),
  );
  yield result.plan;
  const ofMonetary = result.places.table('monetary');
  const limit = (own: Places | null) =>
    limitBlock(figures, { tests: ofMonetary, count: resultsOf('monetary').length, interval, own });
  const drafted = planPaper('limit', [limit(null)]).places;
  yield paper('limit', [limit(drafted)], { portrait: true });
  yield paper('cutOff', [list('cutOff', papers.cutOff)]);
  yield paper('sequences', sequenceBlocks(papers, context), { portrait: true });
  yield paper('months', [list('months', papers.months)]);
  yield paper('lead', leadBlocks(papers, context));
  yield paper('misstatements', [list('misstatements', misstatements(papers, context))], {
    printedColumns: 11,
  });
  const times = (['weekday', 'hour'] as const).map((by) => {
    const order = (time: string | number) =>
      by === 'hour' ? Number(time) : WEEKDAYS.indexOf(String(time));
    const groups = [...Map.groupBy(entries, (entry) => entry[by])].sort(
      ([a], [b]) => order(a) - order(b),
    );
    const sum = (some: typeof entries) => some.reduce((all, { effect }) => all + effect, 0);
    return list(
      `${by}s`,
      groups.map(([time, some]) => ({ [by]: time, count: some.length, effect: sum(some) })),
    );
  });
  yield paper('entries', [{ ...list('entries', entries), count }, ...times]);
  yield paper('runs', [list('runs', papers.runs)]);
  const revised =
    papers.changes.length === 0 ? [] : [heading(figures.revised), list('changes', papers.changes)];
  yield paper('events', [list('corrections', papers.corrections), ...revised]);
  yield paper('deeds', [list('deeds', papers.deeds)]);
}

/** Columns of each table, by their keys. Those with `+` have a sum. */
const TABLES = {
  sample:
    'item method reference type status amount stratum represents completedLocal expected moved off place fees createdLocal lines notifiedAt operator country counterpartyName counterpartyNumber externalReference description',
  sampleLines:
    'item operationReference sequence localTime kind +debit +credit balance recordedBalance piece',
  result: 'item reference +amount audited +tested +error +represents +projected remark',
  cutOff:
    'bound side sequence kind operationReference amount createdAt succeededAt at toSuccess toLine +crosses',
  gaps: 'first last +missing',
  months:
    'month +collected +count mean successRate +fees feeRate +disbursed +adjustments +reversals closing monthBefore change yearBefore yearChange',
  lead: 'account accountName +opening +debit +credit +total books +difference source remark',
  misstatements:
    'item message sequence operationReference at age +effect +reserved state proposed remark fingerprint',
  entries:
    'sequence localTime weekday kind operationReference label +effect +night +weekend +round +near +opposite +unreferenced +unexplained +flags',
  weekdays: 'weekday +count +effect',
  hours: 'hour +count +effect',
  runs: 'runId run startedAt finishedAt state verdict entries +entriesAdded operations roots +added +resolved notChecked reason',
  corrections: 'at sequence kind operationReference concerns +effect label remark',
  changes: 'at month revision figure before after',
  deeds: 'at person act about reason remark',
} as const;
type TableName = keyof typeof TABLES;

/**
 * Forms of the columns that are no amounts, by their keys. `word` is a code that has a name among
 * the papers' words.
 */
const FORMS: Readonly<Record<string, string>> = {
  serial: 'item place sequence first last runId',
  word: 'method stratum bound side state weekday run verdict act',
  text: 'reference operationReference lines operator country counterpartyName counterpartyNumber externalReference description piece account accountName source message proposed fingerprint label notChecked person about reason figure before after',
  ...{
    type: 'type',
    state: 'status',
    kind: 'kind',
    month: 'month',
    check: 'off',
    own: 'audited remark books',
  },
  time: 'createdLocal completedLocal localTime',
  instant: 'notifiedAt createdAt succeededAt at startedAt finishedAt concerns',
  count:
    'toSuccess toLine crosses missing count age hour night weekend round near opposite unreferenced unexplained flags entries entriesAdded operations roots added resolved revision tested',
  rate: 'successRate feeRate change yearChange',
};
const FORM_OF = byKey(FORMS);
/**
 * Width in characters, of a form or of a single column. A page that is not reduced has about 150.
 */
const WIDTH_OF = byKey({
  8: 'bound side',
  9: 'serial check',
  10: 'count rate run account mean',
  11: 'stratum weekday',
  13: 'state verdict toSuccess toLine',
  15: 'month',
  16: 'books',
  18: 'time instant',
  20: 'method act',
  21: 'text',
  25: 'kind',
});
/** Widths of columns whose texts take several lines. */
const LONG_WIDTH_OF = byKey({
  28: 'label proposed notChecked remark',
  34: 'source accountName reason',
  42: 'message about',
});

/** Maps each key of `a b c` to its group. */
function byKey(groups: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(groups).flatMap(([group, keys]) =>
      keys.split(' ').map((key) => [key, group] as const),
    ),
  );
}

const FORMULAS: Readonly<Record<string, string>> = {
  off: 'moved - expected',
  tested: 'IF(ISNUMBER(audited),1,0)',
  error: 'IF(ISNUMBER(audited),amount-audited,0)',
  projected: 'IF(amount=0,0,ROUND(error/amount*represents,0))',
  mean: 'IF(count=0,0,ROUND(collected/count,0))',
  feeRate: 'IF(collected=0,0,ROUND(fees/collected,4))',
  change: 'IF(monthBefore=0,0,ROUND((collected-monthBefore)/monthBefore,4))',
  yearChange: 'IF(yearBefore=0,0,ROUND((collected-yearBefore)/yearBefore,4))',
  total: 'opening + debit - credit',
  difference: 'total - books',
  flags: 'SUM(night,weekend,round,near,opposite,unreferenced,unexplained)',
};

type PaperRow = Readonly<Record<string, Value>> & { readonly tone?: Tone };

function listed(
  { labels, words }: SheetContext,
  name: TableName,
  given: readonly object[],
): TableBlock {
  const { columns: said, codes } = labels.papers;
  const rows = given as readonly PaperRow[];
  const titles = { ...said, tested: fill(said.tested, { all: rows.length }) };
  const named: Readonly<Record<string, string>> = codes;
  const total: Record<string, number> = {};
  const columns = TABLES[name].split(' ').map((declared) => {
    const key = declared.replace('+', '');
    const form = FORM_OF.get(key) ?? 'amount';
    const pick = (row: PaperRow): Value => {
      const value = row[key];
      if (form === 'own') return '';
      if (key === 'figure') return nameFigure(words.speech, String(value));
      if (Array.isArray(value))
        return [...new Set(value.map(({ what }) => nameUnchecked(labels, what)))].join(', ');
      return form === 'word' ? (named[value ?? ''] ?? value) : value;
    };
    if (key !== declared) total[key] = rows.reduce((sum, row) => sum + Number(row[key] ?? 0), 0);
    const lines = LONG_WIDTH_OF.has(key) ? { lines: 6 } : {};
    const width = Number(LONG_WIDTH_OF.get(key) ?? WIDTH_OF.get(key) ?? WIDTH_OF.get(form) ?? 14);
    const formula = key in FORMULAS ? { formula: FORMULAS[key]! } : {};
    const sum = form === 'own' ? {} : ({ sum: 'sum' } as const);
    return {
      key,
      form: form === 'word' ? 'text' : (form as Form),
      width,
      pick,
      ...formula,
      ...lines,
      ...sum,
    };
  });
  const table = { columns, toneOf: ({ tone = 'plain' }: PaperRow) => tone };
  return tableOf(name, table, {
    titles,
    rows,
    total: Object.keys(total).length === 0 ? null : total,
  });
}

function pairsOf(
  names: Labels['papers']['figures'],
  values: Readonly<Record<string, Value>>,
): PairBlock {
  return pairs(
    ...Object.entries(values).map(
      ([key, value]) => [names[key as keyof typeof names], value] as const,
    ),
  );
}

/**
 * Factors of the upper limit at 95 %: without an error, then by how much more than 1 each further
 * error raises the Poisson factor (3.00, 4.75, 6.30, 7.76 …), the largest error first. Source:
 * AICPA, Audit Guide: Audit Sampling, confidence factors for monetary unit sampling.
 */
const NO_ERROR = 3;
const RAISED = [0.75, 0.55, 0.46, 0.4, 0.36, 0.33, 0.3, 0.29, 0.27, 0.26] as const;

interface Limit {
  /** The cells of the results of the monetary sample. */
  readonly tests: TablePlaces;
  readonly count: number;
  readonly interval: number;
  /** The cells of the block itself; `null` while they are not placed yet. */
  readonly own: Places | null;
}

/** The upper error limit of the monetary sample, as formulas over what the auditor writes. */
function limitBlock(
  names: Labels['papers']['figures'],
  { tests, count, interval, own }: Limit,
): PairBlock {
  const [amounts, represents, projected] = ['amount', 'represents', 'projected'].map(tests.column);
  const over = `(${projected}>0)*${projected}`;
  // A certain item represents itself alone, and carries no sampling risk.
  const drawn = `(${represents}>${amounts})*${over}`;
  const last = RAISED.at(-1)!;
  const raised = RAISED.slice(0, count).map(
    (factor, i) => `SUMPRODUCT(LARGE(${drawn},${i + 1}))*${(factor - last).toFixed(2)}`,
  );
  const at = (key: keyof typeof names): string => own?.pair(key) ?? '0';
  const sum = [at('overstated'), at('basic'), at('allowance')].join('+');
  const all = [
    ['interval', interval, null],
    ['drawn', count, null],
    ['testedItems', 0, tests.total('tested')],
    ['overstated', 0, `SUMPRODUCT(${over})`],
    ['understated', 0, `SUMPRODUCT((${projected}<0)*${projected})`],
    ['basic', interval * NO_ERROR, `${at('interval')}*${NO_ERROR}`],
    ['allowance', 0, `ROUND(${[`SUMPRODUCT(${drawn})*${last}`, ...raised].join('+')},0)`],
    ['upper', names.nothingTested, `IF(${at('testedItems')}=0,"${names.nothingTested}",${sum})`],
  ] as const;
  return {
    form: 'pairs',
    pairs: all.map(([key, value, formula]) => ({
      key,
      name: names[key],
      value,
      form: 'amount',
      formula,
    })),
  };
}

function sequenceBlocks(
  { sequences, statements }: AuditPapers,
  context: SheetContext,
): readonly Block[] {
  const { labels, words } = context;
  const { figures } = labels.papers;
  const { first, last, lines, gaps, repeated } = sequences;
  const unread = statements.flatMap(({ circumstances, period: { period } }) =>
    circumstances.notChecked
      .filter(({ what }) => what === 'history')
      .map((unchecked) =>
        fill(figures.notReadAgain, { period, why: wordUnchecked(words.speech, unchecked).why }),
      ),
  );
  return [
    pairsOf(figures, { first, last, lines, repeated: repeated.length, gaps: gaps.length }),
    ...(gaps.length === 0 ? [] : [heading(figures.gaps), listed(context, 'gaps', gaps)]),
    ...(repeated.length === 0 ? [] : [heading(figures.repeated), note(repeated.join(', '))]),
    heading(figures.secondReading),
    ...(unread.length === 0 ? [figures.readAgain] : unread).map((text) => note(text)),
  ];
}

/**
 * Lists the accounts, each with the place where its movements are shown in detail, by its role.
 */
function leadBlocks({ statements, missing }: AuditPapers, context: SheetContext): readonly Block[] {
  const { sources, figures } = context.labels.papers;
  const known: Readonly<Record<string, string>> = sources;
  const rows = sumAccounts(statements).map(
    ({ label: accountName, balance: total, role, ...account }) => {
      return {
        ...account,
        accountName,
        total,
        difference: total,
        source: known[role] ?? known.other,
      };
    },
  );
  const gap = missing === null ? [] : [sentence(fill(figures.missing, { list: missing }), true)];
  return [...gap, listed(context, 'lead', rows)];
}

/** Lists the misstatements. All items that are not listed share one row. */
function misstatements({ statements }: AuditPapers, { labels, words }: SheetContext) {
  const last = statements.at(-1)!;
  const { count, balance, reserved } = last.due.others;
  const rows = uncorrectedOf(last).map((item, i) => ({
    ...{ ...item, item: i + 1, effect: item.balance },
    message: itemLine(item, labels.due, words.speech),
    proposed: item.proposal
      .map(({ kind, amount }) => `${words.code('kind', kind)} ${words.figure(amount)}`)
      .join('\n'),
  }));
  const message = fill(labels.document.more, { count }, words.speech);
  return count === 0 ? rows : [...rows, { message, effect: balance, reserved }];
}
