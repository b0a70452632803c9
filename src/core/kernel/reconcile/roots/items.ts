// The item of each root: by how much the recorded figures are too high (+) or too low (−) because
// of it and of all that follows from it. Drifts, the wallet's own misstatement, and what lines
// moved beyond what is required are added up where the findings about them have their root, so that
// nothing is counted twice and nothing is left out.

import type { Finding, FindingDraft, Item, ItemPart } from '../../../domain/finding.ts';
import { formatInstant } from '../../../domain/instant.ts';
import { valueIn } from '../../../domain/value-in.ts';
import { declared } from '../../checks/port/kinds.ts';
import { type Excess, minus, NOTHING_OFF, type Off, plus } from './excess.ts';
import type { Material, StatusTerms } from './material.ts';
import { driftThrough } from './places.ts';

export interface Items {
  /** Items by the index of the root. A root is absent where nothing is off because of it. */
  readonly byRoot: ReadonlyMap<number, RootItem>;
  /**
   * What lines moved that were not served, as far as no served operation lacks it: the recorded
   * figures rightly include it.
   */
  readonly unserved: Off;
}

export interface RootItem {
  readonly off: Off;
  /** Where `off` comes from; the parts sum to it. */
  readonly parts: readonly ItemPart[];
}

/**
 * Returns the items of all roots. `roots` has, for each draft, the index of its root. Money that no
 * finding is about is in no item.
 */
export function itemsOf(material: Material, roots: readonly number[]): Items {
  const { excesses } = material;
  const chain = [...driftsOf(material), ...misstatementsOf(material)];
  const lacking = new Set(
    material.drafts
      .filter((draft) => declared(draft).effect === 'lack')
      .map((draft) => draft.operationReference),
  );
  const lacks = excesses.filter(({ reference }) => reference !== null && lacking.has(reference));
  const all = [...chain, ...excessesOf(material, excesses)];
  const sums = addUp(all, roots);
  const parts = partsOf(all, roots);
  const broken = addUp(chain, roots);
  const filled = addUp([...chain, ...excessesOf(material, lacks)], roots);
  let unserved = NOTHING_OFF;
  for (const [root, off] of sums) {
    const { unserved: isUnserved, subject } = declared(material.drafts[root]!);
    if (isUnserved !== true) continue;
    // An unserved line has moved this figure only where the chain is broken in it, and by another
    // amount than what operations lack. For a row that could not be read the chain need not be
    // broken.
    const isMissing = (side: keyof Off): boolean =>
      subject === 'input' ||
      ((broken.get(root)?.[side] ?? 0n) !== 0n && (filled.get(root)?.[side] ?? 0n) !== 0n);
    const rightly = {
      balance: isMissing('balance') ? off.balance : 0n,
      reserved: isMissing('reserved') ? off.reserved : 0n,
    };
    unserved = plus(unserved, rightly);
    sums.set(root, minus(off, rightly));
    const { sequence, operationReference } = material.drafts[root]!;
    parts
      .get(root)!
      .push(
        ...partAt(minus(NOTHING_OFF, rightly), { of: 'unserved', sequence, operationReference }),
      );
  }
  const byRoot = new Map([...sums].map(([root, off]) => [root, { off, parts: parts.get(root)! }]));
  return { byRoot, unserved };
}

interface At {
  readonly of: ItemPart['of'];
  readonly sequence: number | null;
  readonly operationReference: string | null;
}

/**
 * An amount that is off, with the index of the finding about it (`undefined` where there is none),
 * and its place.
 */
type Part = readonly [self: number | undefined, off: Off, at: At];

function partsOf(parts: readonly Part[], roots: readonly number[]): Map<number, ItemPart[]> {
  const byRoot = new Map<number, ItemPart[]>();
  for (const [self, off, at] of parts)
    if (self !== undefined) valueIn(byRoot, roots[self]!, () => []).push(...partAt(off, at));
  return byRoot;
}

function partAt(
  { balance, reserved }: Off,
  { of, sequence, operationReference }: At,
): readonly ItemPart[] {
  if (balance === 0n && reserved === 0n) return [];
  const line = sequence === null ? null : String(sequence);
  return [
    {
      of,
      sequence: line,
      operationReference,
      balance: balance.toString(),
      reserved: reserved.toString(),
    },
  ];
}

function addUp(parts: readonly Part[], roots: readonly number[]): Map<number, Off> {
  const sums = new Map<number, Off>();
  for (const [self, off] of parts) {
    if (self === undefined) continue;
    const root = roots[self]!;
    sums.set(root, plus(sums.get(root) ?? NOTHING_OFF, off));
  }
  return sums;
}

function driftsOf({ drafts, drifts, places }: Material): readonly Part[] {
  const leftover = drafts.findIndex((draft) => declared(draft).effect === 'leftover');
  // An amount that was reserved before the first line is reported at the last one.
  const otherwise = leftover < 0 ? undefined : leftover;
  return drifts.map(({ sequence, balance, reserved }) => {
    const self = driftThrough(sequence, places) ?? places.bySequence.get(sequence) ?? otherwise;
    const at: At = { of: 'drift', sequence, operationReference: null };
    return [self, { balance: BigInt(balance), reserved: BigInt(reserved) }, at];
  });
}

/** Returns what the wallet states otherwise than the line that it is compared with. */
function misstatementsOf({ drafts }: Material): readonly Part[] {
  return drafts.flatMap((draft, self): Part[] => {
    const { subject, effect, figure } = declared(draft);
    if (subject !== 'wallet' || effect !== 'statement' || figure === undefined) return [];
    const off = draft.difference ?? 0n;
    const sides =
      figure === '+balance' ? { balance: off, reserved: 0n } : { balance: 0n, reserved: off };
    return [[self, sides, { of: 'wallet', sequence: null, operationReference: null }]];
  });
}

function excessesOf({ drafts, places }: Material, excesses: readonly Excess[]): readonly Part[] {
  return excesses.map(({ reference, sequence, balance, reserved }) => {
    const self =
      reference === null ? places.bySequence.get(sequence!) : places.byOperation.get(reference);
    const line = sequence ?? (self === undefined ? null : drafts[self]!.sequence);
    return [
      self,
      { balance, reserved },
      { of: 'posted', sequence: line, operationReference: reference },
    ];
  });
}

type Worth = Pick<Finding, 'concerned' | 'currency' | 'itemAt'>;

/**
 * Returns the amount, currency and instant that a finding is about, whether or not it makes a
 * figure wrong.
 */
export function worthOf(
  draft: FindingDraft,
  { currency, latest }: Pick<StatusTerms, 'currency' | 'latest'>,
): Worth {
  const { about, figures, difference } = draft;
  const { concerns } = declared(draft);
  const named = concerns?.map((name) => (name === 'difference' ? difference : figures[name]));
  const amount = (named ?? [about?.amount]).find((one) => Boolean(one) && isAmount(one));
  const at = about?.createdAt ?? null;
  return {
    concerned: amount === undefined ? null : String(amount).replace('-', ''),
    currency: about?.currency ?? currency,
    itemAt: at === null || at > latest ? null : formatInstant(at),
  };
}

function isAmount(figure: unknown): boolean {
  return typeof figure === 'number' || typeof figure === 'bigint';
}

/**
 * Sets the currency of a root that makes a figure wrong, which is the merchant's, and of what
 * follows from another finding. Both get no amount `concerned`, because the root has its item, and
 * what follows from it is worth nothing by itself.
 */
export function weigh(finding: Finding, currency: string | null): Finding {
  if (finding.causedBy === null && !isOff(finding.item)) return finding;
  return { ...finding, concerned: null, currency };
}

/** Whether the item makes a figure wrong; `null` is the item of a finding that is no root. */
export function isOff(item: Item | null): boolean {
  return item !== null && (item.balance !== '0' || item.reserved !== '0');
}

/** Returns, by line, the fingerprint of the root that the line settles, or corrects in part. */
export function usesOf(findings: readonly Finding[]): ReadonlyMap<string, string> {
  return new Map(
    findings.flatMap(({ fingerprint, settledBy, itemParts }) => [
      ...itemParts.flatMap(({ of, sequence }) =>
        of === 'corrected' && sequence !== null ? [[sequence, fingerprint] as const] : [],
      ),
      ...(settledBy?.lines ?? []).map((line) => [line, fingerprint] as const),
    ]),
  );
}
