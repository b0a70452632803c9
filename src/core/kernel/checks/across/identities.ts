// Identities that must be unique over the whole ledger: a line's id, a partner's reference of a
// live operation, and the operation that a line names.

import type { FindingDraft } from '../../../domain/finding.ts';
import { isAdjustment } from '../../../domain/ledger-entry.ts';
import { hasLapsed, type Operation, unlessBlank } from '../../../domain/operation.ts';
import type { RecalledEntry } from '../../../domain/snapshot.ts';
import type { Tally } from '../../replay/tally.ts';
import { draftOf, lineEvidence, operationDraft, operationEvidence } from '../port/check.ts';

/**
 * Drafts each line whose id an earlier line has. `entries` must hold every line with a suspected
 * id.
 */
export function judgeEntryIds(entries: readonly RecalledEntry[]): readonly FindingDraft[] {
  const firstOf = new Map<string, number>();
  const found: FindingDraft[] = [];
  for (const { entry } of [...entries].sort((a, b) => a.entry.sequence - b.entry.sequence)) {
    const first = firstOf.get(entry.id);
    if (first === undefined) firstOf.set(entry.id, entry.sequence);
    if (first === undefined || first === entry.sequence) continue;
    const figures = { sequence: entry.sequence, first, id: entry.id };
    const evidence = [
      lineEvidence(first, `id ${entry.id}`),
      lineEvidence(entry.sequence, `id ${entry.id}`),
    ];
    const place = { sequence: entry.sequence, operationReference: entry.operationReference };
    found.push(
      draftOf('ENTRY_ID_REUSED', figures, {
        ...place,
        evidence,
        newestEvidence: entry.createdAt,
        about: entry,
      }),
    );
  }
  return found;
}

/**
 * Drafts each operation whose partner's reference an earlier live operation has. `operations` must
 * hold every operation with a suspected reference.
 */
export function judgeExternalReferences(operations: readonly Operation[]): readonly FindingDraft[] {
  const firstOf = new Map<string, Operation>();
  const live = operations.filter(
    ({ status, externalReference }) =>
      !hasLapsed(status) && unlessBlank(externalReference) !== null,
  );
  const inTime = [...live].sort(
    (a, b) => a.createdAt - b.createdAt || (a.reference < b.reference ? -1 : 1),
  );
  const found: FindingDraft[] = [];
  for (const operation of inTime) {
    const shared = operation.externalReference!;
    const first = firstOf.get(shared);
    if (first === undefined) {
      firstOf.set(shared, operation);
      continue;
    }
    const { reference, createdAt: newestEvidence } = operation;
    const figures = { first: first.reference, reference, externalReference: shared.slice(0, 80) };
    const evidence = [operationEvidence(first.reference), operationEvidence(reference)];
    found.push(
      operationDraft('EXTERNAL_REFERENCE_DUPLICATED', figures, {
        evidence,
        newestEvidence,
        about: operation,
      }),
    );
  }
  return found;
}

/** Drafts an operation that lines name and that is not served. */
export function describeUnknown(tally: Tally): FindingDraft {
  // An adjustment may correct what is wrong, and is no evidence of it.
  const own = tally.lines.filter(({ entry }) => !isAdjustment(entry.kind));
  const lines = own.length === 0 ? tally.lines : own;
  const first = lines[0]!.entry;
  const { sequence, kind, amount } = first;
  const figures = { sequence, kind, amount, reference: tally.reference };
  return operationDraft('OPERATION_UNKNOWN', figures, {
    sequence,
    evidence: lines.slice(0, 20).map((line) => lineEvidence(line.entry.sequence)),
    newestEvidence: Math.max(...lines.map((line) => line.entry.createdAt)),
    about: first,
  });
}

// What the description of an adjustment may name: lines, operations, findings. These functions pick
// words and numbers out of a text that a person wrote. They do not know which names exist.

/** A person names one fault; a text with more words than this names none in particular. */
const MOST_NAMES = 24;
const LONGEST_TEXT = 2_000;
const LONGEST_NAME = 64;
const SHORTEST_NAME = 4;
/** How many characters of a fingerprint a text must have, from its beginning, to name it. */
export const SHORTEST_FINGERPRINT = 8;

/** A number behind a word for a line, or behind '#'; several may be listed. */
const LINES =
  /(?:(?<![\p{L}\p{N}])(?:lignes?|lines?|s[ée]quences?|entry|entries|[ée]critures?)\s*(?:n\s*[°º]|n?o\.|num[ée]ros?|numbers?)?|#)\s*[:#]?\s*(\d{1,16}(?:\s*(?:,|;|&|et|and)\s*\d{1,16})*)(?![\p{L}\p{N}])/giu;
const BETWEEN_WORDS = /[\s,;:=/|()[\]{}<>"«»“”'’!?]+/u;

/**
 * Returns the names in a description, in lower case, each once: `line:812` for a line, else a word
 * that may be an operation's reference or a fingerprint.
 */
export function namesIn(description: string | null): readonly string[] {
  if (description === null) return [];
  const text = description.slice(0, LONGEST_TEXT).toLowerCase();
  const names = new Set<string>();
  for (const [, numbers] of text.matchAll(LINES)) {
    for (const number of numbers!.match(/\d+/g)!) names.add(nameOfLine(number));
  }
  for (const word of text.split(BETWEEN_WORDS)) {
    const name = word.replace(/^#+|\.+$/g, '');
    if (name.length >= SHORTEST_NAME && name.length <= LONGEST_NAME && isMarked(name))
      names.add(name);
  }
  return [...names].slice(0, MOST_NAMES);
}

/**
 * Returns the name of a line: `line:812` for `0812`. `sequence` is decimal, with or without leading
 * zeros.
 */
export function nameOfLine(sequence: string): string {
  return `line:${sequence.replace(/^0+(?=\d)/, '')}`;
}

/** Returns the sequence in a name that `nameOfLine` made; `null` for any other name. */
export function lineNamed(name: string): number | null {
  return name.startsWith('line:') ? Number(name.slice('line:'.length)) : null;
}

/** Whether one of the names is the fingerprint, or the beginning of it. */
export function namesFinding(names: readonly string[], fingerprint: string): boolean {
  return names.some((name) => name.length >= SHORTEST_FINGERPRINT && fingerprint.startsWith(name));
}

/** Whether a word looks like a reference or a fingerprint, and not like a word of a language. */
const isMarked = (name: string): boolean =>
  /\d/.test(name) || /-./.test(name) || /^[0-9a-f]{8,16}$/.test(name);
