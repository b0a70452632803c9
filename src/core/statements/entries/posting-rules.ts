// Which account a posting goes to: the first configured rule that fits it, else the account of its role. Decides nothing about
// amounts.

import {
  type Account,
  type AccountRole,
  FIELDS,
  type JournalSettings,
  type PostingField,
  type PostingRule,
} from '../journal.ts';

/** What is known of a posting. Null: nothing, and no pattern fits it. */
export type PostingFacts = Readonly<Record<PostingField, string | null>>;

export const NO_FACTS: PostingFacts = {
  kind: null,
  operator: null,
  country: null,
  reference: null,
  externalReference: null,
  beneficiary: null,
};

export interface PostingPlace {
  readonly account: Account;
  /** An auxiliary account has the text of its field for its number and its name; null: none. */
  readonly auxiliary: Account | null;
}

export type FindAccount = (role: AccountRole, facts: PostingFacts) => PostingPlace;

export function openRules({ accounts, rules }: Pick<JournalSettings, 'accounts' | 'rules'>): FindAccount {
  const byRole = Map.groupBy(
    rules.map((rule) => ({ rule, fits: testOf(rule) })),
    ({ rule }) => rule.role,
  );
  return (role, facts) => {
    const rule = byRole.get(role)?.find(({ fits }) => fits(facts))?.rule;
    return { account: rule?.account ?? accounts[role], auxiliary: auxiliaryOf(rule, facts) };
  };
}

function testOf({ when }: PostingRule): (facts: PostingFacts) => boolean {
  const tests = FIELDS.flatMap((field) => {
    const patterns = when[field];
    if (patterns === undefined) return [];
    const whole = new RegExp(`^(?:${patterns.map(patternOf).join('|')})$`, 'isu');
    return [(facts: PostingFacts) => facts[field] !== null && whole.test(facts[field])];
  });
  return (facts) => tests.every((test) => test(facts));
}

function patternOf(pattern: string): string {
  return pattern.split('*').map(RegExp.escape).join('.*');
}

function auxiliaryOf(rule: PostingRule | undefined, facts: PostingFacts): Account | null {
  const text = rule?.auxiliary == null ? null : facts[rule.auxiliary];
  return text === null || text.trim() === '' ? null : { number: text.trim(), label: text.trim() };
}
