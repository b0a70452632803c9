// The tree of pointage's words in both languages: for documents, mails and findings. All other
// rooms take their words from here. Fills no placeholders, and does not read an operator's own
// words.

import ENGLISH from '../../../reports-templates/words.en.json' with { type: 'json' };
import FRENCH from '../../../reports-templates/words.fr.json' with { type: 'json' };
import type { InterpretationOf, Question } from '../domain/assumptions.ts';
import type { FindingKind } from '../domain/finding-kind.ts';
import type { Direction, EntryKind } from '../domain/ledger-entry.ts';
import type { MerchantStatus, WalletStatus } from '../domain/merchant.ts';
import type { OperationStatus, OperationType } from '../domain/operation.ts';
import type { RefusalCode } from '../domain/refusal.ts';
import type { ReasonCode } from '../domain/snapshot.ts';
import SAMPLE_ROWS from './samples.json' with { type: 'json' };

/**
 * The words of one language. The compiler requires that each language has words for every kind of
 * finding, reason, refusal and interpretation.
 */
export type Labels = typeof FRENCH & {
  readonly findings: Readonly<Record<'names' | 'messages', Readonly<Record<FindingKind, string>>>>;
  readonly catalogue: { readonly explanations: Readonly<Record<FindingKind, string>> };
  readonly notChecked: { readonly why: Readonly<Record<ReasonCode, string>> };
  readonly refusals: Readonly<Record<RefusalCode, string>>;
  readonly assumptions: {
    readonly questions: Readonly<Record<Question, string>>;
    readonly answers: { readonly [Q in Question]: Readonly<Record<InterpretationOf<Q>, string>> };
  };
  readonly codes: {
    readonly kinds: Readonly<Record<EntryKind, string>>;
    readonly statuses: Readonly<Record<OperationStatus, string>>;
    readonly types: Readonly<Record<OperationType, string>>;
    readonly directions: Readonly<Record<Direction, string>>;
    readonly states: Readonly<Record<WalletStatus | MerchantStatus, string>>;
  };
};

export type LabelLanguage = 'fr' | 'en';

/**
 * Matches a link to a term, in the syntax of vue-i18n: `@:terms.name`, or `@.capitalize:terms.name`
 * for a capital at the beginning.
 */
const LINK = /@(\.capitalize)?:terms\.(\w+)/g;

/**
 * Replaces each link by its term, so that one thing has one word everywhere. A link to an unknown
 * term stays as it is.
 */
function linkTerms<Tree>(tree: Tree, terms: Labels['terms']): Tree {
  const named: Readonly<Record<string, string>> = terms;
  const linked = (value: unknown): unknown => {
    if (typeof value === 'string') {
      if (!value.includes('@')) return value;
      return value.replace(LINK, (link, capital: string | undefined, name: string) => {
        if (!Object.hasOwn(named, name)) return link;
        const term = named[name]!;
        return capital === undefined ? term : term.slice(0, 1).toUpperCase() + term.slice(1);
      });
    }
    if (Array.isArray(value)) return value.map(linked);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, linked(inner)]));
  };
  return linked(tree) as Tree;
}

/**
 * The words of one language with all links replaced: by the usual terms, and by the terms of a
 * yearly statement.
 */
export interface LinkedLabels {
  readonly labels: Labels;
  readonly annual: Labels;
}

/** Links an operator's own words; where the operator has none, returns ours. */
export function linkLabels(own: Partial<Labels>, ours: LinkedLabels): LinkedLabels {
  const { terms = ours.labels.terms, annualTerms = ours.labels.annualTerms } = own;
  return {
    labels: { ...ours.labels, ...linkTerms(own, terms) },
    annual: { ...ours.annual, ...linkTerms(own, { ...terms, ...annualTerms }) },
  };
}

function linkBoth(tree: Labels): LinkedLabels {
  const { terms, annualTerms } = tree;
  return { labels: linkTerms(tree, terms), annual: linkTerms(tree, { ...terms, ...annualTerms }) };
}

export const LINKED: Readonly<Record<LabelLanguage, LinkedLabels>> = {
  fr: linkBoth(FRENCH),
  en: linkBoth(ENGLISH),
};

export const LABELS: Readonly<Record<LabelLanguage, Labels>> = {
  fr: LINKED.fr.labels,
  en: LINKED.en.labels,
};

/**
 * Samples of a kind of finding, as rows in the notation of `samples/read-sample.ts`: a ledger that
 * has one finding of the kind, and a ledger that has none.
 */
export interface KindSamples {
  readonly fires: readonly string[];
  readonly quiet: readonly string[];
}

export const SAMPLES: Readonly<Record<FindingKind, KindSamples>> = SAMPLE_ROWS;
