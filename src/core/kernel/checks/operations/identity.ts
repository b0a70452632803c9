// Checks on what an operation states about itself and its account: net amount, reference and type,
// country and currency, bounds.

import { type Amount, COUNTRIES, currencyOf } from '../../../domain/amount.ts';
import type { Merchant } from '../../../domain/merchant.ts';
import { netAmountOf, type Operation, type OperationType } from '../../../domain/operation.ts';
import {
  lineEvidence,
  NO_FINDINGS,
  type OperationCheck,
  operationDraft,
  operationEvidence,
} from '../port/check.ts';

export const checkNetAmount: OperationCheck = ({ operation, type }) => {
  const { amount, fees, netAmount } = operation;
  const due = netAmountOf({ type, amount, fees });
  if (netAmount === due) return NO_FINDINGS;
  const opposite = amount + amount - due;
  const is = netAmount === amount ? 'amount' : netAmount === opposite ? 'opposite' : 'other';
  const figures = { reference: operation.reference, type, netAmount, due, is } as const;
  return [operationDraft('NET_AMOUNT_INCONSISTENT', figures, { expected: due, actual: netAmount })];
};

export const checkReferenceType: OperationCheck = ({ operation, announced, type, facts }) => {
  const strayPrincipal = type === 'CASHIN' ? facts.debit : facts.credit;
  const strayFee = type === 'CASHIN' ? facts.cashoutFee : facts.cashinFee;
  const hasStrays = strayPrincipal.lines.length + strayFee.lines.length > 0;
  if (announced === operation.type && !hasStrays) return NO_FINDINGS;
  const { reference } = operation;
  if (announced !== operation.type) {
    const figures = { of: 'reference', reference, type: operation.type, announced } as const;
    return [operationDraft('REFERENCE_TYPE_MISMATCH', figures)];
  }
  return [...strayPrincipal.lines, ...strayFee.lines].map(({ entry: { sequence, kind } }) => {
    const figures = { of: 'line', reference, type, sequence, kind } as const;
    return operationDraft('REFERENCE_TYPE_MISMATCH', figures, {
      sequence,
      evidence: [lineEvidence(sequence)],
    });
  });
};

export const checkCurrency: OperationCheck = ({ operation }, context) => {
  const { country, currency: actual } = operation;
  const due = currencyOf(country);
  const isOfCountry = due === null || due === actual;
  const { currency, statedCurrency } = context;
  const isOfWallet = currency === null || currency === actual || statedCurrency === actual;
  if (isOfCountry && isOfWallet) return NO_FINDINGS;
  const { reference } = operation;
  const figures = isOfCountry
    ? ({ reference, currency: actual, of: 'wallet', due: currency! } as const)
    : ({ reference, currency: actual, of: 'country', country, due } as const);
  return [operationDraft('COUNTRY_CURRENCY_MISMATCH', figures, { expected: figures.due, actual })];
};

// Bounds of the account: a finding is an operation that lies outside every bound that was ever
// seen. The profile has no history, so any bound that a version of it had may have been in force.

export const checkBounds: OperationCheck = ({ operation, type }, { profiles }) => {
  if (profiles.length === 0) return NO_FINDINGS;
  for (const profile of profiles) if (isWithin(operation, type, profile)) return NO_FINDINGS;
  const { reference, amount } = operation;
  const least = leastOf(profiles.at(-1)!, type);
  const most = mostOf(profiles.at(-1)!, type);
  const evidence = [
    operationEvidence(reference),
    { what: 'profile', sequence: null, reference: null, note: 'limits' } as const,
  ];
  const parts = { expected: amount < least ? least : most, actual: amount, evidence };
  return [operationDraft('AMOUNT_OUT_OF_BOUNDS', { reference, amount, least, most }, parts)];
};

function isWithin({ amount }: Operation, type: OperationType, profile: Merchant): boolean {
  const most = mostOf(profile, type);
  // A maximum of 0 can only mean that there is none: no payment could ever pass under it.
  return amount >= leastOf(profile, type) && (most === 0 || amount <= most);
}

function leastOf({ limits }: Merchant, type: OperationType): Amount {
  return type === 'CASHIN' ? limits.minCashinAmount : limits.minCashoutAmount;
}

function mostOf({ limits }: Merchant, type: OperationType): Amount {
  return type === 'CASHIN' ? limits.maxCashinAmount : limits.maxCashoutAmount;
}

export const checkCountryAllowed: OperationCheck = ({ operation }, { profiles }) => {
  const { country } = operation;
  for (const { allowedCountries } of profiles)
    if (allowedCountries.includes(country)) return NO_FINDINGS;
  const known = profiles.filter((profile) => profile.allowedCountries.length > 0);
  const isNamed = (COUNTRIES as readonly string[]).includes(country);
  if (known.length === 0 && isNamed) return NO_FINDINGS;
  const by = isNamed ? 'account' : 'document';
  const allowed = isNamed ? known.at(-1)!.allowedCountries : COUNTRIES;
  const parts = { expected: allowed.join(', '), actual: country };
  const figures = { by, reference: operation.reference, country, allowed } as const;
  return [operationDraft('COUNTRY_NOT_ALLOWED', figures, parts)];
};
