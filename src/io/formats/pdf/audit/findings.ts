// The findings of a merchant, one row each: roots in plain or alarming type, followers in grey.

import type { AuditReport, Finding } from '../../../../core/domain/finding.ts';
import { parseInstant } from '../../../../core/domain/instant.ts';
import type { Table, Tone } from '../../../../core/statements/tables/table.ts';
import { nameWithKind, wordFinding } from '../../../../core/words/finding.ts';
import { fill } from '../../../../core/words/message.ts';
import { DASH } from '../../port/wording.ts';
import { tableOf } from '../../tables/block.ts';
import { drawParagraph, drawSubheading } from '../page/flow.ts';
import { drawTable } from '../page/tables.ts';
import type { AuditFlow } from './first-page.ts';

/** Beyond these a document is no longer read by people; the JSON form has them all. */
const MOST_FINDINGS = 2_000;

/** Points that the note, the columns' names and the first findings take: the heading is not left behind on another page. */
const FIRST_ROWS = 120;

type AuditFinding = Readonly<
  Record<'severity' | 'kind' | 'place' | 'expected' | 'actual' | 'difference' | 'message', string>
> & { readonly finding: Finding };

const FINDINGS = {
  columns: [
    { key: 'severity', form: 'text', width: 12, lines: 2, pick: ({ severity }) => severity },
    { key: 'kind', form: 'text', width: 24, lines: 4, pick: ({ kind }) => kind },
    { key: 'place', form: 'text', width: 18, lines: 4, pick: ({ place }) => place },
    { key: 'expected', form: 'text', width: 12, lines: 6, pick: ({ expected }) => expected },
    { key: 'actual', form: 'text', width: 12, lines: 6, pick: ({ actual }) => actual },
    { key: 'difference', form: 'figure', width: 10, pick: ({ difference }) => difference },
    { key: 'message', form: 'text', width: 30, lines: 14, pick: ({ message }) => message },
  ],
  toneOf: ({ finding }) => toneOf(finding),
} as const satisfies Table<AuditFinding>;

export function drawAuditFindings(flow: AuditFlow, { findings }: AuditReport): void {
  const { said, layout, words } = flow;
  drawSubheading(flow, said.findings.heading, FIRST_ROWS);
  if (findings.length > 0) drawParagraph(flow, said.findings.note, { tone: 'muted', size: layout.sizes.note });
  const rows = findings.slice(0, MOST_FINDINGS).map(
    (finding): AuditFinding => ({
      finding,
      severity: severityOf(flow, finding),
      kind: `${nameWithKind(words.speech, finding.kind)} ${finding.fingerprint}`,
      place: placeOf(flow, finding),
      expected: words.figure(finding.expected),
      actual: words.figure(finding.actual),
      difference: words.figure(finding.difference),
      message: messageOf(flow, finding),
    }),
  );
  drawTable(flow, tableOf('findings', FINDINGS, { titles: said.findings, rows, count: findings.length }));
}

function toneOf({ severity, causedBy, settledBy, accepted }: Finding): Tone {
  if (causedBy !== null) return 'muted';
  if (settledBy !== null || accepted !== null) return 'plain';
  return severity === 'critical' || severity === 'error' ? 'alert' : 'plain';
}

function severityOf({ said }: AuditFlow, { severity, status }: Finding): string {
  const name = said.findings.severities[severity];
  return status === 'provisional' ? `${name} (${said.findings.provisional})` : name;
}

/** The line, the operation, or both; the wallet where a finding names neither. */
export function placeOf(
  { said }: Pick<AuditFlow, 'said'>,
  { kind, sequence, operationReference, evidence }: Finding,
): string {
  const line = sequence === null ? [] : [fill(said.place.line, { sequence })];
  const operation = operationReference === null ? [] : [operationReference];
  const named = [...line, ...operation];
  if (named.length > 0) return named.join(' ');
  if (/^(WALLET|TOTAL|OPEN_HOLDS)_/.test(kind)) return said.place.wallet;
  return evidence.find(({ reference }) => reference !== null)?.reference ?? DASH;
}

function messageOf({ said, words }: AuditFlow, finding: Finding): string {
  const { kind, figures, causedBy } = finding;
  const message = wordFinding(words.speech, kind, figures);
  if (causedBy !== null) return fill(said.findings.causedBy, { message, fingerprint: causedBy });
  return [message, ...standOf({ said, words }, finding)].join(' ');
}

/** What a root makes of the figures, and what became of it. */
function standOf(
  { said, words }: Pick<AuditFlow, 'said' | 'words'>,
  { item, settledBy, accepted }: Finding,
): readonly string[] {
  const titles = said.findings;
  const sentences: string[] = [];
  if (item !== null && (item.balance !== '0' || item.reserved !== '0')) {
    const { balance, reserved } = item;
    sentences.push(fill(titles.off, { balance: words.figure(balance), reserved: words.figure(reserved) }));
  }
  if (settledBy !== null) {
    const { lines, at, person, reason } = settledBy;
    const values = {
      count: lines.length,
      lines: lines.map(words.figure).join(', '),
      at: words.instant(parseInstant(at)),
    };
    sentences.push(fill(titles.settled, values, words.speech));
    if (person !== null) sentences.push(fill(titles.decided, { person, reason }));
  }
  if (accepted !== null) sentences.push(fill(titles.accepted, { person: accepted.person, reason: accepted.reason }));
  return sentences;
}
