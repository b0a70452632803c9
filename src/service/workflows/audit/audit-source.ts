// Audits merchants of a source, one after the other or a few at once. One merchant that cannot be
// reached does not hold up the others: it is reported as incomplete, with what the world said.

import { type AuditReport, FIGURES, type Figures } from '../../../core/domain/finding.ts';
import type { Note, Snapshot } from '../../../core/domain/snapshot.ts';
import { shownNote } from '../../../core/kernel/reconcile/report.ts';
import { ENGLISH_WORDING } from '../../../core/words/names.ts';
import { type Source, SourceFailed } from '../../../io/sources/port/source.ts';
import { closable } from '../closable.ts';
import { judgeServed } from '../notifications/judge-served.ts';
import { type AuditOptions, auditSnapshot } from './audit-snapshot.ts';
import { comparePublished, type Published } from './compare-published.ts';

export interface AuditSourceOptions {
  /** References to audit; empty: every merchant of the source. */
  readonly merchants: readonly string[];
  readonly optionsFor: (merchant: string) => Omit<AuditOptions, 'onProgress'>;
  /**
   * Compares lines with what was read of the books before, as they pass; absent or null: nothing is
   * at hand.
   */
  readonly compared?: ((snapshot: Snapshot, isCopy: boolean) => Promise<ComparedSnapshot>) | null;
  /** Where reports and payments by link are; absent or null: nowhere. */
  readonly published?: Published | null;
  /**
   * Called when a merchant begins (with its expected number of lines) and as its lines are taken.
   */
  readonly onMerchant: (
    merchant: string,
    expectedEntries: number | null,
  ) => (entries: number) => void;
  /**
   * How many merchants at once, so that one is judged while others wait for an answer; absent: one.
   */
  readonly atOnce?: number;
}

export interface ComparedSnapshot extends Snapshot {
  /**
   * Once the books are concluded: why the lines were not compared; absent or null: they were, or
   * there is nothing to compare with.
   */
  readonly notCompared?: () => Note | null;
}

/**
 * Reports in the order of the references. Throws `SourceFailed` when the source itself cannot be
 * opened.
 */
export async function auditSource(
  source: Source,
  options: AuditSourceOptions,
): Promise<readonly AuditReport[]> {
  const merchants = await merchantsAsked(source, options.merchants);
  return auditEach(merchants, options, (merchant, one) => auditMerchant(source, merchant, one));
}

/**
 * Reports in the order of the merchants. Of several at once only the merchants are counted. After a
 * failure none is begun.
 */
export async function auditEach(
  merchants: readonly string[],
  options: AuditSourceOptions,
  audit: (merchant: string, options: AuditSourceOptions) => Promise<AuditReport>,
): Promise<readonly AuditReport[]> {
  const places = Math.min(options.atOnce ?? 1, merchants.length);
  const each = places > 1 ? { ...options, onMerchant: () => () => {} } : options;
  const onDone = places > 1 ? options.onMerchant('merchants', merchants.length) : () => {};
  const reports: AuditReport[] = [];
  const waiting = [...merchants.entries()].reverse();
  let done = 0;
  const work = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      reports[next[0]] = await audit(next[1], each);
      onDone(++done);
    }
  };
  await Promise.all(Array.from({ length: places }, () => work().finally(() => waiting.splice(0))));
  return reports;
}

async function auditMerchant(
  source: Source,
  merchant: string,
  options: AuditSourceOptions,
): Promise<AuditReport> {
  try {
    const served = await source.open(merchant, null);
    await using snapshot = closable<ComparedSnapshot>(
      (await options.compared?.(served, source.isStateless(merchant))) ?? served,
    );
    const onProgress = options.onMerchant(merchant, snapshot.expectedEntries);
    const judging = options.optionsFor(merchant);
    const asOf = judging.cut?.end ?? judging.asOf;
    const isPast = asOf < judging.asOf;
    const compared = options.published
      ? await comparePublished(options.published, { merchant, asOf, isPast })
      : null;
    const report = await auditSnapshot(snapshot, {
      ...judging,
      onProgress,
      compared: compared?.part ?? null,
      judgeNotified: judgeServed,
    });
    const note = snapshot.notCompared?.() ?? null;
    return note === null
      ? report
      : { ...report, notChecked: [...report.notChecked, shownNote(note, ENGLISH_WORDING)] };
  } catch (failure) {
    if (failure instanceof SourceFailed)
      return unreachable(merchant, `${failure.code}: ${failure.message}`);
    throw failure;
  }
}

const NO_FIGURES = Object.fromEntries(FIGURES.map((name) => [name, null])) as Figures;

/** The report of a merchant of whom nothing could be read. */
export function unreachable(merchant: string, why: string): AuditReport {
  return {
    merchant,
    currency: null,
    verdict: 'incomplete',
    entries: 0,
    operations: 0,
    firstSequence: null,
    lastSequence: null,
    recomputed: NO_FIGURES,
    recorded: NO_FIGURES,
    unexplained: { balance: null, reserved: null },
    due: null,
    assumptions: {},
    notChecked: [
      { what: 'everything', why, incomplete: true, code: 'NOTHING_READ', figures: { reason: why } },
    ],
    findings: [],
  };
}

const MOST_NAMED = 5;

/**
 * `wanted` as it is; empty: every merchant of the source. Throws `SourceFailed` where the source
 * has not all of them.
 */
export async function merchantsAsked(
  source: Pick<Source, 'name' | 'merchants'>,
  wanted: readonly string[],
): Promise<readonly string[]> {
  const known = await source.merchants();
  const unknown = wanted.find((merchant) => !known.includes(merchant));
  if (unknown === undefined) return wanted.length > 0 ? wanted : known;
  const some = known.slice(0, MOST_NAMED).join(', ');
  throw new SourceFailed(
    'UNKNOWN_MERCHANT',
    `${source.name} has no merchant '${unknown}'; it has ${known.length}: ${some}${known.length > MOST_NAMED ? ', …' : ''}`,
  );
}
