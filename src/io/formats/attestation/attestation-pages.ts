// The page of an attestation: whose wallet, at which instant, what is recorded, due and recomputed, the verdict, what is open, what
// was not checked, how to verify it, and where to sign.

import type { Writable } from 'node:stream';
import { markText } from '../../../core/domain/snapshot.ts';
import { fill } from '../../../core/words/message.ts';
import { wordUnchecked } from '../../../core/words/names.ts';
import { drawBand, roomInBand } from '../pdf/page/band.ts';
import { drawParagraph, drawSubheading, type Flow, pair, turnPage } from '../pdf/page/flow.ts';
import { drawBlocks } from '../pdf/page/tables.ts';
import { writeStatementPages } from '../pdf/page/write-pages.ts';
import { drawLogo, walletPairs } from '../pdf/sections/first-page.ts';
import { drawHead, type Pair } from '../pdf/sections/identity.ts';
import { drawVisa, VISA_HEIGHT } from '../pdf/sections/visa.ts';
import type { FormatOptions, StatementDocument } from '../port/format.ts';
import { sumInWords } from '../sentences/amount-in-words.ts';
import { findingCounts, itemLine } from '../sentences/verdict-reasons.ts';
import { closedSentences, verdictSentences } from '../sentences/verdict-sentences.ts';
import { balanceBlocks } from '../tables/steps.ts';

/** Points that what follows takes: after the points not checked, and after the items. */
const BELOW_NOT_CHECKED = VISA_HEIGHT + 95;
const BELOW_ITEMS = BELOW_NOT_CHECKED + 125;
/** No sentence of ours is as long. */
const MOST_LINES = 12;

/** Ends `out`. */
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
  const { endText, zone } = period;
  const at = { day: period.label[language], local: words.time(endText.local), zone };
  return [
    ...walletPairs({ statement, labels }),
    [said.at, `${fill(said.instant, at)} · UTC ${endText.utc.replace('.000Z', 'Z')}`],
    [
      identity.issued,
      [words.instant(generatedAt), `${identity.revision} ${words.amount(revision.number)}`, engine].join(' · '),
    ],
  ];
}

/** Which lines are counted. */
function drawStatement(flow: Flow): void {
  const { statement, labels, words } = flow;
  const closed = closedSentences(statement.circumstances, labels, words.speech);
  const { statement: all, statementExcept, except } = labels.attestation;
  const counts = Object.entries(statement.circumstances.notByDate ?? {}).filter(([, count]) => count > 0);
  const list = counts.map(([name, count]) => fill(except[name as keyof typeof except], { count }, words.speech));
  const first = list.length === 0 ? all : fill(statementExcept, { list: list.join(labels.identity.between) });
  drawParagraph(flow, [first, ...closed].join(' '));
}

/** The sentences that every form of a statement has, and how many findings there are: the items have a part of their own. */
function drawVerdict(flow: Flow): void {
  const { statement, labels, words, layout, regular } = flow;
  const { text, alert, alertBand, good, band } = layout.colours;
  const { body: size } = layout.sizes;
  const isClean = statement.summary.verdict.state === 'clean';
  const [title, ...sentences] = verdictSentences(statement.summary, labels, words.amount);
  const room = { size, width: roomInBand(flow), mostLines: MOST_LINES };
  const style = { face: regular, size, colour: text };
  const counts = findingCounts(statement, labels.verdict, words.speech).map((reason) => reason.words);
  const lines = [...sentences, ...counts].flatMap((sentence) =>
    regular.wrap(sentence, room).map((run) => ({ run, style })),
  );
  drawBand(flow, { title: title!, colour: isClean ? good : alert, background: isClean ? band : alertBand, lines });
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

function drawItems(flow: Flow): void {
  const { statement, labels, words } = flow;
  const { items, others } = statement.due;
  const said = labels.attestation;
  drawSubheading(flow, said.items, 20);
  const open = items.filter(({ state }) => state !== 'settled');
  if (open.length + others.count === 0) drawParagraph(flow, said.noItems);
  const drawn = drawWhole(
    flow,
    open.map((item) => itemLine(item, labels.due, words.speech)),
    BELOW_ITEMS,
  );
  const beyond = open.length - drawn + others.count;
  if (beyond > 0) drawParagraph(flow, fill(said.otherItems, { count: words.amount(beyond) }));
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
  const read = fill(labels.annex.readUntil, { instant: words.instant(circumstances.coverage.watermark) });
  const last =
    sequence === null ? fill(said.noLine, { read }) : fill(said.lastLine, { sequence: words.amount(sequence), read });
  drawParagraph(flow, last);
}

function drawNotChecked(flow: Flow): void {
  const { statement, labels, words } = flow;
  const { notChecked } = statement.circumstances;
  const said = labels.attestation;
  drawSubheading(flow, said.notChecked, 20);
  if (notChecked.length === 0) drawParagraph(flow, labels.annex.allChecked);
  const drawn = drawWhole(
    flow,
    notChecked.map((note) => fill(labels.verdict.notChecked, wordUnchecked(words.speech, note))),
    BELOW_NOT_CHECKED,
  );
  const beyond = notChecked.length - drawn;
  if (beyond > 0) drawParagraph(flow, fill(said.otherNotChecked, { count: words.amount(beyond) }));
}

/** The first sentence, and as many more as have room whole above so many points; returns how many. The JSON form has all. */
function drawWhole(flow: Flow, sentences: readonly string[], below: number): number {
  const { regular, layout, width } = flow;
  const { body: size } = layout.sizes;
  for (const [drawn, sentence] of sentences.entries()) {
    const lines = regular.wrap(sentence, { size, width, mostLines: MOST_LINES }).length;
    if (drawn > 0 && flow.y + lines * size * 1.4 + below > flow.bottom) return drawn;
    drawParagraph(flow, sentence);
  }
  return sentences.length;
}

function drawVerification(flow: Flow): void {
  const { statement, labels, layout } = flow;
  const { contentHash, documentHash, chainHead } = statement.integrity;
  const { chain } = statement.circumstances.coverage;
  const note = { tone: 'muted', size: layout.sizes.note } as const;
  const said = labels.attestation;
  drawSubheading(flow, said.verification, 40);
  drawParagraph(flow, said.howToVerify, note);
  drawParagraph(flow, pair(flow, labels.annex.documentHash, documentHash), note);
  drawParagraph(flow, pair(flow, labels.annex.contentHash, contentHash), note);
  drawParagraph(flow, pair(flow, labels.annex.chainHead, chainHead), note);
  if (chain !== undefined) drawParagraph(flow, pair(flow, labels.annex.chain, markText(chain)), note);
}
