// The adapter of pointage. It and the adapter for several readings are all of the benchmark that
// knows the engine. It reads the files of a case by the engine's own decoders, audits them as one
// reading of files, and writes the roots as rows of findings.

import type { AuditReport, Finding } from '../../../src/core/domain/finding.ts';
import type { LedgerEntry } from '../../../src/core/domain/ledger-entry.ts';
import type { Merchant, Wallet } from '../../../src/core/domain/merchant.ts';
import type { Operation } from '../../../src/core/domain/operation.ts';
import type { Decoded } from '../../../src/core/domain/rows/decode-object.ts';
import { decodeEntry } from '../../../src/core/domain/rows/entry-fields.ts';
import { decodeMerchant } from '../../../src/core/domain/rows/merchant-fields.ts';
import { decodeOperation, decodeWallet } from '../../../src/core/domain/rows/operation-fields.ts';
import type { NotChecked, RejectedRow } from '../../../src/core/domain/snapshot.ts';
import { reconcileInMemory } from '../../../src/core/kernel/reconcile-in-memory.ts';
import { ENGLISH_WORDING } from '../../../src/core/words/names.ts';
import { rejectRow } from '../../../src/io/sources/decode/decode-row.ts';
import type { Claim } from '../case.ts';
import { type BookFiles, type Row, readCsv } from '../csv.ts';

const MINUTE = 60_000;

export function auditCase(files: BookFiles): readonly Claim[] {
  return claimsOf(reportOn(files));
}

export interface ReadBooks {
  readonly asOf: number;
  readonly profile: Merchant;
  readonly wallet: Wallet | null;
  readonly entries: readonly LedgerEntry[];
  readonly operations: readonly Operation[];
  readonly rejected: readonly RejectedRow[];
  readonly absent: readonly NotChecked[];
}

/** Returns what the files hold, in the engine's types. */
export function booksIn(files: BookFiles): ReadBooks {
  const [profileRow] = readCsv(files.profile);
  const ledger = readRows('ledger', files.ledger, { shape: entryOf, decode: decodeEntry });
  const operations = readRows('operations', files.operations, {
    shape: operationOf,
    decode: decodeOperation,
  });
  const absent = (['operations', 'wallet'] as const).filter((name) => files[name] === null);
  return {
    asOf: Date.parse(profileRow!.readAt!),
    profile: whole(decodeMerchant(profileOf(profileRow!))),
    wallet: files.wallet === null ? null : whole(decodeWallet(walletOf(readCsv(files.wallet)[0]!))),
    entries: ledger.rows,
    operations: operations.rows,
    rejected: [...ledger.rejected, ...operations.rejected],
    absent: absent.map((what) => ({ what, why: 'no such file', incomplete: true })),
  };
}

interface Form<T> {
  readonly shape: (row: Row) => object;
  readonly decode: (value: unknown) => Decoded<T>;
}

function readRows<T>(
  part: 'ledger' | 'operations',
  text: string | null,
  { shape, decode }: Form<T>,
) {
  const rows: T[] = [];
  const rejected: RejectedRow[] = [];
  for (const [i, row] of (text === null ? [] : readCsv(text)).entries()) {
    const value = shape(row);
    const decoded = decode(value);
    if (decoded.ok) rows.push(decoded.value);
    else {
      const place = `${part}.csv:${i + 2}`;
      rejected.push(
        rejectRow({ part, place, refused: decoded, raw: JSON.stringify(value), value }),
      );
    }
  }
  return { rows, rejected };
}

/** Returns the report of one reading, without grace, as of the instant of the profile. */
function reportOn(files: BookFiles): AuditReport {
  const { asOf, profile, ...books } = booksIn(files);
  return reconcileInMemory(books, {
    merchant: profile.reference,
    wording: ENGLISH_WORDING,
    currency: books.wallet?.currency ?? books.entries[0]?.currency ?? 'XOF',
    profiles: [profile],
    adjustedAt: null,
    opening: null,
    watermark: asOf,
    grace: 0,
    clockTolerance: 5 * MINUTE,
    pinned: {},
    keepsAll: false,
    present: { ledger: true, operations: files.operations !== null },
  });
}

/**
 * Returns a claim for each open root above the rank of information. A case without such a root is
 * claimed clean, or not to be judged. A row that cannot be read is no finding in the ledger: it
 * makes the verdict incomplete.
 */
export function claimsOf(report: AuditReport): readonly Claim[] {
  const due =
    report.due === null ? null : { balance: report.due.balance, reserved: report.due.reserved };
  const claims = report.findings.filter(isAlarm).map(({ kind, sequence, operationReference }) => ({
    kind: kind as string,
    sequence: sequence ?? '',
    reference: operationReference ?? '',
    due,
  }));
  const judged = claims.filter(({ kind }) => kind !== 'INPUT_REJECTED');
  if (judged.length > 0) return judged;
  return [
    {
      kind: report.verdict === 'incomplete' ? 'abstain' : 'none',
      sequence: '',
      reference: '',
      due,
    },
  ];
}

function isAlarm({ causedBy, severity, settledBy, status }: Finding): boolean {
  return causedBy === null && severity !== 'info' && settledBy === null && status === 'confirmed';
}

function entryOf(row: Row): object {
  const { id, direction, kind, currency, createdAt } = row;
  return {
    id,
    sequence: numberOf(row.sequence!),
    direction,
    kind,
    amount: numberOf(row.amount!),
    currency,
    balanceAfter: numberOf(row.balanceAfter!),
    reservedAfter: numberOf(row.reservedAfter!),
    operationReference: row.operationReference! || null,
    description: row.description! || null,
    createdAt,
  };
}

function operationOf(row: Row): object {
  return {
    ...row,
    amount: numberOf(row.amount!),
    fees: numberOf(row.fees!),
    netAmount: numberOf(row.netAmount!),
    externalReference: row.externalReference! || null,
    payerActionUrl: row.payerActionUrl! || null,
    requiresPayerAction: row.requiresPayerAction === 'true',
    failure: row.failureCode === '' ? null : { code: row.failureCode, message: '' },
    completedAt: row.completedAt! || null,
    expiresAt: row.expiresAt! || null,
  };
}

function walletOf(row: Row): object {
  const figures = [
    'balance',
    'reserved',
    'available',
    'totalCollected',
    'totalDisbursed',
    'totalFees',
  ];
  return { ...row, ...Object.fromEntries(figures.map((name) => [name, numberOf(row[name]!)])) };
}

function profileOf(row: Row): object {
  const side = (...names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, numberOf(row[name]!)]));
  return {
    ...row,
    allowedCountries: row.allowedCountries!.split(' '),
    legalName: null,
    pricing: side('cashinFeeBps', 'cashinFeeFlat', 'cashoutFeeBps', 'cashoutFeeFlat'),
    limits: side(
      'minCashinAmount',
      'maxCashinAmount',
      'minCashoutAmount',
      'maxCashoutAmount',
      'dailyCashoutLimit',
    ),
  };
}

/**
 * Returns a cell as a number. A cell that is no whole number stays text, which the decoders refuse.
 */
function numberOf(cell: string): number | string {
  return /^-?\d+$/.test(cell) ? Number(cell) : cell;
}

function whole<T>(decoded: Decoded<T>): T {
  if (!decoded.ok) throw new Error(`a file of the case cannot be read: ${decoded.reason}`);
  return decoded.value;
}
