// The files of a report, stored in parts: written while they are rendered, read back before the
// report is issued, and served. All files are written in the transaction that issues the report, so
// no file of a report stays that was not issued.

import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import type { NewDelivery } from '../../../core/domain/delivery/delivery.ts';
import type { Instant } from '../../../core/domain/instant.ts';
import { addDeliveries, withdrawHeld } from '../deliveries/outbox.ts';
import { findMerchantId } from '../merchants/merchants.ts';
import { ask, build, type Queries } from '../server/ask.ts';
import { inTransaction } from '../server/connections.ts';
import { type Store, StoreFailed } from '../server/store.ts';
import { holdReport, type ReportFile, type ReportRecord, takenOver } from './reports.ts';

export type NewFile = Omit<ReportFile, 'size' | 'sha256'>;

/** The files of one report while it is being issued. */
export interface ReportFiles {
  /** Stores a file. `render` must write the file's bytes to the stream and end it. */
  write(file: NewFile, render: (out: Writable) => Promise<void>): Promise<ReportFile>;
  /** Reads a file that was written before, as the database returns it. */
  read(format: string): AsyncIterable<Uint8Array>;
}

export interface Issue {
  readonly generatedAt: Instant;
  /** The statement's figures. They are stored as JSON with the order of their keys. */
  readonly issued: object;
  readonly isHeld: boolean;
  readonly deliveries: readonly NewDelivery[];
}

/**
 * Moves a PENDING report to READY with the files that `work` writes, or leaves no trace of them
 * when it fails. Throws what `work` throws, and `StoreFailed` (REPORT_TAKEN_OVER) when the report
 * is no longer PENDING.
 */
export async function issueReport(
  store: Store,
  report: ReportRecord,
  work: (files: ReportFiles) => Promise<Issue>,
): Promise<ReportRecord> {
  return inTransaction(store, async (client) => {
    const merchantId = (await findMerchantId(client, report.merchant)) ?? 0;
    const files: ReportFile[] = [];
    const place = { merchantId, reportId: report.id };
    const { generatedAt, issued, isHeld, deliveries } = await work({
      write: async (file, render) => {
        const written = await writeFile(client, place, file, render);
        files.push(written);
        return written;
      },
      read: (format) => readParts(client, { ...place, format }),
    });
    const move = build
      .updateTable('reports')
      .set({ status: 'READY', generated_at: generatedAt, issued: JSON.stringify(issued) })
      .where(({ and }) =>
        and({ merchant_id: merchantId, report_id: report.id, status: 'PENDING' }),
      );
    if ((await ask(client, move)).count !== 1) throw takenOver(report);
    if (isHeld) await holdReport(client, { merchantId, id: report.id, at: generatedAt });
    await withdrawHeld(client, report);
    await addDeliveries(client, deliveries, generatedAt);
    files.sort((a, b) => (a.format < b.format ? -1 : 1));
    return { ...report, status: 'READY', generatedAt, issued, isHeld, files };
  });
}

/**
 * Adds a file to a READY report. The database accepts one format then, `tlog-proof`. A file of that
 * format that the report has already stays as it is.
 */
export async function addLateFile(
  store: Store,
  report: ReportRecord,
  { content, ...file }: NewFile & { readonly content: string },
): Promise<ReportRecord> {
  return inTransaction(store, async (client) => {
    const merchantId = (await findMerchantId(client, report.merchant)) ?? 0;
    const lock = build
      .selectFrom('reports')
      .select('report_id')
      .where(({ and }) => and({ merchant_id: merchantId, report_id: report.id }))
      .forUpdate();
    await ask(client, lock);
    const find = build
      .selectFrom('report_files')
      .select(['format', 'file_name as fileName', 'media_type as mediaType', 'size', 'sha256'])
      .where(({ and }) =>
        and({ merchant_id: merchantId, report_id: report.id, format: file.format }),
      );
    const known = (await ask(client, find)).rows[0];
    const place = { merchantId, reportId: report.id };
    const added =
      known ?? (await writeFile(client, place, file, (out) => pipeline([content], out)));
    return {
      ...report,
      files: [...report.files.filter(({ format }) => format !== file.format), added],
    };
  });
}

/**
 * Reads a file of a READY report. Throws `StoreFailed` (FILE_ALTERED) after the last byte when the
 * bytes are not those that were issued. A caller that must not pass on a single wrong byte has to
 * read the file twice.
 */
export async function* readReportFile(
  store: Store,
  { merchant, id, files }: Pick<ReportRecord, 'merchant' | 'id' | 'files'>,
  format: string,
): AsyncGenerator<Uint8Array> {
  const file = files.find((one) => one.format === format);
  const merchantId = (await findMerchantId(store.pool, merchant)) ?? 0;
  const hash = createHash('sha256');
  for await (const part of readParts(store.pool, { merchantId, reportId: id, format })) {
    hash.update(part);
    yield part;
  }
  if (file === undefined || hash.digest('hex') === file.sha256) return;
  throw new StoreFailed(
    'FILE_ALTERED',
    `${file.fileName} in the store is not the file that was issued.`,
  );
}

/** Reads files of a READY report to their end. Throws as `readReportFile` does. */
export async function checkReportFiles(
  store: Store,
  report: ReportRecord,
  files: readonly ReportFile[] = report.files,
): Promise<void> {
  for (const { format } of files) for await (const _ of readReportFile(store, report, format));
}

interface Place {
  readonly merchantId: number;
  readonly reportId: string;
}

const PART_BYTES = 1 << 20;

async function writeFile(
  client: pg.ClientBase,
  { merchantId, reportId }: Place,
  file: NewFile,
  render: (out: Writable) => Promise<void>,
): Promise<ReportFile> {
  const { format, fileName, mediaType } = file;
  const key = { merchant_id: merchantId, report_id: reportId, format };
  const hash = createHash('sha256');
  let size = 0;
  let parts = 0;
  const out = partStream(async (content) => {
    hash.update(content);
    size += content.length;
    await ask(
      client,
      build.insertInto('report_file_parts').values({ ...key, part_number: parts, content }),
    );
    parts += 1;
  });
  await render(out);
  const written = { ...file, size, sha256: hash.digest('hex') };
  const add = build
    .insertInto('report_files')
    .values({ ...key, file_name: fileName, media_type: mediaType, size, sha256: written.sha256 });
  await ask(client, add);
  return written;
}

/**
 * Returns a stream that gathers bytes into parts of PART_BYTES, the last one shorter. It waits for
 * `give` to store a part before it takes more bytes.
 */
function partStream(give: (content: Buffer) => Promise<void>): Writable {
  let gathered: Buffer[] = [];
  let bytes = 0;
  const flush = async (all: boolean): Promise<void> => {
    if (bytes === 0 || (!all && bytes < PART_BYTES)) return;
    const whole = Buffer.concat(gathered, bytes);
    const end = all ? bytes : bytes - (bytes % PART_BYTES);
    for (let from = 0; from < end; from += PART_BYTES)
      await give(whole.subarray(from, Math.min(end, from + PART_BYTES)));
    const rest = whole.subarray(end);
    gathered = rest.length === 0 ? [] : [rest];
    bytes = rest.length;
  };
  return new Writable({
    write(chunk: Buffer, _, done) {
      gathered.push(chunk);
      bytes += chunk.length;
      flush(false).then(() => done(), done);
    },
    final(done) {
      flush(true).then(() => done(), done);
    },
  });
}

async function* readParts(
  queries: Queries,
  { merchantId, reportId, format }: Place & { readonly format: string },
): AsyncGenerator<Uint8Array> {
  for (let part = 0; ; part++) {
    const read = build
      .selectFrom('report_file_parts')
      .select('content')
      .where(({ and }) =>
        and({ merchant_id: merchantId, report_id: reportId, format, part_number: part }),
      );
    const row = (await ask(queries, read)).rows[0];
    if (row === undefined) return;
    yield row.content;
  }
}
