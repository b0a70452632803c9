// Applies what people have decided about roots: settled, accepted, or open in spite of a correction. A decision holds as long
// as what it rests on is as it was; else the root is open again by itself. An acceptance that is over stays with the root, for the
// months that ended while it held.

import type { Finding } from '../../domain/finding.ts';
import { type Instant, parseInstant } from '../../domain/instant.ts';
import type { Accepted, DecisionTerms, StandingDecision } from '../../domain/settlement.ts';
import { dropExplained } from './settle-roots.ts';

type Grounds = Pick<DecisionTerms, 'balance' | 'reserved' | 'difference' | 'evidence'>;

/** `asOf`: an acceptance that has expired by then holds no more. Roots that a correction has settled stay so, unless refused. */
export function applyDecisions(
  findings: readonly Finding[],
  decisions: readonly StandingDecision[],
  asOf: Instant,
): readonly Finding[] {
  if (decisions.length === 0) return findings;
  const known = Map.groupBy(decisions, ({ fingerprint }) => fingerprint);
  const decided = findings.map((finding) => {
    const own = finding.item === null ? [] : (known.get(finding.fingerprint) ?? []);
    const last = own.find(({ over }) => over === null);
    const now = last === undefined ? finding : decide(finding, last, asOf);
    const acceptances = own.filter((one) => one.action === 'accept' && restsOn(finding, one));
    const before = acceptances.filter((one) => one !== last || now.accepted === null).map(acceptedBy);
    return before.length === 0 ? now : { ...now, acceptedBefore: before };
  });
  const lines = decided.flatMap(({ settledBy }) => (settledBy?.by === 'person' ? settledBy.lines : []));
  return dropExplained(decided, new Set(lines.map(Number)));
}

function decide(finding: Finding, decision: StandingDecision, asOf: Instant): Finding {
  const { action, person, reason, at, terms } = decision;
  const lines = terms.lines.map(({ sequence }) => sequence);
  if (finding.settledBy !== null) {
    const isRefused = action === 'reopen' && lines.join() === finding.settledBy.lines.join();
    return isRefused ? { ...finding, settledBy: null } : finding;
  }
  const isOver = terms.until !== null && asOf >= parseInstant(terms.until)!;
  if (action === 'reopen' || isOver || !restsOn(finding, decision)) return finding;
  if (action === 'accept') return { ...finding, accepted: acceptedBy(decision) };
  const settledAt =
    terms.lines
      .map((line) => line.at)
      .sort()
      .at(-1) ?? at;
  const settledBy = { by: 'person', lines, at: settledAt, person, reason } as const;
  return { ...finding, settledBy, proposedSettlement: null };
}

function restsOn(finding: Finding, { terms, linesStand }: StandingDecision): boolean {
  const grounds = groundsOf(finding);
  if (!linesStand || grounds.evidence.join() !== terms.evidence.join()) return false;
  if (terms.limit !== null) return amountOf(grounds) <= BigInt(terms.limit);
  return (['balance', 'reserved', 'difference'] as const).every((figure) => grounds[figure] === terms[figure]);
}

/** Until its own end, or a later word before that. */
function acceptedBy({ person, reason, at, over, terms: { limit, until } }: StandingDecision): Accepted {
  const isCut = over !== null && (until === null || parseInstant(over)! < parseInstant(until)!);
  return { person, reason, at, limit, until: isCut ? over : until };
}

/** What a decision about the finding rests on, besides lines. */
export function groundsOf({ item, difference, evidence }: Finding): Grounds {
  return {
    balance: item?.balance ?? '0',
    reserved: item?.reserved ?? '0',
    difference,
    evidence: evidence.map(({ what, sequence, reference }) => [what, sequence ?? '', reference ?? ''].join(':')).sort(),
  };
}

/** The most that is off of any figure, without sign; whole units. */
export function amountOf({ balance, reserved, difference }: Grounds): bigint {
  const sizes = [balance, reserved, difference ?? '0'].map((text) => BigInt(text.replace('-', '')));
  return sizes.reduce((most, size) => (size > most ? size : most));
}
