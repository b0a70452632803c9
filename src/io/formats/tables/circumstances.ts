// Blocks on what a statement was made from: the changes of a revision, the journal's accounts,
// interpretations, checks that were not made, the service's own report, and how the document is
// verified.

import { markText } from '../../../core/domain/snapshot.ts';
import type { ServiceDifference } from '../../../core/statements/comparison.ts';
import { sumOf } from '../../../core/statements/exact.ts';
import { type Books, bookedText } from '../../../core/statements/journal.ts';
import { monthsToYear } from '../../../core/statements/months-to-year.ts';
import {
  ACCOUNTS,
  ANSWERS,
  BOOKED_ACCOUNTS,
  type BookedAccount,
  CHANGES,
  DIFFERENCES,
  MONTHS_TO_YEAR,
  TERMS,
  UNCHECKED,
} from '../../../core/statements/tables/circumstances.ts';
import { NEW_LINES } from '../../../core/statements/tables/ledger.ts';
import { fill } from '../../../core/words/finding.ts';
import {
  nameAnswer,
  nameFigure,
  nameFigureValue,
  wordOnPaper,
  wordReason,
} from '../../../core/words/names.ts';
import type { DocumentContext } from '../port/wording.ts';
import { documentSentences } from '../sentences/link-sentences.ts';
import {
  type Block,
  heading,
  note,
  type PairBlock,
  pairs,
  sentence,
  type TableBlock,
  type TableRows,
  tableOf,
} from './block.ts';

/** Shows what the revision changed; nothing in the first one. */
export function changeBlocks({ statement, labels, words }: DocumentContext): readonly Block[] {
  const { previous, changes, entries } = statement.revision;
  if (previous === null) return [];
  const titles = labels.annex;
  const value = (figure: string, text: string | null): string =>
    words.figure(nameFigureValue(words.speech, figure, text));
  const rows = changes.map(({ figure, before, after }) => ({
    figure: nameFigure(words.speech, figure),
    before: value(figure, before),
    after: value(figure, after),
  }));
  return [
    heading(`${titles.changes} (r${previous.number} · ${previous.documentHash.slice(0, 12)})`),
    tableOf('changes', CHANGES, { titles, rows }),
    ...(entries === null
      ? []
      : [sentence(fill(titles.entryChanges, { ...entries } as never, words.speech))]),
    ...(entries === null || entries.lineCount === 0
      ? []
      : [
          heading(titles.newLines),
          tableOf('newLines', NEW_LINES, { titles, rows: entries.lines, count: entries.lineCount }),
        ]),
  ];
}

/** Makes the trial balance. `formulaOf` returns the formulas that sum up the journal's rows. */
export function accountTable(
  { statement, labels }: DocumentContext,
  formulaOf?: TableRows<never, (typeof ACCOUNTS.columns)[number]['key']>['formulaOf'],
): TableBlock {
  const { accounts: rows, debit, credit } = statement.journal;
  return tableOf('accounts', ACCOUNTS, {
    titles: labels.annex,
    rows,
    total: { debit, credit },
    formulaOf,
  });
}

/**
 * Makes the trial balance for a page. Where the books are in another currency than the wallet's, it
 * has both currencies and the rates of the period.
 */
export function accountBlocks(context: DocumentContext): readonly Block[] {
  const { statement, labels, words } = context;
  const { books, booked, accounts, debit, credit } = statement.journal;
  if (books === undefined || booked === undefined) return [accountTable(context)];
  const said = labels.annex;
  const shown = (amount: number | null): string | null =>
    amount === null ? null : bookedText(amount, books);
  const known = new Map(booked.accounts.map((one) => [one.account, one]));
  const rows = accounts.map((account): BookedAccount => {
    const one = known.get(account.account) ?? { opening: 0, debit: 0, credit: 0 };
    return {
      ...account,
      openingInBooks: account.opening === null ? null : shown(one.opening),
      debitInBooks: shown(one.debit),
      creditInBooks: shown(one.credit),
      balanceInBooks: shown((one.opening ?? 0) + one.debit - one.credit),
    };
  });
  const sums = {
    debitInBooks: shown(sumOf(booked.accounts, (one) => one.debit)),
    creditInBooks: shown(sumOf(booked.accounts, (one) => one.credit)),
  };
  const own = (title: string, currency: string): string => `${title} ${currency}`;
  const [of, currency] = [statement.currency, books.currency];
  const titles = {
    ...said,
    opening: own(said.opening, of),
    debit: own(said.debit, of),
    credit: own(said.credit, of),
    balance: own(said.balance, of),
    openingInBooks: own(said.opening, currency),
    debitInBooks: own(said.debit, currency),
    creditInBooks: own(said.credit, currency),
    balanceInBooks: own(said.balance, currency),
  };
  const { exchangeLoss: loss, exchangeGain: gain } = statement.journal.terms.accounts;
  const about = { currency, of, rates: ratesText(context, books), loss, gain };
  return [
    tableOf('accounts', BOOKED_ACCOUNTS, { titles, rows, total: { debit, credit, ...sums } }),
    note(fill(said.inBooks, about, words.speech)),
  ];
}

/**
 * Shows, in a year, how the balances of the months lead to the year's; nothing where they are the
 * same.
 */
export function monthsToYearBlocks({
  statement,
  labels,
  words,
}: DocumentContext): readonly Block[] {
  const rows = monthsToYear(statement);
  if (rows.length === 0) return [];
  const said = labels.annex;
  const { transit, openingResult: result } = statement.journal.terms.accounts;
  const total = {
    transitBefore: sumOf(rows, (row) => row.transitBefore),
    transitAfter: sumOf(rows, (row) => row.transitAfter),
  };
  return [
    heading(said.monthsToYear),
    tableOf('monthsToYear', MONTHS_TO_YEAR, { titles: said, rows, total }),
    note(fill(said.monthsToYearNote, { transit, result }, words.speech)),
  ];
}

/** Returns the rates in force in the period, of which the first may have begun before it. */
function ratesText(
  { statement, labels, words }: DocumentContext,
  { rates, currency }: Books,
): string {
  const first = statement.days[0]!.day;
  const start = Math.max(
    rates.findLastIndex(({ from }) => from <= first),
    0,
  );
  return rates
    .slice(start)
    .map(({ of, from, units, worth }) => {
      const about = {
        units: words.figure(String(units)),
        of,
        worth: words.figure(String(worth)),
        currency,
        from: from === '' ? 'null' : words.day(from),
      };
      return fill(labels.annex.rate, about, words.speech);
    })
    .join(' ; ');
}

export function assumptionTable(
  { words }: Pick<DocumentContext, 'words'>,
  titles: Readonly<Record<'question' | 'answer', string>>,
  assumptions: object,
): TableBlock {
  const rows = Object.entries(assumptions).map(([question, own]) =>
    nameAnswer(words.speech, question, own),
  );
  return tableOf('assumptions', ANSWERS, { titles, rows });
}

export function uncheckedBlocks(
  { words }: Pick<DocumentContext, 'words'>,
  titles: Readonly<Record<'what' | 'why' | 'allChecked', string>>,
  notes: DocumentContext['statement']['circumstances']['notChecked'],
): readonly Block[] {
  if (notes.length === 0) return [sentence(titles.allChecked)];
  return [
    tableOf('unchecked', UNCHECKED, {
      titles,
      rows: notes.map((note) => wordOnPaper(words.speech, note)),
    }),
  ];
}

/**
 * Shows what the service's report and file say; nothing where the service published none for the
 * month, or was not asked.
 */
export function serviceBlocks(context: DocumentContext): readonly Block[] {
  const { statement, labels, words } = context;
  const { serviceReport, serviceDocument } = statement.circumstances;
  if (serviceReport === null && serviceDocument === null) return [];
  return [
    heading(labels.annex.serviceHeading),
    ...(serviceReport === null ? [] : comparisonBlocks(context, serviceReport)),
    ...documentSentences(statement, labels.links, words.speech).map(({ text, isAlert }) =>
      sentence(text, isAlert),
    ),
  ];
}

type Comparison = NonNullable<DocumentContext['statement']['circumstances']['serviceReport']>;

function comparisonBlocks(context: DocumentContext, comparison: Comparison): readonly Block[] {
  const { notCompared, reason, compared, differences } = comparison;
  const { words, labels } = context;
  const said = labels.annex;
  if (notCompared !== null) {
    const why = wordReason(words.speech, { why: notCompared, ...reason });
    return [sentence(fill(said.serviceNotCompared, { why }))];
  }
  const counts = {
    compared: words.amount(compared),
    differences: words.amount(differences.length),
  };
  return [sentence(fill(said.serviceCompared, counts)), ...differenceBlocks(context, differences)];
}

/**
 * Shows the service's figures beside ours, key by key. `under` is put before the keys of another
 * population than the wallet's: `paymentsByLink.`.
 */
export function differenceBlocks(
  { labels, words }: DocumentContext,
  differences: readonly ServiceDifference[],
  under = '',
  ...headings: readonly Block[]
): readonly Block[] {
  if (differences.length === 0) return [];
  const rows = differences.map(({ key, service, ours }) => ({
    figure: nameFigure(words.speech, under + key),
    service: words.figure(service),
    ours: words.figure(ours),
  }));
  return [...headings, tableOf('service', DIFFERENCES, { titles: labels.annex, rows })];
}

export function verificationPairs({
  statement,
  labels,
}: Pick<DocumentContext, 'statement' | 'labels'>): PairBlock {
  const { documentHash, contentHash, chainHead } = statement.integrity;
  const { chain } = statement.circumstances.coverage;
  const said = labels.annex;
  const { walletId } = statement;
  return pairs(
    [said.documentHash, documentHash],
    [said.contentHash, contentHash],
    [said.chainHead, chainHead],
    ...(chain === undefined ? [] : [[said.chain, markText(chain)] as const]),
    [said.engine, statement.engine],
    ...(walletId === null ? [] : [[labels.identity.wallet, walletId] as const]),
  );
}

export function termTable({ labels }: DocumentContext): TableBlock {
  return tableOf('terms', TERMS, { titles: labels.annex, rows: labels.annex.terms });
}
