// What a kind of finding declares of itself: how grave it is, what it is about, what it does to the
// recorded figures, and what it may follow from. The search for roots asks these fields, and never
// how a kind is spelled.

import type { NamedFigures } from '../../../domain/figures.ts';
import type { Severity } from '../../../domain/finding.ts';
import type { FindingKind } from '../../../domain/finding-kind.ts';

export type Subject =
  | 'line'
  | 'operation'
  | 'wallet'
  | 'total'
  | 'notification'
  | 'report'
  | 'input';

type Effect =
  /** The recorded figures leave the chain. */
  | 'drift'
  /** A line of the operation ought not to be there. */
  | 'surplus'
  /** The operation's lines are there, but not of the amount, or in the order, that is due. */
  | 'amount'
  /** The operation lacks a line. */
  | 'lack'
  /**
   * The line itself is wrong: it explains what its operation lacks, and the drift that it leaves.
   */
  | 'faulty-line'
  /** Several lines carry one number. */
  | 'shared-number'
  /** A hold takes more than there is: it may explain what later lines lack. */
  | 'uncovered'
  | 'below-zero'
  /** A date is wrong: it explains no figure, and follows from none. */
  | 'date'
  /** The wallet states another figure than the ledger or the operations show. */
  | 'statement'
  /** What earlier drifts have left at the head of the ledger. */
  | 'leftover'
  /** A row could not be read: it may be any row that is missing. */
  | 'unread'
  | 'none';

/** The figure that a positive difference has made too high (+) or too low (−). */
type OffFigure = '+balance' | '-balance' | '+reserved' | '-reserved';

export interface KindDeclaration {
  readonly severity: Severity;
  readonly subject: Subject;
  readonly effect: Effect;
  /**
   * The figure that a finding of this kind makes wrong. Absent where that depends on the finding,
   * or where it makes none wrong.
   */
  readonly figure?: OffFigure;
  /**
   * The service has what such a root lacks in its books, and only did not serve or declare it. So
   * the recorded figures are right, and the item of the root is 0. Absent: the item is the sum over
   * the findings of the root.
   */
  readonly unserved?: true;
  /**
   * Nothing that was read explains the money of such a root. A person must justify its item; no
   * entry of the service would put it right.
   */
  readonly toJustify?: true;
  /** More than money is wrong: the finding stays when lines have put the money right. */
  readonly staysWrong?: true;
  /**
   * Kinds beside which this kind is never the root, where one fault explains both, whatever their
   * order in the catalogue.
   */
  readonly follows?: readonly FindingKind[];
  /** Like `follows`, but only where the finding of the named kind is at an earlier line. */
  readonly followsEarlier?: readonly FindingKind[];
  /** Like `follows`, beside a finding which says that this line ought not to be there. */
  readonly followsSurplus?: true;
  /**
   * Which amount a root of this kind is about, where it makes no figure wrong: names of figures of
   * the finding, or `difference`. The first that is not 0 counts. Empty: the root is about no
   * amount. Absent: it is about the amount of its line or its operation.
   */
  readonly concerns?: readonly string[];
  /** Expected and actual figures are counts, or may be. */
  readonly counts?: true;
  /**
   * Many lines, operations or rows may deviate in one way for one cause: those that agree in these
   * figures are reported once. A function gives what they must agree in, or null where a finding
   * shares its cause with no other. Absent: each has its own finding.
   */
  readonly sharedWhen?: readonly string[] | ((figures: NamedFigures) => readonly unknown[] | null);
  /**
   * Such a finding has two possible causes: its line ought not to be there, or the hold before that
   * line is missing.
   */
  readonly lacksHold?: true;
  /** Only an active account owes what this kind misses: skip the kind for any other account. */
  readonly ofActiveAccount?: true;
  /** It is about our own store: reading the source again cannot confirm it. */
  readonly ofStore?: true;
  /**
   * The service changed books that were read before: no month is issued of them until a person
   * releases it.
   */
  readonly rewrites?: true;
  /**
   * When a person has accepted such a finding, that it continues is accepted too: from then on it
   * is shown with the severity `info`.
   */
  readonly goesOn?: true;
  /**
   * It shares its place with other findings by chance: it explains none of them, and follows from
   * none.
   */
  readonly standsAlone?: true;
}

type Terms = Partial<Omit<KindDeclaration, 'severity' | 'subject' | 'effect' | 'figure'>>;

/**
 * Declares a kind. `does` is its effect and the figure that it makes wrong, for example `drift
 * +balance`.
 */
export function about(
  subject: Subject,
  severity: Severity,
  does: Effect | `${Effect} ${OffFigure}` = 'none',
  terms: Terms = {},
): KindDeclaration {
  const [effect, figure] = does.split(' ') as [Effect, OffFigure?];
  return { severity, subject, effect, ...(figure === undefined ? {} : { figure }), ...terms };
}

/** Declares a kind that is judged beside the ledger. It explains no finding of the ledger. */
export function beside(subject: Subject, severity: Severity, terms: Terms = {}): KindDeclaration {
  return about(subject, severity, 'none', { standsAlone: true, ...terms });
}
