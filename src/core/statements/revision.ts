// Revisions: an issued month is frozen. When it is stated again without a change, it stays the same
// revision. With a change it becomes the next revision, which says what changed.

import type { Instant } from '../domain/instant.ts';
import type { ChainMark } from '../domain/snapshot.ts';
import { answerableOf, type LinkSection } from './comparison.ts';
import type { StatementContent } from './integrity.ts';
import type { BooksBefore } from './journal.ts';
import type { Language, Statement, StatementChange, StatementRevision } from './statement.ts';
import type { PeriodFigures, StatementSummary } from './summary.ts';

/** What is kept of a statement that was issued. */
export type IssuedStatement = Pick<
  Statement,
  'revision' | 'generatedAt' | 'integrity' | 'summary' | 'paymentsByLink'
> & {
  /**
   * Sentences about its verdict and its payments by link, for mails. Absent in statements issued
   * before these were kept.
   */
  readonly reasons?: Readonly<Record<Language, readonly string[]>>;
  /** What the merchant has to do, one sentence each; absent as `reasons`. */
  readonly toDo?: Readonly<Record<Language, readonly string[]>>;
  /** The chain mark as the statement printed it; absent where it printed none. */
  readonly chain?: ChainMark;
  /** The figures that later periods are compared with; absent as `reasons`. */
  readonly figures?: PeriodFigures;
  /**
   * Page of the mirror up to which the rows of the statement were learned. Absent when it was
   * stated from other books, or before this was kept.
   */
  readonly learnedUntil?: number;
  /** Version of the program by which it was judged; absent as `learnedUntil`. */
  readonly engine?: string;
  /** What the month leaves in the books; absent in statements issued before this was kept. */
  readonly books?: BooksBefore;
  /** Fingerprints of the roots that were open and broke the month; absent as `reasons`. */
  readonly openRoots?: readonly string[];
};

export function reviseStatement(
  now: {
    readonly contentHash: string;
    readonly summary: Omit<StatementSummary, 'revision'>;
    readonly paymentsByLink: LinkSection | null;
    readonly generatedAt: Instant;
  },
  issued: IssuedStatement | null,
): { readonly revision: StatementRevision; readonly generatedAt: Instant } {
  const { contentHash, generatedAt } = now;
  if (issued === null)
    return { revision: { number: 1, previous: null, changes: [], entries: null }, generatedAt };
  if (issued.integrity.contentHash === contentHash) {
    return { revision: issued.revision, generatedAt: issued.generatedAt };
  }
  const { number } = issued.revision;
  const { contentHash: before, documentHash } = issued.integrity;
  const previous = { number, generatedAt: issued.generatedAt, contentHash: before, documentHash };
  const changes = changesOf(answered(issued), answered(now));
  return { revision: { number: number + 1, previous, changes, entries: null }, generatedAt };
}

/** Returns all figures that a month is answerable for. */
function answered({
  summary,
  paymentsByLink,
}: Pick<StatementContent, 'summary' | 'paymentsByLink'>): object {
  return { ...summary, paymentsByLink: answerableOf(paymentsByLink) ?? {} };
}

/**
 * Returns the figures that differ, in the order of the summary. Where the whole summary is the
 * same, it returns `lines` if the chain differs, and otherwise `details`.
 */
function changesOf(before: object, after: object): readonly StatementChange[] {
  const [old, now] = [new Map(figuresIn(before)), new Map(figuresIn(after))];
  const figures = [...new Set([...old.keys(), ...now.keys()])];
  const changes = figures
    .filter(
      (figure) =>
        old.get(figure) !== now.get(figure) && figure !== 'revision' && figure !== 'chainHead',
    )
    .map((figure) => ({ figure, before: old.get(figure) ?? null, after: now.get(figure) ?? null }));
  if (changes.length > 0) return changes;
  const chain = { before: old.get('chainHead') ?? null, after: now.get('chainHead') ?? null };
  return [
    chain.before === chain.after
      ? { figure: 'details', before: null, after: null }
      : { figure: 'lines', ...chain },
  ];
}

/**
 * Returns the leaves of a summary: `byOperator.ORANGE.amount` → `120000`. The rows of a list are
 * named by their first field, and a list of texts is one leaf.
 */
export function figuresIn(value: object, path = ''): readonly (readonly [string, string | null])[] {
  return Object.entries(value).flatMap(
    ([key, inner]): readonly (readonly [string, string | null])[] => {
      if (Array.isArray(inner) && inner.every((one) => typeof one === 'string')) {
        return inner.length === 0 ? [] : [[`${path}${key}`, inner.join(', ')]];
      }
      if (Array.isArray(inner)) {
        return (inner as readonly object[]).flatMap((row) => {
          const [[, name], ...fields] = Object.entries(row) as [
            [string, unknown],
            ...[string, unknown][],
          ];
          return figuresIn(Object.fromEntries(fields), `${path}${key}.${String(name)}.`);
        });
      }
      if (typeof inner === 'object' && inner !== null) return figuresIn(inner, `${path}${key}.`);
      return [[`${path}${key}`, inner === null ? null : String(inner)]];
    },
  );
}

/**
 * Figures that depend on how the month was judged, not only on its lines and on what is configured.
 */
const JUDGED = /^(verdict|findings|due|inTransit|ahead|toJustify|control)/;

/**
 * Returns whether the revision changes only how the month is judged. Such a revision must not be
 * issued unless there is news of the month.
 */
export function isJudgementAlone({ changes }: StatementRevision): boolean {
  return changes.length > 0 && changes.every(({ figure }) => JUDGED.test(figure));
}
