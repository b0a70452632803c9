// What a month's statement says of what is due: the three figures of the wallet at the cut-off, and the items between what is
// recorded and what is due.

import type { Amount } from '../../domain/amount.ts';
import type { ReportedFigures } from '../../domain/figures.ts';
import type { Finding, ItemPart } from '../../domain/finding.ts';
import type { Instant } from '../../domain/instant.ts';
import type { ProposedEntry, SettledBy } from '../../domain/settlement.ts';
import type { WalletFigures } from '../summary.ts';

/** due = recorded − Σ open items. */
export interface DueSection {
  /** As the service has it in its own lines. */
  readonly recorded: WalletFigures;
  /** The lines that were served, added up. */
  readonly recomputed: WalletFigures;
  /** Null where the books are not whole; `circumstances.notChecked` says what is missing. */
  readonly due: WalletFigures | null;
  /** In the order of the findings: those open at the cut-off, and those that the month put right; at most 500. */
  readonly items: readonly SuspenseItem[];
  /** The open ones beyond those. */
  readonly others: { readonly count: number; readonly balance: Amount; readonly reserved: Amount };
}

/** What a root leaves in suspense at the cut-off. */
export interface SuspenseItem {
  readonly fingerprint: string;
  readonly kind: Finding['kind'];
  readonly sequence: number | null;
  readonly operationReference: string | null;
  /** When it arose: the earliest of its parts; null where nothing of it has a date. */
  readonly at: Instant | null;
  /** It arose before the month. */
  readonly isCarried: boolean;
  /** Recorded too high (+) or too low (−); of a settled one, what was put right. */
  readonly balance: Amount;
  readonly reserved: Amount;
  readonly parts: readonly DatedPart[];
  /** Of a settled one nothing is due any more; an accepted one weighs nothing in the verdict. */
  readonly state: 'open' | 'accepted' | 'settled';
  /** Null unless it was put right in the month. */
  readonly settledBy: SettledBy | null;
  /** Entries that would put it right if the service posted them now; empty where none would, and where it is put right. */
  readonly proposal: readonly ProposedEntry[];
  /** In English; in other languages it is worded from `figures`. */
  readonly message: string;
  readonly figures: ReportedFigures;
}

/** As `ItemPart`, with its date; those after the cut-off are left out. */
export interface DatedPart {
  readonly of: Exclude<ItemPart['of'], 'wallet'>;
  readonly sequence: number | null;
  readonly operationReference: string | null;
  readonly at: Instant | null;
  readonly balance: Amount;
  readonly reserved: Amount;
}
