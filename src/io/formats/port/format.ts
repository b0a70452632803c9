// The port of plug-in 3, formats: a form in which a statement is written. A format escapes, lays
// out and words. It does no arithmetic, knows no clock, zone or locale of the machine, and must
// give the same bytes for the same statement.

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
import type { Seal } from '../../seals/seal.ts';
import type { StatementTemplate } from './template.ts';

export interface StatementFormat {
  /** What `--format` takes: `pdf`. */
  readonly name: StatementFormatName;
  /** Extension of its files, without the point. */
  readonly extension: string;
  /** `application/pdf`. */
  readonly mediaType: string;
  /**
   * Returns the file's name with its extension, where programs require one of their own. Absent
   * when the file has the statement's name.
   */
  readonly fileName?: (statement: Statement) => string;
  /**
   * Writes the whole document to `out`, and ends it. Resolves when `out` has taken everything;
   * rejects with the failure of `out` or of the stream of lines. It may call `lines` and
   * `operations` more than once, or not at all.
   */
  write(document: StatementDocument, options: FormatOptions, out: Writable): Promise<void>;
}

/**
 * A form that accounting programs import. For accounts that hold the revision before, it can write
 * only what a revision changes.
 */
export interface RevisedFormat extends StatementFormat {
  /**
   * Writes the changes, as `write` does the document. The document must have a revision whose
   * changes are listed.
   */
  writeChanges(document: StatementDocument, options: FormatOptions, out: Writable): Promise<void>;
}

/** A writer of any file, whose name is not among those of statement formats. */
export type WrittenFormat = Pick<StatementFormat, 'extension' | 'fileName' | 'write'> & {
  readonly name: string;
};

export interface StatementDocument {
  readonly statement: Statement;
  /** `statement.summary.entryCount` lines, by sequence. */
  readonly lines: LineStream;
  /** `statement.operations.count` operations, by creation. */
  readonly operations: OperationStream;
  /** Payments by link; absent when there are none. */
  readonly payments?: PaymentStream;
  /** The service's own file of the month, byte for byte; `null` or absent when none was kept. */
  readonly serviceFile?: Uint8Array | null;
}

export interface FormatOptions {
  readonly language: Language;
  /**
   * Address at which a reader can verify the document, to which the content hash is added; `null`
   * when none is printed.
   */
  readonly verifyAt: string | null;
  /**
   * What printed documents look like, with the bytes of fonts and logo. Formats for people require
   * it, others ignore it.
   */
  readonly template?: StatementTemplate;
  /** Returns the seal of the issuer of the merchant's documents; absent: no document is sealed. */
  readonly sealFor?: (merchant: Statement['merchant']) => Promise<Seal | null>;
  /** Makes a PDF end with the ledger, line by line, even if its template has no such section. */
  readonly withLedger?: boolean;
}
