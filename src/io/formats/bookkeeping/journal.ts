// A plain-text double-entry journal, as hledger and ledger read it. Every entry has a balance
// assertion on each of the wallet's accounts that it moves, so that a foreign program proves the
// books. Holds and releases are comments.

import { pipeline } from 'node:stream/promises';
import { keyIn } from '../../../core/domain/naming/names.ts';
import type { YearOpening } from '../../../core/statements/entries/year-opening.ts';
import { bookedText, type JournalRow } from '../../../core/statements/journal.ts';
import type { Language, Statement } from '../../../core/statements/statement.ts';
import type { StatementLine } from '../../../core/statements/statement-line.ts';
import type { StatementDocument, StatementFormat } from '../port/format.ts';
import {
  journalAccount as accountName,
  journalCode as codeOf,
  journalComment as comment,
  journalCurrency as currencyName,
  journalTag as tagValue,
} from '../text/reader-texts.ts';
import { entryNamer, type StreamedEntry, streamEntries } from './stream-entries.ts';

export const journalFormat: StatementFormat = {
  name: 'journal',
  extension: 'journal',
  mediaType: 'text/x-hledger; charset=utf-8',
  write: (document, { language }, out) => pipeline(piecesOf(document, language), out),
};

const OPENING_ACCOUNT: Readonly<Record<Language, string>> = {
  fr: 'À nouveau',
  en: 'Opening balances',
};
const OPENING: Readonly<Record<Language, string>> = { fr: 'Ouverture', en: 'Opening' };

async function* piecesOf(
  { statement, lines, payments }: StatementDocument,
  language: Language,
): AsyncGenerator<string> {
  const isCarried = statement.journal.carried !== undefined;
  const form = {
    currency: currencyName(statement.currency),
    wallets: new Map(
      walletsOf(statement).map(({ account, opening }) => [account, isCarried ? 0 : (opening ?? 0)]),
    ),
    books: statement.journal.books,
    language,
    nameOf: entryNamer(statement, language),
  };
  yield headOf(statement, form);
  for await (const batch of streamEntries(statement.journal, lines, payments)) {
    let text = '';
    for (const streamed of batch) {
      const { line } = streamed;
      if (streamed.entry !== null) text += entryOf(streamed, form);
      else if (line?.isMemo === true) text += memoOf(line, form.currency);
    }
    yield text;
  }
}

interface EntryForm {
  readonly currency: string;
  /** Balance of each of the wallet's accounts after the entries written so far. */
  readonly wallets: Map<string, number>;
  readonly books: YearOpening['books'];
  readonly language: Language;
  readonly nameOf: ReturnType<typeof entryNamer>;
}

/**
 * Returns the journal of the balances that a year begins with. It must be included before the
 * journals of the year's months, which assert these balances.
 */
export function openingJournal(
  { merchant, currency, year, last, books, rows }: YearOpening,
  language: Language,
): string {
  const unit = currencyName(currency);
  const wallets = rows.flatMap(({ role, account }) =>
    role === 'wallet' ? [[account, 0] as const] : [],
  );
  const form = { currency: unit, books, wallets: new Map(wallets) };
  return [
    `; ${comment(merchant.reference)} ${year}, ${last}\n\n`,
    `commodity ${unit}\n`,
    declared(form),
    ...rows.map((row) => `account ${accountName(row.account, row.accountLabel)}\n`),
    `\n${year}-01-01 ${OPENING[language]}\n`,
    ...rows.map((row) => postingOf(row, form)),
  ].join('');
}

function walletsOf({ journal }: Statement): Statement['journal']['accounts'] {
  return journal.accounts.filter(({ role }) => role === 'wallet');
}

/**
 * Returns the beginning of a journal. The first month of the books posts the opening balances; a
 * later month asserts the balances that the months before have reached. In a year the opening is an
 * entry like the others, and is not written here.
 */
function headOf(statement: Statement, form: EntryForm): string {
  const { merchant, period, journal, currency, revision, integrity } = statement;
  const unit = currencyName(currency);
  const [opening, day] = [OPENING_ACCOUNT[form.language], period.startText.local.slice(0, 10)];
  const accounts = journal.accounts.map(
    ({ account, label }) => `account ${accountName(account, label)}\n`,
  );
  const isPosted = journal.opening === 'posted';
  const worth = new Map(journal.booked?.accounts.map((one) => [one.account, one.opening ?? 0]));
  const opened = walletsOf(statement).map(({ account, label, opening: balance }) => {
    const amount = isPosted ? (balance ?? 0) : 0;
    const cost = costOf(form, amount, worth.get(account) ?? 0);
    return `    ${accountName(account, label)}  ${amount} ${unit}${cost} = ${balance} ${unit}\n`;
  });
  const [owed, ...others] = journal.accounts.filter(({ role }) => role === 'linkReceivable');
  // Payments by link may begin months before the books. A posting without an amount takes the
  // amount that is missing, if any.
  const isOwed = owed !== undefined && owed.opening !== null && others.length === 0;
  if (isOwed)
    opened.push(
      `    ${accountName(owed.account, owed.label)}  ${isPosted ? '' : `0 ${unit}`} = ${owed.opening} ${unit}\n`,
    );
  const rest = walletsOf(statement).reduce((sum, one) => sum - (worth.get(one.account) ?? 0), 0);
  const amount = isPosted ? -journal.wallet.opening || 0 : 0;
  const against = isPosted && isOwed ? '' : `  ${amount} ${unit}${costOf(form, amount, rest)}`;
  return [
    `; ${comment(merchant.reference)} ${period.period}, ${period.zone}, revision ${revision.number}\n`,
    `; SHA-256 ${integrity.contentHash}\n\n`,
    `commodity ${unit}\n`,
    declared(form),
    ...accounts,
    ...(journal.carried === undefined
      ? [
          `account ${opening}\n\n`,
          `${day} ${OPENING[form.language]}\n`,
          ...opened,
          `    ${opening}${against}\n`,
        ]
      : []),
    '\n',
  ].join('');
}

/**
 * Declares the books' currency with its decimals, because ledger does not learn them from costs
 * alone.
 */
function declared({ books }: Pick<EntryForm, 'books'>): string {
  if (books === undefined) return '';
  const name = currencyName(books.currency);
  return `commodity ${name}\n${books.decimals === 0 ? '' : `    format ${bookedText(0, books)} ${name}\n`}`;
}

function entryOf({ entry, line, date }: StreamedEntry, form: EntryForm): string {
  const { number, piece, rows, sequence, date: own } = entry!;
  const name = comment(form.nameOf({ entry, line }));
  const of = [
    `number:${keyIn(200, tagValue, number)}`,
    ...(sequence === null ? [] : [`sequence:${sequence}`]),
  ];
  const when =
    line === null ? [`day:${own}`] : [`time:${line.localTime}`, `kind:${tagValue(line.kind)}`];
  const postings = rows.map((row) => postingOf(row, form));
  const tags = [...of, ...when].join(', ');
  return `${date} (${codeOf(piece)}) ${name}\n    ; ${tags}\n${postings.join('')}\n`;
}

function postingOf(
  row: JournalRow,
  form: Pick<EntryForm, 'currency' | 'wallets' | 'books'>,
): string {
  const { currency, wallets, books } = form;
  const { account, accountLabel, debit, credit, auxiliary } = row;
  const amount = debit - credit;
  const booked = row.booked ?? amount;
  const name = accountName(account, accountLabel);
  const before = wallets.get(account);
  if (before !== undefined) wallets.set(account, before + amount);
  const assertion = before === undefined ? '' : ` = ${wallets.get(account)} ${currency}`;
  const note = auxiliary === null ? '' : `  ; auxiliary:${keyIn(200, tagValue, auxiliary.number)}`;
  if (books === undefined) return `    ${name}  ${amount} ${currency}${assertion}${note}\n`;
  // A cost must have the sign of its amount, so any other worth becomes a posting of its own.
  const cost = amount * booked > 0 ? booked : 0;
  const worth = `${bookedText(booked, books)} ${currencyName(books.currency)}`;
  return [
    ...(amount === 0
      ? []
      : [`    ${name}  ${amount} ${currency}${costOf(form, amount, cost)}${assertion}${note}\n`]),
    ...(cost === booked ? [] : [`    ${name}  ${worth}${note}\n`]),
  ].join('');
}

/**
 * Returns the cost of an amount in books of another currency; an empty text when there is none.
 */
function costOf({ books }: Pick<EntryForm, 'books'>, amount: number, booked: number): string {
  if (books === undefined || amount === 0) return '';
  return ` @@ ${bookedText(Math.abs(booked), books)} ${currencyName(books.currency)}`;
}

function memoOf(
  { localTime, kind, operationReference, amount, reserved }: StatementLine,
  currency: string,
): string {
  const what = `${comment(kind)} ${comment(operationReference ?? '')} ${amount} ${currency}`;
  return `; memo ${localTime} ${what}, reserved ${reserved} ${currency}\n\n`;
}
