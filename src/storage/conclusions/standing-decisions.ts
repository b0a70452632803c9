// The decisions of people that may hold in the next run of a merchant: the last word about each finding that is not resolved.
// It says whether the lines that they name are in the mirror as they were; whether a decision holds is judged elsewhere.

import { formatInstant, type Instant } from '../../domain/instant.ts';
import type { DecidedLine, StandingDecision } from '../../domain/settlement.ts';
import { askTogether } from '../../together/ask-together.ts';
import type { Store } from '../server/store.ts';

interface DecisionRow extends Omit<StandingDecision, 'at' | 'linesStand'> {
  readonly merchant: string;
  readonly at: Instant;
}

/** By fingerprint. */
export const loadStandingDecisions = askTogether<string, readonly StandingDecision[], Store>(
  async (store, merchants) => {
    const { rows } = await store.pool.query<DecisionRow>({
      name: 'standing decisions',
      text: `select d.merchant, d.fingerprint, d.action, d.person, d.reason, d.at, d.terms
    from (
      select distinct on (m.reference, d.fingerprint) m.reference as merchant, d.fingerprint, d.action,
        d.decided_by as person, d.reason, d.decided_at as at, d.terms
      from merchants m
      join findings f on f.merchant_id = m.merchant_id and f.state <> 'resolved'
      join finding_decisions d on d.merchant_id = f.merchant_id and d.fingerprint = f.fingerprint
      where m.reference = any ($1::text[]) and d.action <> 'acknowledge'
      order by m.reference, d.fingerprint, d.decision_number desc
    ) d
    where d.terms is not null
    order by d.merchant, d.fingerprint`,
      values: [merchants],
    });
    const decisions = Map.groupBy(rows, ({ merchant }) => merchant);
    return Promise.all(merchants.map((merchant) => withLines(store, merchant, decisions.get(merchant) ?? [])));
  },
);

async function withLines(
  store: Store,
  merchant: string,
  rows: readonly DecisionRow[],
): Promise<readonly StandingDecision[]> {
  const sequences = new Set(rows.flatMap(({ terms }) => terms.lines.map(({ sequence }) => sequence)));
  const lines = await loadLines(store, { merchant, sequences: [...sequences] });
  return rows.map(({ merchant: _, ...row }) => ({
    ...row,
    at: formatInstant(row.at),
    linesStand: row.terms.lines.every((line) => isAsItWas(line, lines.get(line.sequence) ?? [])),
  }));
}

/** The lines of these numbers, each with all contents that were served under its number. */
export async function loadLines(
  store: Store,
  wanted: { readonly merchant: string; readonly sequences: readonly string[] },
): Promise<ReadonlyMap<string, readonly DecidedLine[]>> {
  if (wanted.sequences.length === 0) return new Map();
  const { rows } = await store.pool.query<Omit<DecidedLine, 'at'> & { readonly at: Instant }>(
    `select e.sequence::text as sequence, e.kind, e.direction, e.amount::text as amount, e.created_at as at
    from entries e
    where e.merchant_id = (select merchant_id from merchants where reference = $1) and e.sequence = any ($2::bigint[])
    order by e.sequence, e.variant`,
    [wanted.merchant, wanted.sequences],
  );
  return Map.groupBy(
    rows.map((row) => ({ ...row, at: formatInstant(row.at) })),
    ({ sequence }) => sequence,
  );
}

function isAsItWas(line: DecidedLine, served: readonly DecidedLine[]): boolean {
  const [only, ...others] = served;
  if (only === undefined || others.length > 0) return false;
  return (['kind', 'direction', 'amount', 'at'] as const).every((field) => only[field] === line[field]);
}
