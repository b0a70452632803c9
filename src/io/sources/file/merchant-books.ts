// Opens the books of one merchant and notes the parts that are missing or unreadable, so that no verdict can pass over
// them.

import type { LedgerEntry } from '../../../core/domain/ledger-entry.ts';
import type { Merchant, Wallet } from '../../../core/domain/merchant.ts';
import type { Operation } from '../../../core/domain/operation.ts';
import type { Refused } from '../../../core/domain/refusal.ts';
import type { BookPart, NotChecked, RejectedRow } from '../../../core/domain/snapshot.ts';
import type { Decoded } from '../../../core/rows/decode-object.ts';
import type { EventRow } from '../../../core/rows/event-fields.ts';
import { decodeMerchant } from '../../../core/rows/merchant-fields.ts';
import { decodeWallet } from '../../../core/rows/operation-fields.ts';
import { type BatchThread, takeBatchThread } from '../../threads/batch-thread.ts';
import { decodeRow, rejectRow } from '../decode/decode-row.ts';
import type { Detail } from '../port/source.ts';
import { absentFile, type BookFile, openBookFile, readWholeFile } from './book-file.ts';
import { createFileRows, type FileRows, isWorthAThread } from './file-rows.ts';
import { DESCRIBED_PLAN, ENTRY_PLAN, EVENT_PLAN, OPERATION_PLAN } from './row-plan.ts';

export interface MerchantBooks {
  /** Null where every file is small. */
  readonly thread: BatchThread | null;
  readonly profile: Merchant | null;
  readonly wallet: Wallet | null;
  readonly ledger: FileRows<LedgerEntry> | null;
  readonly operations: FileRows<Operation> | null;
  readonly events: FileRows<EventRow> | null;
  readonly absent: readonly NotChecked[];
  readonly rejected: readonly RejectedRow[];
}

/** What is found wanting while the books are opened. */
interface Notes {
  readonly absent: NotChecked[];
  readonly rejected: RejectedRow[];
}

export async function openMerchantBooks(folder: string, detail: Detail): Promise<MerchantBooks> {
  const notes: Notes = { absent: [], rejected: [] };
  const profile = await readPart(folder, { part: 'merchant', name: 'merchant.json', decode: decodeMerchant }, notes);
  const wallet = await readPart(folder, { part: 'wallet', name: 'wallet.json', decode: decodeWallet }, notes);
  const ledger = await openPart(folder, { part: 'ledger', name: 'ledger.jsonl' }, notes);
  const operations = await openPart(folder, { part: 'operations', name: 'operations.jsonl' }, notes);
  for (const [part, name] of [
    ['reports', 'reports.json'],
    ['payments', 'payments.jsonl'],
    ['payouts', 'payouts.json'],
  ] as const) {
    const opened = await openPart(folder, { part, name }, notes);
    await opened?.handle.close();
  }
  const eventFile = await openPart(folder, { part: 'events', name: 'events.jsonl' }, notes);
  const isLarge = [ledger, operations, eventFile].some(isWorthAThread);
  const thread = isLarge ? takeBatchThread(new URL('./scan-worker.ts', import.meta.url)) : null;
  // A profile that could not be read: no notification can be known to be another merchant's.
  const merchant = profile?.reference ?? null;
  const events = eventFile === null ? null : createFileRows(eventFile, EVENT_PLAN, { thread, merchant });
  const operationPlan = detail === 'described' ? DESCRIBED_PLAN : OPERATION_PLAN;
  notes.absent.push({
    what: 'history',
    why: 'no earlier reading of this ledger',
    incomplete: false,
    code: 'FILES_WITHOUT_HISTORY',
  });
  return {
    thread,
    profile,
    wallet,
    ledger: ledger === null ? null : createFileRows(ledger, ENTRY_PLAN, { thread }),
    operations: operations === null ? null : createFileRows(operations, operationPlan, { thread }),
    events,
    absent: notes.absent,
    rejected: notes.rejected,
  };
}

interface Part {
  readonly part: BookPart;
  readonly name: string;
}

/** A verdict cannot be clean without these. */
const NEEDED: readonly BookPart[] = ['merchant', 'wallet', 'ledger', 'operations'];

async function openPart(folder: string, { part, name }: Part, notes: Notes): Promise<BookFile | null> {
  const opened = await openBookFile(folder, name);
  if (opened.state === 'absent') noteAbsent(notes, part, name);
  else if (opened.state === 'unreadable') {
    noteUnreadable(notes, rejectRow({ part, place: opened.name, refused: opened, raw: '' }));
  } else {
    noteUnread(notes, part, { name: opened.file.name, unread: opened.unread });
    return opened.file;
  }
  return null;
}

async function readPart<T>(
  folder: string,
  { part, name, decode }: Part & { readonly decode: (value: unknown) => Decoded<T> },
  notes: Notes,
): Promise<T | null> {
  const file = await readWholeFile(folder, name);
  if (file.state === 'absent') noteAbsent(notes, part, name);
  else if (file.state === 'unreadable') {
    noteUnreadable(notes, rejectRow({ part, place: file.name, refused: file, raw: file.bytes }));
  } else {
    noteUnread(notes, part, file);
    const { row, refused } = decodeRow(file.bytes, { part, place: file.name, decode });
    if (refused === null) return row;
    noteUnreadable(notes, refused);
  }
  return null;
}

function noteAbsent(notes: Notes, part: BookPart, file: string): void {
  notes.absent.push(absentFile(part, file, NEEDED.includes(part)));
}

function noteUnreadable(notes: Notes, row: RejectedRow): void {
  notes.rejected.push(row);
  const { part, place: file, reason, refusal } = row;
  const why = `${file} could not be read: ${reason}`;
  notes.absent.push({ what: part, why, incomplete: true, code: 'FILE_UNREADABLE', figures: { file, reason, refusal } });
}

/** Two copies of one file may differ: the report names the one that was not read. */
function noteUnread(notes: Notes, part: BookPart, { name, unread }: { name: string; unread: string | null }): void {
  if (unread === null) return;
  const reason = `${name} is there as well and was read instead`;
  const refused: Refused = { reason, refusal: { code: 'OTHER_COPY_READ', file: name } };
  notes.rejected.push(rejectRow({ part, place: unread, refused, raw: '' }));
}
