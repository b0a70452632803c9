// What an audit report is drawn from, and its head: title, what was audited and as of when, and,
// where there are several, the merchants with their verdicts.

import type { AuditReport, Verdict } from '../../../../core/domain/finding.ts';
import { parseInstant } from '../../../../core/domain/instant.ts';
import type { Table } from '../../../../core/statements/tables/table.ts';
import { fill } from '../../../../core/words/finding.ts';
import type { Labels } from '../../../../core/words/tree.ts';
import type { Wording } from '../../port/wording.ts';
import { tableOf } from '../../tables/block.ts';
import { drawHeading, drawParagraph, drawTitle, type PageFlow, turnPage } from '../page/flow.ts';
import { drawTable } from '../page/tables.ts';
import { drawPairs } from '../sections/identity.ts';

/** The JSON form of an audit, as `pointage audit --format json` has it. */
export interface AuditedBooks {
  readonly engine: string;
  readonly asOf: string;
  readonly source: string;
  readonly merchants: readonly AuditReport[];
  readonly totals: Readonly<Record<'merchants' | Verdict, number>>;
}

export interface AuditFlow extends PageFlow {
  readonly audited: AuditedBooks;
  /** SHA-256 of the document's JSON form. */
  readonly hash: string;
  readonly said: Labels['audit'];
  readonly words: Wording;
}

export function drawHeadOfAudit(flow: AuditFlow): void {
  turnPage(flow);
  drawTitle(flow);
  drawPairs(flow, identityOf(flow));
  flow.y += 4;
  if (flow.audited.merchants.length !== 1) drawMerchants(flow);
}

/** `01/11/2026 00:00:00 UTC`. */
export function asOfText({
  audited,
  words,
  said,
}: Pick<AuditFlow, 'audited' | 'words' | 'said'>): string {
  return fill(said.utc, { instant: words.instant(parseInstant(audited.asOf)) });
}

function identityOf(flow: AuditFlow): readonly (readonly [string, string])[] {
  const { audited, said, words, hash } = flow;
  const { identity } = said;
  const [only] = audited.merchants;
  const who: readonly (readonly [string, string])[] =
    only !== undefined && audited.merchants.length === 1
      ? [
          [identity.merchant, only.merchant],
          [identity.currency, only.currency ?? said.unknown],
        ]
      : [[identity.merchants, words.amount(audited.merchants.length)]];
  return [
    ...who,
    [identity.asOf, asOfText(flow)],
    [identity.source, audited.source],
    [identity.engine, audited.engine],
    [identity.hash, fill(said.hashOf, { hash })],
  ];
}

function drawMerchants(flow: AuditFlow): void {
  const { audited, said, words } = flow;
  const { merchants, clean, broken, incomplete } = audited.totals;
  const titles = said.merchants;
  drawHeading(flow, titles.heading);
  const counts = Object.entries({ merchants, clean, broken, incomplete });
  drawParagraph(
    flow,
    fill(titles.totals, Object.fromEntries(counts.map(([name, n]) => [name, words.amount(n)]))),
  );
  const rows = audited.merchants.map((report) => ({
    report,
    currency: report.currency ?? said.unknown,
    verdict: said.verdict[report.verdict],
  }));
  drawTable(flow, tableOf('merchants', MERCHANTS, { titles, rows }));
}

const MERCHANTS = {
  columns: [
    { key: 'merchant', form: 'text', width: 27, lines: 2, pick: ({ report }) => report.merchant },
    { key: 'currency', form: 'text', width: 10, pick: ({ currency }) => currency },
    { key: 'verdict', form: 'text', width: 18, pick: ({ verdict }) => verdict },
    { key: 'lines', form: 'count', width: 12, pick: ({ report }) => report.entries },
    { key: 'operations', form: 'count', width: 12, pick: ({ report }) => report.operations },
    { key: 'findings', form: 'count', width: 12, pick: ({ report }) => report.findings.length },
    { key: 'roots', form: 'count', width: 12, pick: ({ report }) => rootsOf(report).length },
  ],
  toneOf: ({ report }) => (report.verdict === 'broken' ? 'alert' : 'plain'),
} as const satisfies Table<{
  readonly report: AuditReport;
  readonly currency: string;
  readonly verdict: string;
}>;

export function rootsOf({ findings }: AuditReport): AuditReport['findings'] {
  return findings.filter(({ causedBy }) => causedBy === null);
}
