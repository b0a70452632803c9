// What follows from a notification that names another operation, or that could not be read: it may be the very one that is
// missing, or that explains an adjustment.

import { declared } from '../../checks/kinds/catalogue.ts';
import { whatUnreadSays } from '../../checks/notifications/unread.ts';
import type { RejectedRow } from '../../domain/snapshot.ts';
import type { FollowRule } from './causes.ts';

/** Only what notifications say explains it, not what else is wrong with the operation that is named in its place. */
export const followMisnamed: FollowRule =
  ({ drafts, statuses }, causes) =>
  (self) => {
    const { namedBy } = drafts[self]!;
    if (namedBy === null) return null;
    const cause = drafts.findIndex(
      (one, at) =>
        at !== self &&
        one.operationReference === namedBy &&
        declared(one).subject === 'notification' &&
        causes.isRoot(at) &&
        statuses[at] === 'confirmed',
    );
    return cause < 0 ? null : cause;
  };

/** A row that names its operation can be no other's notification. */
export const followUnread: FollowRule = ({ drafts, rejected, places }) => {
  const rows = rejected
    .filter(({ part }) => part === 'events')
    .map((row) => ({ row, says: whatUnreadSays(row) }))
    .filter(({ says }) => !says.namesOperation);
  const ofOperation = foremostOf(rows.filter(({ says }) => says.about !== 'wallet').map(({ row }) => row));
  const ofWallet = foremostOf(rows.filter(({ says }) => says.about !== 'operation').map(({ row }) => row));
  return (self) => {
    const { kind, sequence } = drafts[self]!;
    // What is missing of an adjustment has the line for its place.
    const isOfWallet = kind === 'ADJUSTMENT_UNEXPLAINED' || (kind === 'EVENT_MISSING' && sequence !== null);
    const row = isOfWallet ? ofWallet : kind === 'EVENT_MISSING' ? ofOperation : undefined;
    return row === undefined ? null : (places.unreadAt.get(row.place) ?? null);
  };
};

/** The end of a damaged file, of which nothing is left to show, else the first by its place, in whatever order they came. */
function foremostOf(rows: readonly RejectedRow[]): RejectedRow | undefined {
  const inOrder = [...rows].sort((a, b) => (a.place < b.place ? -1 : 1));
  return inOrder.find(({ raw }) => raw === '') ?? inOrder[0];
}
