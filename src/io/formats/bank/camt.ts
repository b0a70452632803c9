// ISO 20022 camt.053.001.08: the month as a bank statement, for accounting and treasury software. Balances at both ends and
// what is available; one entry for each line that moves the balance, on its local day. Holds and releases are no entries.

import { formatInstant } from '../../../core/domain/instant.ts';
import type { LegalIdentity } from '../../../core/domain/merchant.ts';
import type { Language, Statement } from '../../../core/statements/statement.ts';
import type { StatementLine } from '../../../core/statements/statement-line.ts';
import { nameEntry } from '../bookkeeping/stream-entries.ts';
import type { StatementFormat } from '../port/format.ts';
import { cutTo, oneLine } from '../port/one-line.ts';
import { writeText } from '../port/write-text.ts';
import { visibleText, xmlText } from '../port/xml-text.ts';
import { type BankEntry, type BankParts, wholeMonth } from './bank-entries.ts';
import {
  accountOf,
  chargesWithin,
  daysOf,
  effectOf,
  otherPartyOf,
  statementNumber,
  verdictText,
} from './bank-statement.ts';

export const camtFormat: StatementFormat = {
  name: 'camt',
  extension: 'xml',
  mediaType: 'application/xml',
  write: (document, { language }, out) => writeText(writeCamt(wholeMonth(document), language), out),
};

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

export async function* writeCamt(parts: BankParts, language: Language): AsyncGenerator<string> {
  const { statement, entries } = parts;
  yield headOf(parts);
  for await (const batch of entries()) yield batch.map((entry) => entryOf(entry, statement, language)).join('');
  const verdict = element('AddtlStmtInf', verdictText(statement, language), LONGEST.information);
  yield `${verdict}</Stmt>\n</BkToCstmrStmt>\n</Document>\n`;
}

function headOf({ statement, edition, balances: figures, count, credits, debits }: BankParts): string {
  const { merchant, issuer, period, integrity, currency } = statement;
  const { opening, closing, available } = figures;
  const id = element(
    'Id',
    `${period.period}-${integrity.shortHash}${edition.startsWith('D') ? `-${edition}` : ''}`,
    LONGEST.id,
  );
  const made = `<CreDtTm>${formatInstant(statement.generatedAt)}</CreDtTm>`;
  const { first, last } = daysOf(statement);
  const number = statementNumber(statement);
  const account = element('Id', accountOf(statement), LONGEST.account);
  const owner = partyOf(merchant.holder, merchant.holder?.legalName ?? merchant.name ?? '');
  const balances = [
    balanceOf({ code: 'OPBD', amount: opening, currency, day: first }),
    balanceOf({ code: 'CLBD', amount: closing, currency, day: last }),
    balanceOf({ code: 'CLAV', amount: available, currency, day: last }),
  ];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    `<Document xmlns="${NAMESPACE}">\n<BkToCstmrStmt>\n`,
    `<GrpHdr>${element('MsgId', `${period.period}-${integrity.shortHash}-${edition.replace('R', '')}`, LONGEST.id)}${made}</GrpHdr>\n`,
    `<Stmt>${id}<ElctrncSeqNb>${number}</ElctrncSeqNb><LglSeqNb>${number}</LglSeqNb>${made}`,
    `<FrToDt><FrDtTm>${period.startText.utc}</FrDtTm><ToDtTm>${formatInstant(period.end - 1)}</ToDtTm></FrToDt>\n`,
    `<Acct><Id><Othr>${account}</Othr></Id>${element('Ccy', currency, 3)}`,
    `${element('Nm', merchant.reference, LONGEST.accountName)}${wrapped('Ownr', owner)}${servicerOf(issuer)}</Acct>\n`,
    ...balances,
    `<TxsSummry><TtlNtries><NbOfNtries>${count}</NbOfNtries></TtlNtries>`,
    `<TtlCdtNtries><Sum>${credits}</Sum></TtlCdtNtries><TtlDbtNtries><Sum>${debits}</Sum></TtlDbtNtries>`,
    '</TxsSummry>\n',
  ].join('');
}

/** Name, address, and the number that the tax office has given. */
function partyOf(identity: LegalIdentity | null, name: string): string {
  const id = wrapped('Id', wrapped('OrgId', taxNumberOf(identity)));
  return `${element('Nm', name, LONGEST.name)}${addressOf(identity)}${id}`;
}

/** Who keeps the account: a bank has its numbers in other places than its customers. */
function servicerOf(issuer: LegalIdentity | null): string {
  const name = element('Nm', issuer?.legalName ?? '', LONGEST.name);
  return wrapped('Svcr', wrapped('FinInstnId', `${name}${addressOf(issuer)}${taxNumberOf(issuer)}`));
}

function addressOf(identity: LegalIdentity | null): string {
  const lines = (identity?.address ?? []).map((line) => element('AdrLine', line, LONGEST.address));
  return wrapped('PstlAdr', lines.join(''));
}

function taxNumberOf(identity: LegalIdentity | null): string {
  const { label, number } = identity?.taxNumber ?? { label: '', number: '' };
  const id = element('Id', number, LONGEST.id);
  return id === '' ? '' : `<Othr>${id}${wrapped('SchmeNm', element('Prtry', label, LONGEST.id))}</Othr>`;
}

/** Nothing around nothing. */
function wrapped(name: string, inner: string): string {
  return inner === '' ? '' : `<${name}>${inner}</${name}>`;
}

interface Balance {
  readonly code: 'OPBD' | 'CLBD' | 'CLAV';
  readonly amount: number;
  readonly currency: string;
  readonly day: string;
}

function balanceOf({ code, amount, currency, day }: Balance): string {
  return (
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp>${amountOf(amount, currency)}` +
    `<Dt><Dt>${day}</Dt></Dt></Bal>\n`
  );
}

/** The amount without its sign, and the side that has it: credits are the account owner's. */
function amountOf(amount: number, currency: string): string {
  const side = amount < 0 ? 'DBIT' : 'CRDT';
  return `${moneyOf('Amt', Math.abs(amount), currency)}<CdtDbtInd>${side}</CdtDbtInd>`;
}

function entryOf(entry: BankEntry, statement: Statement, language: Language): string {
  const { currency } = statement;
  const { reference, serviceId, effect, isReversal, line, difference } = entry;
  const day = `<Dt>${entry.day}</Dt>`;
  const kind = line?.kind ?? (difference?.source === 'ahead' ? 'CUT_OFF' : 'BALANCE_DRIFT');
  return (
    `<Ntry>${element('NtryRef', reference, LONGEST.id)}${amountOf(effect, currency)}` +
    `${isReversal ? '<RvslInd>true</RvslInd>' : ''}<Sts><Cd>BOOK</Cd></Sts>` +
    `<BookgDt>${day}</BookgDt><ValDt>${day}</ValDt>${element('AcctSvcrRef', serviceId, LONGEST.id)}` +
    `<BkTxCd><Domn><Cd>PMNT</Cd>${familyOf(kind, effect)}</Domn><Prtry>${element('Cd', kind, LONGEST.id)}</Prtry></BkTxCd>` +
    `${line === null ? '' : ofLine(line, entry, statement)}` +
    // Of a difference what it is, so that the entries sum to what is recorded.
    `${element('AddtlNtryInf', line === null ? nameEntry({ entry: difference, line }, language) : (line.label ?? ''), LONGEST.information)}</Ntry>\n`
  );
}

/** What is taken back has its charges in the entry that it takes back. */
function ofLine(line: StatementLine, { effect }: BankEntry, statement: Statement): string {
  const charges = effect === effectOf(line) ? chargesOf(line, statement.currency) : '';
  return `${charges}<NtryDtls><TxDtls>${detailsOf(line, statement)}</TxDtls></NtryDtls>`;
}

/** Of a collection posted net: what was paid, and what the service kept of it; the entry's own amount is the rest. */
function chargesOf(line: StatementLine, currency: string): string {
  const charges = chargesWithin(line);
  if (charges <= 0) return '';
  const kept = moneyOf('Amt', charges, currency);
  return (
    `<AmtDtls><InstdAmt>${moneyOf('Amt', effectOf(line) + charges, currency)}</InstdAmt></AmtDtls>` +
    `<Chrgs>${moneyOf('TtlChrgsAndTaxAmt', charges, currency)}` +
    `<Rcrd>${kept}<CdtDbtInd>DBIT</CdtDbtInd><ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs>`
  );
}

function moneyOf(name: string, amount: number, currency: string): string {
  return `<${name} Ccy="${escaped(currency)}">${amount}</${name}>`;
}

/** References, the other party, and the exact instant, which the days above cannot say. */
function detailsOf(line: StatementLine, statement: Statement): string {
  const { createdAt, operationReference, externalReference } = line;
  const reference = operationReference === null ? '' : element('EndToEndId', operationReference, LONGEST.id);
  const remittance = externalReference === null ? '' : element('Ustrd', externalReference, LONGEST.remittance);
  return (
    `${reference === '' ? '' : `<Refs>${reference}</Refs>`}${partiesOf(line, statement)}` +
    `${remittance === '' ? '' : `<RmtInf>${remittance}</RmtInf>`}` +
    `<RltdDts><TxDtTm>${formatInstant(createdAt)}</TxDtTm></RltdDts>`
  );
}

/** Who paid is the debtor of a credit, who was paid the creditor of a debit. */
function partiesOf(line: StatementLine, statement: Statement): string {
  const party = otherPartyOf(line, statement);
  if (party === null) return '';
  const role = effectOf(line) < 0 ? 'Cdtr' : 'Dbtr';
  const id = party.account === null ? '' : element('Id', party.account, LONGEST.account);
  const account = id === '' ? '' : `<${role}Acct><Id><Othr>${id}</Othr></Id></${role}Acct>`;
  return `<RltdPties><${role}><Pty>${element('Nm', party.name, LONGEST.name)}</Pty></${role}>${account}</RltdPties>`;
}

/** Family and sub-family in the domain of payments. */
function familyOf(kind: string, effect: number): string {
  const family = (code: string, sub: string): string => `<Fmly><Cd>${code}</Cd><SubFmlyCd>${sub}</SubFmlyCd></Fmly>`;
  switch (kind) {
    case 'CASHIN_CREDIT':
      return family('RCDT', 'OTHR');
    case 'CASHOUT_DEBIT':
      return family('ICDT', 'OTHR');
    case 'CASHIN_FEE':
    case 'CASHOUT_FEE':
      return family('MDOP', 'COMM');
    default:
      return family(
        effect < 0 ? 'MDOP' : 'MCOP',
        /^(?:ADJUSTMENT_|BALANCE_DRIFT|CUT_OFF)/.test(kind) ? 'ADJT' : 'OTHR',
      );
  }
}

/** Nothing for an empty text: the schema wants at least one character. */
function element(name: string, text: string, longest: number): string {
  const shown = cutTo(oneLine(text), longest);
  return shown === '' ? '' : `<${name}>${escaped(shown)}</${name}>`;
}

function escaped(text: string): string {
  return xmlText(visibleText(text));
}
