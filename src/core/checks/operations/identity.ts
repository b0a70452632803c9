// What an operation says of itself that must agree: net amount, reference and type, country and currency.

import { currencyOf } from '../../domain/amount.ts';
import type { FindingDraft } from '../../domain/finding.ts';
import {
  compared,
  draftOf,
  type KindPage,
  lineEvidence,
  NO_FINDINGS,
  type OperationCheck,
  operationEvidence,
} from '../port/check.ts';

const net: KindPage<'NET_AMOUNT_INCONSISTENT'> = {
  kind: 'NET_AMOUNT_INCONSISTENT',
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
    const { amount, fees, netAmount } = operation;
    const due = type === 'CASHIN' ? amount - fees : amount + fees;
    if (netAmount === due) return NO_FINDINGS;
    const { reference } = operation;
    const figures = { reference, type, netAmount, due };
    return [
      draftOf(net, figures, {
        ...compared({ expected: due, actual: netAmount }),
        operationReference: reference,
        evidence: [operationEvidence(reference)],
      }),
    ];
  },
};

const reference: KindPage<'REFERENCE_TYPE_MISMATCH'> = {
  kind: 'REFERENCE_TYPE_MISMATCH',
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
  find({ operation, announced, type, facts }) {
    const strayPrincipal = type === 'CASHIN' ? facts.debit : facts.credit;
    const strayFee = type === 'CASHIN' ? facts.cashoutFee : facts.cashinFee;
    const hasStrays = strayPrincipal.lines.length + strayFee.lines.length > 0;
    if (announced === operation.type && !hasStrays) return NO_FINDINGS;
    const place = { operationReference: operation.reference };
    if (announced !== operation.type) {
      const figures = {
        of: 'reference',
        reference: operation.reference,
        type: operation.type,
        announced,
      } as const;
      return [draftOf(reference, figures, { ...place, evidence: [operationEvidence(operation.reference)] })];
    }
    const drafts: FindingDraft[] = [];
    for (const { entry } of [...strayPrincipal.lines, ...strayFee.lines]) {
      const { sequence, kind } = entry;
      const figures = { of: 'line', reference: operation.reference, type, sequence, kind } as const;
      drafts.push(draftOf(reference, figures, { ...place, sequence, evidence: [lineEvidence(sequence)] }));
    }
    return drafts;
  },
};

const country: KindPage<'COUNTRY_CURRENCY_MISMATCH'> = {
  kind: 'COUNTRY_CURRENCY_MISMATCH',
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
    const named = { reference: operation.reference, currency: operation.currency };
    if (!isOfCountry) {
      const figures = { ...named, of: 'country', country: operation.country, due } as const;
      return [draftOf(country, figures, { ...place, expected: due })];
    }
    const figures = { ...named, of: 'wallet', due: currency! } as const;
    return [draftOf(country, figures, { ...place, expected: currency })];
  },
};
