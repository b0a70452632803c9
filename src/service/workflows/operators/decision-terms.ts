// What a decision of a person is to rest on, of the finding as it was last reported and the lines as the mirror has them.
// Refuses, in a sentence for whoever decides, what could not hold in the next run.

import type { Finding } from '../../../core/domain/finding.ts';
import { formatInstant, type Instant } from '../../../core/domain/instant.ts';
import { isAdjustment } from '../../../core/domain/ledger-entry.ts';
import type { DecidedLine, DecisionTerms } from '../../../core/domain/settlement.ts';
import { amountOf, groundsOf } from '../../../core/reconcile/corrections/settle-roots.ts';
import type { FindingAction } from '../../../io/storage/conclusions/findings.ts';
import { loadLines } from '../../../io/storage/conclusions/standing-decisions.ts';
import type { Store } from '../../../io/storage/server/store.ts';
import { StoreFailed } from '../../../io/storage/server/store-failed.ts';

export interface DecisionWish {
  readonly action: FindingAction;
  /** settle: lines that put it right, by sequence. */
  readonly lines?: readonly string[] | undefined;
  /** accept: the most that it may be, in whole units, without sign. */
  readonly limit?: string | undefined;
  /** accept: from this instant on no more. */
  readonly until?: Instant | undefined;
  readonly at: Instant;
}

/** Null for a decision that rests on nothing. Throws `StoreFailed` (DECISION_REFUSED). */
export async function termsOf(
  store: Store,
  { merchant, finding }: { readonly merchant: string; readonly finding: Finding },
  wish: DecisionWish,
): Promise<DecisionTerms | null> {
  const { action, lines = [], limit = null, until } = wish;
  if (action !== 'settle' && lines.length > 0) throw refused('Only settling a finding takes lines.');
  if (action !== 'accept' && (limit !== null || until !== undefined))
    throw refused('Only accepting a finding takes a limit or an expiry.');
  if (action === 'acknowledge' || action === 'resolve') return null;
  if (action !== 'reopen' && finding.causedBy !== null)
    throw refused(`It follows from ${finding.causedBy}: decide about that one.`);
  const grounds = groundsOf(finding);
  if (limit !== null && (!/^\d{1,18}$/.test(limit) || BigInt(limit) < amountOf(grounds)))
    throw refused(`The limit must be a whole number and at least ${amountOf(grounds)}, which it is now.`);
  if (until !== undefined && until <= wish.at) throw refused('The expiry must be later than now.');
  const about = action === 'reopen' ? (finding.settledBy?.lines ?? []) : [...new Set(lines)];
  const known = await loadLines(store, { merchant, sequences: about.filter((line) => /^\d{1,15}$/.test(line)) });
  const decided = about.map((line) => onlyLine(line, known.get(line) ?? []));
  if (action === 'settle' && lines.length > 0) requireSum(finding, decided);
  const inOrder = decided.toSorted((a, b) => Number(a.sequence) - Number(b.sequence));
  return { ...grounds, lines: inOrder, limit, until: until === undefined ? null : formatInstant(until) };
}

function onlyLine(sequence: string, served: readonly DecidedLine[]): DecidedLine {
  const [line, ...others] = served;
  if (line === undefined) throw refused(`There is no line ${sequence} in the mirror.`);
  if (others.length > 0) throw refused(`Line ${sequence} was served with several contents.`);
  return line;
}

/** Adjustments behind the fault, which undo its item exactly. */
function requireSum({ item, sequence }: Finding, lines: readonly DecidedLine[]): void {
  const wrong = lines.find(
    (line) => !isAdjustment(line.kind) || (sequence !== null && Number(line.sequence) <= Number(sequence)),
  );
  if (wrong !== undefined) throw refused(`Line ${wrong.sequence} is not an adjustment after the fault.`);
  const sum = lines.reduce(
    (total, { direction, amount }) => total + BigInt(amount) * (direction === 'DEBIT' ? -1n : 1n),
    0n,
  );
  const off = BigInt(item?.balance ?? 0);
  if (sum === -off && off !== 0n && item?.reserved === '0') return;
  const said = `The lines move the balance by ${sum}, and the finding has it off by ${off}`;
  throw refused(`${said}, the reserved amount by ${item?.reserved ?? '0'}. Give a reason in place of lines.`);
}

function refused(message: string): StoreFailed {
  return new StoreFailed('DECISION_REFUSED', message);
}
