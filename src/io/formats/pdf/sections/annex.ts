// Section 7, Annexe: the journal's accounts, what a revision changed, what was assumed, read and not read, how to verify the
// document, and the words in both languages.

import type { ServiceComparison } from '../../../../core/statements/comparison.ts';
import type { AccountTotals } from '../../../../core/statements/journal.ts';
import type { StatementChange } from '../../../../core/statements/statement.ts';
import type { AddedLine } from '../../../../core/statements/statement-line.ts';
import { fill } from '../../../../core/words/message.ts';
import { nameFigure, nameFigureValue, wordReason } from '../../../../core/words/names.ts';
import { nameKind } from '../../port/kind-names.ts';
import { DASH } from '../../port/wording.ts';
import { documentSentences } from '../../sentences/link-sentences.ts';
import { drawHeading, drawParagraph, drawSubheading, type Flow, pair } from '../page/flow.ts';
import { drawAnswers, drawDifferences, drawWhatAndWhy } from '../page/step-tables.ts';
import { drawTable, figureColumn } from '../page/tables.ts';
import { VISA_HEIGHT } from './visa.ts';

/** Points that the sentences take with which a statement is verified. */
const VERIFICATION = 110;

export function drawAnnex(flow: Flow): void {
  drawHeading(flow, flow.labels.annex.heading);
  drawChanges(flow);
  drawJournal(flow);
  drawAssumptions(flow);
  drawCoverage(flow);
  drawService(flow);
  if (needsGlossary(flow)) drawGlossary(flow);
  drawVerification(flow);
}

/** Only a revision has changes; the first issue draws nothing. */
function drawChanges(flow: Flow): void {
  const { statement, labels, words } = flow;
  const { previous, changes } = statement.revision;
  if (previous === null) return;
  const said = labels.annex;
  drawSubheading(flow, `${said.changes} (r${previous.number} · ${previous.documentHash.slice(0, 12)})`);
  drawTable<StatementChange>(flow, {
    columns: [
      {
        title: said.figure,
        share: 50,
        holds: 'text',
        mostLines: 2,
        cell: ({ figure }) => nameFigure(words.speech, figure),
      },
      {
        title: said.before,
        share: 25,
        holds: 'text',
        mostLines: 2,
        cell: ({ figure, before }) => words.figure(nameFigureValue(words.speech, figure, before)),
      },
      {
        title: said.after,
        share: 25,
        holds: 'text',
        mostLines: 2,
        cell: ({ figure, after }) => words.figure(nameFigureValue(words.speech, figure, after)),
      },
    ],
    rows: changes,
  });
  drawEntryChanges(flow);
}

/** What a revision changes in accounts that hold the one before, and the lines that are new. */
function drawEntryChanges(flow: Flow): void {
  const { statement, labels, words } = flow;
  const { entries } = statement.revision;
  if (entries === null) return;
  const { added, changed, reversed, lines, lineCount } = entries;
  const said = labels.annex;
  drawParagraph(flow, fill(said.entryChanges, { added, changed, reversed }, words.speech));
  if (lineCount === 0) return;
  drawSubheading(flow, said.newLines);
  drawTable<AddedLine>(flow, {
    columns: [
      { title: said.sequence, share: 16, holds: 'figure', cell: ({ sequence }) => words.amount(sequence) },
      { title: said.lineTime, share: 34, holds: 'text', cell: ({ localTime }) => words.time(localTime) },
      { title: said.lineKind, share: 46, holds: 'text', cell: ({ kind }) => nameKind(kind, flow.language) },
      { title: said.lineReference, share: 40, holds: 'text', cell: (line) => line.operationReference ?? '' },
      { title: said.entry, share: 36, holds: 'text', cell: ({ entry }) => entry ?? '' },
      { title: said.effect, share: 24, holds: 'figure', cell: ({ effect }) => words.amount(effect) },
    ],
    rows: lines,
    count: lineCount,
  });
}

function drawJournal(flow: Flow): void {
  const { statement, labels, words } = flow;
  const { journal } = statement;
  const said = labels.annex;
  const numbers = journal.firstNumber === null ? '' : ` · ${journal.firstNumber} – ${journal.lastNumber}`;
  drawSubheading(flow, `${said.journal} ${journal.code} — ${journal.label}${numbers}`, 80);
  const total = {
    account: labels.document.total,
    label: '',
    opening: null,
    debit: journal.debit,
    credit: journal.credit,
    balance: null,
  };
  drawTable<Omit<AccountTotals, 'role' | 'balance'> & { readonly balance: number | null }>(flow, {
    columns: [
      { title: said.account, share: 20, holds: 'text', cell: ({ account }) => account },
      { title: said.accountName, share: 56, holds: 'text', cell: ({ label }) => label },
      figureColumn(said.opening, 26, ({ opening }) => (opening === null ? '' : words.amount(opening))),
      { title: said.debit, share: 26, holds: 'figure', cell: ({ debit }) => words.amount(debit) },
      { title: said.credit, share: 26, holds: 'figure', cell: ({ credit }) => words.amount(credit) },
      figureColumn(said.balance, 26, ({ balance }) => (balance === null ? '' : words.amount(balance))),
    ],
    rows: journal.accounts,
    total,
  });
  drawInCredit(flow);
}

/** An account of money is never in credit: where it was, the reader is told when. */
function drawInCredit(flow: Flow): void {
  const { labels, words, statement } = flow;
  const { account, isInCredit, daysInCredit, closing } = statement.journal.wallet;
  const said = labels.annex;
  if (isInCredit) drawParagraph(flow, fill(said.inCredit, { account, closing: words.amount(closing) }));
  if (daysInCredit.length === 0) return;
  const days = daysInCredit.map((day) => words.day(day)).join(', ');
  drawParagraph(flow, fill(said.daysInCredit, { account, days }));
}

function drawAssumptions(flow: Flow): void {
  const { statement, labels } = flow;
  const said = labels.annex;
  drawSubheading(flow, said.assumptions);
  drawAnswers(flow, { ...said, mostLines: 2 }, statement.circumstances.assumptions);
}

function drawCoverage(flow: Flow): void {
  const { statement, labels, words } = flow;
  const { coverage, notChecked, verdict } = statement.circumstances;
  const said = labels.annex;
  const sequence = (figure: number | null): string => (figure === null ? DASH : words.amount(figure));
  drawSubheading(flow, said.coverage);
  const covered = fill(said.covered, {
    entries: words.amount(coverage.entries),
    operations: words.amount(coverage.operations),
    first: sequence(coverage.firstSequence),
    last: sequence(coverage.lastSequence),
  });
  const whole = fill(said.wholeBooks, { verdict: labels.verdict[verdict] });
  drawParagraph(flow, `${covered} ${fill(said.readUntil, { instant: words.instant(coverage.watermark) })} ${whole}`);
  if (notChecked.length === 0) {
    drawParagraph(flow, said.allChecked);
    return;
  }
  drawSubheading(flow, said.notChecked);
  drawWhatAndWhy(flow, { ...said, mostLines: 3 }, notChecked);
}

/** Draws nothing where the service published nothing of the month, or was not asked. */
function drawService(flow: Flow): void {
  const { statement, labels, words } = flow;
  const { serviceReport, serviceDocument } = statement.circumstances;
  if (serviceReport === null && serviceDocument === null) return;
  drawSubheading(flow, labels.annex.service);
  if (serviceReport !== null) drawComparison(flow, serviceReport);
  for (const { text, isAlert } of documentSentences(statement, labels.links, words.speech))
    drawParagraph(flow, text, { tone: isAlert ? 'alert' : 'text' });
}

function drawComparison(flow: Flow, { notCompared, reason, compared, differences }: ServiceComparison): void {
  const { labels, words } = flow;
  const said = labels.annex;
  if (notCompared !== null) {
    const why = wordReason(words.speech, { why: notCompared, ...reason });
    drawParagraph(flow, fill(said.serviceNotCompared, { why }));
    return;
  }
  const counts = { compared: words.amount(compared), differences: words.amount(differences.length) };
  drawParagraph(flow, fill(said.serviceCompared, counts));
  drawDifferences(flow, differences);
}

function drawVerification(flow: Flow): void {
  const { statement, labels } = flow;
  const said = labels.annex;
  const { contentHash, documentHash, chainHead } = statement.integrity;
  // No last line of it stands on a page by itself, nor does a visa that follows.
  drawSubheading(flow, said.verification, VERIFICATION + (statement.issuer === null ? 0 : VISA_HEIGHT));
  for (const sentence of said.howToVerify) drawParagraph(flow, sentence);
  drawParagraph(flow, pair(flow, said.documentHash, documentHash));
  drawParagraph(flow, pair(flow, said.contentHash, contentHash));
  drawParagraph(flow, pair(flow, said.chainHead, chainHead));
  drawParagraph(flow, pair(flow, said.engine, statement.engine));
}

/** The first statement is revision 1 of the month in which the books begin. */
function needsGlossary({ layout, statement }: Flow): boolean {
  const { revision, summary, circumstances } = statement;
  if (layout.glossary !== 'first') return layout.glossary === 'always';
  const isFirstMonth = summary.firstSequence !== null && summary.firstSequence === circumstances.coverage.firstSequence;
  return isFirstMonth && revision.number === 1;
}

function drawGlossary(flow: Flow): void {
  const { labels } = flow;
  const said = labels.annex;
  drawSubheading(flow, said.glossary);
  drawTable<(typeof said.terms)[number]>(flow, {
    columns: [
      { title: said.french, share: 24, holds: 'text', cell: ({ fr }) => fr },
      { title: said.english, share: 20, holds: 'text', cell: ({ en }) => en },
      { title: said.meaning, share: 70, holds: 'text', mostLines: 2, cell: ({ meaning }) => meaning },
    ],
    rows: said.terms,
  });
}
