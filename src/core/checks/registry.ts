// The registry of checks: one line each. Docs, `pointage explain` and the sample tests derive from it.

import { adjustmentUnexplained, inputRejected, operatedWhileBlocked } from './across/circumstances.ts';
import { limitExceeded } from './across/daily-limit.ts';
import { fieldChanged, statusRegression } from './across/history.ts';
import { externalReferenceDuplicated, idReused, operationUnknown } from './across/identities.ts';
import { notAsPriced, pricingChanged } from './across/pricing.ts';
import { amountCheck, currencyCheck, directionCheck, referenceCheck, unknownKindCheck } from './lines/content.ts';
import { timeImpossible } from './lines/dates.ts';
import {
  balanceDriftCheck,
  belowZeroCheck,
  duplicateCheck,
  holdTooLargeCheck,
  jumpCheck,
  openingCheck,
  reservedDriftCheck,
} from './lines/drift.ts';
import {
  orderPaidTwice,
  paymentEventContradicts,
  paymentEventMissing,
  paymentEventUnknown,
  paymentFieldChanged,
  paymentOutcomeChanged,
  paymentOverdue,
} from './links/link-pages.ts';
import {
  eventContradicts,
  eventIdReused,
  eventMissing,
  eventTypeMismatch,
  eventUnknownOperation,
} from './notifications/judge-notification.ts';
import { debitWithoutHoldCheck, holdBalanceCheck, holdCheck, openHoldCheck, releaseCheck } from './operations/hold.ts';
import {
  boundsCheck,
  countryAllowedCheck,
  countryCurrencyCheck,
  netAmountCheck,
  referenceTypeCheck,
} from './operations/identity.ts';
import { creditCheck, debitCheck, feeCheck } from './operations/principal.ts';
import { reversalCheck } from './operations/reversal.ts';
import {
  completionTimeCheck,
  entryBeforeOperationCheck,
  expiryWindowCheck,
  failureDetailCheck,
  overdueCheck,
  payerActionCheck,
  settlementCheck,
} from './operations/states.ts';
import {
  linkBalanceMismatch,
  paymentCountMismatch,
  payoutCeilingUnexpected,
  payoutCountersMismatch,
  payoutLimitsInconsistent,
  payoutOutcomeChanged,
  payoutUnrecorded,
  settlementMissed,
} from './payouts/payout-case.ts';
import type { KindPage, LineCheck, OperationCheck, WalletCheck } from './port/check.ts';
import { reportSummaryMismatch } from './reports/report-summary.ts';
import {
  collectedCheck,
  disbursedCheck,
  feesCheck,
  headCheck,
  identityCheck,
  openHoldsCheck,
} from './wallet/wallet.ts';

export const LINE_CHECKS: readonly LineCheck[] = [
  jumpCheck,
  duplicateCheck,
  balanceDriftCheck,
  reservedDriftCheck,
  openingCheck,
  amountCheck,
  directionCheck,
  unknownKindCheck,
  currencyCheck,
  holdTooLargeCheck,
  belowZeroCheck,
  referenceCheck,
];

export const OPERATION_CHECKS: readonly OperationCheck[] = [
  creditCheck,
  feeCheck,
  netAmountCheck,
  holdCheck,
  holdBalanceCheck,
  openHoldCheck,
  releaseCheck,
  debitWithoutHoldCheck,
  debitCheck,
  settlementCheck,
  reversalCheck,
  referenceTypeCheck,
  countryCurrencyCheck,
  entryBeforeOperationCheck,
  overdueCheck,
  expiryWindowCheck,
  completionTimeCheck,
  failureDetailCheck,
  payerActionCheck,
  boundsCheck,
  countryAllowedCheck,
];

export const WALLET_CHECKS: readonly WalletCheck[] = [
  identityCheck,
  headCheck,
  openHoldsCheck,
  collectedCheck,
  disbursedCheck,
  feesCheck,
];

/** Kinds that need more than one line or operation to see; their functions are called by name. */
const ACROSS: readonly KindPage[] = [
  timeImpossible,
  idReused,
  operationUnknown,
  externalReferenceDuplicated,
  notAsPriced,
  pricingChanged,
  adjustmentUnexplained,
  limitExceeded,
  operatedWhileBlocked,
  fieldChanged,
  statusRegression,
  reportSummaryMismatch,
  eventMissing,
  eventContradicts,
  eventIdReused,
  eventUnknownOperation,
  eventTypeMismatch,
  paymentOverdue,
  paymentOutcomeChanged,
  paymentFieldChanged,
  orderPaidTwice,
  paymentEventContradicts,
  paymentEventMissing,
  paymentEventUnknown,
  payoutLimitsInconsistent,
  payoutCeilingUnexpected,
  payoutUnrecorded,
  payoutCountersMismatch,
  payoutOutcomeChanged,
  linkBalanceMismatch,
  settlementMissed,
  paymentCountMismatch,
  inputRejected,
];

export const PAGES: ReadonlyMap<string, KindPage> = new Map(
  [...[...LINE_CHECKS, ...OPERATION_CHECKS, ...WALLET_CHECKS].flatMap((check) => check.says), ...ACROSS].map((page) => [
    page.kind,
    page,
  ]),
);
