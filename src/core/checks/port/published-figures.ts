// What findings are worded from that compare the books with what was served before, notified, or published beside them.

import type { Amount } from '../../domain/amount.ts';
import type { FixedField } from '../../domain/operation.ts';
import type { DeliveryStatus } from '../../domain/published/failed-delivery.ts';
import type { Refusal } from '../../domain/refusal.ts';

type Money = Amount | bigint;
/** ISO 8601, UTC. */
type Time = string;
type OfOperation = { readonly reference: string };
/** The notification's own id and type, both cut to a length that can be shown. */
type OfEvent = OfOperation & { readonly id: string; readonly type: string };

/** NONE: the service lists no such delivery; null: that is not known. The other three are null where it does not say. */
export type ListedFigures = {
  readonly listed: DeliveryStatus | 'NONE' | null;
  readonly attempts: number | null;
  readonly lastStatus: number | null;
  readonly nextRetryAt: string | null;
};

export interface NotificationFigures {
  readonly EVENT_MISSING:
    | (OfOperation & { readonly status: string } & { readonly since: Time } & (
          | ({ readonly of: 'one' } & ListedFigures)
          | {
              readonly of: 'many';
              readonly count: number;
              readonly isMore: boolean;
              /** So many of them the service lists as not delivered; null: that is not known. */
              readonly undelivered: number | null;
            }
        ))
    | {
        readonly of: 'adjustment';
        readonly sequence: number;
        readonly amount: Money;
        readonly direction: string;
      };
  readonly EVENT_CONTRADICTS_OPERATION: OfEvent &
    (
      | { readonly of: 'amount' | 'fees' | 'netAmount'; readonly stated: Money; readonly due: Money }
      | {
          readonly of: 'currency' | 'externalReference' | 'failureCode';
          readonly stated: string;
          readonly due: string | null;
        }
      | {
          readonly of: 'status';
          readonly createdAt: Time;
          readonly stated: string;
          readonly status: string;
          readonly since: Time;
        }
    );
  readonly EVENT_ID_REUSED: { readonly id: string; readonly contents: number; readonly more: number };
  readonly EVENT_UNKNOWN_OPERATION: OfEvent;
  readonly EVENT_TYPE_MISMATCH: OfEvent &
    (
      | { readonly of: 'body'; readonly carried: string }
      | { readonly of: 'operation'; readonly carried: string; readonly due: string }
      | { readonly of: 'status'; readonly status: string }
    );
}

type Departed = {
  readonly reference: string;
  readonly before: string;
  readonly now: string;
};

export interface HistoryFigures {
  readonly OPERATION_FIELD_CHANGED: Departed & { readonly field: FixedField };
  readonly STATUS_REGRESSION: Departed;
}

export interface LinkFigures {
  /** `due`: when the link should have ended. */
  readonly PAYMENT_OVERDUE: { readonly reference: string; readonly amount: Money; readonly due: string };
  /** `now` null: the payment is not served any more. */
  readonly PAYMENT_OUTCOME_CHANGED: {
    readonly reference: string;
    readonly amount: Money;
    readonly before: string;
    readonly now: string | null;
  };
  /** `name`: as the service calls the field. */
  readonly PAYMENT_FIELD_CHANGED: {
    readonly reference: string;
    readonly name: string;
    readonly before: string;
    readonly now: string;
  };
  readonly ORDER_PAID_TWICE: {
    readonly order: string;
    readonly amount: Money;
    readonly first: string;
    readonly second: string;
    readonly count: number;
  };
  /** Of a notification; `amount` null: it states none. */
  readonly PAYMENT_EVENT_CONTRADICTS: {
    readonly reference: string;
    readonly status: string;
    readonly amount: Money | null;
    readonly servedStatus: string;
    readonly servedAmount: Money;
  };
  /** `listed`: the state of its delivery as the service lists it; null: it lists none. */
  readonly PAYMENT_EVENT_MISSING: {
    readonly reference: string;
    readonly amount: Money;
    readonly listed: string | null;
    readonly more: number;
  };
  readonly PAYMENT_EVENT_UNKNOWN: { readonly reference: string; readonly status: string; readonly more: number };
}

export interface PublishedFigures {
  readonly REPORT_SUMMARY_MISMATCH: {
    readonly period: string;
    readonly name: string;
    /** A decimal; null where the figure is left out. */
    readonly stated: string | null;
    readonly due: Money;
    readonly more: number;
  };
  readonly INPUT_REJECTED: {
    readonly part: string;
    readonly place: string;
    readonly reason: string;
    readonly refusal: Refusal | null;
  };
}

export interface PayoutFigures {
  readonly PAYOUT_LIMITS_INCONSISTENT:
    | { readonly of: 'sum'; readonly ceiling: Money; readonly used: Money; readonly remaining: Money }
    | { readonly of: 'over'; readonly ceiling: Money; readonly used: Money }
    | { readonly of: 'fell' | 'carried'; readonly month: string; readonly before: Money; readonly used: Money }
    | { readonly of: 'list'; readonly month: string; readonly used: Money; readonly listed: Money };
  /** `compliance`: the status of the file; null where none was deposited. */
  readonly PAYOUT_CEILING_UNEXPECTED: {
    readonly ceiling: Money;
    readonly compliance: string | null;
    readonly due: Money;
  };
  readonly PAYOUT_UNRECORDED: { readonly counted: number; readonly listed: number };
  /** `name`: as the service calls the counter. */
  readonly PAYOUT_COUNTERS_MISMATCH: { readonly name: string; readonly counted: number } & (
    | { readonly of: 'list'; readonly listed: number }
    | { readonly of: 'fell'; readonly month: string; readonly before: number }
  );
  readonly PAYOUT_OUTCOME_CHANGED: {
    readonly id: string;
    readonly amount: Money;
    /** Of what has changed. */
    readonly name: string;
    readonly before: string;
    readonly now: string;
  };
  /** Decimals. `untold`: payments whose fees are not known. */
  readonly LINK_BALANCE_MISMATCH: {
    readonly balance: string;
    readonly due: string;
    readonly difference: string;
    readonly untold: number;
  };
  readonly SETTLEMENT_MISSED: {
    readonly mode: string;
    readonly time: string;
    readonly timezone: string;
    readonly due: Time;
    readonly last: Time | null;
  };
  /** `period`: `all`, a month, or a day. */
  readonly PAYMENT_COUNT_MISMATCH: {
    readonly period: string;
    readonly name: string;
    readonly stated: Money;
    readonly due: Money;
  };
}
