// What follows from a notification that names another operation, or that could not be read: it may be the very one that is
// missing, or that explains an adjustment. These links point one way; they never make two faults one.

import type { FindingDraft, FindingStatus } from '../domain/finding.ts';
import type { RejectedRow } from '../domain/snapshot.ts';
import { ultimateRoot } from './clusters.ts';
import type { LinkMaterial } from './links.ts';
import { MISNAMED } from './misnamed.ts';

/** A row that names its operation can be no other's notification. */
const NAMES_OPERATION = /GUI-C[IO]-/;
const OF_OPERATION = /"(?:cashin|cashout|operation)\.[a-z_]+"/;
const OF_WALLET = /"(?:wallet\.adjusted|ping)"/;

export function followNotified(rootOf: number[], material: LinkMaterial, statuses: readonly FindingStatus[]): void {
  followMisnamed(rootOf, material, statuses);
  followUnread(rootOf, material);
}

/** Only what notifications say explains it, not what else is wrong with the operation that is named in its place. */
function followMisnamed(rootOf: number[], { drafts }: LinkMaterial, statuses: readonly FindingStatus[]): void {
  drafts.forEach(({ kind, evidence }, i) => {
    const named = kind === 'EVENT_MISSING' && rootOf[i] === i && evidence.find(({ note }) => note === MISNAMED);
    if (!named) return;
    const isCause = (one: FindingDraft, at: number): boolean =>
      at !== i && one.operationReference === named.reference && one.kind.startsWith('EVENT_') && rootOf[at] === at;
    const cause = drafts.findIndex((one, at) => isCause(one, at) && statuses[at] === 'confirmed');
    if (cause >= 0) rootOf[i] = cause;
  });
}

function followUnread(rootOf: number[], { drafts, rejected, index }: LinkMaterial): void {
  const unread = rejected.filter(({ part, raw }) => part === 'events' && !NAMES_OPERATION.test(raw));
  if (unread.length === 0) return;
  const causes = new Map([
    ['EVENT_MISSING', foremostOf(unread.filter(({ raw }) => !OF_WALLET.test(raw)))],
    ['ADJUSTMENT_UNEXPLAINED', foremostOf(unread.filter(({ raw }) => !OF_OPERATION.test(raw)))],
  ]);
  drafts.forEach(({ kind }, i) => {
    const row = rootOf[i] === i ? causes.get(kind) : undefined;
    const cause = row === undefined ? undefined : index.rejectedAt.get(row.place);
    if (cause !== undefined) rootOf[i] = ultimateRoot(rootOf, cause);
  });
}

/** The end of a damaged file, of which nothing is left to show, else the first by its place, in whatever order they came. */
function foremostOf(rows: readonly RejectedRow[]): RejectedRow | undefined {
  const inOrder = [...rows].sort((a, b) => (a.place < b.place ? -1 : 1));
  return inOrder.find(({ raw }) => raw === '') ?? inOrder[0];
}
