// The port of plug-in 3, formats: one form in which a statement is written. A format escapes, lays
// out and words; it does no arithmetic, knows no clock, zone or locale of the machine, and gives
// the same bytes for the same statement.

import type { Writable } from 'node:stream';
import type {
  Language,
  Statement,
  StatementFormatName,
} from '../../../core/statements/statement.ts';
import type {
  LineStream,
  OperationStream,
  PaymentStream,
} from '../../../core/statements/statement-line.ts';
import type { StatementTemplate } from './template.ts';

export interface StatementFormat {
  /** What `--format` takes: `pdf`. */
  readonly name: StatementFormatName;
  /** Of files, without the point. */
  readonly extension: string;
  /** `application/pdf`. */
  readonly mediaType: string;
  /**
   * The name of its file, with its extension, where programs want one of their own; absent: the
   * statement's.
   */
  readonly fileName?: (statement: Statement) => string;
  /**
   * Writes the whole document to `out`, and ends it; resolves when `out` has taken everything,
   * rejects with what `out` or the stream of lines failed with. `lines` and `operations` may be
   * called more than once, or not at all.
   */
  write(document: StatementDocument, options: FormatOptions, out: Writable): Promise<void>;
}

/**
 * A form that accounting programs import: for accounts that hold the revision before, it can be of
 * what a revision changes.
 */
export interface RevisedFormat extends StatementFormat {
  /** As `write`; expects a revision whose changes are listed. */
  writeChanges(document: StatementDocument, options: FormatOptions, out: Writable): Promise<void>;
}

/** The writer of a file, in any register. */
export type WrittenFormat = Pick<StatementFormat, 'extension' | 'fileName' | 'write'> & {
  readonly name: string;
};

export interface StatementDocument {
  readonly statement: Statement;
  /** `statement.summary.entryCount` lines, by sequence. */
  readonly lines: LineStream;
  /** `statement.operations.count` operations, by creation. */
  readonly operations: OperationStream;
  /** Absent: none. */
  readonly payments?: PaymentStream;
  /** The service's own file of the month, as it was served; null or absent: none was kept. */
  readonly serviceFile?: Uint8Array | null;
}

export interface FormatOptions {
  readonly language: Language;
  /**
   * Where a reader can verify the document, ahead of the content hash; null: no address is printed.
   */
  readonly verifyAt: string | null;
  /**
   * What printed documents look like, with the bytes of fonts and logo. Formats for people need it,
   * others leave it.
   */
  readonly template?: StatementTemplate;
  /** A PDF ends with the ledger, line by line, also where its template has no such section. */
  readonly withLedger?: boolean;
}
