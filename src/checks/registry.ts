// The registry of checks: one line each. Docs, `pointage explain` and the sample tests derive from it.

import { adjustmentUnexplained, inputRejected, operatedWhileBlocked } from './across/circumstances.ts';
import { limitExceeded } from './across/daily-limit.ts';
import { externalReferenceDuplicated, idReused, operationUnknown } from './across/identities.ts';
import { notAsPriced, pricingChanged } from './across/pricing.ts';
import type { KindPage, LineCheck, OperationCheck, WalletCheck } from './check.ts';
import { belowZeroCheck, holdTooLargeCheck } from './lines/below-zero.ts';
import {
  amountCheck,
  currencyCheck,
  directionCheck,
  referenceCheck,
  timeCheck,
  unknownKindCheck,
} from './lines/content.ts';
import { balanceDriftCheck, openingCheck, reservedDriftCheck } from './lines/drift.ts';
import { duplicateCheck, jumpCheck } from './lines/sequence.ts';
import {
  eventContradicts,
  eventIdReused,
  eventMissing,
  eventTypeMismatch,
  eventUnknownOperation,
} from './notifications/notification-pages.ts';
import { feeCheck } from './operations/fee.ts';
import { holdCheck, openHoldCheck } from './operations/hold.ts';
import { holdBalanceCheck } from './operations/hold-balance.ts';
import { countryCurrencyCheck, netAmountCheck, referenceTypeCheck } from './operations/identity.ts';
import { boundsCheck, countryAllowedCheck } from './operations/limits.ts';
import { creditCheck, debitCheck } from './operations/principal.ts';
import { debitWithoutHoldCheck, releaseCheck } from './operations/release.ts';
import { reversalCheck } from './operations/reversal.ts';
import { settlementCheck } from './operations/settlement.ts';
import {
  completionTimeCheck,
  entryBeforeOperationCheck,
  expiryWindowCheck,
  failureDetailCheck,
  overdueCheck,
  payerActionCheck,
} from './operations/states.ts';
import { reportSummaryMismatch } from './reports/report-summary.ts';
import { collectedCheck, disbursedCheck, feesCheck } from './wallet/totals.ts';
import { headCheck, identityCheck, openHoldsCheck } from './wallet/wallet.ts';

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
  timeCheck,
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
  idReused,
  operationUnknown,
  externalReferenceDuplicated,
  notAsPriced,
  pricingChanged,
  adjustmentUnexplained,
  limitExceeded,
  operatedWhileBlocked,
  reportSummaryMismatch,
  eventMissing,
  eventContradicts,
  eventIdReused,
  eventUnknownOperation,
  eventTypeMismatch,
  inputRejected,
];

/** The order of the catalogue: of several findings that one line explains, the first is the root. */
export const CATALOGUE: readonly { readonly section: string; readonly kinds: readonly string[] }[] = [
  {
    section: 'A. Lines alone',
    kinds: [
      'LINES_MISSING',
      'SEQUENCE_GAP',
      'SEQUENCE_DUPLICATE',
      'ENTRY_ID_REUSED',
      'BALANCE_DRIFT',
      'RESERVED_DRIFT',
      'OPENING_BALANCE_UNEXPLAINED',
      'AMOUNT_NOT_POSITIVE',
      'KIND_DIRECTION_MISMATCH',
      'UNKNOWN_KIND',
      'CURRENCY_MISMATCH',
      'HOLD_EXCEEDS_AVAILABLE',
      'RESERVED_NEGATIVE',
      'BALANCE_NEGATIVE',
      'AVAILABLE_NEGATIVE',
      'ENTRY_TIME_IMPOSSIBLE',
    ],
  },
  {
    section: 'B. Operation against its lines',
    kinds: [
      'CREDIT_MISSING',
      'CREDIT_WITHOUT_SUCCESS',
      'CREDIT_DUPLICATED',
      'CREDIT_AMOUNT_MISMATCH',
      'FEE_MISSING',
      'FEE_AMOUNT_MISMATCH',
      'FEE_WITHOUT_SUCCESS',
      'FEE_NOT_AS_PRICED',
      'PRICING_CHANGED',
      'NET_AMOUNT_INCONSISTENT',
      'HOLD_MISSING',
      'HOLD_AMOUNT_MISMATCH',
      'HOLD_DUPLICATED',
      'HOLD_ON_CASHIN',
      'HOLD_NOT_RELEASED',
      'HOLD_PAST_EXPIRY',
      'RELEASE_WITHOUT_HOLD',
      'RELEASE_EXCEEDS_HOLD',
      'DEBIT_WITHOUT_HOLD',
      'DEBIT_MISSING',
      'DEBIT_DUPLICATED',
      'DEBIT_AMOUNT_MISMATCH',
      'DEBIT_WITHOUT_SUCCESS',
      'REVERSAL_MISSING',
      'REVERSAL_UNANNOUNCED',
      'REVERSAL_INCOMPLETE',
      'REVERSAL_EXCESSIVE',
      'REVERSAL_WRONG_DIRECTION',
      'REVERSAL_BEFORE_ORIGINAL',
      'OPERATION_UNKNOWN',
      'REFERENCE_MISSING',
      'REFERENCE_TYPE_MISMATCH',
      'COUNTRY_CURRENCY_MISMATCH',
      'EXTERNAL_REFERENCE_DUPLICATED',
      'ADJUSTMENT_UNEXPLAINED',
      'ENTRY_BEFORE_OPERATION',
    ],
  },
  {
    section: 'C. States and limits',
    kinds: [
      'OPERATION_OVERDUE',
      'EXPIRY_WINDOW_WRONG',
      'COMPLETION_TIME_INCONSISTENT',
      'FAILURE_DETAIL_INCONSISTENT',
      'PAYER_ACTION_INCONSISTENT',
      'AMOUNT_OUT_OF_BOUNDS',
      'DAILY_CASHOUT_LIMIT_EXCEEDED',
      'COUNTRY_NOT_ALLOWED',
      'OPERATED_WHILE_BLOCKED',
    ],
  },
  {
    section: 'D. Wallet',
    kinds: [
      'WALLET_IDENTITY_BROKEN',
      'WALLET_BALANCE_MISMATCH',
      'WALLET_RESERVED_MISMATCH',
      'OPEN_HOLDS_MISMATCH',
      'TOTAL_COLLECTED_MISMATCH',
      'TOTAL_DISBURSED_MISMATCH',
      'TOTAL_FEES_MISMATCH',
    ],
  },
  {
    section: 'F. Reports, payments, notifications',
    kinds: [
      'REPORT_SUMMARY_MISMATCH',
      'EVENT_MISSING',
      'EVENT_CONTRADICTS_OPERATION',
      'EVENT_ID_REUSED',
      'EVENT_UNKNOWN_OPERATION',
      'EVENT_TYPE_MISMATCH',
    ],
  },
  { section: 'G. Intake', kinds: ['INPUT_REJECTED'] },
];

export const PAGES: ReadonlyMap<string, KindPage> = new Map(
  [...[...LINE_CHECKS, ...OPERATION_CHECKS, ...WALLET_CHECKS].flatMap((check) => check.says), ...ACROSS].map((page) => [
    page.kind,
    page,
  ]),
);

const RANKS: ReadonlyMap<string, number> = new Map(
  CATALOGUE.flatMap((section) => section.kinds).map((kind, i) => [kind, i]),
);

/** Where a kind stands in the catalogue; lower is earlier. */
export function rankOf(kind: string): number {
  return RANKS.get(kind) ?? RANKS.size;
}
