// What a notification that could not be read still says of itself, as far as its bytes do: nothing else is guessed.

import type { RejectedRow } from '../../domain/snapshot.ts';

const NAMES_OPERATION = /GUI-C[IO]-/;
const OF_OPERATION = /"(?:cashin|cashout|operation)\.[a-z_]+"/;
const OF_WALLET = /"(?:wallet\.adjusted|ping)"/;

export interface UnreadSays {
  readonly namesOperation: boolean;
  /** What its type is about; null where it shows none, or both. */
  readonly about: 'operation' | 'wallet' | null;
}

export function whatUnreadSays({ raw }: RejectedRow): UnreadSays {
  const [ofOperation, ofWallet] = [OF_OPERATION.test(raw), OF_WALLET.test(raw)];
  const about = ofOperation === ofWallet ? null : ofOperation ? 'operation' : 'wallet';
  return { namesOperation: NAMES_OPERATION.test(raw), about };
}
