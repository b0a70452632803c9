// SWIFT MT940: the month as a bank statement in ASCII, one entry for each line that moves the
// balance. Field 86 is structured (three digits, then `?` and two digits before each part of at
// most 27 characters), at most 65 characters a line.

import { digitsOf, keyIn } from '../../../core/domain/naming/names.ts';
import { StatementRefused } from '../../../core/statements/exact.ts';
import type { Language, Statement } from '../../../core/statements/statement.ts';
import { effectOf, type StatementLine } from '../../../core/statements/statement-line.ts';
import { nameKind } from '../port/wording.ts';
import { swiftText } from '../text/reader-texts.ts';
import {
  accountOf,
  type BankEntry,
  type BankParts,
  bankFormat,
  daysOf,
  editionNote,
  nameDifference,
  otherPartyOf,
  statementNumber,
} from './bank-statement.ts';

export const mt940Format = bankFormat({
  name: 'mt940',
  extension: 'mt940',
  mediaType: 'text/x-mt940; charset=us-ascii',
  headOf,
  entryOf,
  footOf,
});

/** Of texts and amounts, by the standard; `part` by the structure of field 86. */
const LONGEST = { reference: 16, account: 35, part: 27, amount: 15 } as const;
/**
 * Parts 20 to 27 of field 86: the purpose of the entry. Six lines of two parts hold them, the kind
 * and the other party.
 */
const PURPOSE_PARTS = 8;

function headOf({ statement, edition, balances }: BankParts): string {
  const { period, integrity } = statement;
  const number = `${period.period.replace('-', '')}${edition}`;
  const sheet = edition.startsWith('D') ? edition.slice(1) : '1';
  return [
    `:20:${number}${digitsOf(integrity.contentHash, LONGEST.reference - number.length)}\r\n`,
    `:25:${keyIn(LONGEST.account, swiftText, accountOf(statement))}\r\n`,
    `:28C:${statementNumber(statement)}/${sheet}\r\n`,
    `:60F:${balanceOf(statement, balances.opening, daysOf(statement).first)}\r\n`,
  ].join('');
}

/** Behind the balances field 86 is of the whole statement. */
function footOf(parts: BankParts, language: Language): string {
  const { statement, balances } = parts;
  const { last } = daysOf(statement);
  const note = swiftText(editionNote(parts, language) ?? '').match(/\S.{0,64}(?= [^:-]|$)/g) ?? [];
  return [
    `:62F:${balanceOf(statement, balances.closing, last)}\r\n`,
    `:64:${balanceOf(statement, balances.available, last)}\r\n`,
    note.length === 0 ? '' : `:86:${note.join('\r\n')}\r\n`,
    '-\r\n',
  ].join('');
}

function balanceOf({ currency }: Statement, amount: number, day: string): string {
  return `${amount < 0 ? 'D' : 'C'}${dateOf(day)}${swiftText(currency)}${amountOf(amount)}`;
}

function entryOf(entry: BankEntry, statement: Statement, language: Language): string {
  const { effect, isReversal, line } = entry;
  const date = dateOf(entry.day);
  const kind = line?.kind ?? '';
  const reference = ownReference(line?.operationReference ?? null);
  const serviceReference = swiftText(entry.reference).slice(-LONGEST.reference);
  return (
    `:61:${date}${date.slice(2)}${markOf(isReversal, effect)}${amountOf(effect)}${typeOf(kind)}${reference}//${serviceReference}\r\n` +
    `:86:${line === null ? ofDifference(entry, language) : detailsOf(line, statement, language)}\r\n`
  );
}

/** Where the recorded balance does not follow from the lines. */
function ofDifference(entry: BankEntry, language: Language): string {
  const name = swiftText(nameDifference(entry, language));
  return `${codeOf('', entry.effect)}?00${name.slice(0, LONGEST.part).trim()}`;
}

/** Reversals have marks of their own: RC takes a credit back, RD a debit. */
function markOf(isReversal: boolean, effect: number): string {
  if (isReversal) return effect < 0 ? 'RC' : 'RD';
  return effect < 0 ? 'D' : 'C';
}

function typeOf(kind: string): string {
  if (kind.endsWith('_FEE')) return 'NCHG';
  return kind === 'CASHIN_CREDIT' || kind === 'CASHOUT_DEBIT' ? 'NTRF' : 'NMSC';
}

/** Of at most 16 characters, without its hyphens where it is longer; field 86 has it as it is. */
function ownReference(reference: string | null): string {
  const whole = swiftText(reference ?? '').replaceAll('/', '');
  const short = whole.length > LONGEST.reference ? whole.replaceAll('-', '') : whole;
  return short === '' || short.length > LONGEST.reference ? 'NONREF' : short;
}

/** Codes of business transactions: a credit, a payment, a charge, anything else. */
function codeOf(kind: string, effect: number): string {
  if (kind.endsWith('_FEE')) return '808';
  if (kind === 'CASHIN_CREDIT') return '166';
  return kind === 'CASHOUT_DEBIT' ? '116' : effect < 0 ? '835' : '899';
}

function detailsOf(line: StatementLine, statement: Statement, language: Language): string {
  const { kind, label, operationReference, externalReference } = line;
  const purpose = [
    ...keyed('EREF', operationReference),
    ...keyed('KREF', externalReference),
    ...keyed('SVWZ', label),
  ].slice(0, PURPOSE_PARTS);
  const parts = [
    `?00${swiftText(nameKind(kind, language)).slice(0, LONGEST.part).trim()}`,
    ...purpose.map((part, i) => `?${20 + i}${part}`),
    ...partyParts(line, statement),
  ];
  const pairs = parts.flatMap((part, i) => (i % 2 === 0 ? [part + (parts[i + 1] ?? '')] : []));
  return `${codeOf(kind, effectOf(line))}${pairs.join('\r\n')}`;
}

/** Its account, and its name in at most two parts. */
function partyParts(line: StatementLine, statement: Statement): readonly string[] {
  const party = otherPartyOf(line, statement);
  if (party === null) return [];
  const [first = '', second = ''] = inParts(swiftText(party.name));
  const account = swiftText(party.account ?? '').slice(0, LONGEST.part);
  return [['31', account] as const, ['32', first] as const, ['33', second] as const]
    .filter(([, text]) => text !== '')
    .map(([number, text]) => `?${number}${text}`);
}

/**
 * Under its keyword, in as many parts as it takes. Readers join them as they are, so nothing is
 * added where they are cut.
 */
function keyed(keyword: string, text: string | null): readonly string[] {
  const whole = swiftText(text ?? '');
  if (whole === '') return [];
  return inParts(`${keyword}+${whole}`);
}

function inParts(text: string): readonly string[] {
  return text.match(new RegExp(`.{1,${LONGEST.part}}`, 'g')) ?? [];
}

/** `261001`. */
function dateOf(day: string): string {
  return day.slice(2).replaceAll('-', '');
}

/**
 * Without its sign; always with a comma, never with decimals. Throws `StatementRefused` where it
 * does not fit.
 */
function amountOf(amount: number): string {
  const shown = `${Math.abs(amount)},`;
  if (shown.length <= LONGEST.amount) return shown;
  const message = `MT940 has ${LONGEST.amount} places for an amount with its comma, and ${amount} does not fit: take camt.053 (--format camt).`;
  throw new StatementRefused('AMOUNTS_TOO_LARGE', message);
}
