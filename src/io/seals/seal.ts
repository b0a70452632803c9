// The port through which a document is sealed: what a writer of documents needs to know of a
// signature while it writes, and no more.

import type { Instant } from '../../core/domain/instant.ts';

/** A certificate with its key, ready to sign documents. */
export interface Seal {
  /** The holder of the certificate, as the certificate names it. */
  readonly name: string;
  /** The most bytes that a signature of this certificate takes. */
  readonly room: number;
  /** The certificate is valid from this instant on. */
  readonly validFrom: Instant;
  /** The certificate is valid up to this instant. */
  readonly validUntil: Instant;
  /** Begins a signature. */
  open(): Signing;
}

export interface Signing {
  /** Adds bytes of the document, in their order. */
  add(bytes: Uint8Array): void;
  /** Returns the signature over all bytes that were added, as CMS in DER (RFC 5652). */
  sign(): Uint8Array;
}
