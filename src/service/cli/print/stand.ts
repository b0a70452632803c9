// What became of a root, and what would put it right, in sentences for the terminal.

import type { Finding } from '../../../core/domain/finding.ts';
import { printable } from '../../../core/domain/printable.ts';
import type { ProposedEntry } from '../../../core/domain/settlement.ts';
import { money } from '../../../core/words/english.ts';

/** What the verdict weighs: a root that is neither settled nor accepted. */
export function isOpenRoot({ causedBy, severity, settledBy, accepted }: Finding): boolean {
  return causedBy === null && severity !== 'info' && settledBy === null && accepted === null;
}

/** Nothing for what is no root. An older engine has stored findings that lack the fields. */
export function saidStand(finding: Finding): readonly string[] {
  const { settledBy, accepted, proposedSettlement = null } = finding;
  if (settledBy !== null) {
    const { lines, at, person, reason } = settledBy;
    const by = lines.length === 0 ? 'without a line' : linesOf(lines);
    const who = person === null ? '' : `, said ${printable(person)}: ${printable(reason ?? '')}`;
    return [`Settled ${by} on ${at}${who}.`];
  }
  const stand: string[] = [];
  if (accepted != null) {
    const { person, reason, limit, until } = accepted;
    const most = limit === null ? 'as it is' : `up to ${money(BigInt(limit))}`;
    const end = until === null ? '' : `, until ${until}`;
    stand.push(`Accepted ${most}${end} by ${printable(person)}: ${printable(reason)}.`);
  }
  if (proposedSettlement !== null) {
    const { lines, ambiguous } = proposedSettlement;
    const by = ambiguous && lines.length > 1 ? `by one of lines ${lines.join(', ')}` : linesOf(lines);
    const other = ambiguous && lines.length === 1 ? ', which fits another root too' : '';
    stand.push(`Perhaps settled ${by}${other}: pointage findings settle says so.`);
  }
  return stand;
}

/** Null where no entry would put it right, or need. */
export function saidProposal({ proposal = null }: Finding): string | null {
  return proposal === null ? null : `Would be put right by ${proposal.map(saidEntry).join(', ')}.`;
}

function linesOf(lines: readonly string[]): string {
  return `by line${lines.length === 1 ? '' : 's'} ${lines.join(', ')}`;
}

function saidEntry({ kind, amount, operationReference, description }: ProposedEntry): string {
  const of = operationReference === null ? '' : ` of ${printable(operationReference)}`;
  return `${kind} ${money(BigInt(amount))}${of} (“${printable(description)}”)`;
}
