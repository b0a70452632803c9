// Loads the decisions of people that may hold in the next run of a merchant, or in a past month:
// those about findings that are not resolved. It says whether the lines that a decision names are
// in the mirror as they were; whether the decision holds is judged elsewhere.

import { sql } from 'kysely';
import type pg from 'pg';
import type { Finding } from '../../../core/domain/finding.ts';
import { formatInstant, formatKnown, type Instant } from '../../../core/domain/instant.ts';
import type { DecidedLine, StandingDecision } from '../../../core/domain/settlement.ts';
import { askTogether } from '../../together/ask-together.ts';
import { isCurrent } from '../merchants/judged-lines.ts';
import { merchantIdOf } from '../merchants/merchants.ts';
import { anyOf, ask, build, by, prepare, type Queries, type Slots } from '../server/ask.ts';
import type { Store } from '../server/store.ts';

interface DecisionRow extends Omit<StandingDecision, 'at' | 'over' | 'linesStand'> {
  readonly merchant: string;
  readonly at: Instant;
  readonly over: Instant | null;
}

/**
 * Loads a merchant's decisions, by fingerprint; those about one finding in the order in which they
 * were taken.
 */
export const loadStandingDecisions = askTogether<string, readonly StandingDecision[], Store>(
  async (store, merchants) => {
    const { rows } = await ask(store.pool, decisionsOf({ merchants }));
    const decisions = Map.groupBy(rows, ({ merchant }) => merchant);
    return Promise.all(
      merchants.map((merchant) => withLines(store, merchant, decisions.get(merchant) ?? [])),
    );
  },
);

const decisionsOf = prepare(
  'standing decisions',
  (at: Slots<{ readonly merchants: readonly string[] }>) => {
    const words = build
      .selectFrom('merchants as m')
      .innerJoin('findings as f', 'f.merchant_id', 'm.merchant_id')
      .innerJoin('finding_decisions as d', (join) =>
        join
          .onRef('d.merchant_id', '=', 'f.merchant_id')
          .onRef('d.fingerprint', '=', 'f.fingerprint'),
      )
      .select(({ fn, ref }) => [
        'm.reference as merchant',
        'd.fingerprint',
        'd.decision_number',
        ref('d.action').$castTo<DecisionRow['action']>().as('action'),
        'd.decided_by as person',
        'd.reason',
        'd.decided_at as at',
        ref('d.terms').$castTo<DecisionRow['terms']>().as('terms'),
        fn
          .agg<Instant | null>('lead', ['d.decided_at'])
          .over((one) =>
            one.partitionBy(['d.merchant_id', 'd.fingerprint']).orderBy('d.decision_number'),
          )
          .as('over'),
      ])
      .where('f.state', '<>', sql.lit('resolved'))
      .where('m.reference', '=', anyOf('text', at('merchants')))
      .where(
        'd.action',
        'in',
        (['settle', 'accept', 'reopen', 'resolve'] as const).map((verb) => sql.lit(verb)),
      );
    return build
      .selectFrom(words.as('d'))
      .select([
        'd.merchant',
        'd.fingerprint',
        'd.action',
        'd.person',
        'd.reason',
        'd.at',
        'd.terms',
        'd.over',
      ])
      .where('d.terms', 'is not', null)
      .$call(by('d.merchant', 'd.fingerprint', 'd.decision_number'));
  },
);

/**
 * Returns the fingerprints of findings about which a person has decided since `seen` was loaded.
 * When the caller holds the lock of the merchant's head, no decision can follow.
 */
export async function loadDecidedSince(
  client: pg.ClientBase,
  merchant: string,
  seen: readonly StandingDecision[],
): Promise<ReadonlySet<string>> {
  const known = new Set(
    seen.filter(({ over }) => over === null).map(({ at, ...word }) => wordOf(word, at)),
  );
  const { rows } = await ask(client, decisionsOf({ merchants: [merchant] }));
  const newer = rows.filter(
    ({ over, at, ...word }) => over === null && !known.has(wordOf(word, formatInstant(at))),
  );
  return new Set(newer.map(({ fingerprint }) => fingerprint));
}

type Word = Pick<StandingDecision, 'fingerprint' | 'action' | 'person'>;

function wordOf({ fingerprint, action, person }: Word, at: string): string {
  return JSON.stringify([fingerprint, action, person, at]);
}

async function withLines(
  store: Store,
  merchant: string,
  rows: readonly DecisionRow[],
): Promise<readonly StandingDecision[]> {
  const sequences = new Set(
    rows.flatMap(({ terms }) => terms.lines.map(({ sequence }) => sequence)),
  );
  const lines = await loadLines(store.pool, { merchant, sequences: [...sequences] });
  return rows.map(({ merchant: _, ...row }) => ({
    ...row,
    at: formatInstant(row.at),
    over: formatKnown(row.over),
    linesStand: areIn(lines, row.terms.lines),
  }));
}

/**
 * Returns whether the mirror has these lines with the same content as when they were decided about,
 * and no other content under their sequences.
 */
export async function areAsTheyWere(
  queries: Queries,
  merchant: string,
  decided: readonly DecidedLine[],
): Promise<boolean> {
  return areIn(
    await loadLines(queries, { merchant, sequences: decided.map(({ sequence }) => sequence) }),
    decided,
  );
}

function areIn(
  lines: ReadonlyMap<string, readonly DecidedLine[]>,
  decided: readonly DecidedLine[],
): boolean {
  return decided.every((line) => isAsItWas(line, lines.get(line.sequence) ?? []));
}

/**
 * Loads lines: by sequence, all contents that were served under it. Contents from before the lines
 * were last read anew are left out.
 */
export async function loadLines(
  queries: Queries,
  wanted: { readonly merchant: string; readonly sequences: readonly string[] },
): Promise<ReadonlyMap<string, readonly DecidedLine[]>> {
  if (wanted.sequences.length === 0) return new Map();
  const load = build
    .selectFrom('entries as e')
    .innerJoin('merchant_heads as h', 'h.merchant_id', 'e.merchant_id')
    .select(({ cast }) => [
      cast<string>('e.sequence', 'text').as('sequence'),
      'e.kind',
      'e.direction',
      cast<string>('e.amount', 'text').as('amount'),
      'e.created_at as at',
    ])
    .where('e.merchant_id', '=', merchantIdOf(wanted.merchant))
    .where('e.sequence', '=', anyOf('bigint', wanted.sequences.map(Number)))
    .where(isCurrent('h', 'e'))
    .$call(by('e.sequence', 'e.variant'));
  const { rows } = await ask(queries, load);
  return Map.groupBy(
    rows.map((row) => ({ ...row, at: formatInstant(row.at) })),
    ({ sequence }) => sequence,
  );
}

/**
 * Loads the roots of a merchant that lines have settled or partly corrected. `settling` holds the
 * sequences of the lines that settle a root, as the last run counted them and as people have named
 * them since. `leaving` holds the sequences of the lines that correct a root only in part. When the
 * caller holds the lock of the merchant's head, no further line can be used up meanwhile.
 */
export async function loadUsedLines(queries: Queries, merchant: string) {
  const load = build
    .selectFrom('findings as f')
    .select(({ ref, selectFrom }) => [
      'f.state',
      ref('f.content').$castTo<Finding>().as('finding'),
      selectFrom('finding_decisions as d')
        .select(({ ref: of }) => of('d.terms').$castTo<DecisionRow['terms'] | null>().as('terms'))
        .whereRef('d.merchant_id', '=', 'f.merchant_id')
        .whereRef('d.fingerprint', '=', 'f.fingerprint')
        .where('d.action', '=', sql.lit('settle'))
        .orderBy('d.decision_number', 'desc')
        .limit(1)
        .as('terms'),
    ])
    .where('f.merchant_id', '=', merchantIdOf(merchant))
    .where('f.state', '<>', sql.lit('resolved'))
    .where(
      sql<boolean>`(f.state = 'settled' or f.content @> '{"itemParts": [{"of": "corrected"}]}')`,
    )
    .$call(by('f.fingerprint'));
  return (await ask(queries, load)).rows.map(
    ({ state, finding: { fingerprint, kind, settledBy, itemParts }, terms }) => {
      const settling = [
        ...(settledBy?.lines ?? []),
        ...(terms?.lines ?? []).map(({ sequence }) => sequence),
      ];
      const leaving = itemParts.flatMap(({ of, sequence }) =>
        of === 'corrected' ? (sequence ?? []) : [],
      );
      return { fingerprint, kind, settling: state === 'settled' ? settling : [], leaving };
    },
  );
}

function isAsItWas(line: DecidedLine, served: readonly DecidedLine[]): boolean {
  const [only, ...others] = served;
  if (only === undefined || others.length > 0) return false;
  return (['kind', 'direction', 'amount', 'at'] as const).every(
    (field) => only[field] === line[field],
  );
}
