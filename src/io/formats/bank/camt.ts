// ISO 20022 camt.053.001.08: the month as a bank statement, for accounting and treasury software.
// The balances at both ends and the available one; one entry for each line that moves the balance,
// on its local day. Holds and releases are no entries.

import { formatInstant } from '../../../core/domain/instant.ts';
import type { LegalIdentity } from '../../../core/domain/merchant.ts';
import { keyIn } from '../../../core/domain/naming/names.ts';
import type { Language, Statement } from '../../../core/statements/statement.ts';
import { effectOf, type StatementLine } from '../../../core/statements/statement-line.ts';
import { LABELS } from '../../../core/words/tree.ts';
import { cutTo, oneLine } from '../port/one-line.ts';
import { figureWordingOf } from '../port/wording.ts';
import { visibleText, xmlText } from '../port/xml-text.ts';
import { verdictSentences } from '../sentences/verdict-sentences.ts';
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

export const camtFormat = bankFormat({
  name: 'camt',
  extension: 'xml',
  mediaType: 'application/xml',
  headOf,
  entryOf,
  footOf,
});

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08';
/** Of texts, by the schema. */
const LONGEST = {
  id: 35,
  account: 34,
  name: 140,
  accountName: 70,
  address: 70,
  remittance: 140,
  information: 500,
} as const;

function headOf({
  statement,
  edition,
  balances: figures,
  count,
  credits,
  debits,
}: BankParts): string {
  const { merchant, issuer, period, integrity, currency } = statement;
  const number = `${period.period}-${integrity.shortHash}`;
  const isDelta = edition.startsWith('D');
  const id = element('Id', isDelta ? `${number}-${edition}` : number, LONGEST.id);
  const message = element('MsgId', `${number}-${edition.replace('R', '')}`, LONGEST.id);
  const made = `<CreDtTm>${formatInstant(statement.generatedAt)}</CreDtTm>`;
  const { first, last } = daysOf(statement);
  const sequence = statementNumber(statement);
  const account = key('Id', accountOf(statement), LONGEST.account);
  const owner = partyOf(merchant.holder, merchant.holder?.legalName ?? merchant.name ?? '');
  const balance = (code: string, amount: number, day: string): string =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${amountOf(amount, currency)}<Dt><Dt>${day}</Dt></Dt></Bal>\n`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    `<Document xmlns="${NAMESPACE}">\n<BkToCstmrStmt>\n`,
    `<GrpHdr>${message}${made}</GrpHdr>\n`,
    `<Stmt>${id}<ElctrncSeqNb>${sequence}</ElctrncSeqNb><LglSeqNb>${sequence}</LglSeqNb>${made}`,
    `<FrToDt><FrDtTm>${period.startText.utc}</FrDtTm><ToDtTm>${formatInstant(period.end - 1)}</ToDtTm></FrToDt>\n`,
    `<Acct><Id><Othr>${account}</Othr></Id>${element('Ccy', currency, 3)}`,
    `${element('Nm', merchant.reference, LONGEST.accountName)}${wrapped('Ownr', owner)}${servicerOf(issuer)}</Acct>\n`,
    balance('OPBD', figures.opening, first),
    balance('CLBD', figures.closing, last),
    balance('CLAV', figures.available, last),
    `<TxsSummry><TtlNtries><NbOfNtries>${count}</NbOfNtries></TtlNtries>`,
    `<TtlCdtNtries><Sum>${credits}</Sum></TtlCdtNtries><TtlDbtNtries><Sum>${debits}</Sum></TtlDbtNtries>`,
    '</TxsSummry>\n',
  ].join('');
}

/** What a revision takes the place of, and the verdict, in our own words. */
function footOf(parts: BankParts, language: Language): string {
  const labels = LABELS[language];
  const verdict = verdictSentences(
    parts.statement.summary,
    labels,
    figureWordingOf(labels.numbers).amount,
  );
  const said = [editionNote(parts, language) ?? '', ...verdict].join(' ');
  return `${element('AddtlStmtInf', said, LONGEST.information)}</Stmt>\n</BkToCstmrStmt>\n</Document>\n`;
}

/** Name, address, and the number that the tax office has given. */
function partyOf(identity: LegalIdentity | null, name: string): string {
  const id = wrapped('Id', wrapped('OrgId', taxNumberOf(identity)));
  return `${element('Nm', name, LONGEST.name)}${addressOf(identity)}${id}`;
}

/** The account's bank, which has its numbers in other places than its customers. */
function servicerOf(issuer: LegalIdentity | null): string {
  const name = element('Nm', issuer?.legalName, LONGEST.name);
  return wrapped(
    'Svcr',
    wrapped('FinInstnId', `${name}${addressOf(issuer)}${taxNumberOf(issuer)}`),
  );
}

function addressOf(identity: LegalIdentity | null): string {
  const lines = (identity?.address ?? []).map((line) => element('AdrLine', line, LONGEST.address));
  return wrapped('PstlAdr', lines.join(''));
}

function taxNumberOf(identity: LegalIdentity | null): string {
  const id = element('Id', identity?.taxNumber?.number, LONGEST.id);
  const label = element('Prtry', identity?.taxNumber?.label, LONGEST.id);
  return id === '' ? '' : wrapped('Othr', `${id}${wrapped('SchmeNm', label)}`);
}

/** The amount without its sign, and the side that has it: credits are the account owner's. */
function amountOf(amount: number, currency: string): string {
  const side = amount < 0 ? 'DBIT' : 'CRDT';
  return `${moneyOf('Amt', Math.abs(amount), currency)}<CdtDbtInd>${side}</CdtDbtInd>`;
}

function moneyOf(name: string, amount: number, currency: string): string {
  return `<${name} Ccy="${escaped(currency)}">${amount}</${name}>`;
}

function entryOf(entry: BankEntry, statement: Statement, language: Language): string {
  const { reference, serviceId, effect, isReversal, line, difference } = entry;
  const day = `<Dt>${entry.day}</Dt>`;
  const kind = line?.kind ?? (difference?.source === 'ahead' ? 'CUT_OFF' : 'BALANCE_DRIFT');
  // A difference is named, so that the entries sum to what is recorded.
  const information = line === null ? nameDifference(entry, language) : line.label;
  return [
    `<Ntry>${key('NtryRef', reference)}${amountOf(effect, statement.currency)}`,
    isReversal ? '<RvslInd>true</RvslInd>' : '',
    `<Sts><Cd>BOOK</Cd></Sts><BookgDt>${day}</BookgDt><ValDt>${day}</ValDt>`,
    key('AcctSvcrRef', serviceId),
    `<BkTxCd><Domn><Cd>PMNT</Cd>${familyOf(kind, effect)}</Domn><Prtry>${element('Cd', kind, LONGEST.id)}</Prtry></BkTxCd>`,
    line === null
      ? ''
      : `${chargesOf(line, entry, statement.currency)}${detailsOf(line, statement)}`,
    `${element('AddtlNtryInf', information, LONGEST.information)}</Ntry>\n`,
  ].join('');
}

/** Family and sub-family in the domain of payments. */
function familyOf(kind: string, effect: number): string {
  const [family, sub] = codesOf(kind, effect);
  return `<Fmly><Cd>${family}</Cd><SubFmlyCd>${sub}</SubFmlyCd></Fmly>`;
}

function codesOf(kind: string, effect: number): readonly [family: string, sub: string] {
  if (kind === 'CASHIN_CREDIT') return ['RCDT', 'OTHR'];
  if (kind === 'CASHOUT_DEBIT') return ['ICDT', 'OTHR'];
  if (kind === 'CASHIN_FEE' || kind === 'CASHOUT_FEE') return ['MDOP', 'COMM'];
  const isAdjustment = /^(?:ADJUSTMENT_|BALANCE_DRIFT|CUT_OFF)/.test(kind);
  return [effect < 0 ? 'MDOP' : 'MCOP', isAdjustment ? 'ADJT' : 'OTHR'];
}

/**
 * Of a collection posted net: the amount paid, and the service's charges within it, tax included;
 * the entry has the rest. An entry that takes a line back has none: its charges are in the entry
 * that it takes back.
 */
function chargesOf(line: StatementLine, { effect }: BankEntry, currency: string): string {
  if (line.kind !== 'CASHIN_CREDIT' || line.entry === null || effect !== effectOf(line)) return '';
  const charges = line.entry.rows
    .filter(({ role }) => role === 'fees' || role === 'feeTax')
    .reduce((sum, { debit, credit }) => sum + debit - credit, 0);
  if (charges <= 0) return '';
  return (
    `<AmtDtls><InstdAmt>${moneyOf('Amt', effect + charges, currency)}</InstdAmt></AmtDtls>` +
    `<Chrgs>${moneyOf('TtlChrgsAndTaxAmt', charges, currency)}` +
    `<Rcrd>${moneyOf('Amt', charges, currency)}<CdtDbtInd>DBIT</CdtDbtInd><ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs>`
  );
}

/** References, the other party, and the exact instant, which the days above cannot say. */
function detailsOf(line: StatementLine, statement: Statement): string {
  const reference = wrapped('Refs', key('EndToEndId', line.operationReference));
  const remittance = wrapped(
    'RmtInf',
    element('Ustrd', line.externalReference, LONGEST.remittance),
  );
  const dates = `<RltdDts><TxDtTm>${formatInstant(line.createdAt)}</TxDtTm></RltdDts>`;
  const details = `${reference}${partiesOf(line, statement)}${remittance}${dates}`;
  return wrapped('NtryDtls', wrapped('TxDtls', details));
}

/** The payer is the debtor of a credit, the payee the creditor of a debit. */
function partiesOf(line: StatementLine, statement: Statement): string {
  const party = otherPartyOf(line, statement);
  if (party === null) return '';
  const role = effectOf(line) < 0 ? 'Cdtr' : 'Dbtr';
  const id = wrapped('Id', wrapped('Othr', element('Id', party.account, LONGEST.account)));
  const name = wrapped(role, wrapped('Pty', element('Nm', party.name, LONGEST.name)));
  return wrapped('RltdPties', `${name}${wrapped(`${role}Acct`, id)}`);
}

/** Empty where `inner` is. */
function wrapped(name: string, inner: string): string {
  return inner === '' ? '' : `<${name}>${inner}</${name}>`;
}

/** An element that a reader knows something again by. */
function key(name: string, text: string | null, width: number = LONGEST.id): string {
  return element(name, keyIn(width, visible, text ?? ''), width);
}

const visible = (text: string): string => visibleText(oneLine(text));

/** Empty for an empty text: the schema wants at least one character. */
function element(name: string, text: string | null | undefined, longest: number): string {
  return wrapped(name, escaped(cutTo(oneLine(text ?? ''), longest)));
}

function escaped(text: string): string {
  return xmlText(visibleText(text));
}
