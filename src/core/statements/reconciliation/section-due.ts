// What a month's statement says of what is due: the three figures of the wallet at the cut-off, and the items between what is
// recorded and what is due.

import type { Amount } from '../../domain/amount.ts';
import type { ReportedFigures } from '../../domain/figures.ts';
import type { Finding, ItemPart } from '../../domain/finding.ts';
import type { Instant } from '../../domain/instant.ts';
import type { Accepted, ProposedEntry, ProposedSettlement, SettledBy } from '../../domain/settlement.ts';
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

export type SuspenseItem = FoundItem | TransitItem;

/** What a root leaves in suspense at the cut-off. */
export interface FoundItem extends ItemFacts {
  readonly fingerprint: string;
  /** Nothing that was read explains it; absent: something does. */
  readonly toJustify?: true;
  readonly kind: Finding['kind'];
  /** Of a settled one nothing is due any more; an accepted one weighs nothing in the verdict. */
  readonly state: 'open' | 'accepted' | 'settled';
  /** By whom and until when, as is known by now: of an open one, since the cut-off. No part of the content hash, as all below. */
  readonly acceptedBy?: Accepted;
  /** What put it right after the cut-off. */
  readonly settledSince?: SettledBy;
  /** A line of the same amount that names nothing: to be confirmed. */
  readonly candidate?: ProposedSettlement;
}

/**
 * An operation that ended before the cut-off and was posted after it, within the lawful delay: no finding is about it, and it
 * weighs nothing in the verdict. In the month that posted it, it is settled. Or, without an operation, what lines before the
 * month's last one moved that are dated after the cut-off: `sequence` is that last line.
 */
export interface TransitItem extends ItemFacts {
  readonly fingerprint: null;
  readonly kind: null;
  readonly state: 'transit' | 'settled';
}

interface ItemFacts {
  readonly sequence: number | null;
  readonly operationReference: string | null;
  /** When it arose: the earliest of its parts; null where nothing of it has a date. */
  readonly at: Instant | null;
  /** It arose before the month. */
  readonly isCarried: boolean;
  /** Recorded too high (+) or too low (−), less what was put right in part; of a settled one, what the month put right. */
  readonly balance: Amount;
  readonly reserved: Amount;
  readonly parts: readonly DatedPart[];
  /** By lines of the month, of an open one in part; in transit, by the lines that posted it. Null: by nothing. */
  readonly settledBy: SettledBy | null;
  /** Entries that would put it right if the service posted them now; empty where none would, and where it is put right. */
  readonly proposal: readonly ProposedEntry[];
  /** In English; in other languages it is worded from `figures`. */
  readonly message: string;
  readonly figures: ReportedFigures;
}

/** As `ItemPart`, with its date; those after the cut-off are left out. `settled`: put right by the line. */
export interface DatedPart {
  readonly of: Exclude<ItemPart['of'], 'wallet'> | 'settled';
  readonly sequence: number | null;
  readonly operationReference: string | null;
  readonly at: Instant | null;
  readonly balance: Amount;
  readonly reserved: Amount;
}
