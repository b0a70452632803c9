// The page of an attestation: whose wallet it is, at which instant, what is recorded, due and
// recomputed, the verdict, what is open, what was not checked, how to verify it, and where to sign.

import type { Writable } from 'node:stream';
import { fill } from '../../../core/words/finding.ts';
import { wordOnPaper } from '../../../core/words/names.ts';
import { drawBand } from '../pdf/page/band.ts';
import {
  drawParagraph,
  drawSubheading,
  type Flow,
  hasRoom,
  pair,
  turnPage,
} from '../pdf/page/flow.ts';
import { drawBlocks } from '../pdf/page/tables.ts';
import { writeStatementPages } from '../pdf/page/write-pages.ts';
import { drawLogo } from '../pdf/sections/first-page.ts';
import { drawHead, type Pair } from '../pdf/sections/identity.ts';
import { drawVisa, VISA_HEIGHT } from '../pdf/sections/visa.ts';
import type { FormatOptions, StatementDocument } from '../port/format.ts';
import { sumInWords } from '../sentences/amount-in-words.ts';
import { owedByLink } from '../sentences/link-sentences.ts';
import { walletPairs } from '../sentences/parties.ts';
import { findingCounts, itemLine } from '../sentences/verdict-reasons.ts';
import { closedSentences, verdictSentences } from '../sentences/verdict-sentences.ts';
import { verificationPairs } from '../tables/circumstances.ts';
import { balanceBlocks } from '../tables/steps.ts';

/** Room, in points, for all that comes below the points not checked. */
const BELOW_NOT_CHECKED = VISA_HEIGHT + 95;
/** Room, in points, for all that comes below the items. */
const BELOW_ITEMS = BELOW_NOT_CHECKED + 125;

/** Writes the page and ends `out`. */
export function writeAttestationPages(
  { statement }: Pick<StatementDocument, 'statement'>,
  options: FormatOptions,
  out: Writable,
): Promise<void> {
  const named = ({ attestation: said }: Flow['labels'], period: string) => ({
    ...said,
    title: `${said.title} — ${period}`,
  });
  return writeStatementPages({ statement, named, draw: drawParts }, options, out);
}

function* drawParts(flow: Flow): Generator<void> {
  turnPage(flow);
  flow.pen.open('Sect');
  drawLogo(flow);
  drawHead(flow, identityOf(flow));
  drawStatement(flow);
  drawVerdict(flow);
  drawBlocks(flow, balanceBlocks(flow));
  drawInWords(flow);
  drawLinks(flow);
  drawItems(flow);
  drawOpen(flow);
  drawNotChecked(flow);
  drawVerification(flow);
  drawVisa(flow, flow.labels.parties, flow.statement.issuer?.legalName ?? null);
  flow.pen.close();
  yield;
}

function identityOf({ statement, labels, language, words }: Flow): readonly Pair[] {
  const { period, revision, generatedAt, engine } = statement;
  const { identity, attestation: said } = labels;
  const at = { day: period.label[language], zone: period.zone };
  return [
    ...walletPairs({ statement, labels }),
    [said.at, fill(said.instant, at)],
    [
      identity.issued,
      [
        words.instant(generatedAt),
        `${identity.revision} ${words.amount(revision.number)}`,
        engine,
      ].join(' · '),
    ],
  ];
}

/** Draws the sentence that says which lines are counted. */
function drawStatement(flow: Flow): void {
  const { statement, labels, words } = flow;
  const closed = closedSentences(statement.circumstances, labels, words.speech);
  const { statement: all, statementExcept, except } = labels.attestation;
  const counts = Object.entries(statement.circumstances.notByDate ?? {}).filter(
    ([, count]) => count > 0,
  );
  const list = counts.map(([name, count]) =>
    fill(except[name as keyof typeof except], { count }, words.speech),
  );
  const first =
    list.length === 0 ? all : fill(statementExcept, { list: list.join(labels.identity.between) });
  drawParagraph(flow, [first, ...closed].join(' '));
}

/**
 * Draws the sentences that every form of a statement has, and how many findings there are. The
 * items are left out, because they have a part of their own.
 */
function drawVerdict(flow: Flow): void {
  const { statement, labels, words, layout } = flow;
  const { alert, alertBand, good, band } = layout.colours;
  const isClean = statement.summary.verdict.state === 'clean';
  const looks = isClean
    ? { colour: good, background: band }
    : { colour: alert, background: alertBand };
  const [title, ...sentences] = verdictSentences(statement.summary, labels, words.amount);
  const counts = findingCounts(statement, labels.verdict, words.speech).map(
    (reason) => reason.words,
  );
  drawBand(flow, { title: title!, ...looks, sentences: [...sentences, ...counts] });
}

function drawInWords(flow: Flow): void {
  const { statement, labels } = flow;
  const { currency, summary } = statement;
  const { recorded, due } = summary;
  const said = labels.attestation;
  const sum = (amount: number): string => sumInWords(amount, currency, flow);
  drawParagraph(flow, fill(said.recordedInWords, { sum: sum(recorded.balance) }));
  if (due !== null && due.balance !== recorded.balance)
    drawParagraph(flow, fill(said.dueInWords, { sum: sum(due.balance) }));
}

/**
 * Draws a sentence on payments by link, which are other money than the wallet's. It has everything
 * that limits its figure.
 */
function drawLinks(flow: Flow): void {
  const { statement, labels, words } = flow;
  const { paymentsByLink: section, period } = statement;
  if (section === null) return;
  const day = period.label[flow.language];
  const sentences = [
    owedByLink(section, flow, { day, page: null }),
    labels.links.apart,
    ...(section.unread === 0
      ? []
      : [fill(labels.links.unread, { count: section.unread }, words.speech)]),
  ];
  drawParagraph(flow, sentences.join(' '));
}

function drawItems(flow: Flow): void {
  const { statement, labels, words } = flow;
  const { items, others } = statement.due;
  const said = labels.attestation;
  drawSubheading(flow, said.items, 20);
  const open = items.filter(({ state }) => state !== 'settled');
  if (open.length + others.count === 0) drawParagraph(flow, said.noItems);
  const lines = open.map((item) => itemLine(item, labels.due, words.speech));
  drawWhole(flow, lines, { below: BELOW_ITEMS, others: others.count, phrase: said.otherItems });
}

function drawOpen(flow: Flow): void {
  const { statement, labels, words } = flow;
  const { openHolds, openOperations, reconciliation, circumstances } = statement;
  const said = labels.attestation;
  const counted = (name: string, count: number, sum: number): string =>
    fill(labels.document.counted, { name, count, sum }, words.speech);
  drawSubheading(flow, said.open, 20);
  const open = [
    counted(said.holds, openHolds.count, openHolds.total),
    counted(said.operations, openOperations.count, openOperations.amount),
  ];
  drawParagraph(flow, open.join(' · '));
  const sequence = reconciliation.balance.headSequence;
  const read = fill(labels.annex.readUntil, {
    instant: words.instant(circumstances.coverage.watermark),
  });
  const last =
    sequence === null
      ? fill(said.noLine, { read })
      : fill(said.lastLine, { sequence: words.amount(sequence), read });
  drawParagraph(flow, last);
}

function drawNotChecked(flow: Flow): void {
  const { statement, labels, words } = flow;
  const { notChecked } = statement.circumstances;
  const said = labels.attestation;
  drawSubheading(flow, said.notChecked, 20);
  if (notChecked.length === 0) drawParagraph(flow, labels.annex.allChecked);
  const sentences = notChecked.map((note) =>
    fill(labels.verdict.notChecked, wordOnPaper(words.speech, note)),
  );
  drawWhole(flow, sentences, { below: BELOW_NOT_CHECKED, others: 0, phrase: said.otherNotChecked });
}

/**
 * Draws the first sentence, and as many more as fit whole above the last `below` points of the
 * page; then how many are left out. The JSON form has them all.
 */
function drawWhole(
  flow: Flow,
  sentences: readonly string[],
  {
    below,
    others,
    phrase,
  }: { readonly below: number; readonly others: number; readonly phrase: string },
): void {
  const { bottom } = flow;
  const left = sentences.findIndex((sentence, i) => {
    const isWhole =
      i === 0 ||
      hasRoom({ ...flow, bottom: bottom - below }, (probe) => drawParagraph(probe, sentence));
    if (isWhole) drawParagraph(flow, sentence);
    return !isWhole;
  });
  const beyond = others + (left < 0 ? 0 : sentences.length - left);
  if (beyond > 0) drawParagraph(flow, fill(phrase, { count: flow.words.amount(beyond) }));
}

function drawVerification(flow: Flow): void {
  const { verification, howToVerify } = flow.labels.attestation;
  // The last mark is the version, which the head of the page has already.
  const marks = verificationPairs(flow).pairs.slice(0, -1);
  const lines = [howToVerify, ...marks.map(({ name, value }) => pair(flow, name, String(value)))];
  drawSubheading(flow, verification, 40);
  for (const line of lines)
    drawParagraph(flow, line, { tone: 'muted', size: flow.layout.sizes.note });
}
