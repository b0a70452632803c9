// OFX 1.02: the month as a bank statement in ASCII SGML, for personal and small-business
// bookkeeping. One transaction for each line that moves the balance, known by the line's id, so
// that a revision brings no transaction twice.

import { formatInstant, type Instant } from '../../../core/domain/instant.ts';
import { keyIn } from '../../../core/domain/naming/names.ts';
import type { Language, Statement } from '../../../core/statements/statement.ts';
import { effectOf, type StatementLine } from '../../../core/statements/statement-line.ts';
import { asciiLine } from '../port/latin9.ts';
import { nameKind } from '../port/wording.ts';
import { ofxText } from '../text/reader-texts.ts';
import {
  accountOf,
  type BankEntry,
  type BankParts,
  bankFormat,
  compactId,
  daysOf,
  nameDifference,
  otherPartyOf,
} from './bank-statement.ts';

export const ofxFormat = bankFormat({
  name: 'ofx',
  extension: 'ofx',
  mediaType: 'application/x-ofx',
  headOf,
  entryOf: (entry, statement, language) =>
    entry.line === null
      ? differenceOf(entry, language)
      : transactionOf(entry.line, statement, language),
  footOf,
});

const HEADER = [
  'OFXHEADER:100',
  'DATA:OFXSGML',
  'VERSION:102',
  'SECURITY:NONE',
  'ENCODING:USASCII',
  'CHARSET:1252',
  'COMPRESSION:NONE',
  'OLDFILEUID:NONE',
  'NEWFILEUID:NONE',
  '',
  '',
].join('\r\n');

/** Of texts, by the specification. */
const LONGEST = { account: 22, id: 255, reference: 32, name: 32, memo: 255 } as const;
/** Where a bank has its routing number. */
const BANK = 'WALLET';
const DONE = '<STATUS><CODE>0<SEVERITY>INFO</STATUS>';
const LANGUAGES: Readonly<Record<Language, string>> = { fr: 'FRA', en: 'ENG' };

function headOf({ statement }: BankParts, language: Language): string {
  const { integrity, revision, period, currency, generatedAt } = statement;
  const { first, last } = daysOf(statement);
  return [
    HEADER,
    `<OFX>\r\n<SIGNONMSGSRSV1><SONRS>${DONE}<DTSERVER>${timeOf(generatedAt)}<LANGUAGE>${LANGUAGES[language]}</SONRS></SIGNONMSGSRSV1>\r\n`,
    `<BANKMSGSRSV1><STMTTRNRS>${element('TRNUID', `${period.period}-${integrity.shortHash}-${revision.number}`, 36)}${DONE}\r\n`,
    `<STMTRS>${element('CURDEF', currency, 3)}`,
    `<BANKACCTFROM><BANKID>${BANK}${key('ACCTID', accountOf(statement), LONGEST.account)}<ACCTTYPE>CHECKING</BANKACCTFROM>\r\n`,
    `<BANKTRANLIST><DTSTART>${dateOf(first)}<DTEND>${dateOf(last)}\r\n`,
  ].join('');
}

function footOf({ statement, balances: { closing, available } }: BankParts): string {
  const asOf = `<DTASOF>${dateOf(daysOf(statement).last)}`;
  return [
    '</BANKTRANLIST>\r\n',
    `<LEDGERBAL><BALAMT>${closing}${asOf}</LEDGERBAL>\r\n`,
    `<AVAILBAL><BALAMT>${available}${asOf}</AVAILBAL>\r\n`,
    '</STMTRS></STMTTRNRS></BANKMSGSRSV1>\r\n</OFX>\r\n',
  ].join('');
}

/** On its local day; the exact instant is the user's date. */
function transactionOf(line: StatementLine, statement: Statement, language: Language): string {
  const { id, sequence, createdAt, kind, label, operationReference, externalReference } = line;
  const effect = effectOf(line);
  const party = otherPartyOf(line, statement);
  const name = nameKind(kind, language);
  const memo = [party === null ? null : name, operationReference, externalReference, label];
  return [
    `<STMTTRN><TRNTYPE>${typeOf(kind, effect)}<DTPOSTED>${dateOf(line.localTime.slice(0, 10))}<DTUSER>${timeOf(createdAt)}`,
    `<TRNAMT>${effect}`,
    key('FITID', `${compactId(id)}-${sequence}`, LONGEST.id),
    key('REFNUM', operationReference ?? '', LONGEST.reference),
    element('NAME', party?.name ?? name, LONGEST.name),
    element('MEMO', memo.filter((text) => text !== null).join(' '), LONGEST.memo),
    '</STMTTRN>\r\n',
  ].join('');
}

/**
 * Where the recorded balance does not follow from the lines; known by the number of its entry,
 * which never changes.
 */
function differenceOf(entry: BankEntry, language: Language): string {
  const { effect, day, serviceId, difference } = entry;
  return [
    `<STMTTRN><TRNTYPE>${typeOf('', effect)}<DTPOSTED>${dateOf(day)}<TRNAMT>${effect}`,
    key('FITID', serviceId, LONGEST.id),
    element('NAME', nameDifference(entry, language), LONGEST.name),
    element('MEMO', difference?.piece ?? '', LONGEST.memo),
    '</STMTTRN>\r\n',
  ].join('');
}

function typeOf(kind: string, effect: number): string {
  if (kind.endsWith('_FEE')) return 'FEE';
  return effect < 0 ? 'DEBIT' : 'CREDIT';
}

/** `20261001120000`: noon, so that no reader moves the day into its own zone. */
function dateOf(day: string): string {
  return `${day.replaceAll('-', '')}120000`;
}

/** `20261001001233[0:GMT]`. */
function timeOf(instant: Instant): string {
  return `${formatInstant(instant).replace(/[-:T]/g, '').slice(0, 14)}[0:GMT]`;
}

/** An element that a reader knows something again by. */
function key(name: string, text: string, width: number): string {
  return element(name, keyIn(width, plain, text), width);
}

const plain = (text: string): string => asciiLine(text, '?');

/** Empty for an empty text, which SGML cannot tell from an opening tag. */
function element(name: string, text: string, longest: number): string {
  const shown = ofxText(text, longest);
  return shown === '' ? '' : `<${name}>${shown}`;
}
