// `pointage explain KIND`: a page of the catalogue, with a ledger on which the kind fires and one on which it does not.
// The whole catalogue as Markdown is docs/FINDINGS.md.

import type { Command } from 'commander';
import { CATALOGUE, isKind, KINDS } from '../../../core/checks/port/kinds.ts';
import type { FindingKind } from '../../../core/domain/finding-kind.ts';
import { reconcileSample } from '../../../core/samples/read-sample.ts';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import type { Stage } from '../stage/stage.ts';
import { paint } from '../stage/terminal.ts';

export function defineExplain(command: Command, stage: Stage): void {
  command
    .argument('[kind]', 'a kind, for example BALANCE_DRIFT (default: list all)')
    .option('--markdown', 'the whole catalogue as Markdown')
    .addHelpText('after', '\nExamples:\n  pointage explain\n  pointage explain HOLD_NOT_RELEASED')
    .action((kind: string | undefined, flags: { markdown?: boolean }) => {
      if (flags.markdown === true) stage.terminal.out(catalogueAsMarkdown());
      else if (kind === undefined) listKinds(stage);
      else explain(stage, kindNamed(kind));
    });
}

function kindNamed(text: string): FindingKind {
  const kind = text.toUpperCase();
  if (isKind(kind)) return kind;
  const near = Object.keys(KINDS)
    .filter((known) => known.includes(kind.split('_')[0]!))
    .slice(0, 5);
  throw new ConfigurationInvalid(
    `'${text}' is not a kind of finding${near.length > 0 ? `; did you mean ${near.join(', ')}?` : "; 'pointage explain' lists them."}`,
  );
}

function listKinds(stage: Stage): void {
  for (const { section, kinds } of CATALOGUE) {
    stage.terminal.out(`${paint(stage.terminal, 'bold', section)}\n`);
    for (const kind of kinds) stage.terminal.out(`  ${kind.padEnd(32)} ${KINDS[kind].severity}\n`);
  }
}

function explain({ terminal }: Stage, kind: FindingKind): void {
  const { severity, explanation, fires, quiet } = KINDS[kind];
  terminal.out(`${paint(terminal, 'bold', kind)} (${severity})\n\n${explanation}\n\n`);
  terminal.out(
    `Fires on:\n${sampleText(fires)}\n\n  ${messageOn(fires, kind)}\n\nStays quiet on:\n${sampleText(quiet)}\n`,
  );
}

function messageOn(sample: string, kind: FindingKind): string {
  return reconcileSample(sample).findings.find((finding) => finding.kind === kind)?.message ?? '';
}

function sampleText(sample: string): string {
  const rows = sample
    .split('\n')
    .map((row) => row.trim())
    .filter((row) => row !== '');
  return rows.map((row) => `    ${row}`).join('\n');
}

/** docs/FINDINGS.md: derived from the catalogue, never edited by hand. */
export function catalogueAsMarkdown(): string {
  const sections = CATALOGUE.map(({ section, kinds }) => {
    const pages = kinds.map(markdownPage);
    return `## ${section}\n\n${pages.join('\n')}`;
  });
  return `${HEADING}\n${sections.join('\n')}`;
}

function markdownPage(kind: FindingKind): string {
  const { severity, explanation, fires, quiet } = KINDS[kind];
  return `### ${kind}\n\n*${severity}.* ${explanation}\n\nFires on:\n\n${sampleText(fires)}\n\n> ${messageOn(fires, kind)}\n\nStays quiet on:\n\n${sampleText(quiet)}\n`;
}

const HEADING = `# Findings

Everything that pointage may find in a ledger, and in what the service publishes beside it. \`npm run docs\` generates this file from
\`src/core/checks/kinds\`; a test fails when it is out of date. Kinds, severities and the JSON form are stable.

The samples are ledgers in a short notation: \`line SEQUENCE KIND AMOUNT BALANCE/RESERVED OPERATION\`,
\`op REFERENCE STATUS AMOUNT\` (\`was …\`: as it was served before), \`wallet BALANCE/RESERVED\`, \`at INSTANT\` (when the books are judged); beside the ledger
\`payment NUMBER STATUS AMOUNT\` (by link, PAY…) and \`report MONTH FIGURE=VALUE …\`. \`src/core/samples/read-sample.ts\` and
\`src/core/samples/read-published.ts\` list all of it.

A finding is *confirmed* when all its evidence is older than the reading's watermark less the grace period; else it is
*provisional* and never an alarm. A finding without \`causedBy\` is a *root*: one fault in the books gives one root.

## Corrections

A posted line is never changed: "a correction is a new inverse entry". ADJUSTMENT_* and REVERSAL_* lines settle a root when
they come after its fault, name it, and together move exactly the balance of its item, the other way round. They name it

- by the operation: as their \`operationReference\`, or in their description;
- by the line, in their description: \`ligne 812\`, \`line 812\`, \`séquence 812\`, \`écriture n° 812\`, \`#812\`, also several;
- by the finding, in their description: its fingerprint, or the first eight digits of it or more.

A reversal of an operation that is not REVERSED is no fault of its own where it puts the operation right, nor is a
CASHOUT_HOLD of what was released or consumed beyond the hold: the inverse of a release. The root stays in
the report, with \`settledBy\`: the lines, the instant of the last of them, and \`by: correction\`. Root and followers have no weight in
verdict and due. The next reading decides again: where the fault, its amount or the lines have changed, the root is open again.

A line of no operation that fits the balance of a root by amount and sign alone, or two such lines together (halves, or two without a
description), are only proposed (\`proposedSettlement\`; \`ambiguous\` where there are several ways, or a line fits another root too). The root
stays open until a person confirms it, and has no proposed entry, which would be a second correction.

\`proposal\` has the entries that would put an open root right if they were posted after the last line: the lines that the
operation still lacks, the release of a hold that is still there, a hold of what was released beyond one, else an
adjustment. It is null where the document knows no such entry: money reserved for no operation cannot be released, and a figure that
only the wallet misstates is not in the ledger. It is also null where the figures are right again by themselves.

## Decisions

\`pointage findings\` keeps what people decide about a finding, with their name, a reason and the day; the operators' API takes
the same. Only runs on the mirror and audits of it know of decisions; an audit of files or of the API does not.

| decision | what it does |
|---|---|
| \`acknowledge\` | a person looks after it; it keeps its weight |
| \`settle\` | a root is put right: by adjustments after its fault that undo its item exactly (\`--line\`), or for a reason outside the ledger (\`--reason\`). It has no weight in verdict and due |
| \`accept\` | a root is left as it is, at most up to an amount (\`--limit\`, else its present one) and until an instant (\`--until\`, else without end). It has no weight in the verdict, and stays in what is due |
| \`resolve\` | the next run will not find it; where it does, it is reopened |
| \`reopen\` | takes back a decision; of a correction, the same lines do not settle the root again |

A settled or accepted root stays in every report, with \`settledBy\` or \`accepted\`, and is counted apart. The next run opens it
again when the basis of the decision has changed (its amount, of an acceptance with a limit an amount above it; the lines and operations
that it names; a line that settles it) or its expiry is over. A decision that has ended so does not come back by itself.
`;
