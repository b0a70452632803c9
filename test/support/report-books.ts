// Merchants whose October is over, in a mirror of their own: for tests of reports. A late line can
// be added to the books.

import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openZone } from '../../src/core/domain/zone.ts';
import { DEFAULT_JOURNAL } from '../../src/core/statements/journal.ts';
import { FORMATS } from '../../src/io/formats/register.ts';
import { openFileSource } from '../../src/io/sources/file/open-file-source.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import { type Books, ORDINARY_TRAFFIC, planMerchant } from '../../src/sandbox/model/plan.ts';
import type { PublishTask } from '../../src/service/workflows/month/publish-statement.ts';
import { nothingPublished } from '../../src/service/workflows/month/service-month.ts';
import { repositoryOfMirror } from '../../src/service/workflows/month/write-statements.ts';
import {
  type RunOutcome,
  runMerchants,
} from '../../src/service/workflows/nightly/run-merchants.ts';
import { openTestStore } from './database-store.ts';
import { optionsAt } from './nightly.ts';
import { writeBundle } from './sandbox-bundle.ts';
import { simulateBooks } from './simulate-books.ts';
import { TEMPLATE } from './written-document.ts';

export const READ_AT = Date.UTC(2026, 10, 2);
export const OCTOBER = { year: 2026, month: 10 };

export interface ReportBooks {
  readonly store: Store;
  readonly databaseUrl: string;
  /**
   * Reads the books of these merchants into the mirror, as a night at that instant does; absent: of
   * all merchants.
   */
  run(now?: number, merchants?: readonly string[]): Promise<RunOutcome>;
  /**
   * Adds a credit of that amount at the end of the merchant's ledger. It is dated in October, and
   * within a day of the line before it.
   */
  addLateLine(merchant: string, amount: number): void;
  close(): Promise<void>;
}

/**
 * Opens the books of these merchants and reads them into the mirror at `READ_AT`. `plant` may
 * change the books of each before.
 */
export async function openReportBooks(
  merchants: readonly string[],
  plant: (books: Books, merchant: string) => Books = (books) => books,
): Promise<ReportBooks> {
  const folder = mkdtempSync(join(tmpdir(), 'pointage-reports-'));
  for (const reference of merchants) {
    const traffic = { ...ORDINARY_TRAFFIC, operationsPerDay: 4, reversalRate: 0.1 };
    const plan = planMerchant({
      reference,
      country: 'SN',
      opensAt: Date.UTC(2026, 9, 20),
      traffic,
    });
    await writeBundle(
      join(folder, reference),
      plant(simulateBooks(plan, { seed: reference, until: READ_AT }), reference),
    );
  }
  const opened = await openTestStore();
  const { store, databaseUrl } = opened;
  const run: ReportBooks['run'] = async (now = READ_AT, merchants = []) => {
    const source = await openFileSource(folder);
    const outcome = await runMerchants({
      store,
      source,
      engine: 'pointage test',
      clock: () => now,
      merchants,
      optionsFor: (_, asOf) => optionsAt(asOf),
      onMerchant: () => () => {},
    });
    await source.close();
    return outcome;
  };
  await run();
  return {
    store,
    databaseUrl,
    run,
    addLateLine: (merchant, amount) => addLateLine(join(folder, merchant), amount),
    close: async () => {
      await opened.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function addLateLine(folder: string, amount: number): void {
  const [ledger, walletFile] = [join(folder, 'ledger.jsonl'), join(folder, 'wallet.json')];
  const text = readFileSync(ledger, 'utf8');
  const last = JSON.parse(text.trimEnd().split('\n').at(-1)!) as Record<string, number>;
  const line = {
    ...last,
    id: randomUUID(),
    sequence: last.sequence! + 1,
    direction: 'CREDIT',
    kind: 'ADJUSTMENT_CREDIT',
    amount,
    balanceAfter: last.balanceAfter! + amount,
    operationReference: null,
    description: 'ligne tardive',
    createdAt: '2026-10-31T23:45:00.000Z',
  };
  writeFileSync(ledger, `${text.trimEnd()}\n${JSON.stringify(line)}\n`);
  const wallet = JSON.parse(readFileSync(walletFile, 'utf8')) as Record<string, number>;
  const raised = { balance: wallet.balance! + amount, available: wallet.available! + amount };
  writeFileSync(walletFile, JSON.stringify({ ...wallet, ...raised }));
}

export function publishTask(store: Store, changes: Partial<PublishTask> = {}): PublishTask {
  return {
    store,
    repository: repositoryOfMirror(store),
    period: OCTOBER,
    formats: FORMATS,
    options: { language: 'fr', verifyAt: null, template: TEMPLATE },
    phoneNumbers: 'masked',
    zoneFor: () => openZone('UTC')!,
    journalFor: () => DEFAULT_JOURNAL,
    partiesFor: () => ({ issuer: null, holder: null }),
    auditFor: () => optionsAt(READ_AT),
    serviceMonthOf: nothingPublished,
    engine: 'pointage test',
    now: READ_AT,
    newId: randomUUID,
    onMerchant: () => () => {},
    onPending: () => {},
    onFailure: () => {},
    ...changes,
  };
}
