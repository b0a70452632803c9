// The catalogue: every kind of finding with what it declares, in order. A kind that is left out does not compile.

import type { FindingDraft } from '../../domain/finding.ts';
import type { FindingKind } from '../../domain/finding-kind.ts';
import type { Merchant } from '../../domain/merchant.ts';
import type { KindDeclaration } from './declaration.ts';
import { LINE_KINDS } from './line-kinds.ts';
import { LINK_KINDS } from './link-kinds.ts';
import { OPERATION_KINDS } from './operation-kinds.ts';
import { HISTORY_KINDS, INTAKE_KINDS, PUBLISHED_KINDS, STATE_KINDS, WALLET_KINDS } from './other-kinds.ts';
import { PAYOUT_KINDS } from './payout-kinds.ts';

export const KINDS: Readonly<Record<FindingKind, KindDeclaration>> = {
  ...LINE_KINDS,
  ...OPERATION_KINDS,
  ...STATE_KINDS,
  ...WALLET_KINDS,
  ...HISTORY_KINDS,
  ...PUBLISHED_KINDS,
  ...LINK_KINDS,
  ...PAYOUT_KINDS,
  ...INTAKE_KINDS,
};

/** The order of the catalogue: of several findings that one line explains, the first is the root. */
export const CATALOGUE: readonly { readonly section: string; readonly kinds: readonly FindingKind[] }[] = [
  { section: 'A. Lines alone', kinds: kindsOf(LINE_KINDS) },
  { section: 'B. Operation against its lines', kinds: kindsOf(OPERATION_KINDS) },
  { section: 'C. States and limits', kinds: kindsOf(STATE_KINDS) },
  { section: 'D. Wallet', kinds: kindsOf(WALLET_KINDS) },
  { section: 'E. History', kinds: kindsOf(HISTORY_KINDS) },
  { section: 'F. Reports, payments, notifications', kinds: kindsOf(PUBLISHED_KINDS) },
  { section: 'G. Intake', kinds: kindsOf(INTAKE_KINDS) },
  { section: 'I. Payments by link', kinds: kindsOf(LINK_KINDS) },
  { section: 'J. Payouts', kinds: kindsOf(PAYOUT_KINDS) },
];

const RANKS: ReadonlyMap<FindingKind, number> = new Map(kindsOf(KINDS).map((kind, i) => [kind, i]));

/** Where a kind stands in the catalogue; lower is earlier. */
export function rankOf(kind: FindingKind): number {
  return RANKS.get(kind)!;
}

/** What the kind of a finding declares of it. */
export function declared({ kind }: Pick<FindingDraft, 'kind'>): KindDeclaration {
  return KINDS[kind];
}

/** Findings that say something harmless explain nothing and follow from nothing. */
export function standsAlone(draft: FindingDraft): boolean {
  return draft.severity === 'info' || declared(draft).standsAlone === true;
}

/** Of an account that is not active some kinds say nothing; one whose profile is not known counts as active. */
export function holdsOf(draft: Pick<FindingDraft, 'kind'>, profiles: readonly Merchant[]): boolean {
  return declared(draft).ofActiveAccount !== true || (profiles.at(-1)?.status ?? 'ACTIVE') === 'ACTIVE';
}

function kindsOf<Kind extends FindingKind>(kinds: Readonly<Record<Kind, KindDeclaration>>): readonly Kind[] {
  return Object.keys(kinds) as Kind[];
}
