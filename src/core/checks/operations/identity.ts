// What an operation says of itself that must agree: net amount, reference and type, country and currency.

import { type Amount, COUNTRIES, currencyOf } from '../../domain/amount.ts';
import type { FindingDraft } from '../../domain/finding.ts';
import type { Merchant } from '../../domain/merchant.ts';
import type { Operation, OperationType } from '../../domain/operation.ts';
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

// Bounds of the account: an operation outside every bound known to have been in force. The profile has no history, so a
// bound counts as known once a version of the profile with it was seen.

const bounds: KindPage<'AMOUNT_OUT_OF_BOUNDS'> = {
  kind: 'AMOUNT_OUT_OF_BOUNDS',
  explanation: 'The amount is below the minimum or above the maximum of every version of the profile that is known.',
  fires: `
    profile minCashinAmount=100 maxCashinAmount=5000
    line 1 CASHIN_CREDIT 9000 9000/0 CI-1
    op CI-1 SUCCEEDED 9000`,
  quiet: `
    profile minCashinAmount=100 maxCashinAmount=5000
    line 1 CASHIN_CREDIT 5000 5000/0 CI-1
    op CI-1 SUCCEEDED 5000`,
};

export const boundsCheck: OperationCheck = {
  says: [bounds],
  find({ operation, type }, { profiles }) {
    if (profiles.length === 0) return NO_FINDINGS;
    for (const profile of profiles) if (isWithin(operation, type, profile)) return NO_FINDINGS;
    const least = leastOf(profiles.at(-1)!, type);
    const most = mostOf(profiles.at(-1)!, type);
    const bound = operation.amount < least ? least : most;
    const figures = { reference: operation.reference, amount: operation.amount, least, most };
    const amounts = compared({ expected: bound, actual: operation.amount });
    const evidence = [
      operationEvidence(operation.reference),
      { what: 'profile', sequence: null, reference: null, note: 'limits' } as const,
    ];
    return [draftOf(bounds, figures, { ...amounts, operationReference: operation.reference, evidence })];
  },
};

function isWithin({ amount }: Operation, type: OperationType, profile: Merchant): boolean {
  const most = mostOf(profile, type);
  // A maximum of 0 can only mean that there is none: nothing could ever be paid under it.
  return amount >= leastOf(profile, type) && (most === 0 || amount <= most);
}

function leastOf({ limits }: Merchant, type: OperationType): Amount {
  return type === 'CASHIN' ? limits.minCashinAmount : limits.minCashoutAmount;
}

function mostOf({ limits }: Merchant, type: OperationType): Amount {
  return type === 'CASHIN' ? limits.maxCashinAmount : limits.maxCashoutAmount;
}

const allowedCountry: KindPage<'COUNTRY_NOT_ALLOWED'> = {
  kind: 'COUNTRY_NOT_ALLOWED',
  explanation:
    'The operation’s country is in no known version of the account’s allowedCountries, or is none that the document names.',
  fires: `
    profile allowedCountries=CI,SN
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 SUCCEEDED 1000 country=TG`,
  quiet: `
    profile allowedCountries=CI,SN
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    op CI-1 SUCCEEDED 1000 country=SN`,
};

export const countryAllowedCheck: OperationCheck = {
  says: [allowedCountry],
  find({ operation }, { profiles }) {
    for (const { allowedCountries } of profiles) if (allowedCountries.includes(operation.country)) return NO_FINDINGS;
    const known = profiles.filter((profile) => profile.allowedCountries.length > 0);
    const isNamed = (COUNTRIES as readonly string[]).includes(operation.country);
    if (known.length === 0 && isNamed) return NO_FINDINGS;
    const by = isNamed ? 'account' : 'document';
    const allowed = isNamed ? known.at(-1)!.allowedCountries : COUNTRIES;
    const figures = { by, reference: operation.reference, country: operation.country, allowed } as const;
    const evidence = [operationEvidence(operation.reference)];
    return [
      draftOf(allowedCountry, figures, {
        operationReference: operation.reference,
        expected: allowed.join(', '),
        actual: operation.country,
        evidence,
      }),
    ];
  },
};
