// The entries that would put a root right, if the service posted them after the last line: what an operation still lacks, the
// release of a hold that nobody released, or an adjustment that undoes the item. None where no entry would do it.

import { SHORTEST_FINGERPRINT } from '../../checks/across/named-in.ts';
import { declared } from '../../checks/kinds/catalogue.ts';
import type { Standing } from '../../domain/assumptions.ts';
import type { Finding } from '../../domain/finding.ts';
import { directionOf } from '../../domain/ledger-entry.ts';
import { isFinal } from '../../domain/operation.ts';
import type { ProposedEntry } from '../../domain/settlement.ts';
import { factsOf } from '../../replay/operation-facts.ts';
import { requiredOf } from '../../replay/required.ts';
import type { Tally } from '../../replay/tally.ts';
import type { Off } from '../due/excess.ts';
import { type LackingEntry, lackingEntries } from './lacking-entries.ts';
import type { SetApart } from './set-apart.ts';

export interface Proposing {
  readonly operations: ReadonlyMap<string, SetApart>;
  readonly standing: Standing;
}

/** Null for what is no open, confirmed root with money in it, and where the document has no entry that would put it right. */
export function proposeEntries(finding: Finding, { operations, standing }: Proposing): readonly ProposedEntry[] | null {
  const { item, itemParts, status, settledBy } = finding;
  if (item === null || status !== 'confirmed' || settledBy !== null) return null;
  const [balance, reserved] = [BigInt(item.balance), BigInt(item.reserved)];
  // What the wallet alone misstates, no line puts right.
  if ((balance === 0n && reserved === 0n) || itemParts.some(({ of }) => of === 'wallet')) return null;
  if (declared(finding).toJustify === true) return null;
  const operation = operations.get(operationBehind(finding) ?? '')?.tally;
  const entries =
    (operation === undefined ? null : lackingEntries(operation, { balance, reserved }, standing)) ??
    undoing({ balance, reserved }, finding, { operation, standing });
  return entries === null ? null : entries.map((entry) => proposed(entry, finding));
}

/** The one operation whose lines moved other than they should, else the finding's own. */
function operationBehind({ itemParts, operationReference }: Finding): string | null {
  const references = new Set(itemParts.filter(({ of }) => of === 'posted').map((part) => part.operationReference));
  return references.size === 1 ? [...references][0]! : operationReference;
}

/**
 * An adjustment undoes the balance. What is held too much is released where there is such a hold; what was released or consumed
 * beyond the hold is held once more.
 */
function undoing(
  { balance, reserved }: Off,
  finding: Finding,
  { operation, standing }: { readonly operation: Tally | undefined; readonly standing: Standing },
): readonly LackingEntry[] | null {
  const entries: LackingEntry[] = [];
  if (balance > 0n) entries.push({ kind: 'ADJUSTMENT_DEBIT', amount: balance });
  if (balance < 0n) entries.push({ kind: 'ADJUSTMENT_CREDIT', amount: -balance });
  if (reserved === 0n) return entries;
  // A hold that ought not to be there stays wrong when it is released.
  const isLeftOver = balance !== 0n || declared(finding).effect === 'lack';
  const state = operation?.operation ?? null;
  if (state === null || BigInt(operation!.held) !== reserved) return null;
  if (reserved < 0n) {
    return needsNoHold(operation!, standing) ? [...entries, { kind: 'CASHOUT_HOLD', amount: -reserved }] : null;
  }
  return isLeftOver && isFinal(state.status) ? [...entries, { kind: 'CASHOUT_RELEASE', amount: reserved }] : null;
}

/** It is over, or all that it must hold was released: a hold that only undoes a release stays right. */
function needsNoHold({ operation, lines }: Tally, standing: Standing): boolean {
  const { status } = operation!;
  const submitted = { ...operation!, status: status === 'CREATED' ? ('PENDING' as const) : status };
  return requiredOf(submitted, factsOf(lines), standing).reserved === 0;
}

function proposed({ kind, amount }: LackingEntry, finding: Finding): ProposedEntry {
  const line = finding.sequence === null ? '' : ` #${finding.sequence}`;
  return {
    kind,
    direction: directionOf(kind),
    amount: amount.toString(),
    operationReference: operationBehind(finding),
    description: `Correction ${finding.fingerprint.slice(0, SHORTEST_FINGERPRINT)}${line}`,
  };
}
