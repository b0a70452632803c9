// What people do with findings: list them, look at one, decide about one. The beginning of a
// fingerprint is enough if no other finding begins so. Refuses, in a sentence for the person who
// decides, a decision that could not hold in the next run.

import type { Due, Finding, FindingState } from '../../../core/domain/finding.ts';
import {
  formatInstant,
  type Instant,
  parseDay,
  parseInstant,
} from '../../../core/domain/instant.ts';
import { invariant } from '../../../core/domain/invariant.ts';
import { isAdjustment, signedAmount } from '../../../core/domain/ledger-entry.ts';
import { type DueRule, dueDayOf } from '../../../core/domain/operators/due-day.ts';
import { amountOf, changedSince, groundsOf } from '../../../core/domain/operators/grounds.ts';
import type { Permission } from '../../../core/domain/operators/role.ts';
import {
  type DecidedLine,
  type DecisionTerms,
  namedLines,
} from '../../../core/domain/settlement.ts';
import {
  isSettledByLines,
  paidOutside,
} from '../../../core/kernel/reconcile/corrections/settle-roots.ts';
import {
  type AnnounceDecisions,
  decideFinding,
  type FindingAction,
  isNote,
  NONE,
  type Note,
  refused,
  requireMove,
} from '../../../io/storage/conclusions/findings.ts';
import {
  areAsTheyWere,
  loadLines,
  loadUsedLines,
} from '../../../io/storage/conclusions/standing-decisions.ts';
import { requireMerchant } from '../../../io/storage/merchants/merchants.ts';
import {
  type FindingQuery,
  type FoundFinding,
  findByFingerprint,
  findFindings,
  type Histories,
  loadFinding,
} from '../../../io/storage/operators/find-findings.ts';
import { loadLastReport } from '../../../io/storage/operators/merchant-records.ts';
import { type Store, StoreFailed } from '../../../io/storage/server/store.ts';
import {
  type Agreed,
  ANEW,
  type Limits,
  listProposals,
  MOST_WAITING,
  type Performer,
  type Proposal,
  proposeOr,
  type Stake,
} from './proposals.ts';

export { FINDING_ACTIONS } from '../../../io/storage/conclusions/findings.ts';
export type { FindingAction, FindingQuery, FoundFinding };

/** The permission that a person needs for each decision. */
export const PERMISSION_OF: Readonly<Record<FindingAction, Permission>> = {
  acknowledge: 'investigate',
  reopen: 'decide',
  settle: 'decide',
  accept: 'decide',
  comment: 'investigate',
  assign: 'investigate',
  label: 'investigate',
  due: 'investigate',
};

/**
 * `dueDay` is the day that a person set, otherwise the day by the rules of the configuration;
 * `null` when there is neither.
 */
export type DatedFinding = FoundFinding & { readonly dueDay: string | null };

export function withDueDay<Found extends FoundFinding>(found: Found, rules: readonly DueRule[]) {
  return { ...found, dueDay: dueDayOf(found, rules) };
}

/**
 * Lists findings, worst first, then by currency, amount, merchant, line and fingerprint. Throws
 * `StoreFailed` (UNKNOWN_MERCHANT).
 */
export async function listFindings(store: Store, query: FindingQuery, rules: readonly DueRule[]) {
  if (query.merchant !== undefined) await requireMerchant(store, query.merchant);
  const { total, items } = await findFindings(store, query);
  return { total, items: items.map((found) => withDueDay(found, rules)) };
}

/**
 * Returns the one finding whose fingerprint begins with this text. Throws `StoreFailed`
 * (UNKNOWN_FINDING when there is none, AMBIGUOUS_FINGERPRINT when there are several).
 */
export async function findOne(
  store: Store,
  fingerprint: string,
): Promise<Looked & { readonly due: Due | null; readonly waiting: readonly Proposal[] }> {
  const found = await loadFinding(store, fingerprint);
  if (found === null)
    throw new StoreFailed(
      'UNKNOWN_FINDING',
      `There is no finding that begins with ${fingerprint}.`,
    );
  // The last run's report says what the merchant's wallet must hold.
  const report = await loadLastReport(store, found.merchant);
  const { merchant, finding } = found;
  const waiting = await listProposals(store, {
    merchant,
    subject: finding.fingerprint,
    limit: MOST_WAITING,
  });
  return { ...found, due: report?.due ?? null, waiting };
}

export interface NewDecision extends DecisionWish {
  readonly by: string;
  readonly announce: AnnounceDecisions;
}

/**
 * Decides about a finding that was looked up and returns its new state, or proposes the decision
 * when more is at stake than one operator may decide alone. Throws `StoreFailed` (DECISION_REFUSED,
 * PROPOSAL_REFUSED).
 */
export async function decideAbout(
  store: Store,
  limits: Limits,
  { found, wish }: { readonly found: Looked; readonly wish: NewDecision },
): Promise<Agreed<FindingState>> {
  const { action, by, at, announce } = wish;
  const { fingerprint } = found.finding;
  const { reason, terms } = await readWish(store, found, wish);
  const check = (queries: Queries) => requireUnused(queries, found, terms);
  const words = found.decisions.flatMap(({ action: verb, terms: on }) =>
    on === null ? [] : [{ action: verb, terms: on }],
  );
  const takesBack = action === 'reopen' && paidOutside(words).length > 0;
  const perform = () =>
    decideFinding(store, {
      fingerprint,
      action,
      reason,
      by,
      at,
      terms,
      announce,
      check,
      takesBack,
    });
  // Check now: a proposal that could never be confirmed must not wait for a second person.
  await check(store.pool);
  if (action !== 'settle' && action !== 'accept') return { done: await perform() };
  requireMove(found.state, action);
  const { merchant, decisions } = found;
  const taken = decisions.filter((one) => !isNote(one.action)).length;
  const subject = { merchant, subject: fingerprint, decisions: taken };
  const stake = stakeOf(found, wish);
  return proposeOr(
    store,
    limits,
    { ...subject, action, wish: { reason, terms }, stake, by, at },
    perform,
  );
}

/**
 * Returns the reason of a decision and the terms on which it holds. Throws `StoreFailed`
 * (DECISION_REFUSED).
 */
export async function readWish(store: Store, found: FoundFinding, wish: DecisionWish) {
  const { action, lines = [] } = wish;
  const { item, proposedSettlement } = found.finding;
  const reason = wish.reason ?? (lines.length === 0 ? undefined : `by ${namedLines(lines)}`);
  if (reason === undefined) {
    // An adjustment cannot move the reserved amount, so lines alone cannot settle a root that has
    // it wrong.
    const fits = item?.reserved === '0' ? proposedSettlement : null;
    const proposed =
      fits == null
        ? ''
        : ` Line ${fits.lines.join(fits.ambiguous ? ' or ' : ' with line ')} would fit.`;
    throw refused(`A decision needs a reason, or the lines that settle it.${proposed}`);
  }
  if (isNote(action)) requireNote(action, reason, found);
  return { reason, terms: await termsOf(store, found, wish) };
}

/**
 * Returns what a decision puts at stake: the amount that the finding is off, or the amount it
 * concerns if it is off by nothing. If the decision accepts a higher amount (`limit`), returns
 * that.
 */
export function stakeOf(
  { finding, currency }: FoundFinding,
  { limit }: Pick<DecisionWish, 'limit'>,
): Stake {
  const weighs = amountOf(groundsOf(finding)) || BigInt(finding.concerned ?? 0);
  const mostAccepted = BigInt(limit ?? 0);
  return { amount: weighs > mostAccepted ? weighs : mostAccepted, currency };
}

type Looked = FoundFinding & Histories;

/** Carries out a confirmed proposal about a finding. */
export async function decideProposed(
  store: Store,
  { action, subject: fingerprint, wish }: Proposal,
  decided: Parameters<Performer>[2],
): Promise<void> {
  const { reason, terms = null } = wish;
  invariant(reason !== null, 'a decision about a finding has a reason');
  invariant(action === 'settle' || action === 'accept', 'months have a performer of their own');
  const check = async (queries: Queries) => {
    const [found] = await findByFingerprint(queries, { fingerprint });
    if (terms !== null) await requireSame(queries, found!, { terms, at: decided.at });
    await requireUnused(queries, found!, terms);
  };
  await decideFinding(store, { fingerprint, action, reason, terms, ...decided, check });
}

type Queries = Parameters<typeof loadUsedLines>[0];

/** Refuses a proposal when the finding has changed since it was proposed. */
async function requireSame(
  queries: Queries,
  { merchant, finding }: Pick<FoundFinding, 'merchant' | 'finding'>,
  { terms, at }: { readonly terms: DecisionTerms; readonly at: Instant },
): Promise<void> {
  const { until } = terms;
  if (until !== null && parseInstant(until)! <= at)
    throw refused(`It was to hold until ${until}. ${ANEW}`);
  const lines = terms.lines.map(({ sequence }) => sequence);
  const linesStand = await areAsTheyWere(queries, merchant, terms.lines);
  const basis = withoutLines(finding, lines);
  if (changedSince(basis, { terms, linesStand }) === null) return;
  const [was, is] = [amountOf(terms), amountOf(groundsOf(basis))];
  const change =
    was === is
      ? 'What the finding rests on has changed'
      : `The finding was ${was} off, and is ${is} off`;
  throw refused(`${change} since it was proposed. ${ANEW}`);
}

/**
 * Refuses lines that already settle another root, or that already correct another root because they
 * name its operation. A line that corrects part of this root too may settle either.
 */
async function requireUnused(
  queries: Queries,
  { merchant, finding }: Pick<FoundFinding, 'merchant' | 'finding'>,
  terms: DecisionTerms | null,
): Promise<void> {
  const lines = terms?.lines.map(({ sequence }) => sequence) ?? [];
  if (lines.length === 0 || finding.settledBy !== null) return;
  const shared = new Set(
    finding.itemParts.flatMap(({ of, sequence }) => (of === 'corrected' ? [sequence] : [])),
  );
  for (const { fingerprint, kind, settling, leaving } of await loadUsedLines(queries, merchant)) {
    if (fingerprint === finding.fingerprint) continue;
    const line = lines.find(
      (one) => settling.includes(one) || (leaving.includes(one) && !shared.has(one)),
    );
    if (line === undefined) continue;
    const does = settling.includes(line) ? 'settles' : 'corrects';
    throw refused(`Line ${line} ${does} ${fingerprint} (${kind}) already, and is used once.`);
  }
}

export interface DecisionWish {
  readonly action: FindingAction;
  /**
   * Why the decision is taken. It may be absent when lines settle the finding. For a note it is the
   * note's text: an owner, `+LABEL -LABEL`, a due day `YYYY-MM-DD`, or `-` for none.
   */
  readonly reason?: string | undefined;
  /** For `settle`: the sequences of the lines that put the finding right. */
  readonly lines?: readonly string[] | undefined;
  /** For `accept`: the highest amount that is accepted, in whole units, without sign. */
  readonly limit?: string | undefined;
  /** For `accept`: from this instant on the decision no longer holds. */
  readonly until?: Instant | undefined;
  readonly at: Instant;
}

/** Most labels of one finding. */
const MOST_LABELS = 20;
const LABEL = /^[+-][\p{L}\p{N}][\p{L}\p{N}_.:-]{0,39}$/u;

/** Throws `StoreFailed` (DECISION_REFUSED) when the text has not the form of that note. */
function requireNote(note: Note, text: string, { labels }: Pick<FoundFinding, 'labels'>): void {
  const words = text.trim().split(/\s+/);
  const wrong = note === 'label' ? words.find((word) => !LABEL.test(word)) : undefined;
  if (wrong !== undefined)
    throw refused(
      `Write +LABEL or -LABEL, 40 letters, digits and . : - _ at most, not '${wrong}'.`,
    );
  if (
    note === 'label' &&
    labels.length + words.filter((word) => word.startsWith('+')).length > MOST_LABELS
  )
    throw refused(`A finding has at most ${MOST_LABELS} labels.`);
  if (note === 'assign' && text.length > 100)
    throw refused('The name of an owner has at most 100 characters.');
  if (note === 'due' && text !== NONE && parseDay(text) === null)
    throw refused(`A due day is written YYYY-MM-DD, not '${text}'.`);
}

/**
 * Returns the terms on which the decision holds; `null` for a decision that has none. Throws
 * `StoreFailed` (DECISION_REFUSED).
 */
async function termsOf(
  store: Store,
  { merchant, finding }: { readonly merchant: string; readonly finding: Finding },
  wish: DecisionWish,
): Promise<DecisionTerms | null> {
  const { action, lines = [], limit = null, until } = wish;
  if (action !== 'settle' && lines.length > 0)
    throw refused('Only settling a finding takes lines.');
  if (action !== 'accept' && (limit !== null || until !== undefined))
    throw refused('Only accepting a finding takes a limit or an expiry.');
  if (isNote(action)) return null;
  if (finding.causedBy !== null)
    throw refused(`It follows from ${finding.causedBy}: decide about that one.`);
  if (action === 'acknowledge') return null;
  // The finding may already be reduced by what a given line corrects; that part must not count
  // twice.
  const basis = action === 'settle' ? withoutLines(finding, lines) : finding;
  const grounds = groundsOf(basis);
  if (limit !== null && (!/^\d{1,18}$/.test(limit) || BigInt(limit) < amountOf(grounds)))
    throw refused(
      `The limit must be a whole number and at least ${amountOf(grounds)}, which it is now.`,
    );
  if (until !== undefined && until <= wish.at) throw refused('The expiry must be later than now.');
  const about = action === 'reopen' ? (finding.settledBy?.lines ?? []) : [...new Set(lines)];
  const known = await loadLines(store.pool, {
    merchant,
    sequences: about.filter((line) => /^\d{1,15}$/.test(line)),
  });
  const decided = about.map((line) => onlyLine(line, known.get(line) ?? []));
  if (action === 'settle' && lines.length > 0) requireSum(basis, decided);
  const inOrder = decided.toSorted((a, b) => Number(a.sequence) - Number(b.sequence));
  return {
    ...grounds,
    lines: inOrder,
    limit,
    until: until === undefined ? null : formatInstant(until),
  };
}

function onlyLine(sequence: string, served: readonly DecidedLine[]): DecidedLine {
  const [line, ...others] = served;
  if (line === undefined) throw refused(`There is no line ${sequence} in the mirror.`);
  if (others.length > 0) throw refused(`Line ${sequence} was served with several contents.`);
  return line;
}

function withoutLines(finding: Finding, lines: readonly string[]): Finding {
  const counted = finding.itemParts.filter(
    ({ of, sequence }) => of === 'corrected' && lines.includes(sequence ?? ''),
  );
  const off = counted.reduce(
    (sum, { balance }) => sum - BigInt(balance),
    BigInt(finding.item?.balance ?? 0),
  );
  return counted.length === 0
    ? finding
    : { ...finding, item: { ...finding.item!, balance: off.toString() } };
}

/**
 * Throws `StoreFailed` (DECISION_REFUSED) unless the lines are adjustments after the fault and undo
 * its item exactly.
 */
function requireSum(finding: Finding, lines: readonly DecidedLine[]): void {
  const { item, sequence } = finding;
  if (!isSettledByLines(finding))
    throw refused(
      `More than money is wrong, and no line settles a ${finding.kind}. Give a reason in place of lines.`,
    );
  const wrong = lines.find(
    (line) =>
      !isAdjustment(line.kind) || (sequence !== null && Number(line.sequence) <= Number(sequence)),
  );
  if (wrong !== undefined)
    throw refused(`Line ${wrong.sequence} is not an adjustment after the fault.`);
  const sum = lines.reduce(
    (total, { direction, amount }) =>
      total + BigInt(signedAmount({ direction, amount: Number(amount) })),
    0n,
  );
  const off = BigInt(item?.balance ?? 0);
  if (sum === -off && off !== 0n && item?.reserved === '0') return;
  const moved = `The lines move the balance by ${sum}, and the finding has it off by ${off}`;
  throw refused(
    `${moved}, the reserved amount by ${item?.reserved ?? '0'}. Give a reason in place of lines.`,
  );
}
