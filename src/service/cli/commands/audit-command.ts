// `pointage audit`: a full replay from the first line that trusts nothing stored. A source needs no
// database; where there is a mirror, its lines are compared with it.

import { createWriteStream } from 'node:fs';
import type { Command } from 'commander';
import type { AuditReport } from '../../../core/domain/finding.ts';
import type { FindingKind } from '../../../core/domain/finding-kind.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import { auditDocument, exitStatusOf } from '../../../core/kernel/reconcile/audit-document.ts';
import {
  judgingOf,
  openConfiguredDashboard,
  openConfiguredSource,
  openFilledStore,
  openMirrorAtHand,
} from '../../compose/open-configured.ts';
import type { Configuration } from '../../config/check-configuration.ts';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { ENGINE } from '../../engine.ts';
import { auditSource } from '../../workflows/audit/audit-source.ts';
import { checkListingFlags, LIST_FORMATS, type ListingFlags, putFile } from '../print/listing.ts';
import { putReports } from '../print/report.ts';
import {
  instantOf,
  oneOf,
  type Stage,
  wholeConfigurationOf,
  withCommonOptions,
} from '../stage/stage.ts';
import { barsOf } from '../stage/terminal.ts';

const EXAMPLES = `
Examples:
  pointage audit --source file:./books
  pointage audit M001 M002 --source file:./books --as-of 2026-11-15T12:00:00Z
  pointage audit --source file:./books --format json --out report.json
  pointage audit M001 --format pdf --out M001.pdf
  pointage audit M001                       (from the mirror that 'pointage run' keeps)

Exit status: 0 all clean · 1 some broken · 2 none broken but some incomplete · 3 the command failed`;

/**
 * Findings that any copy of books comes to show with time, because operations and payments that
 * were open when it was made look overdue later.
 */
const OF_OLD_COPIES: ReadonlySet<FindingKind> = new Set(['OPERATION_OVERDUE', 'PAYMENT_OVERDUE']);

interface AuditFlags extends Flags, ListingFlags {
  readonly source?: string;
  readonly asOf?: string;
}

export function defineAudit(command: Command, stage: Stage): void {
  withCommonOptions(command)
    .argument('[merchant...]', 'references of the merchants to audit (default: all)')
    .option(
      '--source <uri>',
      'where the books are: file:DIR, http(s)://…/v1, postgres://… (default: the mirror)',
    )
    .option(
      '--as-of <instant>',
      'when the books were read: what is newer is not judged (default: now)',
    )
    .option('--format <format>', 'text, json, csv, xlsx or pdf', 'text')
    .option(
      '--out <file>',
      'write the report to a file instead of standard output; xlsx and pdf need one',
    )
    .addHelpText('after', EXAMPLES)
    .action((merchants: string[], flags: AuditFlags) => auditWished(stage, merchants, flags));
}

async function auditWished(
  stage: Stage,
  merchants: readonly string[],
  flags: AuditFlags,
): Promise<void> {
  const format = oneOf('--format', flags.format, [...LIST_FORMATS, 'pdf']);
  if (format !== 'pdf') checkListingFlags(flags);
  if (format === 'pdf' && flags.out === undefined) {
    throw new ConfigurationInvalid(
      'A PDF is not for a terminal: say with --out FILE where it is to be written.',
    );
  }
  const configuration = await wholeConfigurationOf(stage, flags);
  const asOf = instantOf(flags.asOf, stage.clock());
  const { name, reports } = await auditBooks(stage, configuration, {
    uri: flags.source,
    merchants,
    asOf,
  });
  const document = auditDocument({ engine: ENGINE, asOf, source: name, merchants: reports });
  stage.status = exitStatusOf(document);
  if (reports.length === 0)
    stage.terminal.note(
      `${name} holds no books yet: read some with 'npx pointage run', or name them with --source.\n`,
    );
  if (flags.source?.startsWith('file:') && flags.asOf === undefined) adviseAsOf(stage, reports);
  if (format !== 'pdf') return putReports(stage, flags, document);
  const { reportWriterOf } = await import('../../compose/auditing.ts');
  const [writeReport, file] = [reportWriterOf(configuration), flags.out!];
  // The pages bear the hash of this compact JSON.
  const text = JSON.stringify(document);
  await putFile(stage.terminal, { noun: 'report', file }, () =>
    writeReport(text, createWriteStream(file)),
  );
}

function adviseAsOf({ terminal }: Stage, reports: readonly AuditReport[]): void {
  const overdue = reports
    .flatMap(({ findings }) => findings)
    .filter(({ kind }) => OF_OLD_COPIES.has(kind)).length;
  if (overdue === 0) return;
  const which =
    overdue === 1 ? '1 finding tells of something' : `${overdue} findings tell of something`;
  terminal.note(
    `${which} still open at this moment: if the files are older, say with --as-of when they were exported.\n`,
  );
}

/**
 * Replays the books at `uri` from the first line, or those of the mirror where `uri` is
 * `undefined`.
 */
async function auditBooks(
  stage: Stage,
  configuration: Configuration,
  wanted: {
    readonly uri: string | undefined;
    readonly merchants: readonly string[];
    readonly asOf: Instant;
  },
): Promise<{ readonly name: string; readonly reports: readonly AuditReport[] }> {
  const { uri, merchants, asOf } = wanted;
  await using source =
    uri === undefined ? null : await openConfiguredSource(configuration, uri, stage);
  await using store = await (source === null
    ? openFilledStore(configuration)
    : openMirrorAtHand(configuration, stage.terminal.note));
  await using published = await openConfiguredDashboard(configuration, uri, stage);
  using bars = barsOf(stage.terminal);
  const options = {
    merchants,
    optionsFor: (merchant: string) =>
      judgingOf(configuration, merchant, {
        asOf,
        stateless: source?.isStateless(merchant) ?? false,
      }),
    onMerchant: bars.next,
    // Books in files are read one merchant after the other, because reading them waits for nothing.
    // Elsewhere each merchant takes up to five connections, and a server has a hundred of them.
    atOnce: uri?.startsWith('file:') ? 1 : Math.min(configuration.worker.concurrency, 8),
    compared:
      store &&
      (await import('../../workflows/mirror/compare-mirrored.ts')).compareMirrored.bind(
        null,
        store,
      ),
    published,
  };
  if (source !== null) return { name: source.name, reports: await auditSource(source, options) };
  const { auditMirror } = await import('../../workflows/audit/audit-mirror.ts');
  return { name: store!.mirrorName, reports: await auditMirror(store!, options) };
}
