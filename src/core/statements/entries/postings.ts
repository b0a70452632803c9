// Finds which accounts stand against the wallet's for one ledger line, by its kind and its
// operation (docs/STATEMENTS.md). It knows no account numbers, no taxes and no findings:
// `suspense-plan.ts` puts what is known to be wrong in suspense.

import type { Amount } from '../../domain/amount.ts';
import type { Instant } from '../../domain/instant.ts';
import type { LedgerEntry } from '../../domain/ledger-entry.ts';
import { netAmountOf, type Operation, typeOfReference } from '../../domain/operation.ts';
import {
  type Account,
  type AccountRole,
  FIELDS,
  isSuspense,
  type JournalSettings,
  type PostingField,
  type PostingRule,
} from '../journal.ts';

export type PostedOperation = Pick<Operation, 'type' | 'amount' | 'fees'>;

/** An operation with what else the book needs to know of it. */
export interface PostedNote
  extends PostedOperation,
    Pick<Operation, 'status' | 'externalReference'> {
  readonly counterpartyName: string | null;
  readonly group: { readonly operator: string; readonly country: string };
  /** When the operation succeeded; `null` when it did not. */
  readonly succeededAt: Instant | null;
  /** True when only the date of its settling line says when the operation succeeded. */
  readonly settlesByLine: boolean;
}

/** A line with its effect on the balance, which is not 0. */
export interface PostedLine {
  readonly entry: Pick<LedgerEntry, 'kind' | 'operationReference'>;
  readonly effect: Amount;
  readonly operation: PostedOperation | null;
}

/**
 * Signed amounts against accounts, by role; positive is a debit. The wallet's account is not among
 * them: it takes what makes the sum 0.
 */
export type Against = readonly (readonly [AccountRole, Amount])[];

/**
 * Returns what a line posts, which sums to −effect. `withheld` is the commission that a collection
 * is posted net of.
 */
export function postingsOf(line: PostedLine, withheld: Amount): Against {
  const { entry, effect } = line;
  switch (entry.kind) {
    case 'CASHIN_CREDIT':
      if (effect <= 0) return inSuspense(effect);
      return grossedUp(effect, withheld);
    case 'CASHIN_FEE':
    case 'CASHOUT_FEE':
      return effect < 0 ? [['fees', -effect]] : inSuspense(effect);
    case 'CASHOUT_DEBIT':
      return effect < 0 ? [['suppliers', -effect]] : inSuspense(effect);
    case 'REVERSAL_CREDIT':
    case 'REVERSAL_DEBIT':
      return againstReversal(line);
    default:
      return inSuspense(effect);
  }
}

/**
 * Posts a collection that was credited net of its fee: the amount that the customer paid and the
 * fee that the service kept are both stated.
 */
function grossedUp(effect: Amount, fees: Amount): Against {
  if (fees === 0) return [['customers', -effect]];
  return [
    ['customers', -(effect + fees)],
    ['fees', fees],
  ];
}

/**
 * Returns the inverse of the postings that the line undoes: the principal, the fee, or both in one
 * line.
 */
function againstReversal({ entry, effect, operation }: PostedLine): Against {
  const type = operation?.type ?? typeOfReference(entry.operationReference ?? '');
  if (type === null) return inSuspense(effect);
  const principal = type === 'CASHIN' ? 'customers' : 'suppliers';
  const undone = type === 'CASHIN' ? -1 : 1;
  const { amount, fees } = operation ?? { amount: 0, fees: 0 };
  if (operation === null || effect === undone * amount) return [[principal, -effect]];
  if (effect === fees) return [['fees', -fees]];
  if (fees > 0 && effect === undone * netAmountOf({ type, amount, fees })) {
    return [
      [principal, -undone * amount],
      ['fees', -fees],
    ];
  }
  return Math.sign(effect) === undone ? [[principal, -effect]] : inSuspense(effect);
}

/** Posts the effect in suspense, until an explanation comes. */
export function inSuspense(effect: Amount): Against {
  return effect > 0 ? [['suspenseCredit', -effect]] : [['suspenseDebit', -effect]];
}

// Chooses the account of a posting: that of the first configured rule that fits it, or else that of
// its role. Decides nothing about amounts.

/**
 * What is known of a posting. A field is `null` when nothing is known, and then no pattern fits it.
 */
export interface PostingFacts extends Readonly<Record<PostingField, string | null>> {
  /**
   * True for an adjustment that no finding names, because a rule may say what it is for. Any other
   * amount in suspense stays there.
   */
  readonly mayBeExplained: boolean;
}

export const NO_FACTS: PostingFacts = {
  mayBeExplained: false,
  kind: null,
  description: null,
  operator: null,
  country: null,
  reference: null,
  externalReference: null,
  beneficiary: null,
};

type ShowText = (text: string) => string;

/** Returns what rules may ask about a line. `shown` returns a text as documents show it. */
export function factsOf(
  { rules }: Pick<JournalSettings, 'rules'>,
  { kind, operationReference: reference, description: text }: LedgerEntry,
  { note, shown }: { readonly note: PostedNote | null; readonly shown: ShowText },
): PostingFacts {
  // Without a rule no text is needed: texts are masked only where a rule may read them.
  const { operator = null, country = null } = note?.group ?? {};
  if (rules.length === 0) return { ...NO_FACTS, operator, country };
  const description = text === null ? null : shown(text);
  return { ...NO_FACTS, kind, description, reference, ...factsOfNote(note, shown) };
}

export function factsOfNote(
  note: Pick<PostedNote, 'externalReference' | 'counterpartyName' | 'group'> | null,
  shown: ShowText,
): Pick<PostingFacts, 'operator' | 'country' | 'externalReference' | 'beneficiary'> {
  return {
    operator: note?.group.operator ?? null,
    country: note?.group.country ?? null,
    externalReference: note?.externalReference == null ? null : shown(note.externalReference),
    beneficiary: note?.counterpartyName ?? null,
  };
}

interface PostingPlace {
  readonly account: Account;
  /**
   * An auxiliary account that a rule gives has the text of the rule's field as its number and its
   * name. `null` when there is no auxiliary account.
   */
  readonly auxiliary: Account | null;
  readonly counterpart: Account | null;
}

export type FindAccount = (role: AccountRole, facts: PostingFacts) => PostingPlace;

export function openRules(
  settings: Pick<JournalSettings, 'accounts' | 'rules' | 'auxiliaries'>,
): FindAccount {
  const { accounts, rules, auxiliaries } = settings;
  const byRole = Map.groupBy(
    rules.map((rule) => ({ ...rule, fits: testOf(rule) })),
    ({ role }) => role,
  );
  return (role, facts) => {
    const isFree = facts.mayBeExplained || !isSuspense(role);
    const rule = byRole
      .get(role)
      ?.find(({ account, fits }) => (isFree || account === null) && fits(facts));
    const { number, label } = accounts[role];
    const text = rule?.auxiliary == null ? '' : (facts[rule.auxiliary]?.trim() ?? '');
    const isShared =
      auxiliaries === 'none' ||
      rule?.account != null ||
      (role !== 'customers' && role !== 'suppliers');
    const { operator } = facts;
    const own = isShared
      ? null
      : { number: number + (operator ?? 'DIVERS'), label: `${label} ${operator ?? 'divers'}` };
    return {
      account: rule?.account ?? accounts[role],
      auxiliary: text === '' ? own : { number: text, label: text },
      counterpart: rule?.counterpart ?? null,
    };
  };
}

function testOf({ when }: PostingRule): (facts: PostingFacts) => boolean {
  const tests = FIELDS.flatMap((field) => {
    const patterns = when[field];
    if (patterns === undefined) return [];
    const whole = new RegExp(
      `^(?:${patterns.map((one) => one.split('*').map(RegExp.escape).join('.*')).join('|')})$`,
      'isu',
    );
    return [(facts: PostingFacts) => facts[field] !== null && whole.test(facts[field])];
  });
  return (facts) => tests.every((test) => test(facts));
}
