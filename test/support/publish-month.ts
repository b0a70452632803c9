// `pointage statement issue` of October on a real database, with a dashboard to ask: what the
// command says, and what is issued. Also a quicker way to issue as that command does, in this
// process and in some formats alone, because twelve documents would be written and read back where
// a test opens none of them.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StatementFormatName } from '../../src/core/statements/statement.ts';
import { FORMATS } from '../../src/io/formats/register.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import { printService } from '../../src/service/cli/print/service.ts';
import { runCommand } from '../../src/service/cli/program.ts';
import { stageOf } from '../../src/service/cli/stage/stage.ts';
import { evidenceOf } from '../../src/service/compose/evidence.ts';
import { openConfiguredDashboard } from '../../src/service/compose/open-configured.ts';
import { publishingOf } from '../../src/service/compose/publishing.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { recordStatement } from '../../src/service/workflows/evidence/record-evidence.ts';
import {
  type PublishOutcome,
  publishStatements,
} from '../../src/service/workflows/month/publish-statement.ts';
import {
  type ReportRecord,
  reportRepositoryOf,
} from '../../src/service/workflows/month/read-reports.ts';
import { NUMERO, PASSWORD } from './dashboard-service.ts';
import { OCTOBER, READ_AT, type ReportBooks } from './report-books.ts';

export interface PublishedMonth {
  readonly status: number;
  readonly said: string;
  readonly report: ReportRecord;
}

interface Login {
  readonly baseUrl: string;
  readonly numero?: string;
  readonly password?: string;
  /** The merchant whose dashboard it is; absent: M001. */
  readonly merchant?: string;
}

/**
 * Runs a command, as of when the books were read. A merchant other than the login's has no
 * dashboard.
 */
export async function runBeside(
  books: ReportBooks,
  login: Login,
  words: readonly string[],
): Promise<{ readonly status: number; readonly said: string }> {
  return withConfiguration(books, login, async (config) => {
    const { terminal, said } = listening();
    const stage = { ...stageOf(terminal, {}), clock: () => READ_AT };
    const status = await runCommand([...words, '--config', config], stage);
    return { status, said: said.join('') };
  });
}

/**
 * Issues October by the command. With `formats`, issues it as the command does, but in this process
 * and in these formats alone; `said` is then what the payment service says of the month.
 */
export async function publishOctober(
  books: ReportBooks,
  login: Login,
  merchant = login.merchant ?? 'M001',
  formats?: readonly StatementFormatName[],
): Promise<PublishedMonth> {
  const ended =
    formats === undefined
      ? await runBeside(books, login, ['statement', 'issue', merchant, '2026-10'])
      : await withConfiguration(books, login, async (config) => {
          const task = { store: books.store, merchants: [merchant], formats, now: READ_AT };
          const [outcome] = await issueOctober(config, task);
          if (outcome === undefined || 'refused' in outcome) throw new Error(outcome?.refused);
          const { terminal, said } = listening();
          if (outcome.service !== null) printService(terminal, outcome.service);
          return { status: outcome.report.status === 'READY' ? 0 : 2, said: said.join('') };
        });
  const [report] = await reportRepositoryOf(books.store).list(merchant);
  return { ...ended, report: report! };
}

/**
 * Issues October as `pointage statement issue` does with that configuration, and records it in the
 * evidence log. The books are not read again before.
 */
export async function issueOctober(
  config: string,
  task: {
    readonly store: Store;
    readonly merchants: readonly string[];
    readonly formats: readonly StatementFormatName[];
    readonly now: number;
  },
): Promise<readonly PublishOutcome[]> {
  const { store, merchants, formats, now } = task;
  const configuration = await loadConfiguration({ config }, {});
  const runtime = { clock: () => now, random: () => 0.5, log: () => {} };
  await using published = await openConfiguredDashboard(
    configuration,
    configuration.source,
    runtime,
  );
  const evidence = evidenceOf(configuration, store, runtime);
  const onIssued = (report: ReportRecord) => recordStatement(evidence, report);
  const whole = publishingOf(configuration, store, { ...runtime, published, onIssued })(OCTOBER);
  const wanted = FORMATS.filter(({ name }) => formats.includes(name));
  return await publishStatements({ ...whole, formats: wanted }, merchants);
}

async function withConfiguration<T>(
  books: ReportBooks,
  { baseUrl, numero = NUMERO, password = PASSWORD, merchant = 'M001' }: Login,
  use: (config: string) => Promise<T>,
): Promise<T> {
  const retries = { attempts: 2, firstDelay: 1, longestDelay: 2 };
  const folder = mkdtempSync(join(tmpdir(), 'pointage-publish-'));
  const file = join(folder, 'config.json');
  const configuration = { databaseUrl: books.databaseUrl, dashboard: { baseUrl, retries } };
  writeFileSync(
    file,
    JSON.stringify({
      ...configuration,
      merchants: { [merchant]: { dashboard: { numero, password } } },
    }),
  );
  try {
    return await use(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function listening() {
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const progress = () => ({ update: () => {}, stop: () => {} });
  return { said, terminal: { out: say, note: say, colour: false, width: null, progress } };
}
