// The catalogue: every kind of finding with what it declares, in order. A kind that is left out
// does not compile.

import type { Finding, FindingDraft } from '../../../domain/finding.ts';
import type { FindingKind } from '../../../domain/finding-kind.ts';
import type { Merchant } from '../../../domain/merchant.ts';
import type { KindDeclaration } from '../kinds/declaration.ts';
import {
  HISTORY_KINDS,
  INTAKE_KINDS,
  LINE_KINDS,
  LINK_KINDS,
  OPERATION_KINDS,
  PAYOUT_KINDS,
  PUBLISHED_KINDS,
  STATE_KINDS,
  STORE_KINDS,
  WALLET_KINDS,
} from '../kinds/sections.ts';

export const KINDS: Readonly<Record<FindingKind, KindDeclaration>> = {
  ...LINE_KINDS,
  ...OPERATION_KINDS,
  ...STATE_KINDS,
  ...WALLET_KINDS,
  ...HISTORY_KINDS,
  ...STORE_KINDS,
  ...PUBLISHED_KINDS,
  ...LINK_KINDS,
  ...PAYOUT_KINDS,
  ...INTAKE_KINDS,
};

type Section =
  | 'lines'
  | 'operations'
  | 'states'
  | 'wallet'
  | 'history'
  | 'published'
  | 'intake'
  | 'links'
  | 'payouts';

/**
 * The order of the catalogue: of several findings that one line explains, the first is the root.
 */
export const CATALOGUE: readonly {
  readonly section: Section;
  readonly kinds: readonly FindingKind[];
}[] = [
  { section: 'lines', kinds: kindsOf(LINE_KINDS) },
  { section: 'operations', kinds: kindsOf(OPERATION_KINDS) },
  { section: 'states', kinds: kindsOf(STATE_KINDS) },
  { section: 'wallet', kinds: kindsOf(WALLET_KINDS) },
  { section: 'history', kinds: [...kindsOf(HISTORY_KINDS), ...kindsOf(STORE_KINDS)] },
  { section: 'published', kinds: kindsOf(PUBLISHED_KINDS) },
  { section: 'intake', kinds: kindsOf(INTAKE_KINDS) },
  { section: 'links', kinds: kindsOf(LINK_KINDS) },
  { section: 'payouts', kinds: kindsOf(PAYOUT_KINDS) },
];

/**
 * Kinds that are judged only for those parts that the service answered for. A finding of these
 * kinds that was not found again may still be there.
 */
export const KINDS_IN_PART: readonly FindingKind[] = [
  'REPORT_SUMMARY_MISMATCH',
  ...kindsOf(LINK_KINDS),
  ...kindsOf(PAYOUT_KINDS),
];

const RANKS: ReadonlyMap<FindingKind, number> = new Map(kindsOf(KINDS).map((kind, i) => [kind, i]));

/** The place of a kind in the catalogue; lower is earlier. */
export function rankOf(kind: FindingKind): number {
  return RANKS.get(kind)!;
}

export function isKind(text: string): text is FindingKind {
  return Object.hasOwn(KINDS, text);
}

export function declared({ kind }: Pick<FindingDraft, 'kind'>): KindDeclaration {
  return KINDS[kind];
}

/**
 * Returns the figure that a finding of this kind makes wrong. `null` where that depends on the
 * finding, or where it makes none wrong.
 */
export function sideOf(finding: Pick<FindingDraft, 'kind'>): 'balance' | 'reserved' | null {
  const { figure } = declared(finding);
  if (figure === undefined) return null;
  return figure === '+reserved' || figure === '-reserved' ? 'reserved' : 'balance';
}

/** Whether the expected and the actual figure of the finding are amounts of money. */
export function isMoney({ kind, difference }: Pick<Finding, 'kind' | 'difference'>): boolean {
  return difference !== null && isKind(kind) && KINDS[kind].counts !== true;
}

/**
 * Whether the finding explains no other and follows from none: it is harmless (`info`), or its kind
 * declares so.
 */
export function standsAlone(draft: FindingDraft): boolean {
  return draft.severity === 'info' || declared(draft).standsAlone === true;
}

/**
 * Whether the kind applies to this account. Some kinds apply only to active accounts; an account
 * without a known profile counts as active.
 */
export function appliesTo(
  draft: Pick<FindingDraft, 'kind'>,
  profiles: readonly Merchant[],
): boolean {
  return (
    declared(draft).ofActiveAccount !== true || (profiles.at(-1)?.status ?? 'ACTIVE') === 'ACTIVE'
  );
}

function kindsOf<Kind extends FindingKind>(
  kinds: Readonly<Record<Kind, KindDeclaration>>,
): readonly Kind[] {
  return Object.keys(kinds) as Kind[];
}
