// What an operation says of itself that must agree: net amount, reference and type, country and currency.

import { currencyOf } from '../../domain/currency.ts';
import type { FindingDraft } from '../../domain/finding.ts';
import { typeOfReference } from '../../domain/operation.ts';
import {
  draftOf,
  figures,
  type KindPage,
  lineEvidence,
  money,
  NO_FINDINGS,
  type OperationCheck,
  operationEvidence,
} from '../check.ts';

const net: KindPage = {
  kind: 'NET_AMOUNT_INCONSISTENT',
  severity: 'critical',
  explanation: 'netAmount is not amount − fees (cash-in) or amount + fees (cash-out).',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_FEE 20 980/0 CI-1
    op CI-1 SUCCEEDED 1000 fees=20 netAmount=990`,
  quiet: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_FEE 20 980/0 CI-1
    op CI-1 SUCCEEDED 1000 fees=20 netAmount=980`,
};

export const netAmountCheck: OperationCheck = {
  says: [net],
  find({ operation, type }) {
    const { amount, fees, netAmount, reference } = operation;
    const due = type === 'CASHIN' ? amount - fees : amount + fees;
    if (netAmount === due) return NO_FINDINGS;
    const rule = type === 'CASHIN' ? 'amount less fees' : 'amount plus fees';
    const message = `Operation ${reference} states a net amount of ${money(netAmount)}, but ${rule} is ${money(due)}.`;
    return [
      draftOf(net, message, {
        ...figures({ expected: due, actual: netAmount }),
        operationReference: reference,
        evidence: [operationEvidence(reference)],
      }),
    ];
  },
};

const reference: KindPage = {
  kind: 'REFERENCE_TYPE_MISMATCH',
  severity: 'error',
  explanation:
    'The reference’s prefix (GUI-CI- or GUI-CO-), the operation’s type and the kinds of its lines do not agree.',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHOUT_FEE 20 980/0 CI-1
    op CI-1 SUCCEEDED 1000 fees=20`,
  quiet: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_FEE 20 980/0 CI-1
    op CI-1 SUCCEEDED 1000 fees=20`,
};

export const referenceTypeCheck: OperationCheck = {
  says: [reference],
  find({ operation, type, facts }) {
    const strayPrincipal = type === 'CASHIN' ? facts.debit : facts.credit;
    const strayFee = type === 'CASHIN' ? facts.cashoutFee : facts.cashinFee;
    const announced = typeOfReference(operation.reference);
    const hasStrays = strayPrincipal.lines.length + strayFee.lines.length > 0;
    if (announced === operation.type && !hasStrays) return NO_FINDINGS;
    const place = { operationReference: operation.reference };
    if (announced !== operation.type) {
      const whose = announced === null ? 'neither a cash-in nor a cash-out' : `a ${announced}`;
      const message = `Operation ${operation.reference} is a ${operation.type}, but its reference is that of ${whose}.`;
      return [draftOf(reference, message, { ...place, evidence: [operationEvidence(operation.reference)] })];
    }
    const drafts: FindingDraft[] = [];
    for (const { entry } of [...strayPrincipal.lines, ...strayFee.lines]) {
      const message = `Line ${entry.sequence} is a ${entry.kind}, but operation ${operation.reference} is a ${type}.`;
      const { sequence } = entry;
      drafts.push(draftOf(reference, message, { ...place, sequence, evidence: [lineEvidence(sequence)] }));
    }
    return drafts;
  },
};

const country: KindPage = {
  kind: 'COUNTRY_CURRENCY_MISMATCH',
  severity: 'error',
  explanation:
    'Cameroon uses XAF, Guinea GNF, the other seven countries XOF; and an operation is in its wallet’s currency.',
  fires: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 SUCCEEDED 1000 country=CM`,
  quiet: `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 SUCCEEDED 1000 country=SN`,
};

export const countryCurrencyCheck: OperationCheck = {
  says: [country],
  find({ operation }, context) {
    const due = currencyOf(operation.country);
    const isOfCountry = due === null || due === operation.currency;
    const { currency, statedCurrency } = context;
    const isOfWallet = currency === null || currency === operation.currency || statedCurrency === operation.currency;
    if (isOfCountry && isOfWallet) return NO_FINDINGS;
    const place = {
      operationReference: operation.reference,
      actual: operation.currency,
      evidence: [operationEvidence(operation.reference)],
    };
    if (!isOfCountry) {
      const message = `Operation ${operation.reference} is in ${operation.currency}, but ${operation.country} uses ${due}.`;
      return [draftOf(country, message, { ...place, expected: due })];
    }
    const message = `Operation ${operation.reference} is in ${operation.currency}, but the wallet is in ${currency}.`;
    return [draftOf(country, message, { ...place, expected: currency })];
  },
};
