// ISO 20022 camt.053.001.08: the month as a bank statement, for treasury software. Balances at both ends and what is
// available; one entry for each line that moves the balance. Holds and releases are no entries.

import { formatInstant } from '../domain/instant.ts';
import type { Statement } from '../statements/statement.ts';
import type { StatementLine } from '../statements/statement-line.ts';
import type { StatementDocument, StatementFormat } from './format.ts';
import { cutTo, oneLine } from './one-line.ts';
import { writeText } from './write-text.ts';
import { visibleText, xmlText } from './xml-text.ts';

export const camtFormat: StatementFormat = {
  name: 'camt',
  extension: 'xml',
  mediaType: 'application/xml',
  write: (document, _, out) => writeText(piecesOf(document), out),
};

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08';
/** Of texts, by the schema. */
const LONGEST = { id: 35, account: 34, name: 140, accountName: 70, remittance: 140, information: 500 } as const;

async function* piecesOf({ statement, lines }: StatementDocument): AsyncGenerator<string> {
  yield headOf(statement);
  for await (const batch of lines()) {
    let text = '';
    for (const line of batch) if (line.entry !== null) text += entryOf(line, statement.currency);
    yield text;
  }
  yield '</Stmt>\n</BkToCstmrStmt>\n</Document>\n';
}

function headOf(statement: Statement): string {
  const { merchant, period, revision, integrity, currency, summary, days, journal } = statement;
  const id = element('Id', `${period.period}-${integrity.shortHash}`, LONGEST.id);
  const made = `<CreDtTm>${formatInstant(statement.generatedAt)}</CreDtTm>`;
  const firstDay = period.startText.local.slice(0, 10);
  const lastDay = days.at(-1)?.day ?? firstDay;
  const { wallet } = journal;
  const account = element('Id', compactId(statement.walletId ?? merchant.reference), LONGEST.account);
  const owner = merchant.name === null ? '' : `<Ownr>${element('Nm', merchant.name, LONGEST.name)}</Ownr>`;
  const balances = [
    balanceOf({ code: 'OPBD', amount: summary.openingBalance, currency, day: firstDay }),
    balanceOf({ code: 'CLBD', amount: summary.closingBalance, currency, day: lastDay }),
    balanceOf({ code: 'CLAV', amount: summary.availableAtClose, currency, day: lastDay }),
  ];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    `<Document xmlns="${NAMESPACE}">\n<BkToCstmrStmt>\n`,
    `<GrpHdr>${element('MsgId', `${period.period}-${integrity.shortHash}-${revision.number}`, LONGEST.id)}${made}</GrpHdr>\n`,
    `<Stmt>${id}<ElctrncSeqNb>${revision.number}</ElctrncSeqNb>${made}`,
    `<FrToDt><FrDtTm>${period.startText.utc}</FrDtTm><ToDtTm>${formatInstant(period.end - 1)}</ToDtTm></FrToDt>\n`,
    `<Acct><Id><Othr>${account}</Othr></Id>${element('Ccy', currency, 3)}`,
    `${element('Nm', merchant.reference, LONGEST.accountName)}${owner}</Acct>\n`,
    ...balances,
    `<TxsSummry><TtlNtries><NbOfNtries>${journal.entryCount}</NbOfNtries></TtlNtries>`,
    `<TtlCdtNtries><Sum>${wallet.debit}</Sum></TtlCdtNtries><TtlDbtNtries><Sum>${wallet.credit}</Sum></TtlDbtNtries>`,
    '</TxsSummry>\n',
  ].join('');
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
  return `<Amt Ccy="${escaped(currency)}">${Math.abs(amount)}</Amt><CdtDbtInd>${side}</CdtDbtInd>`;
}

function entryOf(line: StatementLine, currency: string): string {
  const { sequence, id, createdAt, kind, label, operationReference, externalReference } = line;
  const effect = (line.credit ?? 0) - (line.debit ?? 0);
  const at = `<DtTm>${formatInstant(createdAt)}</DtTm>`;
  const references = operationReference === null ? '' : element('EndToEndId', operationReference, LONGEST.id);
  const refs = references === '' ? '' : `<Refs>${references}</Refs>`;
  const remittance =
    externalReference === null ? '' : `<RmtInf>${element('Ustrd', externalReference, LONGEST.remittance)}</RmtInf>`;
  const details = refs + remittance === '' ? '' : `<NtryDtls><TxDtls>${refs}${remittance}</TxDtls></NtryDtls>`;
  return (
    `<Ntry>${element('NtryRef', String(sequence), LONGEST.id)}${amountOf(effect, currency)}` +
    `${kind.startsWith('REVERSAL_') ? '<RvslInd>true</RvslInd>' : ''}<Sts><Cd>BOOK</Cd></Sts>` +
    `<BookgDt>${at}</BookgDt><ValDt>${at}</ValDt>${element('AcctSvcrRef', compactId(id), LONGEST.id)}` +
    `<BkTxCd><Domn><Cd>PMNT</Cd>${familyOf(kind, effect)}</Domn><Prtry>${element('Cd', kind, LONGEST.id)}</Prtry></BkTxCd>` +
    `${details}${label === null ? '' : element('AddtlNtryInf', label, LONGEST.information)}</Ntry>\n`
  );
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
      return family(effect < 0 ? 'MDOP' : 'MCOP', kind.startsWith('ADJUSTMENT_') ? 'ADJT' : 'OTHR');
  }
}

/** An id of at most 35 characters: a UUID without its hyphens. */
function compactId(id: string): string {
  return /^[0-9a-f-]{36}$/i.test(id) ? id.replaceAll('-', '') : id;
}

/** Nothing for an empty text: the schema wants at least one character. */
function element(name: string, text: string, longest: number): string {
  const shown = cutTo(oneLine(text), longest);
  return shown === '' ? '' : `<${name}>${escaped(shown)}</${name}>`;
}

function escaped(text: string): string {
  return xmlText(visibleText(text));
}
