// What follows from a line that was rewritten: the lines after it, served anew with the figures that follow from it.

import type { FindingFigures } from '../../checks/finding-figures.ts';
import type { FindingDraft } from '../../domain/finding.ts';
import type { FollowRule } from './causes.ts';

type Contents = FindingFigures['SEQUENCE_DUPLICATE'];

/** The same line but for its figures, which are off by as much as those of the nearest such number before it. */
export const followRewritten: FollowRule = ({ drafts, places }) => {
  const shared = (places.byKind.get('SEQUENCE_DUPLICATE') ?? []).toSorted(
    (a, b) => drafts[a]!.sequence! - drafts[b]!.sequence!,
  );
  const causes = new Map<number, number>();
  shared.forEach((self, i) => {
    const before = shared[i - 1];
    if (before === undefined || !contentsOf(drafts[self]!).others.every(({ of }) => of === 'figures')) return;
    if (shiftOf(drafts[self]!) === shiftOf(drafts[before]!)) causes.set(self, before);
  });
  return (self) => causes.get(self) ?? null;
};

/** Whichever of the contents the replay has followed. */
function shiftOf(draft: FindingDraft): string {
  const after = [{ balance: 0, reserved: 0 }, ...contentsOf(draft).others].map(({ balance, reserved }) => ({
    balance: Number(balance),
    reserved: Number(reserved),
  }));
  const [lowest, ...others] = after.sort((a, b) => a.balance - b.balance || a.reserved - b.reserved);
  return others.map((one) => `${one.balance - lowest!.balance}/${one.reserved - lowest!.reserved}`).join(' ');
}

function contentsOf({ figures }: FindingDraft): Contents {
  return figures as Contents;
}
