// Asks for operations one by one. A "not found" is believed only once the path has found an operation that exists: a
// wrong path must not make operations vanish.

import { isFinal, type OpenOperation, type Operation } from '../../../core/domain/operation.ts';
import type { RejectedRow } from '../../../core/domain/snapshot.ts';
import { SourceFailed } from '../source.ts';
import { type Asked, type Asker, askOperation } from './ask-object.ts';
import { listOperations } from './list-kinds.ts';
import { openList } from './paged-list.ts';

/** Shared by every merchant of a source, since they share the path. */
export interface PathProof {
  isProven: boolean;
}

/** How many single requests are under way at once. */
const AT_ONCE = 4;

/** The operation as it stands now, or the refused row; null when the service says that it does not exist. */
export async function askSurely(
  asker: Asker,
  asking: { readonly reference: string; readonly proof: PathProof },
): Promise<Exclude<Asked<Operation>, { readonly kind: 'missing' }> | null> {
  const { reference, proof } = asking;
  const asked = await askOperation(asker, reference);
  if (asked.kind !== 'missing') {
    proof.isProven = true;
    return asked;
  }
  if (!proof.isProven) await provePath(asker, proof);
  return null;
}

/** As `askMany`, with fewer calls where several stay in one state: these are on the first pages of a list of it. */
export async function askOpen(
  asker: Asker,
  asking: { readonly open: readonly OpenOperation[]; readonly proof: PathProof },
): Promise<Awaited<ReturnType<typeof askMany>>> {
  const missing = new Set(asking.open.map(({ reference }) => reference));
  const waiting = asking.open.filter(({ status }) => status !== null && !isFinal(status));
  const listed: Operation[] = [];
  for (const [status, { length }] of Map.groupBy(waiting, (one) => one.status!)) {
    const list = openList({ ...asker, kind: listOperations(asker.settings, { status }) });
    let [from, found] = [0, 0];
    // A page that shows none of them was the last: to ask for the others one by one costs no more.
    for (let before = -1; before < found && found < length - 1; ) {
      const { rows } = await list.fetch(() => from);
      from += rows.length;
      before = found;
      for (const { row } of rows) {
        if (row === null || !missing.delete(row.reference)) continue;
        listed.push(row);
        found += 1;
      }
    }
  }
  const alone = await askMany(asker, { references: missing, proof: asking.proof });
  return { operations: [...listed, ...alone.operations], rejected: alone.rejected };
}

/** Operations in no particular order; those that do not exist are left out. */
export async function askMany(
  asker: Asker,
  asking: { readonly references: Iterable<string>; readonly proof: PathProof },
): Promise<{ readonly operations: readonly Operation[]; readonly rejected: readonly RejectedRow[] }> {
  const operations: Operation[] = [];
  const rejected: RejectedRow[] = [];
  const queue = [...new Set(asking.references)];
  const work = async (): Promise<void> => {
    for (let reference = queue.pop(); reference !== undefined; reference = queue.pop()) {
      try {
        const asked = await askSurely(asker, { reference, proof: asking.proof });
        if (asked?.kind === 'read') operations.push(asked.value);
        // Named as the list names it: one bad operation is one refused row, whichever way it was met.
        const place = `GET ${asker.settings.paths.operations} ${reference}`;
        if (asked?.kind === 'refused') rejected.push({ ...asked.row, reference, place });
      } catch (error) {
        // One failure is the failure of all: nothing more is asked.
        queue.length = 0;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { operations, rejected };
}

async function provePath(asker: Asker, proof: PathProof): Promise<void> {
  const list = openList({ ...asker, kind: listOperations(asker.settings, {}) });
  const page = await list.fetch(() => 0, 1);
  const served = page.rows[0]?.row?.reference;
  if (served === undefined) return;
  const asked = await askOperation(asker, served);
  if (asked.kind === 'missing') {
    throw new SourceFailed(
      'NOT_FOUND',
      `The operations of ${asker.merchant} cannot be asked for one by one (${asked.failure.message.replace(/\.$/, '')}): check http.paths.operation.`,
    );
  }
  proof.isProven = true;
}
