// Bounds of the account: an operation outside every bound known to have been in force. The profile has no history, so a
// bound counts as known once a version of the profile with it was seen.

import { type Amount, COUNTRIES } from '../../domain/amount.ts';
import type { Merchant } from '../../domain/merchant.ts';
import type { Operation, OperationType } from '../../domain/operation.ts';
import {
  compared,
  draftOf,
  type KindPage,
  NO_FINDINGS,
  type OperationCheck,
  operationEvidence,
} from '../port/check.ts';

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

const country: KindPage<'COUNTRY_NOT_ALLOWED'> = {
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
  says: [country],
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
      draftOf(country, figures, {
        operationReference: operation.reference,
        expected: allowed.join(', '),
        actual: operation.country,
        evidence,
      }),
    ];
  },
};
