// A plain-text double-entry journal, as hledger and ledger read it: every entry with a balance assertion on the wallet's
// account, so that a foreign program proves the books. Holds and releases are comments.

import type { JournalRow } from '../statements/journal.ts';
import type { Language } from '../statements/statement.ts';
import type { StatementLine } from '../statements/statement-line.ts';
import type { StatementDocument, StatementFormat } from './format.ts';
import { nameKind } from './kind-names.ts';
import { oneLine } from './one-line.ts';
import { writeText } from './write-text.ts';

export const journalFormat: StatementFormat = {
  name: 'journal',
  extension: 'journal',
  mediaType: 'text/x-hledger; charset=utf-8',
  write: (document, { language }, out) => writeText(piecesOf(document, language), out),
};

const OPENING_ACCOUNT: Readonly<Record<Language, string>> = { fr: 'À nouveau', en: 'Opening balances' };
const OPENING: Readonly<Record<Language, string>> = { fr: 'Ouverture', en: 'Opening' };

async function* piecesOf(document: StatementDocument, language: Language): AsyncGenerator<string> {
  const { statement, lines } = document;
  const currency = currencyName(statement.currency);
  yield headOf(document, language);
  let latest = firstDay(document);
  for await (const batch of lines()) {
    let text = '';
    for (const line of batch) {
      const day = line.localTime.slice(0, 10);
      // Programs check assertions in the order of dates; the ledger's order is that of its sequence.
      if (day > latest) latest = day;
      text += line.entry === null ? memoOf(line, currency) : entryOf(line, { date: latest, currency, language });
    }
    yield text;
  }
}

function firstDay({ statement }: StatementDocument): string {
  return statement.period.startText.local.slice(0, 10);
}

function headOf(document: StatementDocument, language: Language): string {
  const { merchant, period, journal, currency, revision, integrity, summary } = document.statement;
  const unit = currencyName(currency);
  const wallet = journal.accounts.find((account) => account.role === 'wallet')!;
  const opening = OPENING_ACCOUNT[language];
  const accounts = journal.accounts.map(({ account, label }) => `account ${accountName(account, label)}\n`);
  return [
    `; ${comment(merchant.reference)} ${period.period}, ${period.zone}, revision ${revision.number}\n`,
    `; SHA-256 ${integrity.contentHash}\n\n`,
    `commodity ${unit}\n`,
    ...accounts,
    `account ${opening}\n\n`,
    `${firstDay(document)} ${OPENING[language]}\n`,
    `    ${accountName(wallet.account, wallet.label)}  ${summary.openingBalance} ${unit} = ${summary.openingBalance} ${unit}\n`,
    `    ${opening}  ${-summary.openingBalance} ${unit}\n\n`,
  ].join('');
}

interface EntryForm {
  readonly date: string;
  readonly currency: string;
  readonly language: Language;
}

function entryOf(line: StatementLine, { date, currency, language }: EntryForm): string {
  const { entry, kind, localTime, sequence, label } = line;
  const name = comment(label ?? '') || comment(nameKind(kind, language));
  const tags = `number:${entry!.number}, sequence:${sequence}, time:${localTime}, kind:${tagValue(kind)}`;
  const rows = entry!.rows.map((row) => postingOf(row, line, currency));
  return `${date} (${comment(entry!.piece).replace(/[()]/g, ' ')}) ${name}\n    ; ${tags}\n${rows.join('')}\n`;
}

function postingOf({ role, account, accountLabel, debit, credit }: JournalRow, line: StatementLine, currency: string) {
  const assertion = role === 'wallet' ? ` = ${line.balance} ${currency}` : '';
  return `    ${accountName(account, accountLabel)}  ${debit - credit} ${currency}${assertion}\n`;
}

function memoOf({ localTime, kind, operationReference, amount, reserved }: StatementLine, currency: string): string {
  const what = `${comment(kind)} ${comment(operationReference ?? '')} ${amount} ${currency}`;
  return `; memo ${localTime} ${what}, reserved ${reserved} ${currency}\n\n`;
}

/** What ends an account's name (two spaces), begins a comment, or stands for a virtual account goes. */
function accountName(number: string, label: string): string {
  return oneLine(`${number} ${label}`)
    .replace(/[;:"|(){}[\]@=*!~<>%]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function currencyName(currency: string): string {
  return /^[A-Za-z]+$/.test(currency) ? currency : `"${oneLine(currency).replace(/[";]/g, ' ')}"`;
}

/** A text that begins no comment and no tag, and does not split a description. */
function comment(text: string): string {
  return oneLine(text).replace(/[;|]/g, ',').replace(/:/g, '\u2236').replace(/\s+/g, ' ');
}

function tagValue(text: string): string {
  return comment(text).replace(/,/g, ' ');
}
