// Revisions: a month once issued is frozen. Stated again without a change it stays the same
// revision; with one, the next, which says what changed.

import type { Instant } from '../domain/instant.ts';
import type { ChainMark } from '../domain/snapshot.ts';
import { answerableOf, type LinkSection } from './comparison.ts';
import type { StatementContent } from './integrity.ts';
import type { BooksBefore } from './journal.ts';
import type { Language, Statement, StatementChange, StatementRevision } from './statement.ts';
import type { PeriodFigures, StatementSummary } from './summary.ts';

/** What must be kept of a statement that was issued. */
export type IssuedStatement = Pick<
  Statement,
  'revision' | 'generatedAt' | 'integrity' | 'summary' | 'paymentsByLink'
> & {
  /**
   * What its verdict and its payments by link come to, in words, for mails; absent in what was
   * issued before there were any.
   */
  readonly reasons?: Readonly<Record<Language, readonly string[]>>;
  /** What the merchant has to do, a sentence each; absent as `reasons`. */
  readonly toDo?: Readonly<Record<Language, readonly string[]>>;
  /** As it printed it; absent where it printed none. */
  readonly chain?: ChainMark;
  /** What later periods are compared with; absent as `reasons`. */
  readonly figures?: PeriodFigures;
  /**
   * Of the mirror: up to which page its rows were learned; absent: it was stated of other books, or
   * before this was kept.
   */
  readonly learnedUntil?: number;
  /** By which it was judged; absent as `learnedUntil`. */
  readonly engine?: string;
  /** What it leaves in the books; absent in what was issued before this was kept. */
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

/** All figures that a month is answerable for. */
function answered({
  summary,
  paymentsByLink,
}: Pick<StatementContent, 'summary' | 'paymentsByLink'>): object {
  return { ...summary, paymentsByLink: answerableOf(paymentsByLink) ?? {} };
}

/**
 * In the order of the summary; where every figure of it is the same, the lines, or else the entries
 * of the journal.
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
 * The leaves of a summary: `byOperator.ORANGE.amount` → `120000`. Rows of a list go by their first
 * field, their name; texts as one.
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

/** What depends on how the month was judged, not only on its lines and on what is configured. */
const JUDGED = /^(verdict|findings|due|inTransit|ahead|toJustify|control)/;

/**
 * True where a revision would say nothing else than how the month is judged: without news of the
 * month, none may.
 */
export function isJudgementAlone({ changes }: StatementRevision): boolean {
  return changes.length > 0 && changes.every(({ figure }) => JUDGED.test(figure));
}
