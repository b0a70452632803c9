// Audits merchants of a source, one after the other or several at once. A merchant whose books
// cannot be read does not hold up the others: it is reported as incomplete, with the source's
// error.

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
   * Compares lines, while they pass, with those of earlier readings; absent or `null` when there
   * are none to compare with.
   */
  readonly compared?: ((snapshot: Snapshot, isCopy: boolean) => Promise<ComparedSnapshot>) | null;
  /**
   * Where reports and payments by link are read from; absent or `null` when there is no such place.
   */
  readonly published?: Published | null;
  /**
   * Called when a merchant begins, with the expected number of its lines (`null` when it is
   * unknown). The function it returns is called with the number of lines read so far.
   */
  readonly onMerchant: (
    merchant: string,
    expectedEntries: number | null,
  ) => (entries: number) => void;
  /**
   * How many merchants are audited at once, so that one is judged while others wait for an answer;
   * absent for one.
   */
  readonly atOnce?: number;
}

export interface ComparedSnapshot extends Snapshot {
  /**
   * Returns why the lines were not compared; absent or `null` when they were, or when there was
   * nothing to compare with. Must be called once the books are concluded.
   */
  readonly notCompared?: () => Note | null;
}

/**
 * Returns reports in the order of the references. Throws `SourceFailed` when the source itself
 * cannot be opened.
 */
export async function auditSource(
  source: Source,
  options: AuditSourceOptions,
): Promise<readonly AuditReport[]> {
  const merchants = await merchantsAsked(source, options.merchants);
  return auditEach(merchants, options, (merchant, one) => auditMerchant(source, merchant, one));
}

/**
 * Returns reports in the order of the merchants. With several at once, progress counts merchants in
 * place of lines. After a failure no further merchant begins.
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

/** Returns the report of a merchant whose books could not be read at all. */
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
 * Returns `wanted`, or every merchant of the source when `wanted` is empty. Throws `SourceFailed`
 * (UNKNOWN_MERCHANT) when the source does not have all of them.
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
