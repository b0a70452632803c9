// An audit as a PDF for people: the document of `pointage audit --format json` on A4 pages. Tagged,
// with its fonts inside, and the same bytes for the same audit. Of each merchant the verdict, the
// figures, the difference explained, the interpretations that stood, what was not checked, and the
// findings. Reads no file: fonts and layout come with the template that it is handed.

import type { Writable } from 'node:stream';
import {
  type AuditReport,
  FIGURES,
  type Figures,
  type Finding,
  isGrave,
  SEVERITIES,
  standingOf,
} from '../../../../core/domain/finding.ts';
import { parseInstant } from '../../../../core/domain/instant.ts';
import { invariant } from '../../../../core/domain/invariant.ts';
import type { Language } from '../../../../core/statements/statement.ts';
import { STEPS, type Step, stepsOf } from '../../../../core/statements/tables/steps.ts';
import { field, type Table, type Tone } from '../../../../core/statements/tables/table.ts';
import { fill, nameFinding, nameWithKind, wordFinding } from '../../../../core/words/finding.ts';
import type { StatementTemplate } from '../../port/template.ts';
import { DASH, wordingOf } from '../../port/wording.ts';
import { heading, tableOf } from '../../tables/block.ts';
import { assumptionTable, uncheckedBlocks } from '../../tables/circumstances.ts';
import { drawBand } from '../page/band.ts';
import {
  drawHeading,
  drawParagraph,
  drawSubheading,
  openPages,
  pair,
  turnPage,
} from '../page/flow.ts';
import { documentInfo } from '../page/metadata.ts';
import { drawBlocks, drawTable } from '../page/tables.ts';
import { writePages } from '../page/write-pages.ts';
import {
  type AuditedBooks,
  type AuditFlow,
  asOfText,
  drawHeadOfAudit,
  rootsOf,
} from './first-page.ts';

export interface AuditReportOptions {
  readonly language: Language;
  readonly template: StatementTemplate;
  /** SHA-256 of the document as compact JSON, 64 hexadecimal digits: ties the pages to it. */
  readonly hash: string;
}

/** Writes the whole document to `out`, and ends it; resolves when `out` has taken everything. */
export async function writeAuditReport(
  audited: AuditedBooks,
  { language, template, hash }: AuditReportOptions,
  out: Writable,
): Promise<void> {
  const at = parseInstant(audited.asOf);
  invariant(at !== null, 'an audit says as of when');
  const { audit: said, ...labels } = template.labels[language];
  const words = wordingOf('UTC', { labels, language });
  const running = runningOf({ audited, said, words, hash });
  const { title, number: subject, name } = running;
  const document = { ...labels.document, more: said.more };
  const parts = { audited, hash, said, words, running, labels: { document } };
  await writePages<AuditFlow>(
    {
      info: documentInfo({
        title: `${title} — ${name}`,
        subject,
        hash,
        engine: audited.engine,
        at,
      }),
      language,
      template,
      begin: (drawn) => openPages({ ...drawn, ...parts }),
      draw: drawParts,
    },
    out,
  );
}

/** Yields after each part, so that what was drawn can be taken away. */
function* drawParts(flow: AuditFlow): Generator<void> {
  const { merchants } = flow.audited;
  flow.pen.open('Sect');
  drawHeadOfAudit(flow);
  flow.pen.close();
  for (const report of merchants) {
    yield;
    if (merchants.length !== 1) turnPage(flow);
    flow.pen.open('Sect');
    drawMerchant(flow, report);
    flow.pen.close();
  }
  yield;
}

function runningOf(
  about: Pick<AuditFlow, 'audited' | 'said' | 'words' | 'hash'>,
): AuditFlow['running'] {
  const { audited, said, words, hash } = about;
  const [only] = audited.merchants;
  const count = audited.merchants.length;
  return {
    name:
      only !== undefined && count === 1
        ? only.merchant
        : fill(said.manyMerchants, { count: words.amount(count) }),
    title: said.title,
    number: fill(said.number, { instant: asOfText(about) }),
    hash: hash.slice(0, 12),
  };
}

function drawMerchant(flow: AuditFlow, report: AuditReport): void {
  const { said, audited } = flow;
  if (audited.merchants.length !== 1) {
    drawHeading(flow, `${report.merchant} — ${report.currency ?? said.unknown}`);
  }
  drawVerdict(flow, report);
  drawFigures(flow, report);
  drawExplained(flow, report);
  drawBlocks(flow, [
    heading(said.notChecked.heading),
    ...uncheckedBlocks(flow, said.notChecked, report.notChecked),
  ]);
  drawAssumptions(flow, report);
  drawAuditFindings(flow, report);
}

/** A band with the verdict, what it means, and what was read. */
function drawVerdict(flow: AuditFlow, report: AuditReport): void {
  const { layout, said } = flow;
  const { verdict } = report;
  const { alert, alertBand, good, accent, band } = layout.colours;
  const isBroken = verdict === 'broken';
  drawBand(flow, {
    title: pair(flow, said.identity.verdict, said.verdict[verdict]),
    colour: isBroken ? alert : verdict === 'clean' ? good : accent,
    background: isBroken ? alertBand : band,
    sentences: [said.sentence[verdict], countsOf(flow, report), coverageOf(flow, report)],
  });
}

function countsOf({ said, words }: AuditFlow, report: AuditReport): string {
  const counts = SEVERITIES.map((severity) => {
    const count = report.findings.filter((finding) => finding.severity === severity).length;
    return [severity, words.amount(count)] as const;
  });
  const roots = rootsOf(report);
  const settled = roots.filter(({ settledBy }) => settledBy !== null).length;
  const accepted = roots.filter((root) => root.accepted !== null).length;
  const among = {
    roots: words.amount(roots.length),
    settled: words.amount(settled),
    accepted: words.amount(accepted),
  };
  return fill(said.counts, { ...Object.fromEntries(counts), ...among });
}

function coverageOf(flow: AuditFlow, report: AuditReport): string {
  const { said, words } = flow;
  const { entries, operations, firstSequence, lastSequence } = report;
  const sequence = (figure: number | null): string =>
    figure === null ? DASH : words.amount(figure);
  const lines = fill(said.sequences, {
    count: words.amount(entries),
    first: sequence(firstSequence),
    last: sequence(lastSequence),
  });
  return `${pair(flow, said.identity.lines, lines)}. ${pair(flow, said.identity.operations, words.amount(operations))}.`;
}

function drawFigures(flow: AuditFlow, { recorded, recomputed, due }: AuditReport): void {
  const { said, words, layout } = flow;
  const titles = said.figures;
  drawSubheading(flow, titles.heading, 80);
  drawParagraph(flow, titles.note, { tone: 'muted', size: layout.sizes.note });
  const differenceOf = (figure: keyof Figures): string | null => {
    const [stated, made] = [recorded[figure], recomputed[figure]];
    return stated === null || made === null ? null : String(BigInt(stated) - BigInt(made));
  };
  const dueOf = (figure: keyof Figures): string | null =>
    figure === 'balance' || figure === 'reserved' || figure === 'available'
      ? (due?.[figure] ?? null)
      : null;
  const rows = FIGURES.map(
    (figure): AuditFigure => ({
      figure: titles.names[figure],
      recorded: words.figure(recorded[figure]),
      recomputed: words.figure(recomputed[figure]),
      difference: words.figure(differenceOf(figure)),
      due: words.figure(dueOf(figure)),
      isOff: ![null, '0'].includes(differenceOf(figure)),
    }),
  );
  drawTable(flow, tableOf('figures', AUDIT_FIGURES, { titles, rows }));
}

type AuditFigure = Readonly<
  Record<'figure' | 'recorded' | 'recomputed' | 'difference' | 'due', string>
> & {
  readonly isOff: boolean;
};

const AUDIT_FIGURES = {
  columns: [
    field('figure', 'text', { width: 34 }),
    ...(['recorded', 'recomputed', 'difference', 'due'] as const).map((key) =>
      field(key, 'figure', { width: 17 }),
    ),
  ],
  toneOf: ({ isOff }) => (isOff ? 'alert' : 'plain'),
} as const satisfies Table<AuditFigure>;

/** Draws nothing without a wallet. */
function drawExplained(flow: AuditFlow, report: AuditReport): void {
  const [balance, reserved] = [explain(report, 'balance'), explain(report, 'reserved')];
  if (balance === null || reserved === null) return;
  const titles = flow.said.explained;
  drawSubheading(flow, titles.heading);
  drawTable(
    flow,
    tableOf('explained', STEPS, { titles, rows: explainedSteps(flow, { balance, reserved }) }),
  );
}

function explainedSteps(
  flow: AuditFlow,
  sides: Readonly<Record<'balance' | 'reserved', Explained>>,
): readonly Step[] {
  const titles = flow.said.explained;
  const make = stepsOf(sides);
  const step = (
    key: string,
    name: string,
    pick: (side: Explained) => bigint,
    tone: Tone = 'plain',
  ): Step => make(key, name, (side) => String(pick(side)), { tone });
  const items = (['balance', 'reserved'] as const).flatMap((side) =>
    sides[side].items.map(({ finding, amount }): Step => {
      const kind = nameFinding(flow.words.speech, finding.kind);
      const name = fill(titles.item, { kind, place: placeOf(flow, finding) });
      return { key: 'item', name, balance: null, reserved: null, [side]: String(-amount) };
    }),
  );
  const isOff = sides.balance.unexplained !== 0n || sides.reserved.unexplained !== 0n;
  return [
    step('recorded', titles.recorded, (side) => side.recorded, 'strong'),
    ...items,
    step('others', titles.others, (side) => -side.others),
    step('unexplained', titles.unexplained, (side) => -side.unexplained, isOff ? 'alert' : 'plain'),
    step('recomputed', titles.recomputed, (side) => side.recomputed, 'strong'),
  ];
}

/** Draws nothing for books of which nothing was read. */
function drawAssumptions(flow: AuditFlow, { assumptions }: AuditReport): void {
  if (Object.keys(assumptions).length === 0) return;
  const titles = flow.said.assumptions;
  drawBlocks(flow, [heading(titles.heading), assumptionTable(flow, titles, assumptions)]);
}

// The findings of a merchant, one row each: roots in plain or alarming type, followers in grey.

/** Beyond these a document is no longer read by people; the JSON form has them all. */
const MOST_FINDINGS = 2_000;

/**
 * Points that the note, the columns' names and the first findings take: the heading is not left
 * behind on another page.
 */
const FIRST_ROWS = 120;

type AuditFinding = Readonly<
  Record<'severity' | 'kind' | 'place' | 'expected' | 'actual' | 'difference' | 'message', string>
> & { readonly finding: Finding };

const FINDINGS = {
  columns: [
    { key: 'severity', form: 'text', width: 12, lines: 2, pick: ({ severity }) => severity },
    { key: 'kind', form: 'text', width: 24, lines: 4, pick: ({ kind }) => kind },
    { key: 'place', form: 'text', width: 18, lines: 4, pick: ({ place }) => place },
    { key: 'expected', form: 'text', width: 12, lines: 6, pick: ({ expected }) => expected },
    { key: 'actual', form: 'text', width: 12, lines: 6, pick: ({ actual }) => actual },
    { key: 'difference', form: 'figure', width: 10, pick: ({ difference }) => difference },
    { key: 'message', form: 'text', width: 30, lines: 14, pick: ({ message }) => message },
  ],
  toneOf: ({ finding }) => toneOf(finding),
} as const satisfies Table<AuditFinding>;

function drawAuditFindings(flow: AuditFlow, { findings }: AuditReport): void {
  const { said, layout, words } = flow;
  drawSubheading(flow, said.findings.heading, FIRST_ROWS);
  if (findings.length > 0)
    drawParagraph(flow, said.findings.note, { tone: 'muted', size: layout.sizes.note });
  const rows = findings.slice(0, MOST_FINDINGS).map(
    (finding): AuditFinding => ({
      finding,
      severity: severityOf(flow, finding),
      kind: `${nameWithKind(words.speech, finding.kind)} ${finding.fingerprint}`,
      place: placeOf(flow, finding),
      expected: words.figure(finding.expected),
      actual: words.figure(finding.actual),
      difference: words.figure(finding.difference),
      message: messageOf(flow, finding),
    }),
  );
  drawTable(
    flow,
    tableOf('findings', FINDINGS, { titles: said.findings, rows, count: findings.length }),
  );
}

function toneOf({ severity, causedBy, settledBy, accepted }: Finding): Tone {
  if (causedBy !== null) return 'muted';
  if (standingOf({ settledBy, accepted }) !== 'open') return 'plain';
  return isGrave({ severity }) ? 'alert' : 'plain';
}

function severityOf({ said }: AuditFlow, { severity, status }: Finding): string {
  const name = said.findings.severities[severity];
  return status === 'provisional' ? `${name} (${said.findings.provisional})` : name;
}

/** The line, the operation, or both; the wallet where a finding names neither. */
function placeOf(
  { said }: Pick<AuditFlow, 'said'>,
  { kind, sequence, operationReference, evidence }: Finding,
): string {
  const line = sequence === null ? [] : [fill(said.place.line, { sequence })];
  const operation = operationReference === null ? [] : [operationReference];
  const named = [...line, ...operation];
  if (named.length > 0) return named.join(' ');
  if (/^(WALLET|TOTAL|OPEN_HOLDS)_/.test(kind)) return said.place.wallet;
  return evidence.find(({ reference }) => reference !== null)?.reference ?? DASH;
}

function messageOf({ said, words }: AuditFlow, finding: Finding): string {
  const { kind, figures, causedBy } = finding;
  const message = wordFinding(words.speech, kind, figures);
  if (causedBy !== null) return fill(said.findings.causedBy, { message, fingerprint: causedBy });
  return [message, ...standOf({ said, words }, finding)].join(' ');
}

/** What a root makes of the figures, and what became of it. */
function standOf(
  { said, words }: Pick<AuditFlow, 'said' | 'words'>,
  { item, settledBy, accepted }: Finding,
): readonly string[] {
  const titles = said.findings;
  const sentences: string[] = [];
  if (item !== null && (item.balance !== '0' || item.reserved !== '0')) {
    const { balance, reserved } = item;
    sentences.push(
      fill(titles.off, { balance: words.figure(balance), reserved: words.figure(reserved) }),
    );
  }
  if (settledBy !== null) {
    const { lines, at, person, reason } = settledBy;
    const values = {
      count: lines.length,
      lines: lines.map(words.figure).join(', '),
      at: words.instant(parseInstant(at)),
    };
    sentences.push(fill(titles.settled, values, words.speech));
    if (person !== null) sentences.push(fill(titles.decided, { person, reason }));
  }
  if (accepted !== null)
    sentences.push(fill(titles.accepted, { person: accepted.person, reason: accepted.reason }));
  return sentences;
}

// From the recorded balance and reserved amount, difference by difference, to the recomputed ones:
// what adds up in words and figures, with what nothing explains printed also when it is 0. It lists
// differences, and seeks none.

interface Explained {
  readonly recorded: bigint;
  /** Differences that a finding names, in the order of the report. */
  readonly items: readonly { readonly finding: Finding; readonly amount: bigint }[];
  /**
   * Named differences that are not among them: of findings that were left out, or that name none by
   * themselves.
   */
  readonly others: bigint;
  readonly unexplained: bigint;
  readonly recomputed: bigint;
}

type Side = 'balance' | 'reserved';

/** The kinds whose difference is the recorded figure's own step away from the recomputed one. */
const KINDS: Readonly<Record<Side, readonly string[]>> = {
  balance: [
    'BALANCE_DRIFT',
    'LINES_MISSING',
    'OPENING_BALANCE_UNEXPLAINED',
    'WALLET_BALANCE_MISMATCH',
  ],
  reserved: ['RESERVED_DRIFT', 'WALLET_RESERVED_MISMATCH', 'OPEN_HOLDS_MISMATCH'],
};

/**
 * Null where the wallet or the lines were not read. recorded − items − others − unexplained =
 * recomputed, exactly.
 */
export function explain(report: AuditReport, side: Side): Explained | null {
  const [recorded, recomputed, unexplained] = [
    report.recorded,
    report.recomputed,
    report.unexplained,
  ].map((figures) => figures[side]) as [string | null, string | null, string | null];
  if (recorded === null || recomputed === null || unexplained === null) return null;
  const named = BigInt(recorded) - BigInt(recomputed) - BigInt(unexplained);
  const items = report.findings.flatMap((finding) => {
    const amount = stepOf(finding, side);
    return amount === null || amount === 0n ? [] : [{ finding, amount }];
  });
  return {
    recorded: BigInt(recorded),
    items,
    others: named - items.reduce((sum, { amount }) => sum + amount, 0n),
    unexplained: BigInt(unexplained),
    recomputed: BigInt(recomputed),
  };
}

function stepOf({ kind, difference, causedBy }: Finding, side: Side): bigint | null {
  if (!KINDS[side].includes(kind) || difference === null || !/^-?\d+$/.test(difference))
    return null;
  // Holds that are off because of something else are shown where that is.
  if (kind === 'OPEN_HOLDS_MISMATCH' && causedBy !== null) return null;
  return BigInt(difference);
}
