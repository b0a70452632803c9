// The figures of the findings on notifications of operations.

import type { Amount } from '../../domain/amount.ts';
import type { DeliveryStatus } from '../../domain/published/failed-delivery.ts';

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
