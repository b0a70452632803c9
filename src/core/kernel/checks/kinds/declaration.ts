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

/** The figure that a positive difference has made too high (+), or too low (−). */
type OffFigure = '+balance' | '-balance' | '+reserved' | '-reserved';

export interface KindDeclaration {
  readonly severity: Severity;
  readonly subject: Subject;
  readonly effect: Effect;
  /** Absent: it depends, or it is none. */
  readonly figure?: OffFigure;
  /**
   * The service has in its books what such a root lacks, and only did not serve or declare it: the
   * recorded figures are right, and the item of the root is 0. Absent: the item is the sum over the
   * findings of the root.
   */
  readonly unserved?: true;
  /**
   * Nothing in what was read explains its money: its item is to be justified, and no entry of the
   * service would put it right.
   */
  readonly toJustify?: true;
  /** More than money is wrong, and stays so when lines have put the money right. */
  readonly staysWrong?: true;
  /** It is never the root beside one of these, whatever their order in the catalogue. */
  readonly follows?: readonly FindingKind[];
  /** So, beside one of these at an earlier line. */
  readonly followsEarlier?: readonly FindingKind[];
  /** So, on a line that ought not to be there. */
  readonly followsSurplus?: true;
  /**
   * Figures of the finding, or `difference`: the first that is not 0 is the amount that such a root
   * is about where it puts no figure off. Empty: it is about no amount. Absent: about that of its
   * line or its operation.
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
  /** Either its line ought not to be there, or a hold before that one is missing. */
  readonly lacksHold?: true;
  /** Only an active account owes this: skip the kind for any other. */
  readonly ofActiveAccount?: true;
  /** It is about our own store: reading the source again cannot confirm it. */
  readonly ofStore?: true;
  /**
   * The service changed books that were read before: no month is issued of them until a person
   * releases it.
   */
  readonly rewrites?: true;
  /**
   * What a person accepts of it covers that it goes on: from then on it is worth knowing, and no
   * more.
   */
  readonly goesOn?: true;
  /**
   * It shares its place with other findings by chance: it explains none of them, and follows from
   * none.
   */
  readonly standsAlone?: true;
}

type Terms = Partial<Omit<KindDeclaration, 'severity' | 'subject' | 'effect' | 'figure'>>;

/** `does`: its effect, and the figure that it puts off: `drift +balance`. */
export function about(
  subject: Subject,
  severity: Severity,
  does: Effect | `${Effect} ${OffFigure}` = 'none',
  terms: Terms = {},
): KindDeclaration {
  const [effect, figure] = does.split(' ') as [Effect, OffFigure?];
  return { severity, subject, effect, ...(figure === undefined ? {} : { figure }), ...terms };
}

/** Of a kind that is not in the ledger: it explains no finding there. */
export function beside(subject: Subject, severity: Severity, terms: Terms = {}): KindDeclaration {
  return about(subject, severity, 'none', { standsAlone: true, ...terms });
}
