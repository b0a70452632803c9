// Outcomes of attempts, and channels that need no session. The detail of an outcome is always one
// short line, even when its text is from outside.

import type { DeliveryOutcome } from '../../core/domain/delivery/delivery.ts';
import type {
  DeliveryChannel,
  Parcel,
  SendOutcome,
} from '../../core/domain/delivery/delivery-channel.ts';
import { cutTo, oneLine } from '../formats/port/one-line.ts';

const LONGEST = 300;

export function detailOf(text: string): string {
  return cutTo(oneLine(text), LONGEST);
}

export function outcomeOf(outcome: DeliveryOutcome, detail: string): SendOutcome {
  return { outcome, detail: detailOf(detail) };
}

/** Makes a channel that sends each parcel by itself, and whose receiver can recognise a repeat. */
export function repeatableChannel(
  channel: Pick<DeliveryChannel, 'name' | 'concurrency' | 'deadline'>,
  send: (parcel: Parcel) => Promise<SendOutcome>,
): DeliveryChannel {
  return {
    ...channel,
    isRepeatable: true,
    open: async () => ({ send, isOpen: () => true, close: () => {} }),
  };
}
