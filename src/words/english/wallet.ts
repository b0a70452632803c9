// English for the wallet as stated, against its ledger.

import type { WalletFigures } from '../../checks/finding-figures.ts';
import { money } from '../spelling.ts';
import type { WordsOf } from '../words.ts';

export const WALLET_WORDS: WordsOf<keyof WalletFigures> = {
  WALLET_IDENTITY_BROKEN: ({ available, due }) =>
    `The wallet states ${money(available)} available, but balance less reserved is ${money(due)}.`,
  WALLET_BALANCE_MISMATCH: ({ balance, head, due }) =>
    `The wallet states a balance of ${money(balance)}; ${ledger(head)} ${money(due)}.`,
  WALLET_RESERVED_MISMATCH: ({ reserved, head, due }) =>
    `The wallet states ${money(reserved)} reserved; ${ledger(head)} ${money(due)}.`,
  OPEN_HOLDS_MISMATCH: ({ sequence, reserved, held }) =>
    `At line ${sequence} ${money(reserved)} is reserved, but the open holds sum to ${money(held)}.`,
  TOTAL_COLLECTED_MISMATCH: (figures) => total('totalCollected', figures),
  TOTAL_DISBURSED_MISMATCH: (figures) => total('totalDisbursed', figures),
  TOTAL_FEES_MISMATCH: (figures) => total('totalFees', figures),
};

function ledger(head: string | null): string {
  return head === null ? 'an empty ledger has' : `the ledger ends at line ${head} with`;
}

function total(name: string, { stated, nearest }: { readonly stated: string; readonly nearest: string }): string {
  return `The wallet states ${name} ${money(stated)}; the nearest lawful interpretation of its operations gives ${money(nearest)}.`;
}
