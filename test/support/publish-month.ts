// `pointage statement issue` of October on a real database, with a dashboard to ask: what it says, and what is issued.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../src/service/cli/program.ts';
import { stageOf } from '../../src/service/cli/stage/stage.ts';
import { type ReportRecord, reportRepositoryOf } from '../../src/service/workflows/month/read-reports.ts';
import { NUMERO, PASSWORD } from './dashboard-service.ts';
import { READ_AT, type ReportBooks } from './report-books.ts';

export interface PublishedMonth {
  readonly status: number;
  readonly said: string;
  readonly report: ReportRecord;
}

interface Login {
  readonly baseUrl: string;
  readonly numero?: string;
  readonly password?: string;
}

/** The command of those words, as of when the books were read. The dashboard is that of M001; a merchant of another name has none. */
export async function runBeside(
  books: ReportBooks,
  { baseUrl, numero = NUMERO, password = PASSWORD }: Login,
  words: readonly string[],
): Promise<{ readonly status: number; readonly said: string }> {
  const retries = { attempts: 2, firstDelay: 1, longestDelay: 2 };
  const folder = mkdtempSync(join(tmpdir(), 'pointage-publish-'));
  const file = join(folder, 'config.json');
  const configuration = { databaseUrl: books.databaseUrl, dashboard: { baseUrl, retries } };
  writeFileSync(file, JSON.stringify({ ...configuration, merchants: { M001: { dashboard: { numero, password } } } }));
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const progress = () => ({ update: () => {}, stop: () => {} });
  const terminal = { out: say, note: say, colour: false, width: null, progress };
  const stage = { ...stageOf(terminal, {}), clock: () => READ_AT };
  const status = await runCommand([...words, '--config', file], stage);
  rmSync(folder, { recursive: true });
  return { status, said: said.join('') };
}

export async function publishOctober(books: ReportBooks, login: Login, merchant = 'M001'): Promise<PublishedMonth> {
  const ended = await runBeside(books, login, ['statement', 'issue', merchant, '2026-10']);
  const [report] = await reportRepositoryOf(books.store).list(merchant);
  return { ...ended, report: report! };
}
