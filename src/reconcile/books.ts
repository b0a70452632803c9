// The books of one merchant as they are being reconciled: the replay, the operations at work, what was voted and summed,
// and what lines have shown so far. Everything but the lists of identities is plain data that a checkpoint can carry.

import type { PaidOut } from '../checks/across/daily-limit.ts';
import { beginPricing, type PricingState } from '../checks/across/pricing.ts';
import { type ExactSum, emptySum } from '../domain/amount.ts';
import { emptyVotes, type Standing, type Votes } from '../domain/assumptions.ts';
import type { FindingDraft } from '../domain/finding.ts';
import type { Instant } from '../domain/instant.ts';
import type { LedgerEntry } from '../domain/ledger-entry.ts';
import type { Merchant } from '../domain/merchant.ts';
import type { Operation } from '../domain/operation.ts';
import type { NotChecked, RejectedRow } from '../domain/snapshot.ts';
import type { PostedFigures } from '../replay/choose-lines.ts';
import { beginReplay, type ReplayState } from '../replay/replay-state.ts';
import { beginIdentities, type IdentityList } from './identity-list.ts';
import type { Notified } from './notified.ts';

export interface ReconcileSettings {
  readonly merchant: string;
  /** The currency that lines and operations are held to: the wallet's, unless no line at all is in it. */
  readonly currency: string | null;
  /** The currency that the wallet states: where no line is in it, operations may still be. */
  readonly statedCurrency?: string | null;
  readonly profiles: readonly Merchant[];
  readonly adjustedAt: readonly Instant[] | null;
  readonly opening: { readonly balance: number; readonly reserved: number } | null;
  readonly watermark: Instant;
  /** Milliseconds; evidence younger than watermark − grace is provisional. 0 for a stateless audit. */
  readonly grace: number;
  readonly clockTolerance: number;
  readonly pinned: Partial<Standing>;
  /** Whether the source holds these parts at all: what is absent is said once, not once a line. */
  /** Nothing may be put away: what a recall would bring back cannot be had again. */
  readonly keepsAll: boolean;
  readonly holds: { readonly ledger: boolean; readonly operations: boolean };
}

export interface MutableTypeSums {
  collected: ExactSum;
  collectedFees: ExactSum;
  disbursed: ExactSum;
  disbursedFees: ExactSum;
}
export interface MutableSums {
  succeeded: MutableTypeSums;
  reversed: MutableTypeSums;
}

export interface Books {
  readonly replay: ReplayState;
  /** The readings that this pass judges by. */
  readonly standing: Standing;
  /** Votes of operations that have been settled and put away. */
  readonly votes: Votes;
  readonly operationSums: MutableSums;
  /** Read off the lines of operations that have been put away. */
  readonly lineSums: MutableSums;
  operations: number;
  /** Every currency that a line is in. */
  readonly currencies: Set<string>;
  /** What lines alone have shown; operations are judged anew at every conclusion. */
  readonly lineDrafts: FindingDraft[];
  readonly pricing: PricingState;
  /** Settled cash-outs of the last week, while the account has a daily ceiling. */
  paidOut: Map<string, PaidOut>;
  /** Ceilings crossed before `paidOutFrom`, found when those days were forgotten. */
  readonly limitDrafts: FindingDraft[];
  paidOutFrom: Instant;
  /** The ceiling was crossed before `paidOutFrom`, by creation at least. */
  ceilingCrossed: boolean;
  /** The terms that a checkpoint was taken under (`termsOf`); empty while the books are not kept. */
  terms: string;
  /** Something forgotten has changed: the next replay must start from the first line. */
  replayAgain: boolean;
  /** The newest operations by createdAt, for what the wallet's state says about them. */
  recent: Operation[];
  readonly suspectIds: Set<string>;
  readonly suspectExternalReferences: Set<string>;
  readonly rejected: Map<string, RejectedRow>;
  rejectedCount: number;
  readonly notChecked: Map<string, NotChecked>;
  /** Lines of a shared sequence that the replay did not apply: a recall must not count them. */
  readonly leftOut: LedgerEntry[];
  /** Every line whose recorded figures do not follow from the line before. */
  readonly gaps: Gap[];
  /** Lines that name no operation, by sequence: each may be the one that an operation lacks. */
  readonly orphans: Map<number, { readonly kind: string; readonly amount: number }>;
  /** Jumps of the sequence across which the figures continue; at most a thousand are kept, as evidence only. */
  readonly harmlessJumps: Gap[];
  /** What notifications have shown; null: none were judged. */
  notified: Notified | null;
}

/** Where the recorded figures leave the chain: recorded less due, whole units, as decimal text (a checkpoint keeps it). */
export interface Gap {
  /** Last sequence before it; null at the first known line. */
  readonly after: number | null;
  readonly sequence: number;
  /** createdAt of the line before and of this one. */
  readonly from: Instant | null;
  readonly to: Instant;
  readonly balance: string;
  readonly reserved: string;
  /** Recorded figures before the line (the opening, where there is none), and the line: it may belong elsewhere. */
  readonly before: { readonly balance: number; readonly reserved: number };
  readonly line: PostedFigures & Pick<LedgerEntry, 'operationReference'>;
}

export interface Identities {
  readonly ids: IdentityList;
  readonly externalReferences: IdentityList;
  /** The books go on from a checkpoint: every new identity is looked up, since the lists do not have the old. */
  readonly suspectAll: boolean;
  /** Currency of the line before: most lines need no look at the set. */
  lastCurrency: string | null;
  /** Of the line last noted in `ids`. */
  lastSequence: number;
  lastId: string;
}

export function beginBooks(standing: Standing): Books {
  return {
    replay: beginReplay(),
    standing,
    votes: emptyVotes(),
    operationSums: emptySums(),
    lineSums: emptySums(),
    operations: 0,
    currencies: new Set(),
    lineDrafts: [],
    pricing: beginPricing(),
    paidOut: new Map(),
    limitDrafts: [],
    paidOutFrom: Number.MIN_SAFE_INTEGER,
    ceilingCrossed: false,
    terms: '',
    replayAgain: false,
    recent: [],
    suspectIds: new Set(),
    suspectExternalReferences: new Set(),
    rejected: new Map(),
    rejectedCount: 0,
    notChecked: new Map(),
    leftOut: [],
    gaps: [],
    orphans: new Map(),
    harmlessJumps: [],
    notified: null,
  };
}

export function beginIdentityLists(suspectAll: boolean): Identities {
  const lists = { ids: beginIdentities(), externalReferences: beginIdentities() };
  return { ...lists, suspectAll, lastCurrency: null, lastSequence: Number.NaN, lastId: '' };
}

export function emptySums(): MutableSums {
  const type = (): MutableTypeSums => ({
    collected: emptySum(),
    collectedFees: emptySum(),
    disbursed: emptySum(),
    disbursedFees: emptySum(),
  });
  return { succeeded: type(), reversed: type() };
}
