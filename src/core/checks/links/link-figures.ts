// The figures of the findings on payments by link.

import type { Amount } from '../../domain/amount.ts';

export interface LinkFigures {
  /** `due`: when the link should have ended. */
  readonly PAYMENT_OVERDUE: { readonly reference: string; readonly amount: Amount; readonly due: string };
  /** `now` null: the payment is not served any more. */
  readonly PAYMENT_OUTCOME_CHANGED: {
    readonly reference: string;
    readonly amount: Amount;
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
    readonly amount: Amount;
    readonly first: string;
    readonly second: string;
    readonly count: number;
  };
  /** Of a notification; `amount` null: it states none. */
  readonly PAYMENT_EVENT_CONTRADICTS: {
    readonly reference: string;
    readonly status: string;
    readonly amount: Amount | null;
    readonly servedStatus: string;
    readonly servedAmount: Amount;
  };
  /** `listed`: the state of its delivery as the service lists it; null: it lists none. */
  readonly PAYMENT_EVENT_MISSING: {
    readonly reference: string;
    readonly amount: Amount;
    readonly listed: string | null;
    readonly more: number;
  };
  readonly PAYMENT_EVENT_UNKNOWN: { readonly reference: string; readonly status: string; readonly more: number };
}
