// A statement as PostgreSQL's own grammar reads it, with its names resolved: which tables and
// subqueries it reads, which columns must be equal, and to which tables outside of it a subquery
// refers. Refuses nothing: refusals.ts says what Citus refuses.

import { parseSync } from 'libpg-query';
import type { Catalog, Volatility } from './catalog.ts';

/** A node of the syntax tree: `{ SelectStmt: { … } }`, or the inside of one. */
export type Node = { readonly [field: string]: unknown };

/**
 * The kind of a table, or of a source that stands in the place of one. `result`: rows that were
 * gathered before, on the coordinator.
 */
export type SourceKind = TableKind | 'function' | 'values' | 'subquery' | 'result';
export type TableKind = 'distributed' | 'reference' | 'local';

export interface Source {
  readonly id: number;
  readonly alias: string;
  kind: SourceKind;
  /** Name of the table; `null`: the source is none. */
  readonly table: string | null;
  /** Names of the columns; `null`: they are not known, as those of a function's rows. */
  readonly columns: readonly string[] | null;
  readonly query: Query | null;
  /**
   * Whether the source is a subquery that PostgreSQL plans as a part of the query around it,
   * because it asks for nothing but rows.
   */
  readonly isPulledUp: boolean;
  /** Whether the subquery stands under `case` or `coalesce`. */
  readonly isConditional: boolean;
  /** Whether the source is a function's rows, which may be others another time. */
  readonly isMutable: boolean;
}

export interface Column {
  readonly source: Source;
  readonly name: string;
}

/** How the sources of a FROM clause are joined. */
export type Join =
  | { readonly source: Source }
  | { readonly left: Join; readonly right: Join; readonly outer: 'left' | 'right' | 'full' | null };

export interface Query {
  readonly sources: Source[];
  readonly joins: Join[];
  /** Subqueries in WHERE, HAVING and join conditions. */
  readonly conditions: Source[];
  /** Subqueries in the list of what is selected. */
  readonly selected: Source[];
  /**
   * Pairs of columns that must be equal for a row to count; a constant or a parameter is
   * `constant`.
   */
  readonly equal: (readonly [Column | 'constant', Column | 'constant'])[];
  /**
   * Pairs of columns in conditions of outer joins: a row counts also where there is none on the
   * other side.
   */
  readonly equalOrNone: (readonly [Column | 'constant', Column | 'constant'])[];
  /** What is selected; `column` is null where this is something else than a plain column. */
  output: { readonly name: string; readonly column: Column | null }[];
  /** With-queries that are gathered before the query itself. */
  readonly gathered: (Query | Change)[];
  /** The queries of a union or another set operation. */
  leaves: readonly Source[];
  isUnion: boolean;
  /** Sources of queries around this one that this query refers to. */
  readonly outside: Set<Source>;
  hasLimit: boolean;
  /** Whether the limit is the result of a subquery. */
  asksForLimit: boolean;
  hasGroupingSets: boolean;
  hasOuterJoin: boolean;
  hasAggregate: boolean;
  isRecursive: boolean;
  locksRows: boolean;
  groupBy: readonly (Column | null)[] | null;
  /** The columns of `distinct on`; of `distinct` alone, all that are selected; `null`: neither. */
  distinctBy: readonly (Column | null)[] | null;
  /** The columns that each window is partitioned by. */
  readonly windows: (readonly (Column | null)[])[];
}

/** An insert, update or delete. */
export interface Change {
  readonly kind: 'insert' | 'update' | 'delete';
  readonly target: Source;
  /**
   * For an update or a delete, the query whose sources include the target; for an insert, the query
   * of the rows that it adds.
   */
  readonly query: Query | null;
  /** For an insert of values: whether these ask a subquery. */
  readonly valuesAsk: boolean;
  readonly calls: readonly Call[];
  /** What each column is set to. */
  readonly sets: readonly {
    readonly column: string;
    readonly to: Column | null;
    readonly onConflict: boolean;
  }[];
  readonly gathered: readonly (Query | Change)[];
}

/** A call of a function in an update or a delete, or where an insert finds the key taken. */
export interface Call {
  readonly name: string;
  readonly volatility: 'stable' | 'volatile';
  readonly place: 'set' | 'where' | 'returning' | 'conflict' | 'subquery';
  /** Whether one of the arguments has a column in it. */
  readonly ofColumns: boolean;
  /** Whether the call stands under `case` or `coalesce`. */
  readonly isConditional: boolean;
}

export interface Setting {
  readonly catalog: Catalog;
  kindOf(table: string): TableKind;
  /** Whether a with-query that is read once is planned where it is read, as PostgreSQL does. */
  readonly inlines: boolean;
}

interface Scope {
  readonly query: Query;
  readonly outer: Scope | null;
  readonly tables: ReadonlyMap<string, WithQuery>;
}

interface WithQuery {
  readonly parsed: Node;
  readonly names: readonly string[];
  /** The columns of a with-query that is gathered before; `null`: it stands where it is read. */
  readonly output: readonly string[] | null;
  readonly tables: ReadonlyMap<string, WithQuery>;
  readonly outer: Scope | null;
}

/**
 * Returns the statements of a text, each as `{ SelectStmt: … }` and the like. Throws where
 * PostgreSQL would not read the text.
 */
export function parseStatements(text: string): readonly Node[] {
  return (parseSync(text).stmts ?? []).map(({ stmt }) => stmt as Node);
}

/** Resolves a select, insert, update or delete; returns `null` for any other statement. */
export function resolve(statement: Node, setting: Setting): Query | Change | null {
  return new Resolver(setting).statement(statement, null, new Map());
}

class Resolver {
  readonly setting: Setting;
  count = 0;

  constructor(setting: Setting) {
    this.setting = setting;
  }

  statement(
    { SelectStmt, InsertStmt, UpdateStmt, DeleteStmt }: Node,
    outer: Scope | null,
    tables: ReadonlyMap<string, WithQuery>,
  ): Query | Change | null {
    if (SelectStmt !== undefined) return this.select(SelectStmt as Node, outer, tables);
    if (InsertStmt !== undefined) return this.insert(InsertStmt as Node, tables);
    if (UpdateStmt !== undefined) return this.change('update', UpdateStmt as Node, tables);
    if (DeleteStmt !== undefined) return this.change('delete', DeleteStmt as Node, tables);
    return null;
  }

  select(parsed: Node, outer: Scope | null, around: ReadonlyMap<string, WithQuery>): Query {
    const query = emptyQuery();
    const scope: Scope = {
      query,
      outer,
      tables: this.withQueries(parsed, query.gathered, outer, around),
    };
    query.isRecursive = (parsed.withClause as Node | undefined)?.recursive === true;
    query.locksRows = listOf(parsed.lockingClause).length > 0;
    query.hasLimit = parsed.limitCount !== undefined || parsed.limitOffset !== undefined;
    if (parsed.larg !== undefined) {
      query.isUnion = parsed.op === 'SETOP_UNION';
      query.leaves = [parsed.larg, parsed.rarg].map((leaf) => {
        return this.source('', 'subquery', {
          query: this.select(leaf as Node, outer && { ...outer }, scope.tables),
        });
      });
      for (const { query: leaf } of query.leaves)
        for (const source of leaf!.outside) query.outside.add(source);
      query.output = query.leaves[0]!.query!.output.map(({ name }) => ({ name, column: null }));
      return query;
    }
    for (const lists of listOf(parsed.valuesLists)) this.expression(lists, scope, query.selected);
    if (parsed.valuesLists !== undefined) {
      const first = (listOf(parsed.valuesLists)[0]!.List as Node | undefined)?.items;
      query.output = listOf(first).map((_, i) => ({ name: `column${i + 1}`, column: null }));
      return query;
    }
    this.from(parsed.fromClause, scope);
    this.where(parsed.whereClause, scope);
    query.output = listOf(parsed.targetList).flatMap((target) =>
      this.target(target.ResTarget as Node, scope),
    );
    this.expression(parsed.havingClause, scope, query.conditions);
    const columnsIn = (list: unknown) => listOf(list).map((one) => this.columnIn(one, scope));
    if (parsed.groupClause !== undefined) query.groupBy = columnsIn(parsed.groupClause);
    query.hasGroupingSets = listOf(parsed.groupClause).some((one) => one.GroupingSet !== undefined);
    query.asksForLimit = [parsed.limitCount, parsed.limitOffset].some((limit) =>
      hasField(limit, 'SubLink'),
    );
    if (parsed.distinctClause !== undefined) {
      const on = listOf(parsed.distinctClause).filter((one) => Object.keys(one).length > 0);
      query.distinctBy = on.length === 0 ? query.output.map(({ column }) => column) : columnsIn(on);
    }
    this.expression(parsed.sortClause, scope, query.conditions);
    this.expression(parsed.limitCount, scope, query.conditions);
    return query;
  }

  /**
   * Resolves an insert. The query of the added rows may stand where the target's with-queries are.
   */
  insert(parsed: Node, around: ReadonlyMap<string, WithQuery>): Change {
    const gathered: (Query | Change)[] = [];
    const tables = this.withQueries(parsed, gathered, null, around);
    const target = this.table(parsed.relation as Node);
    const rows = (parsed.selectStmt as Node | undefined)?.SelectStmt as Node | undefined;
    const isValues = rows?.valuesLists !== undefined;
    const query = rows === undefined ? null : this.select(rows, null, tables);
    const calls: Call[] = [];
    const scope: Scope = { query: emptyQuery(), outer: null, tables };
    const excluded = this.source('excluded', 'values', { columns: target.columns });
    scope.query.sources.push(target, excluded);
    const conflict = parsed.onConflictClause as Node | undefined;
    const sets = this.sets(conflict?.targetList, scope, true);
    for (const set of listOf(conflict?.targetList))
      this.calls((set.ResTarget as Node).val, scope, 'conflict', calls);
    this.calls(conflict?.whereClause, scope, 'conflict', calls);
    if (isValues)
      this.calls((parsed.returningClause as Node | undefined)?.exprs, scope, 'returning', calls);
    const valuesAsk = isValues && query!.selected.length > 0;
    return { kind: 'insert', target, query, valuesAsk, calls, sets, gathered };
  }

  change(kind: 'update' | 'delete', parsed: Node, around: ReadonlyMap<string, WithQuery>): Change {
    const query = emptyQuery();
    const scope: Scope = {
      query,
      outer: null,
      tables: this.withQueries(parsed, query.gathered, null, around),
    };
    const target = this.table(parsed.relation as Node);
    query.sources.push(target);
    query.joins.push({ source: target });
    this.from(parsed.fromClause ?? parsed.usingClause, scope);
    this.where(parsed.whereClause, scope);
    const calls: Call[] = [];
    const returning = (parsed.returningClause as Node | undefined)?.exprs;
    if (kind === 'update') {
      for (const set of listOf(parsed.targetList)) {
        this.expression((set.ResTarget as Node).val, scope, query.selected);
        this.calls((set.ResTarget as Node).val, scope, 'set', calls);
      }
    }
    this.expression(returning, scope, query.selected);
    this.calls(parsed.whereClause, scope, 'where', calls);
    this.calls(parsed.fromClause, scope, 'subquery', calls);
    this.calls(returning, scope, 'returning', calls);
    const sets = kind === 'update' ? this.sets(parsed.targetList, scope, false) : [];
    return { kind, target, query, valuesAsk: false, calls, sets, gathered: query.gathered };
  }

  sets(targets: unknown, scope: Scope, onConflict: boolean): Change['sets'] {
    return listOf(targets).map((target) => {
      const { name, val } = target.ResTarget as Node;
      return { column: name as string, to: this.columnIn(val, scope), onConflict };
    });
  }

  withQueries(
    parsed: Node,
    gathered: (Query | Change)[],
    outer: Scope | null,
    around: ReadonlyMap<string, WithQuery>,
  ): ReadonlyMap<string, WithQuery> {
    const tables = new Map(around);
    for (const { CommonTableExpr } of listOf((parsed.withClause as Node | undefined)?.ctes)) {
      const { ctename, ctequery, ctematerialized, aliascolnames } = CommonTableExpr as Node;
      const name = ctename as string;
      const names = listOf(aliascolnames).map(stringOf);
      const reads = countOf(parsed, name);
      const isSelect = (ctequery as Node).SelectStmt !== undefined;
      if (isSelect && reads === 0) continue;
      const stands =
        isSelect &&
        this.setting.inlines &&
        !this.isDoneOnce(ctequery as Node) &&
        (ctematerialized === 'CTEMaterializeNever' ||
          (ctematerialized === 'CTEMaterializeDefault' && reads === 1));
      const known = { parsed: ctequery as Node, names, tables: new Map(tables), outer };
      if (stands) {
        tables.set(name, { ...known, output: null });
        continue;
      }
      // A recursive with-query reads itself.
      const within = new Map(tables).set(name, { ...known, output: names });
      const query = this.statement(ctequery as Node, outer, within)!;
      gathered.push(query);
      const output =
        'target' in query ? (query.target.columns ?? []) : query.output.map((one) => one.name);
      tables.set(name, { ...known, output: names.length > 0 ? names : output });
    }
    return tables;
  }

  /**
   * Whether a with-query is done once. PostgreSQL does not move one that locks rows, or that has a
   * volatile function in it.
   */
  isDoneOnce(parsed: Node): boolean {
    return (
      hasField(parsed, 'LockingClause') ||
      someField(parsed, 'FuncCall', (call) => this.volatilityOf(call) === 'volatile')
    );
  }

  volatilityOf({ funcname, args }: Node): Volatility | null {
    return this.setting.catalog.volatility(stringOf(listOf(funcname).at(-1)!), listOf(args).length);
  }

  from(clause: unknown, scope: Scope): void {
    for (const item of listOf(clause)) scope.query.joins.push(this.joined(item, scope));
  }

  joined(item: Node, scope: Scope): Join {
    if (item.JoinExpr === undefined) return { source: this.item(item, scope) };
    const { jointype, larg, rarg, quals, usingClause, isNatural } = item.JoinExpr as Node;
    const left = this.joined(larg as Node, scope);
    const right = this.joined(rarg as Node, scope);
    const outer =
      ({ JOIN_LEFT: 'left', JOIN_RIGHT: 'right', JOIN_FULL: 'full' } as const)[
        jointype as string
      ] ?? null;
    if (outer !== null) scope.query.hasOuterJoin = true;
    const equal = outer === null ? scope.query.equal : scope.query.equalOrNone;
    this.where(quals, scope, equal);
    const [lefts, rights] = [sourcesOf(left), sourcesOf(right)];
    const shared = isNatural
      ? lefts
          .flatMap(({ columns }) => columns ?? [])
          .filter((name) => rights.some((one) => one.columns?.includes(name)))
      : listOf(usingClause).map(stringOf);
    for (const name of shared) {
      const a = lefts.find(({ columns }) => columns?.includes(name));
      const b = rights.find(({ columns }) => columns?.includes(name));
      if (a !== undefined && b !== undefined)
        scope.query.equal.push([
          { source: a, name },
          { source: b, name },
        ]);
    }
    return { left, right, outer };
  }

  item(item: Node, scope: Scope): Source {
    const source = this.itemSource(item, scope);
    for (const one of source.query?.outside ?? []) {
      if (!scope.query.sources.includes(one)) scope.query.outside.add(one);
    }
    scope.query.sources.push(source);
    return source;
  }

  itemSource({ RangeVar, RangeSubselect, RangeFunction }: Node, scope: Scope): Source {
    if (RangeVar !== undefined) return this.named(RangeVar as Node, scope);
    if (RangeSubselect !== undefined) {
      const { subquery, alias, lateral } = RangeSubselect as Node;
      const parsed = (subquery as Node).SelectStmt as Node;
      const { name, names } = aliasOf(alias);
      const inner = this.select(parsed, lateral === true ? scope : scope.outer, scope.tables);
      return this.source(name, 'subquery', { query: inner, columns: renamed(inner, names) });
    }
    // Functions and the like can refer to the sources before them.
    const { alias } = (RangeFunction ?? {}) as Node;
    this.expression(RangeFunction, scope, scope.query.conditions);
    const { name, names } = aliasOf(alias);
    return this.source(name, 'function', {
      columns: names.length > 0 ? names : null,
      isMutable: someField(RangeFunction, 'FuncCall', (call) => {
        return ['stable', 'volatile'].includes(this.volatilityOf(call) ?? '');
      }),
    });
  }

  named(range: Node, scope: Scope): Source {
    const relname = range.relname as string;
    const known = range.schemaname === undefined ? scope.tables.get(relname) : undefined;
    const { name, names } = aliasOf(range.alias);
    const alias = name === '' ? relname : name;
    if (known?.output === null) {
      const query = this.statement(known.parsed, known.outer, known.tables) as Query;
      return this.source(alias, 'subquery', {
        query,
        columns: renamed(query, names.length > 0 ? names : known.names),
      });
    }
    if (known !== undefined)
      return this.source(alias, 'result', { columns: names.length > 0 ? names : known.output });
    const view = this.setting.catalog.views.get(relname);
    if (view === undefined) return this.table(range);
    const query = this.statement(parseStatements(view)[0]!, null, new Map()) as Query;
    return this.source(alias, 'subquery', { query, columns: renamed(query, names) });
  }

  table({ relname, schemaname, alias }: Node): Source {
    const { name, names } = aliasOf(alias);
    const table = relname as string;
    const isOurs = schemaname === undefined || schemaname === 'public';
    const columns =
      names.length > 0
        ? names
        : ((isOurs ? this.setting.catalog.columns.get(table) : null) ?? null);
    const kind = isOurs ? this.setting.kindOf(table) : 'local';
    return this.source(name === '' ? table : name, kind, { table, columns });
  }

  source(
    alias: string,
    kind: SourceKind,
    rest: Partial<Omit<Source, 'id' | 'alias' | 'kind'>>,
  ): Source {
    this.count += 1;
    return {
      id: this.count,
      alias,
      kind,
      table: null,
      columns: rest.query?.output.map(({ name }) => name) ?? null,
      query: null,
      isConditional: false,
      isMutable: false,
      isPulledUp: rest.query !== undefined && rest.query !== null && asksForRows(rest.query),
      ...rest,
    };
  }

  /** Takes a condition apart into the conditions that must all hold. */
  where(condition: unknown, scope: Scope, equal = scope.query.equal): void {
    if (condition === undefined) return;
    const node = condition as Node;
    const bool = node.BoolExpr as Node | undefined;
    if (bool?.boolop === 'AND_EXPR') {
      for (const one of listOf(bool.args)) this.where(one, scope, equal);
      return;
    }
    const { SubLink, A_Expr } = node as { SubLink?: Node; A_Expr?: Node };
    const { conditions } = scope.query;
    if (SubLink?.subLinkType === 'ANY_SUBLINK') {
      this.expression(SubLink.testexpr, scope, conditions);
      const asked = this.sublink(SubLink, scope, conditions, { mayBePulledUp: true });
      const tests = rowOf(SubLink.testexpr as Node);
      asked.query!.output.forEach(({ name, column }, i) => {
        const test = this.columnIn(tests[i], scope);
        if (test !== null && column !== null) equal.push([test, { source: asked, name }]);
      });
      return;
    }
    const exists = (bool?.boolop === 'NOT_EXPR' ? listOf(bool.args)[0]!.SubLink : SubLink) as
      | Node
      | undefined;
    if (exists?.subLinkType === 'EXISTS_SUBLINK') {
      this.sublink(exists, scope, conditions, { mayBePulledUp: true });
      return;
    }
    this.expression(node, scope, conditions);
    if (A_Expr === undefined) return;
    const { kind, name, lexpr, rexpr } = A_Expr;
    const right = rexpr as Node;
    const of = kind === 'AEXPR_IN' ? listOf((right.List as Node).items) : [right];
    if (
      stringOf(listOf(name)[0]!) !== '=' ||
      !['AEXPR_OP', 'AEXPR_IN'].includes(kind as string) ||
      of.length !== 1
    )
      return;
    const rights = rowOf(of[0]!);
    rowOf(lexpr as Node).forEach((left, i) => {
      const both = [this.operand(left, scope), this.operand(rights[i], scope)] as const;
      if (both[0] !== null && both[1] !== null) equal.push([both[0], both[1]]);
    });
  }

  operand(node: unknown, scope: Scope): Column | 'constant' | null {
    const column = this.columnIn(node, scope);
    if (column !== null) return column;
    return hasField(node, 'SubLink') || this.hasColumn(node, scope) ? null : 'constant';
  }

  /** Returns the plain column that an expression is, whatever it is cast to; `null`: it is none. */
  columnIn(node: unknown, scope: Scope): Column | null {
    const { ColumnRef, TypeCast, CollateClause } = (node ?? {}) as Node;
    if (TypeCast !== undefined) return this.columnIn((TypeCast as Node).arg, scope);
    if (CollateClause !== undefined) return this.columnIn((CollateClause as Node).arg, scope);
    if (ColumnRef === undefined) return null;
    const column = this.column(ColumnRef as Node, scope);
    return column === null || column.name === '*' ? null : column;
  }

  hasColumn(node: unknown, scope: Scope): boolean {
    return someField(node, 'ColumnRef', (ref) => this.column(ref, scope) !== null);
  }

  /**
   * Returns the column that a name stands for; `null`: no source has it, as a variable of a
   * function. A whole row has the name `*`.
   */
  column({ fields }: Node, scope: Scope): Column | null {
    const words = listOf(fields).map((field) =>
      field.A_Star === undefined ? stringOf(field) : '*',
    );
    const name = words.at(-1)!;
    const alias = words.at(-2);
    const passed: Query[] = [];
    for (let at: Scope | null = scope; at !== null; at = at.outer) {
      const { sources } = at.query;
      const source =
        alias === undefined
          ? sources.find(({ columns }) => columns?.includes(name))
          : sources.find((one) => one.alias === alias);
      const row =
        source === undefined && alias === undefined
          ? sources.find((one) => one.alias === name)
          : undefined;
      const found = source ?? row;
      if (found !== undefined) {
        for (const query of passed) query.outside.add(found);
        return { source: found, name: row === undefined ? name : '*' };
      }
      passed.push(at.query);
    }
    return null;
  }

  target(target: Node, scope: Scope): Query['output'] {
    const { name, val } = target;
    const ref = (val as Node).ColumnRef as Node | undefined;
    if (ref !== undefined && listOf(ref.fields).at(-1)?.A_Star !== undefined) {
      const alias = listOf(ref.fields).length > 1 ? stringOf(listOf(ref.fields).at(-2)!) : null;
      return scope.query.sources
        .filter((source) => alias === null || source.alias === alias)
        .flatMap((source) =>
          (source.columns ?? []).map((column) => ({
            name: column,
            column: { source, name: column },
          })),
        );
    }
    this.expression(val, scope, scope.query.selected);
    const column = this.columnIn(val, scope);
    return [
      {
        name: (name as string | undefined) ?? column?.name ?? functionName(val) ?? '?column?',
        column,
      },
    ];
  }

  /**
   * Notes the subqueries, aggregates and windows of an expression, and the sources outside that the
   * expression refers to.
   */
  expression(node: unknown, scope: Scope, into: Source[], isConditional = false): void {
    if (Array.isArray(node)) {
      for (const one of node) this.expression(one, scope, into, isConditional);
      return;
    }
    if (typeof node !== 'object' || node === null) return;
    for (const [field, inner] of Object.entries(node)) {
      if (field === 'ColumnRef') this.column(inner as Node, scope);
      else if (field === 'SubLink') {
        this.expression((inner as Node).testexpr, scope, into, isConditional);
        this.sublink(inner as Node, scope, into, { isConditional });
      } else {
        if (field === 'FuncCall') this.call(inner as Node, scope);
        this.expression(inner, scope, into, isConditional || isChoice(field));
      }
    }
  }

  call(call: Node, { query, ...scope }: Scope): void {
    if (call.over !== undefined) {
      const by = listOf((call.over as Node).partitionClause).map((one) =>
        this.columnIn(one, { query, ...scope }),
      );
      query.windows.push(by);
    } else if (this.setting.catalog.aggregates.has(stringOf(listOf(call.funcname).at(-1)!)))
      query.hasAggregate = true;
  }

  sublink(
    { subselect }: Node,
    scope: Scope,
    into: Source[],
    { mayBePulledUp = false, isConditional = false } = {},
  ): Source {
    const query = this.select((subselect as Node).SelectStmt as Node, scope, scope.tables);
    const source = this.source('', 'subquery', {
      query,
      isPulledUp: mayBePulledUp && asksForRows(query),
      isConditional,
    });
    into.push(source);
    return source;
  }

  /** Notes calls of functions that may return something else another time. */
  calls(
    node: unknown,
    scope: Scope,
    place: Call['place'],
    into: Call[],
    isConditional = false,
  ): void {
    if (Array.isArray(node)) {
      for (const one of node) this.calls(one, scope, place, into, isConditional);
      return;
    }
    if (typeof node !== 'object' || node === null) return;
    for (const [field, inner] of Object.entries(node)) {
      if (field === 'FuncCall') {
        const { funcname, args } = inner as Node;
        const name = stringOf(listOf(funcname).at(-1)!);
        const volatility = this.volatilityOf(inner as Node);
        if (volatility === 'stable' || volatility === 'volatile') {
          const ofColumns = this.hasColumn(args, scope);
          into.push({ name, volatility, place, ofColumns, isConditional });
        }
      }
      if (field === 'SQLValueFunction') {
        const name = ((inner as Node).op as string).replace('SVFOP_', '').toLowerCase();
        into.push({ name, volatility: 'stable', place, ofColumns: false, isConditional });
      }
      const under = field === 'SubLink' ? 'subquery' : place;
      this.calls(inner, scope, under, into, isConditional || isChoice(field));
    }
  }
}

function isChoice(field: string): boolean {
  return field === 'CaseExpr' || field === 'CoalesceExpr';
}

function asksForRows(query: Query): boolean {
  const { hasLimit, hasAggregate, locksRows, groupBy, distinctBy, windows, leaves, gathered } =
    query;
  const lists = [windows, leaves, gathered];
  if (hasLimit || hasAggregate || locksRows || groupBy !== null || distinctBy !== null)
    return false;
  return lists.every((list) => list.length === 0);
}

function emptyQuery(): Query {
  return {
    sources: [],
    joins: [],
    conditions: [],
    selected: [],
    equal: [],
    equalOrNone: [],
    output: [],
    gathered: [],
    leaves: [],
    isUnion: false,
    outside: new Set(),
    hasLimit: false,
    asksForLimit: false,
    hasGroupingSets: false,
    hasOuterJoin: false,
    hasAggregate: false,
    isRecursive: false,
    locksRows: false,
    groupBy: null,
    distinctBy: null,
    windows: [],
  };
}

export function sourcesOf(join: Join): readonly Source[] {
  return 'source' in join ? [join.source] : [...sourcesOf(join.left), ...sourcesOf(join.right)];
}

function renamed({ output }: Query, names: readonly string[]): readonly string[] {
  return output.map(({ name }, i) => names[i] ?? name);
}

function aliasOf(alias: unknown): { readonly name: string; readonly names: readonly string[] } {
  const { aliasname, colnames } = (alias ?? {}) as Node;
  return { name: (aliasname as string | undefined) ?? '', names: listOf(colnames).map(stringOf) };
}

/** Returns the members of a row, or the one expression that is no row. */
function rowOf(node: Node): readonly Node[] {
  const row = node?.RowExpr as Node | undefined;
  return row === undefined ? [node] : listOf(row.args);
}

function functionName(node: unknown): string | null {
  const call = (node as Node).FuncCall as Node | undefined;
  return call === undefined ? null : stringOf(listOf(call.funcname).at(-1)!);
}

function countOf(parsed: Node, table: string): number {
  let count = 0;
  someField(parsed, 'RangeVar', ({ relname }) => {
    if (relname === table) count += 1;
    return false;
  });
  return count;
}

function hasField(node: unknown, field: string): boolean {
  return someField(node, field, () => true);
}

/** Whether `is` holds for any `field` in the tree. */
function someField(node: unknown, field: string, is: (inner: Node) => boolean): boolean {
  if (Array.isArray(node)) return node.some((one) => someField(one, field, is));
  if (typeof node !== 'object' || node === null) return false;
  return Object.entries(node).some(
    ([name, inner]) => (name === field && is(inner as Node)) || someField(inner, field, is),
  );
}

function listOf(nodes: unknown): readonly Node[] {
  return (nodes as readonly Node[] | undefined) ?? [];
}

function stringOf(node: Node): string {
  return ((node.String as Node | undefined)?.sval as string | undefined) ?? '';
}
