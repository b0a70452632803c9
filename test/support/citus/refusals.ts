// What Citus refuses of a resolved statement, by the steps of its planner. A statement about one
// merchant goes to the merchant's node as it is. Of any other, subqueries that cannot go to the
// nodes are gathered first, each as a statement of its own, and what is left must be joined by
// merchant. The reasons are in Citus' own words, by which its source can be searched
// (src/backend/distributed/planner). Compared with Citus 13.2.2 on the statements of the tests.
//
// Lets through what it cannot tell: calls behind operators, casts and column defaults; calls of a
// name that has an immutable function with as many arguments; two parameters that name different
// merchants; and what a node refuses when it runs its part.

import {
  type Change,
  type Column,
  type Join,
  type Query,
  type Source,
  sourcesOf,
} from './query.ts';

const KEY = 'merchant_id';

const REFUSALS = {
  keys: 'complex joins are only supported when all distributed tables are co-located and joined on their distribution columns',
  local: 'direct joins between distributed and local tables are not supported',
  locks: 'could not run distributed query with FOR UPDATE/SHARE commands',
  recursive:
    'recursive CTEs are only supported when they contain a filter on the distribution column',
  outerWith: 'CTEs that refer to other subqueries are not supported in multi-shard queries',
  reference:
    'correlated subqueries are not supported when the FROM clause contains a reference table',
  gathered:
    'correlated subqueries are not supported when the FROM clause contains a CTE or subquery',
  lateral:
    'cannot push down this subquery: its limit, aggregate or group refers to a reference table or a gathered subquery',
  outerLateral:
    'cannot perform a lateral outer join when a distributed subquery references a reference table',
  partition: 'modifying the partition value of rows is not allowed',
  values: 'subqueries are not supported within INSERT queries',
  stable: 'STABLE functions used in UPDATE queries cannot be called with column references',
  volatile: 'functions used in UPDATE queries on distributed tables must not be VOLATILE',
  conditional: 'non-IMMUTABLE functions are not allowed in CASE or COALESCE statements',
  returning: 'non-IMMUTABLE functions are not allowed in the RETURNING clause',
  conflict:
    'functions used in the ON CONFLICT clause of INSERTs on distributed tables must be marked IMMUTABLE',
  sets: 'could not run distributed query with GROUPING SETS, CUBE, or ROLLUP',
  limit: 'subquery in LIMIT is not supported in multi-shard queries',
  union: 'cannot push down this subquery: a part of a union without a distributed table',
  mutable: 'only immutable functions can be used as a table expression in a multi-shard query',
  copied: 'only reference tables may be queried when targeting a reference table',
} as const;

/**
 * Returns why Citus refuses the statement; `null`: by these rules it does not. Call it once for a
 * statement, because it marks in the statement what is gathered before.
 */
export function refusalOf(statement: Query | Change): string | null {
  return 'target' in statement ? refusedChange(statement) : refusedQuery(statement);
}

function refusedChange(change: Change): string | null {
  const { kind, target, query, valuesAsk, sets } = change;
  const isCitus = target.kind === 'distributed' || target.kind === 'reference';
  if (valuesAsk && (isCitus || tablesIn(query!).some(({ kind }) => kind !== 'local')))
    return REFUSALS.values;
  if (isCitus) {
    const why = refusedCalls(change);
    if (why !== null) return why;
    if (
      target.kind === 'distributed' &&
      sets.some((set) => set.column === KEY && !staysBy(set, change))
    )
      return REFUSALS.partition;
  }
  const gathered = kind === 'insert' ? refusedGathered(change.gathered) : null;
  if (gathered !== null || query === null) return gathered;
  const why = refusedQuery(query, target);
  if (why !== null || kind === 'insert') return why;
  if (target.kind === 'reference' && tablesIn(query).some(isDistributed)) return REFUSALS.copied;
  if (isHeldToOne(query)) return null;
  const choices = [...query.conditions, ...query.selected].filter(
    ({ isConditional }) => isConditional,
  );
  return choices.some(({ kind: one }) => one === 'result') ? REFUSALS.conditional : null;
}

/**
 * Whether a row stays with its merchant: the key that is set is the row's own, or must be equal to
 * it.
 */
function staysBy({ to, onConflict }: Change['sets'][number], { target, query }: Change): boolean {
  if (to === null || to.name !== KEY) return false;
  if (onConflict || to.source === target) return true;
  const keys = equalKeys(query!);
  return keys.find(keyOf(to.source)) === keys.find(keyOf(target));
}

function refusedCalls({ kind, calls }: Change): string | null {
  const told = (why: string, name: string) => `${why} (${name})`;
  for (const { name, volatility, place, ofColumns, isConditional } of calls) {
    if (place === 'conflict') return told(REFUSALS.conflict, name);
    if (place === 'returning') return told(REFUSALS.returning, name);
    if (kind === 'insert') continue;
    if (volatility === 'volatile') return told(REFUSALS.volatile, name);
    if (place === 'subquery') continue;
    if (isConditional) return told(REFUSALS.conditional, name);
    if (ofColumns) return told(REFUSALS.stable, name);
  }
  return null;
}

/**
 * Returns why a query is refused. `target` is the table that a change writes, which is also one of
 * the query's own sources.
 */
function refusedQuery(query: Query, target: Source | null = null): string | null {
  if (!tablesIn(query).some(isDistributed)) return refusedGathered(query.gathered);
  if (isOneMerchants(query)) return refusedGathered(query.gathered);
  return gather(query, query, target) ?? refusedRest(query);
}

function refusedGathered(gathered: readonly (Query | Change)[]): string | null {
  return firstRefusal(gathered.map((one) => () => refusalOf(one)));
}

/**
 * Whether every distributed table in the query is held to one merchant, and no table of the
 * coordinator is in it.
 */
function isOneMerchants(query: Query): boolean {
  if (query.gathered.some((one) => 'target' in one && one.kind === 'insert')) return false;
  const queries = [query, ...query.gathered.map((one) => ('target' in one ? one.query! : one))];
  return queries.every(
    (one) => isHeldToOne(one) && tablesIn(one).every(({ kind }) => kind !== 'local'),
  );
}

function isHeldToOne(query: Query): boolean {
  const keys = equalKeys(query);
  const constant = keys.find('constant');
  return tablesIn(query)
    .filter(isDistributed)
    .every((table) => keys.find(keyOf(table)) === constant);
}

/**
 * Gathers first what cannot go to the nodes, from the innermost query on. `whole` is the statement,
 * or a query that is gathered as one.
 */
function gather(query: Query, whole: Query, target: Source | null): string | null {
  if (query.gathered.length > 0) {
    if (query.isRecursive) return REFUSALS.recursive;
    if (query.gathered.some((one) => !('target' in one) && one.outside.size > 0))
      return REFUSALS.outerWith;
    const why = refusedGathered(query.gathered);
    if (why !== null) return why;
  }
  const waiting = [...subqueriesIn(query)];
  for (const one of waiting) {
    const why = gather(one.query!, whole, null);
    if (why !== null) return why;
    if (!mayGoToNodes(one.query!, whole)) {
      const refused = gatherFirst(one);
      if (refused !== null) return refused;
    }
  }
  if (
    query.leaves.length > 0 &&
    (query === whole || !isUnionOnNodes(query) || !isUnionByMerchant(query))
  ) {
    return firstRefusal(query.leaves.map((leaf) => () => gatherFirst(leaf)));
  }
  return (
    gatherUnequal(query, whole) ??
    gatherLocal(query, target) ??
    firstRefusal(query.joins.map((join) => () => gatherOuter(join))) ??
    gatherAsked(query)
  );
}

/** Gathers a subquery first. One that refers to a source outside of it stays where it is. */
function gatherFirst(source: Source): string | null {
  const query = source.query!;
  if (source.kind !== 'subquery' || query.outside.size > 0) return null;
  source.kind = 'result';
  return refusedQuery(query);
}

function mayGoToNodes(query: Query, whole: Query): boolean {
  if (tablesIn(query).some(({ kind }) => kind === 'local')) return false;
  if (query.locksRows || query.hasGroupingSets || query.gathered.length > 0) return false;
  if (query.sources.length === 1 && query.sources[0]!.isMutable) return false;
  if (query.outside.size === 0 && needsMerge(query)) return false;
  if (asksBesideCopies(query)) return false;
  return areKeysEqual(whole) || areKeysEqual(query);
}

/** Whether rows of several nodes must come together for the query. */
function needsMerge(query: Query): boolean {
  const byKey = (columns: readonly (Column | null)[]) =>
    columns.some((column) => column !== null && isKey(column.source, column.name));
  if (query.hasLimit) return true;
  if (query.groupBy === null ? query.hasAggregate : !byKey(query.groupBy)) return true;
  if (query.distinctBy !== null && !byKey(query.distinctBy)) return true;
  return query.windows.some((columns) => !byKey(columns));
}

function isKey(source: Source, name: string): boolean {
  if (source.kind === 'distributed') return name === KEY;
  if (source.kind !== 'subquery') return false;
  return columnsBelow(source, name).some((column) => isKey(column.source, column.name));
}

/** Whether there are subqueries beside a FROM clause that has no distributed table in it. */
function asksBesideCopies(query: Query): boolean {
  return (
    query.conditions.length + query.selected.length > 0 &&
    query.leaves.length === 0 &&
    !query.sources.some(hasDistributed)
  );
}

function isUnionByMerchant(query: Query): boolean {
  const columns = query.leaves.map((leaf) =>
    leaf.query!.output.findIndex(
      ({ column }) => column !== null && isKey(column.source, column.name),
    ),
  );
  return columns.every((place) => place >= 0 && place === columns[0]);
}

function gatherUnequal(query: Query, whole: Query): string | null {
  if (subqueriesIn(query).length === 0 || query.sources.some(({ kind }) => kind === 'local'))
    return null;
  if (areKeysEqual(whole) || areKeysEqual(query)) return null;
  const anchor =
    query.sources.find(({ kind }) => kind === 'distributed') ?? query.sources.find(hasDistributed);
  if (anchor === undefined) return null;
  const keys = equalKeys(query);
  const together = new Set(
    [anchor, ...(anchor.kind === 'subquery' ? tablesIn(anchor.query!) : [])]
      .filter(isDistributed)
      .map((one) => keys.find(keyOf(one))),
  );
  for (const one of subqueriesIn(query).filter(
    (source) => source !== anchor && !query.selected.includes(source),
  )) {
    if (
      tablesIn(one.query!)
        .filter(isDistributed)
        .every((table) => together.has(keys.find(keyOf(table))))
    )
      continue;
    const why = gatherFirst(one);
    if (why !== null) return why;
  }
  return null;
}

/**
 * Gathers tables of the coordinator first where they stand beside others. Where such a table is
 * changed, the others are gathered.
 */
function gatherLocal(query: Query, target: Source | null): string | null {
  const isMixed =
    query.sources.some(({ kind }) => kind === 'local') &&
    query.sources.some((one) => one.kind === 'reference' || hasDistributed(one));
  if (!isMixed) return null;
  const wanted = target?.kind === 'local' ? 'distributed' : 'local';
  for (const source of query.sources) if (source.kind === wanted) source.kind = 'result';
  return null;
}

/** Gathers what is joined to the outer side of rows that are the same on every node. */
function gatherOuter(join: Join): string | null {
  if ('source' in join) return null;
  const { left, right, outer } = join;
  const why = gatherOuter(left) ?? gatherOuter(right);
  if (why !== null || outer === null) return why;
  const [same, other] = outer === 'right' ? [right, left] : [left, right];
  const sides =
    outer === 'full'
      ? ([
          [left, right],
          [right, left],
        ] as const)
      : ([[same, other]] as const);
  for (const [beside, inner] of sides) {
    if (sourcesOf(beside).some(hasDistributed)) continue;
    for (const source of sourcesOf(inner).filter(hasDistributed)) {
      if (source.kind === 'distributed') source.kind = 'result';
      else if (source.query!.outside.size > 0) return REFUSALS.outerLateral;
      else {
        const refused = gatherFirst(source);
        if (refused !== null) return refused;
      }
    }
  }
  return null;
}

/** Gathers subqueries beside a FROM clause that has no distributed table in it. */
function gatherAsked(query: Query): string | null {
  if (query.sources.some(hasDistributed) || query.leaves.length > 0) return null;
  const asked = [...query.conditions, ...query.selected].filter(
    (one) => one.kind === 'subquery' && tablesIn(one.query!).some(({ kind }) => kind !== 'local'),
  );
  return firstRefusal(asked.map((one) => () => gatherFirst(one)));
}

function refusedRest(query: Query): string | null {
  const tables = tablesIn(query);
  if (!tables.some(isDistributed)) return null;
  if (isHeldToOne(query) && tables.every(({ kind }) => kind !== 'local')) return null;
  if (query.locksRows) return REFUSALS.locks;
  if (query.hasGroupingSets) return REFUSALS.sets;
  if (query.asksForLimit) return REFUSALS.limit;
  if (tables.some(({ kind }) => kind === 'local')) return REFUSALS.local;
  const besideCopies = refusedBesideCopies(query);
  if (besideCopies !== null) return besideCopies;
  if (!areKeysEqual(query, isPlain(query))) return REFUSALS.keys;
  return refusedWithin(query);
}

function refusedBesideCopies(query: Query): string | null {
  const asked = [...query.conditions, ...query.selected];
  const isRefused = !query.sources.some(hasDistributed) && asked.some(hasDistributed);
  if (!isRefused) return null;
  return query.sources.some(({ kind }) => kind === 'reference')
    ? REFUSALS.reference
    : REFUSALS.gathered;
}

function refusedWithin(query: Query): string | null {
  for (const source of query.sources.filter(({ kind }) => kind === 'subquery')) {
    const { outside } = source.query!;
    const beside = [...outside].filter((one) => query.sources.includes(one));
    if (
      hasDistributed(source) &&
      beside.length > 0 &&
      !beside.some(hasDistributed) &&
      needsMerge(source.query!)
    )
      return REFUSALS.lateral;
  }
  for (const { query: inner } of subqueriesIn(query)) {
    if (inner!.locksRows) return REFUSALS.locks;
    if (inner!.hasGroupingSets) return REFUSALS.sets;
    if (inner!.leaves.some(hasDistributed) && !isUnionOnNodes(inner!)) return REFUSALS.union;
    if (inner!.sources.length === 1 && inner!.sources[0]!.isMutable) return REFUSALS.mutable;
    if (inner!.leaves.length === 0 && asksBesideCopies(inner!)) {
      return inner!.sources.some(({ kind }) => kind === 'reference')
        ? REFUSALS.reference
        : REFUSALS.gathered;
    }
    const why = refusedWithin(inner!);
    if (why !== null) return why;
  }
  return null;
}

/** Whether each query of a union reads a distributed table. */
function isUnionOnNodes({ isUnion, leaves }: Query): boolean {
  const isOnNodes = ({ kind, query }: Source): boolean =>
    kind === 'subquery' &&
    (query!.leaves.length > 0 ? isUnionOnNodes(query!) : query!.sources.some(hasDistributed));
  return isUnion && leaves.every(isOnNodes);
}

function firstRefusal(steps: readonly (() => string | null)[]): string | null {
  for (const step of steps) {
    const why = step();
    if (why !== null) return why;
  }
  return null;
}

function isDistributed({ kind }: Source): boolean {
  return kind === 'distributed';
}

function hasDistributed(source: Source): boolean {
  return (
    source.kind === 'distributed' ||
    (source.kind === 'subquery' && tablesIn(source.query!).some(isDistributed))
  );
}

/** Returns the subqueries that are not gathered before. */
function subqueriesIn({ sources, conditions, selected, leaves }: Query): readonly Source[] {
  return [...sources, ...conditions, ...selected, ...leaves].filter(
    ({ kind }) => kind === 'subquery',
  );
}

/** Returns the tables of the query and of all subqueries that are not gathered before. */
function tablesIn(query: Query): readonly Source[] {
  const own = query.sources.filter(
    ({ kind }) => kind === 'distributed' || kind === 'reference' || kind === 'local',
  );
  return [...own, ...subqueriesIn(query).flatMap((one) => tablesIn(one.query!))];
}

function areKeysEqual(query: Query, inSoManyWords = false): boolean {
  const tables = tablesIn(query).filter(isDistributed);
  if (tables.length < 2) return true;
  const keys = equalKeys(query, inSoManyWords);
  return new Set(tables.map((table) => keys.find(keyOf(table)))).size === 1;
}

function keyOf({ id }: Source): string {
  return `${id}.${KEY}`;
}

interface Classes {
  find(name: string): string;
}

/**
 * Returns the classes of columns that must be equal, also through subqueries. Two tables are also
 * joined by merchant where both are joined to a third source that is not distributed; but not in a
 * query of plain joins, in an outer join, or where a subquery refers to the third source from
 * within.
 */
function equalKeys(query: Query, inSoManyWords = false): Classes {
  const parents = new Map<string, string>();
  const find = (name: string): string => {
    const parent = parents.get(name);
    return parent === undefined ? name : find(parent);
  };
  const join = (a: string, b: string) => {
    const [one, other] = [find(a), find(b)];
    if (one !== other) parents.set(one, other);
  };
  const visit = (at: Query, within: ReadonlySet<Source>): void => {
    for (const both of [...at.equal, ...at.equalOrNone]) {
      const transits = !inSoManyWords && at.equal.includes(both);
      const counts = both.every(
        (one) => one === 'constant' || (transits && within.has(one.source)) || isOfDistributed(one),
      );
      if (counts) join(nameOf(both[0]), nameOf(both[1]));
    }
    for (const source of subqueriesIn(at)) {
      for (const name of source.columns ?? []) {
        for (const column of columnsBelow(source, name))
          join(`${source.id}.${name}`, nameOf(column));
      }
      visit(source.query!, source.isPulledUp ? within : sourcesWithin(source.query!));
    }
  };
  visit(query, sourcesWithin(query));
  return { find };
}

/**
 * Whether the query only joins tables. Another planner of Citus takes such a query, which wants
 * each table's key named in the query itself.
 */
function isPlain({ sources, conditions, selected, hasOuterJoin }: Query): boolean {
  const isTable = ({ kind, isPulledUp, query }: Source): boolean =>
    kind === 'distributed' ||
    kind === 'reference' ||
    (kind === 'subquery' && isPulledUp && isPlain(query!));
  return !hasOuterJoin && conditions.length + selected.length === 0 && sources.every(isTable);
}

/** Returns the sources that PostgreSQL plans together. */
function sourcesWithin(query: Query): ReadonlySet<Source> {
  const pulledUp = subqueriesIn(query).filter((source) => source.isPulledUp);
  return new Set([
    ...query.sources,
    ...query.conditions,
    ...pulledUp.flatMap((one) => [...sourcesWithin(one.query!)]),
  ]);
}

function isOfDistributed({ source, name }: Column): boolean {
  if (source.kind !== 'subquery') return source.kind === 'distributed';
  return columnsBelow(source, name).some(isOfDistributed);
}

function nameOf(column: Query['equal'][number][0]): string {
  return column === 'constant' ? column : `${column.source.id}.${column.name}`;
}

/** Returns the columns of a subquery's own sources that one of its columns stands for. */
function columnsBelow(source: Source, name: string): readonly Column[] {
  const query = source.query!;
  const place = source.columns?.indexOf(name) ?? -1;
  if (place < 0) return [];
  if (query.leaves.length === 0) {
    const column = query.output[place]?.column ?? null;
    return column === null ? [] : [column];
  }
  return query.leaves
    .filter(({ kind }) => kind === 'subquery')
    .flatMap((leaf) => {
      const own = leaf.query!.output[place];
      return own === undefined ? [] : [{ source: leaf, name: own.name }];
    });
}
