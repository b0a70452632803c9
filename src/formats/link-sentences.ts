// What is said of a statement's payments by link around their tables, in every form that people read: which population they are,
// what the service's own report says of them, and what was kept of its file.

import type { LinkSection } from '../statements/service/link-section.ts';
import { isSizeAsStated, type ServiceDocument } from '../statements/service/service-document.ts';
import type { FindingSpeech } from '../words/finding.ts';
import { fill } from '../words/message.ts';
import { wordReason } from '../words/not-checked.ts';
import type { Labels } from '../words/tree.ts';

interface Said {
  /** What a reader has to act on. */
  readonly isAlert: boolean;
  readonly text: string;
}

type LinkWords = Labels['links'];

export function linkNote({ summary }: LinkSection, said: LinkWords, speech: FindingSpeech): string {
  const { PENDING: pending, FAILED: failed, SUCCESS: succeeded } = summary.byStatus;
  return fill(said.note, { currency: summary.currency, pending, failed, succeeded }, speech);
}

/** Whether the service's report agrees, and whether all payments were read. */
export function linkOutcome(
  { comparison, unread }: LinkSection,
  said: LinkWords,
  speech: FindingSpeech,
): readonly Said[] {
  const lacking = unread === 0 ? [] : [{ isAlert: true, text: fill(said.unread, { count: unread }, speech) }];
  if (comparison === null) return [...lacking, { isAlert: false, text: said.noReport }];
  const { notCompared, compared, differences, reason } = comparison;
  if (notCompared !== null) {
    const why = wordReason(speech, { why: notCompared, ...reason });
    return [...lacking, { isAlert: false, text: fill(said.notCompared, { why }) }];
  }
  const counts = { compared, differences: differences.length };
  return [...lacking, { isAlert: differences.length > 0, text: fill(said.compared, counts, speech) }];
}

export function documentSentences(
  document: ServiceDocument | null,
  said: LinkWords,
  speech: FindingSpeech,
): readonly Said[] {
  if (document === null) return [];
  const { kept, notKept, statedSize, reportId } = document;
  const name = document.fileName ?? reportId;
  if (kept === null) {
    const why = notKept === null ? '' : wordReason(speech, notKept);
    return [{ isAlert: false, text: fill(said.notKept, { name, why }) }];
  }
  const { size, sha256 } = kept;
  const sentence = { isAlert: false, text: fill(said.kept, { name, size, sha256 }, speech) };
  if (isSizeAsStated(document)) return [sentence];
  return [sentence, { isAlert: true, text: fill(said.sizeDiffers, { stated: statedSize!, size }, speech) }];
}
