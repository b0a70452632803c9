// `pointage explain KIND`: a page of the catalogue, with a ledger on which the kind fires and one on which it does not.
// The whole catalogue as Markdown is docs/FINDINGS.md.

import { readFileSync } from 'node:fs';
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
  const heading = readFileSync(new URL('findings-heading.md', import.meta.url), 'utf8');
  return `${heading}\n${sections.join('\n')}`;
}

function markdownPage(kind: FindingKind): string {
  const { severity, explanation, fires, quiet } = KINDS[kind];
  return `### ${kind}\n\n*${severity}.* ${explanation}\n\nFires on:\n\n${sampleText(fires)}\n\n> ${messageOn(fires, kind)}\n\nStays quiet on:\n\n${sampleText(quiet)}\n`;
}
