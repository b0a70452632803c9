// `pointage explain KIND`: a page of the catalogue, with a ledger on which the kind fires and one
// on which it does not. The whole catalogue as Markdown is docs/FINDINGS.md.

import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { FindingKind } from '../../../core/domain/finding-kind.ts';
import { CATALOGUE, isKind, KINDS } from '../../../core/kernel/checks/port/kinds.ts';
import { reconcileSample } from '../../../core/samples/read-sample.ts';
import { LANGUAGES, type Language } from '../../../core/statements/statement.ts';
import { ENGLISH, wordFinding } from '../../../core/words/finding.ts';
import { LABELS, SAMPLES } from '../../../core/words/tree.ts';
import { wordingOf } from '../../../io/formats/port/wording.ts';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import type { Stage } from '../stage/stage.ts';
import { paint } from '../stage/terminal.ts';

export function defineExplain(command: Command, stage: Stage): void {
  command
    .argument('[kind]', 'a kind, for example BALANCE_DRIFT (default: list all)')
    .option('--markdown', 'the whole catalogue as Markdown, in English')
    .addOption(
      new Option('--lang <language>', 'of the words')
        .choices(LANGUAGES)
        .default('en')
        .conflicts('markdown'),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  pointage explain\n  pointage explain HOLD_NOT_RELEASED --lang fr',
    )
    .action(
      (kind: string | undefined, flags: { readonly markdown?: true; readonly lang: Language }) => {
        if (flags.markdown === true) stage.terminal.out(catalogueAsMarkdown());
        else if (kind === undefined) listKinds(stage, flags.lang);
        else explain(stage, kindNamed(kind), flags.lang);
      },
    );
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

function listKinds({ terminal }: Stage, language: Language): void {
  const { catalogue, terms } = LABELS[language];
  for (const { section, kinds } of CATALOGUE) {
    terminal.out(`${paint(terminal, 'bold', catalogue.sections[section])}\n`);
    for (const kind of kinds) terminal.out(`  ${kind.padEnd(32)} ${terms[KINDS[kind].severity]}\n`);
  }
}

function explain({ terminal }: Stage, kind: FindingKind, language: Language): void {
  const { catalogue, terms } = LABELS[language];
  const { severity } = KINDS[kind];
  const { fires, quiet } = SAMPLES[kind];
  terminal.out(
    `${paint(terminal, 'bold', kind)} (${terms[severity]})\n\n${catalogue.explanations[kind]}\n\n`,
  );
  terminal.out(
    `${catalogue.fires}\n${sampleText(fires)}\n\n  ${messageOn(fires, kind, language)}\n\n`,
  );
  terminal.out(`${catalogue.quiet}\n${sampleText(quiet)}\n`);
}

function messageOn(sample: readonly string[], kind: FindingKind, language: Language): string {
  const found = reconcileSample(sample.join('\n')).findings.find(
    (finding) => finding.kind === kind,
  )!;
  const speech =
    language === 'en' ? ENGLISH : wordingOf('UTC', { labels: LABELS[language], language }).speech;
  return wordFinding(speech, kind, found.figures);
}

function sampleText(sample: readonly string[]): string {
  return sample.map((row) => `    ${row}`).join('\n');
}

/**
 * Returns the text of docs/FINDINGS.md, which is derived from the catalogue and must not be edited
 * by hand.
 */
export function catalogueAsMarkdown(): string {
  const sections = CATALOGUE.map(({ section, kinds }) => {
    const pages = kinds.map(markdownPage);
    return `## ${LABELS.en.catalogue.sections[section]}\n\n${pages.join('\n')}`;
  });
  const heading = readFileSync(new URL('findings-heading.md', import.meta.url), 'utf8');
  return `${heading}\n${sections.join('\n')}`;
}

function markdownPage(kind: FindingKind): string {
  const { severity } = KINDS[kind];
  return `### ${kind}\n\n*${severity}.* ${LABELS.en.catalogue.explanations[kind]}\n`;
}
