// What a kind of finding declares of itself: how grave it is, what it is about, what it does to the recorded figures, and
// what it may follow from. The search for roots asks these fields, and never how a kind is spelled.

import type { Severity } from '../../domain/finding.ts';
import type { FindingKind } from '../../domain/finding-kind.ts';

export type Subject = 'line' | 'operation' | 'wallet' | 'total' | 'notification' | 'report' | 'input';

export type Effect =
  /** The recorded figures leave the chain. */
  | 'drift'
  /** A line of the operation ought not to be there. */
  | 'surplus'
  /** The operation's lines are there, but not of the amount, or in the order, that is due. */
  | 'amount'
  /** The operation lacks a line. */
  | 'lack'
  /** The line itself is wrong: what its operation lacks, and the drift that it leaves, are of it. */
  | 'faulty-line'
  /** Several lines carry one number. */
  | 'shared-number'
  /** A hold takes more than there is: what later lines lack may be of it. */
  | 'uncovered'
  | 'below-zero'
  /** The wallet states another figure than the ledger or the operations show. */
  | 'statement'
  /** What earlier drifts have left at the head of the ledger. */
  | 'leftover'
  /** A row could not be read: whatever it may have been is missing. */
  | 'unread'
  | 'none';

export interface KindDeclaration {
  readonly severity: Severity;
  readonly subject: Subject;
  readonly effect: Effect;
  /** The figure that a positive difference has made too high (+), or too low (−). Absent: it depends, or it is none. */
  readonly figure?: '+balance' | '-balance' | '+reserved' | '-reserved';
  /**
   * What such a root lacks is in the service's books all the same, only not in what was served or declared: the recorded
   * figures are right, and its item is 0. Absent: the item is what the findings of the root add up to.
   */
  readonly unserved?: true;
  /** Nothing that was read explains its money: an item that is to be justified, which no entry of the service would put right. */
  readonly toJustify?: true;
  /** It is never the root beside one of these, whatever their order in the catalogue. */
  readonly follows?: readonly FindingKind[];
  /** So, beside one of these that stands on an earlier line. */
  readonly followsEarlier?: readonly FindingKind[];
  /** So, on a line that ought not to be there. */
  readonly followsSurplus?: true;
  /**
   * Many operations may deviate in one way for one cause: those whose figures of these names agree are reported once. Absent:
   * each operation has it for itself.
   */
  readonly sharedWhen?: readonly string[];
  /** The account must have been active: of one that is not, nothing of the kind is due. */
  readonly ofActiveAccount?: true;
  /** It names a place that it shares with other findings by chance: it explains none of them, and follows from none. */
  readonly standsAlone?: true;
}
