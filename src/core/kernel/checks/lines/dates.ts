// Dates of lines, compared with the lines around them. The sequence is the order of a ledger: a
// line that is dated more than a day later than the lines after it, or more than a day earlier than
// those before it, has an impossible date. Small steps back are lawful, and so is any quiet time.
// Keeps 40 lines at most.

import type { Finding, FindingDraft } from '../../../domain/finding.ts';
import { DAY, formatInstant, type Instant, parseInstant } from '../../../domain/instant.ts';
import type { LedgerEntry } from '../../../domain/ledger-entry.ts';
import type { MovedLine } from '../../../domain/period.ts';
import { countFirst } from '../../../domain/value-in.ts';
import { draftOf, lineEvidence, operationEvidence } from '../port/check.ts';

type DatedLine = Pick<LedgerEntry, 'sequence' | 'operationReference' | 'createdAt'>;

/** What this check remembers from line to line. Plain data that a checkpoint can carry. */
export interface DatesSeen {
  /** `createdAt` of the last line whose date fits the lines around it; `null` before the first. */
  level: Instant | null;
  /** Lines whose dates cannot be judged before the next lines are known, in ascending sequence. */
  doubted: DatedLine[];
}

/**
 * The part of the books that this file writes. The finding of a line is added to `lineDrafts` some
 * lines later, because later lines decide on its date.
 */
export interface DatedBooks {
  readonly dates: DatesSeen;
  readonly lineDrafts: FindingDraft[];
}

export interface DateBounds {
  /**
   * An earlier date is impossible even where the lines around it agree. Clock tolerance is
   * included.
   */
  readonly earliest: Instant;
  /**
   * A later date is impossible even where the lines around it agree. Clock tolerance is included.
   */
  readonly latest: Instant;
}

/** Up to this many wrong dates in a row are outweighed by the lines around them. */
const MOST_WRONG = 20;

export function beginDates(): DatesSeen {
  return { level: null, doubted: [] };
}

/** Takes the next line. Call for every line, in ascending sequence. */
export function noteDate(
  books: DatedBooks,
  entry: DatedLine,
  { earliest, latest }: DateBounds,
): void {
  const { createdAt } = entry;
  const { level, doubted } = books.dates;
  const isNear = level !== null && Math.abs(createdAt - level) <= DAY;
  if (!isNear || doubted.length > 0 || createdAt < earliest || createdAt > latest)
    doubt(books, entry, { earliest, latest });
  else books.dates.level = createdAt;
}

/**
 * Puts the line among the doubted ones. A function of its own, so that `noteDate` allocates nothing
 * for the lines that are not doubted.
 */
function doubt(
  books: DatedBooks,
  { sequence, operationReference, createdAt }: DatedLine,
  bounds: DateBounds,
): void {
  const { doubted } = books.dates;
  doubted.push({ sequence, operationReference, createdAt });
  if (doubted.length < 2 * MOST_WRONG) return;
  const isCalm = doubted.every(
    ({ createdAt: at }, i) => i < MOST_WRONG || Math.abs(at - doubted[i - 1]!.createdAt) <= DAY,
  );
  decide(books, isCalm ? doubted.length : MOST_WRONG, bounds);
}

/** Decides on the lines that are still doubted. Call once, at the end of the ledger. */
export function finishDates(books: DatedBooks, bounds: DateBounds): void {
  decide(books, books.dates.doubted.length, bounds);
}

/** Decides on the first `count` of the doubted lines. All doubted lines count as evidence. */
function decide({ dates: seen, lineDrafts }: DatedBooks, count: number, bounds: DateBounds): void {
  const { doubted } = seen;
  const { inStep, disputed } = linesInStep(seen, bounds);
  const isLawful = (at: Instant): boolean => at >= bounds.earliest && at <= bounds.latest;
  const isGood = (line: DatedLine): boolean => inStep.has(line) && isLawful(line.createdAt);
  let before = seen.level !== null && isLawful(seen.level) ? seen.level : null;
  doubted.slice(0, count).forEach((line, i) => {
    const isInStep = inStep.has(line);
    // It is not known which side of the step is wrong, so no line gets another date.
    const isUnsure =
      disputed.has(line) || (isInStep && line.createdAt < (seen.level ?? line.createdAt) - DAY);
    const after = doubted.slice(i + 1).find(isGood)?.createdAt ?? null;
    if (isUnsure)
      lineDrafts.push(draftFor(line, { before: null, after }, { isInStep: false, bounds }));
    else if (!isGood(line)) {
      lineDrafts.push(draftFor(line, { before: before ?? after, after }, { isInStep, bounds }));
    }
    if (isGood(line)) before = line.createdAt;
    if (isInStep) seen.level = line.createdAt;
  });
  seen.doubted = doubted.slice(count);
}

/** Lines in step with each other, from `line` back to the first, with the weight of all of them. */
interface Chain {
  readonly line: DatedLine | null;
  readonly before: Chain | null;
  readonly at: Instant;
  readonly weight: number;
}

/**
 * Returns the largest set of doubted lines in which no line is dated more than a day before its
 * predecessor. Of several sets of one size, the one with the earlier lines is `inStep`, and the
 * lines of the others are `disputed`. In both sets `null` means the line at `level`. A date out of
 * bounds weighs half a line.
 */
function linesInStep(
  { level, doubted }: DatesSeen,
  { earliest, latest }: DateBounds,
): Readonly<Record<'inStep' | 'disputed', ReadonlySet<DatedLine | null>>> {
  // The chain that starts at `level` has the weight of MOST_WRONG lines, because many lines stand
  // before it: they outweigh a chain that leaves them.
  const weightOf = (at: Instant): number => (at < earliest || at > latest ? 0.5 : 1);
  const chains: Chain[] =
    level === null ? [] : [{ line: null, before: null, at: level, weight: MOST_WRONG }];
  for (const line of doubted) {
    const at = line.createdAt;
    const own = weightOf(at);
    let chain: Chain = { line, before: null, at, weight: own };
    for (const before of chains)
      if (at >= before.at - DAY && before.weight + own > chain.weight)
        chain = { line, before, at, weight: before.weight + own };
    chains.push(chain);
  }
  const most = Math.max(0, ...chains.map(({ weight }) => weight));
  const inStep = new Set<DatedLine | null>();
  for (
    let one = chains.find(({ weight }) => weight === most) ?? null;
    one !== null;
    one = one.before
  )
    inStep.add(one.line);
  // For each chain: the weight of the lines that may follow it.
  const after: number[] = [];
  for (let i = chains.length - 1; i >= 0; i -= 1) {
    const following = chains.slice(i + 1).map(({ at }, k) => {
      return at >= chains[i]!.at - DAY ? after[i + 1 + k]! + weightOf(at) : 0;
    });
    after[i] = Math.max(0, ...following);
  }
  const disputed = chains.filter(
    ({ line, weight }, i) => !inStep.has(line) && weight + after[i]! === most,
  );
  return { inStep, disputed: new Set(disputed.map(({ line }) => line)) };
}

function draftFor(
  { sequence, operationReference, createdAt }: DatedLine,
  { before: statedAt, after }: Readonly<Record<'before' | 'after', Instant | null>>,
  { isInStep, bounds }: { readonly isInStep: boolean; readonly bounds: DateBounds },
): FindingDraft {
  const ofStep = createdAt > bounds.latest ? 'ahead' : 'step';
  const isEarly = createdAt < bounds.earliest;
  const why = isEarly && isInStep ? 'unopened' : isEarly ? 'early' : isInStep ? 'later' : ofStep;
  const [own, stated] = [createdAt, statedAt].map((at) => (at === null ? null : formatInstant(at)));
  // A line between lines of two months may belong to either: then the finding is an error.
  const months = new Set(
    [own!, stated ?? '', formatInstant(after ?? createdAt)].map((at) => at.slice(0, 7)),
  );
  const reference = operationReference === null ? [] : [operationEvidence(operationReference)];
  const figures = { sequence, createdAt: own!, statedAt: stated!, why } as const;
  return draftOf('ENTRY_TIME_IMPOSSIBLE', figures, {
    severity: months.size === 1 ? 'warning' : 'error',
    sequence,
    operationReference,
    evidence: [lineEvidence(sequence), ...reference],
    newestEvidence: why === 'step' ? (statedAt ?? createdAt) : createdAt,
    about: { amount: null, createdAt: statedAt },
  });
}

/**
 * Judges the lines that are older than the account. Up to twenty of them are wrong themselves. If
 * there are more, the account's opening date is wrong, and lines that are in step with each other
 * keep their dates. `isOfLater` tells lines behind a cut, which do not count for that number.
 */
export function judgeOpening(
  drafts: readonly FindingDraft[],
  isOfLater: (draft: FindingDraft) => boolean,
): readonly FindingDraft[] {
  const older = drafts
    .filter(({ figures }) => figures.why === 'unopened')
    .sort((a, b) => a.sequence! - b.sequence!);
  const areMany = older.filter((draft) => !isOfLater(draft)).length > MOST_WRONG;
  return drafts.map((draft) => {
    const { figures, newestEvidence: at } = draft;
    if (figures.why === 'unopened')
      return areMany ? datedAt(draft, null) : { ...draft, figures: { ...figures, why: 'early' } };
    const next =
      figures.why === 'early' && areMany
        ? countFirst(older, (one) => one.sequence! < draft.sequence!)
        : 0;
    const isAmong = next > 0 && next < older.length;
    return isAmong && at !== null ? datedAt(draft, older[next - 1]!.newestEvidence) : draft;
  });
}

function datedAt(draft: FindingDraft, at: Instant | null): FindingDraft {
  const statedAt = at === null ? null : formatInstant(at);
  const isMoved =
    statedAt !== null && statedAt.slice(0, 7) !== String(draft.figures.createdAt).slice(0, 7);
  return {
    ...draft,
    severity: isMoved ? 'error' : 'warning',
    figures: { ...draft.figures, statedAt },
    about: { amount: null, currency: null, createdAt: at ?? draft.newestEvidence },
  };
}

/** Returns the lines to which findings give another date than their own, by sequence. */
export function movedLines(
  findings: readonly Pick<Finding | FindingDraft, 'kind' | 'sequence' | 'figures'>[],
): ReadonlyMap<number, MovedLine> {
  const moved = new Map<number, MovedLine>();
  for (const { kind, sequence, figures } of findings) {
    if (kind !== 'ENTRY_TIME_IMPOSSIBLE' || typeof figures.statedAt !== 'string') continue;
    moved.set(Number(sequence), {
      createdAt: parseInstant(String(figures.createdAt))!,
      at: parseInstant(figures.statedAt)!,
    });
  }
  return moved;
}
