// What a folder of files holds beside the ledger: reports.json, payments.jsonl and payouts.json, as the dashboard API serves
// them. A missing file is named; an unreadable one is refused by its name.

import type { Payment } from '../../../core/domain/payment.ts';
import type { Dashboard, DashboardSnapshot } from '../../../core/domain/published/dashboard-snapshot.ts';
import type { Refused } from '../../../core/domain/refusal.ts';
import type { ServiceReport, Span } from '../../../core/domain/service-report.ts';
import type { Batch, NotChecked, RejectedRow } from '../../../core/domain/snapshot.ts';
import { decodeItems, rejectRow, splitItems } from '../decode/decode-row.ts';
import { decodeServiceReport } from '../decode/decode-service-report.ts';
import { SourceFailed } from '../port/source.ts';
import { absentFile, openBookFile, readWholeFile } from './book-file.ts';
import { findMerchantFolders } from './merchant-folders.ts';
import { streamPayments } from './payment-rows.ts';
import { filedPayouts, PAYOUTS } from './payouts-file.ts';

const REPORTS = 'reports.json';
const PAYMENTS = 'payments.jsonl';

/** Opens nothing yet: the first call finds out whether the folder holds books. */
export function openFileDashboard(folder: string): Dashboard {
  let folders: ReadonlyMap<string, string> | null = null;
  const find = async (): Promise<ReadonlyMap<string, string>> => {
    folders ??= await findMerchantFolders(folder);
    return folders;
  };
  return {
    name: `file:${folder}`,
    merchants: async () => [...(await find()).keys()],
    open: async (merchant) => {
      const found = (await find()).get(merchant);
      if (found !== undefined) return snapshotOf(merchant, found);
      throw new SourceFailed('UNKNOWN_MERCHANT', `${folder} holds no books of merchant ${merchant}`);
    },
    close: async () => {},
  };
}

async function snapshotOf(merchant: string, folder: string): Promise<DashboardSnapshot> {
  const absent = [
    ...(await missing(folder, 'reports', REPORTS)),
    ...(await missing(folder, 'payments', PAYMENTS)),
    ...(await missing(folder, 'payouts', PAYOUTS)),
  ];
  return {
    merchant,
    absent,
    reports: () => readReports(folder),
    reportFile: async () => null,
    payments: (span) => readPayments(folder, span),
    payouts: filedPayouts(folder),
    isCopy: absent.every(({ what }) => what !== 'payments'),
    close: async () => {},
  };
}

async function missing(folder: string, what: string, name: string): Promise<readonly NotChecked[]> {
  const opened = await openBookFile(folder, name);
  if (opened.state === 'open') await opened.file.handle.close();
  return opened.state === 'absent' ? [absentFile(what, name)] : [];
}

async function readReports(folder: string): Promise<Batch<ServiceReport>> {
  const file = await readWholeFile(folder, REPORTS);
  if (file.state === 'absent') return { rows: [], rejected: [] };
  if (file.state === 'unreadable') return { rows: [], rejected: [refused('reports', file.name, file, file.bytes)] };
  const split = splitItems(file.bytes);
  if (!split.ok) return { rows: [], rejected: [refused('reports', file.name, split, file.bytes)] };
  return decodeItems(split.items, { part: 'reports', place: file.name, decode: decodeServiceReport });
}

async function* readPayments(folder: string, span: Span): AsyncGenerator<Batch<Payment>> {
  const opened = await openBookFile(folder, PAYMENTS);
  if (opened.state === 'absent') return;
  if (opened.state === 'unreadable') {
    yield { rows: [], rejected: [refused('payments', opened.name, opened, '')] };
    return;
  }
  try {
    yield* streamPayments(opened.file, span);
  } finally {
    await opened.file.handle.close();
  }
}

function refused(part: 'reports' | 'payments', place: string, why: Refused, raw: string | Uint8Array): RejectedRow {
  return rejectRow({ part, place, refused: why, raw });
}
