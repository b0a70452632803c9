// Compares the lines of an audit with those of the mirror while they pass, so that an audit too
// finds lines that are served differently now. Writes nothing: the next run stores what it finds.

import type { Alteration } from '../../../core/domain/alteration.ts';
import type { Note, Snapshot } from '../../../core/domain/snapshot.ts';
import { findMerchantId } from '../../../io/storage/merchants/merchants.ts';
import { joinPieces, type Piece } from '../../../io/storage/mirror/read/load-alterations.ts';
import { openMirrorSnapshot } from '../../../io/storage/mirror/read/mirror-snapshot.ts';
import { storedLinesOf } from '../../../io/storage/mirror/read/stored-lines.ts';
import { findAltered } from '../../../io/storage/mirror/save/find-new.ts';
import { loadStoredExtent } from '../../../io/storage/mirror/stored-extent.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import type { ComparedSnapshot } from '../audit/audit-source.ts';
import { alterationOfGone, openMerge } from './merge-served.ts';

/**
 * Returns `snapshot` with the differences from the mirror as `alterations`; unchanged when the
 * mirror has no line of the merchant. `isCopy` says that the snapshot may be older than the mirror
 * or only a part, so that lines missing at its beginning and end count for nothing. Books of
 * another wallet are not compared, because each service has its own references.
 */
export async function compareMirrored(
  store: Store,
  snapshot: Snapshot,
  isCopy: boolean,
): Promise<ComparedSnapshot> {
  const { merchant } = snapshot;
  const merchantId = await findMerchantId(store.pool, merchant);
  const extent = await loadStoredExtent(store, merchant);
  if (merchantId === null || extent === null || extent.lineCount === 0) return snapshot;
  const mirror = await openMirrorSnapshot(store, { merchant, after: null, watermark: null });
  const known = mirror.alterations ?? [];
  const mirrored = (await mirror.closing()).wallet?.walletId ?? null;
  await mirror.close();
  const { lastSequence: head, lastIntake: intake } = extent;
  const stored = storedLinesOf(store, { merchantId, intake });
  // Filled when the stream of lines ends, and read when the books are concluded.
  const alterations: Alteration[] = [];
  let note: Note | null = null;
  return {
    ...snapshot,
    absent: snapshot.absent.filter(({ what }) => isCopy || what !== 'history'),
    alterations,
    notCompared: () => note,
    closing: async () => {
      const closing = await snapshot.closing();
      const read = closing.wallet?.walletId ?? mirrored;
      if (mirrored !== null && read !== mirrored) {
        alterations.length = 0;
        note = ofAnotherWallet({ mirrored, read: read! });
      }
      return closing;
    },
    async *entries() {
      const pieces: Piece[] = known.map((one) => ({ ...one, afterSequence: null }));
      const merge = openMerge(stored, { head, after: Number.MIN_SAFE_INTEGER });
      let newest = Number.NEGATIVE_INFINITY;
      for await (const { rows, rejected } of snapshot.entries()) {
        for (const { sequence } of rejected) merge.noteRefused(sequence);
        const lines = rows.filter(({ sequence }) => sequence <= head);
        for (const found of await findAltered(store, merchantId, lines)) pieces.push(found);
        await merge.add(rows);
        newest = Math.max(newest, rows.at(-1)?.sequence ?? newest);
        yield { rows, rejected };
      }
      for (const gone of (await merge.end(newest < head)) ?? []) {
        if (isCopy && (gone.before === null || gone.after === null)) continue;
        pieces.push({
          ...alterationOfGone(gone, newest < head),
          afterSequence: gone.before?.sequence ?? null,
        });
      }
      const joined = joinPieces(pieces.sort((a, b) => a.sequence - b.sequence));
      alterations.splice(0, alterations.length, ...joined);
    },
  };
}

function ofAnotherWallet(figures: { readonly mirrored: string; readonly read: string }): Note {
  return { what: 'history', code: 'MIRROR_OF_ANOTHER_WALLET', figures };
}
