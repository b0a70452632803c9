// The statements that a cluster refuses are found without one: statements that Citus 13.2.2
// refused, each with its reason, beside the statements that replaced them and that it took.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask, build } from '../../src/io/storage/server/ask.ts';
import { loadRules, type Rules } from '../support/citus-refusals.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { notOnCitus } from '../support/not-on-citus.ts';

let opened: TestStore;
let rules: Rules;
beforeAll(async () => {
  opened = await openTestStore();
  rules = await loadRules(opened.store.pool);
});
afterAll(() => opened.close());

// The statements as they were sent when no night, no page and no delivery worked on a cluster.
test.each([
  {
    of: 'the check of a digest',
    why: /STABLE functions used in UPDATE .* \(convert_to\)/,
    refused: `update row_digests d set digest = '' from state_texts t
    where d.merchant_id = $1 and t.merchant_id = d.merchant_id and t.part = d.part and d.digest <>
      sha256(convert_to(t.text, 'UTF8'))`,
    taken: `insert into row_digests (merchant_id, part, page, digest) select d.merchant_id, d.part, d.page, ''::bytea
    from row_digests d join state_texts t on t.merchant_id = d.merchant_id and t.part = d.part
    where d.merchant_id = $1 and d.digest <> sha256(convert_to(t.text, 'UTF8')) on conflict (merchant_id, part,
      page) do update set digest = excluded.digest`,
  },
  {
    of: 'months with their deliveries',
    why: /direct joins between distributed and local tables/,
    refused: `with "each" as (select "m"."reference" as "merchant", "r"."period", "r"."report_id" as "reportId",
      "r"."revision", "r"."generated_at" as "statedAt", "r"."verdict" as "verdict", ("h"."act" is not null and
      "l"."act" is null) as "isHeld", "l"."acted_at" as "releasedAt", "l"."acted_by" as "releasedBy",
      "l"."reason" as "releaseReason", "c"."closed_at" as "closedAt", "c"."closed_by" as "closedBy",
      "d"."deliveries", "d"."sent", "d"."stuck"
    from "merchants" as "m"
    cross join lateral (select distinct on ("period") "period", "report_id", "revision", "generated_at", "verdict"
    from "reports" where "merchant_id" = "m"."merchant_id" and "status" = 'READY' and "period" = $1
    order by "period" desc, "revision" desc) as "r"
    left join "report_holds" as "h" on "h"."merchant_id" = "m"."merchant_id" and "h"."report_id" =
      "r"."report_id" and "h"."act" = 'held'
    left join "report_holds" as "l" on "l"."merchant_id" = "m"."merchant_id" and "l"."report_id" =
      "r"."report_id" and "l"."act" = 'released'
    left join "closed_months" as "c" on "c"."merchant_id" = "m"."merchant_id" and "c"."period" = "r"."period"
    cross join lateral (select count(*) as "deliveries", count(*) filter(where state = 'SUCCESS') as "sent",
      count(*) filter(where state in ($2, $3, $4)) as "stuck"
    from "deliveries"
    where "announces" >= 'report/' || r.report_id and "announces" < 'report/' || r.report_id || '0') as "d"),
      "some" as (select *
    from "each") select count(*) as "stated", count(*) filter(where "verdict" = $5) as "broken", count(*)
      filter(where "isHeld" = $6) as "held", count(*) filter(where "sent" > $7) as "sent", count(*)
      filter(where "closedAt" is not null) as "closed", (select count(*) as "total"
    from "some") as "total", (select coalesce(json_agg(agg), '[]')
    from (select "s".*, (select jsonb_array_length((r.issued -> 'openRoots')::jsonb) - (select count(*) as "count"
    from (select distinct on ("d"."fingerprint") "d"."fingerprint", "d"."action", "d"."decided_by" as "by",
      "d"."reason", "d"."decided_at" as "at", "d"."run_id" as "run"
    from "finding_decisions" as "d"
    where "d"."merchant_id" = "r"."merchant_id" and "d"."decided_at" >= "r"."generated_at" and (r.issued ->
      'openRoots')::jsonb ? d.fingerprint and "d"."action" in ($8, $9, $10, $11)
    order by "d"."fingerprint", "d"."decision_number" desc) as "w"
    where "w"."action" in ($12, $13, $14)) as "openRoots" from "reports" as "r"
    inner join "merchants" as "m" on "m"."merchant_id" = "r"."merchant_id"
    where "m"."reference" = "s"."merchant" and "r"."report_id" = "s"."reportId") as "openRoots"
    from "some" as "s" order by "s"."merchant", "s"."period" desc limit $15 offset $16) as agg) as "items"
    from "each"`,
    taken: `with "issued" as materialized (select "o"."merchant_id" as "merchantId", "m"."reference" as "merchant",
      "r"."period", "r"."report_id" as "reportId", "r"."revision", "r"."generated_at" as "statedAt",
      "r"."verdict" as "verdict", ("h"."act" is not null and "l"."act" is null) as "isHeld", "l"."acted_at" as
      "releasedAt", "l"."acted_by" as "releasedBy", "l"."reason" as "releaseReason", "c"."closed_at" as
      "closedAt", "c"."closed_by" as "closedBy"
    from "merchants" as "m" inner join "merchant_heads" as "o" on "o"."merchant_id" = "m"."merchant_id"
    cross join lateral (select distinct on ("period") "period", "report_id", "revision", "generated_at", "verdict"
    from "reports" where "merchant_id" = "o"."merchant_id" and "status" = 'READY' and "period" = $1
    order by "period" desc, "revision" desc) as "r"
    left join "report_holds" as "h" on "h"."merchant_id" = "o"."merchant_id" and "h"."report_id" =
      "r"."report_id" and "h"."act" = 'held'
    left join "report_holds" as "l" on "l"."merchant_id" = "o"."merchant_id" and "l"."report_id" =
      "r"."report_id" and "l"."act" = 'released'
    left join "closed_months" as "c" on "c"."merchant_id" = "o"."merchant_id" and "c"."period" = "r"."period"),
      "announced" as (select "i"."reportId", count(*) as "deliveries", count(*) filter(where d.state =
      'SUCCESS') as "sent", count(*) filter(where d.state in ($2, $3, $4)) as "stuck"
    from "issued" as "i"
    inner join "deliveries" as "d" on "d"."announces" >= 'report/' || i."reportId" and "d"."announces" <
      'report/' || i."reportId" || '0'
    group by "i"."reportId"), "each" as (select "i".*, coalesce("a"."deliveries", 0) as "deliveries",
      coalesce("a"."sent", 0) as "sent", coalesce("a"."stuck", 0) as "stuck"
    from "issued" as "i" left join "announced" as "a" on "a"."reportId" = "i"."reportId"), "some" as (select *
    from "each") select count(*) as "stated", count(*) filter(where "verdict" = $5) as "broken", count(*)
      filter(where "isHeld" = $6) as "held", count(*) filter(where "sent" > $7) as "sent", count(*)
      filter(where "closedAt" is not null) as "closed", (select count(*) as "total"
    from "some") as "total", (select coalesce(json_agg(agg), '[]') from (select "s".* from "some" as "s"
    order by "s"."merchant", "s"."period" desc limit $8 offset $9) as agg) as "items" from "each"`,
  },
  {
    of: 'the name of a merchant',
    why: /correlated subqueries .* contains a reference table/,
    refused: `select (select "p"."name" as "name" from "profile_versions" as "p"
    where "p"."merchant_id" = "m"."merchant_id" order by "p"."version" desc limit 1) as "name"
    from "merchants" as "m" where "m"."reference" = $1`,
    taken: `select (select "p"."name" as "name" from "profile_versions" as "p"
    where "p"."merchant_id" = "h"."merchant_id" order by "p"."version" desc limit 1) as "name"
    from "merchants" as "m" inner join "merchant_heads" as "h" on "h"."merchant_id" = "m"."merchant_id"
    where "m"."reference" = $1`,
  },
  {
    of: 'merchants of a verdict, counted',
    why: /correlated subqueries .* contains a reference table/,
    refused: `select count(*) as "total" from "merchants" as "m" where ((select "s"."verdict" from "run_merchants" as "s"
    where "s"."merchant_id" = "m"."merchant_id" order by "s"."run_id" desc
    limit $1) = $2 and (select "p"."status" as "status" from "profile_versions" as "p"
    where "p"."merchant_id" = "m"."merchant_id" order by "p"."version" desc
    limit 1) = $3 and (select "p"."country" as "country" from "profile_versions" as "p"
    where "p"."merchant_id" = "m"."merchant_id" order by "p"."version" desc
    limit 1) = $4 and strpos(lower(concat_ws(' ', m.reference, (select "p"."name" as "name"
    from "profile_versions" as "p" where "p"."merchant_id" = "m"."merchant_id" order by "p"."version" desc
    limit 1))), lower($5)) > $6)`,
    taken: `select count(*) as "total" from "merchants" as "m"
    inner join "merchant_heads" as "h" on "h"."merchant_id" = "m"."merchant_id" where ((select "s"."verdict"
    from "run_merchants" as "s" where "s"."merchant_id" = "h"."merchant_id" order by "s"."run_id" desc
    limit $1) = $2 and (select "p"."status" as "status" from "profile_versions" as "p"
    where "p"."merchant_id" = "h"."merchant_id" order by "p"."version" desc
    limit 1) = $3 and (select "p"."country" as "country" from "profile_versions" as "p"
    where "p"."merchant_id" = "h"."merchant_id" order by "p"."version" desc
    limit 1) = $4 and strpos(lower(concat_ws(' ', m.reference, (select "p"."name" as "name"
    from "profile_versions" as "p" where "p"."merchant_id" = "h"."merchant_id" order by "p"."version" desc
    limit 1))), lower($5)) > $6)`,
  },
  {
    of: 'a page of merchants',
    why: /complex joins/,
    refused: `select "m"."reference", (select "p"."name" as "name" from "profile_versions" as "p"
    where "p"."merchant_id" = "m"."merchant_id" order by "p"."version" desc
    limit 1) as "name", (select "p"."country" as "country" from "profile_versions" as "p"
    where "p"."merchant_id" = "m"."merchant_id" order by "p"."version" desc
    limit 1) as "country", (select "p"."status" as "status" from "profile_versions" as "p"
    where "p"."merchant_id" = "m"."merchant_id" order by "p"."version" desc
    limit 1) as "status", "last"."verdict" as "verdict", "last"."run_id" as "lastRun", "last"."started_at" as
      "lastRunAt", "last"."watermark", (select count(*) as "count"
    from "findings" as "f"
    where "f"."merchant_id" = "h"."merchant_id" and ("f"."state" = $1 and "f"."is_root" = true)) as "openFindings"
    from (select "m"."merchant_id", "m"."reference" from "merchants" as "m" where 1 = 1 order by "m"."reference"
    limit $2 offset $3) as "m" inner join "merchant_heads" as "h" on "h"."merchant_id" = "m"."merchant_id"
    left join lateral (select "s"."verdict", "s"."run_id", "r"."started_at", "x"."watermark"
    from "run_merchants" as "s" inner join "runs" as "r" on "r"."run_id" = "s"."run_id"
    left join "run_members" as "x" on "x"."merchant_id" = "s"."merchant_id" and "x"."run_id" = "s"."run_id"
    where "s"."merchant_id" = "h"."merchant_id" order by "s"."run_id" desc limit $4) as "last" on true
    order by "m"."reference"`,
    taken: `select "m"."reference", (select "p"."name" as "name" from "profile_versions" as "p"
    where "p"."merchant_id" = "h"."merchant_id" order by "p"."version" desc
    limit 1) as "name", (select "p"."country" as "country" from "profile_versions" as "p"
    where "p"."merchant_id" = "h"."merchant_id" order by "p"."version" desc
    limit 1) as "country", (select "p"."status" as "status" from "profile_versions" as "p"
    where "p"."merchant_id" = "h"."merchant_id" order by "p"."version" desc
    limit 1) as "status", "last"."verdict" as "verdict", "last"."run_id" as "lastRun", "last"."started_at" as
      "lastRunAt", "last"."watermark", (select count(*) as "count"
    from "findings" as "f"
    where "f"."merchant_id" = "h"."merchant_id" and ("f"."state" = $1 and "f"."is_root" = true)) as "openFindings"
    from (select "m"."merchant_id", "m"."reference" from "merchants" as "m"
    inner join "merchant_heads" as "h" on "h"."merchant_id" = "m"."merchant_id" where 1 = 1
    order by "m"."reference" limit $2 offset $3) as "m"
    inner join "merchant_heads" as "h" on "h"."merchant_id" = "m"."merchant_id"
    left join lateral (select "s"."verdict", "s"."run_id", "r"."started_at", "x"."watermark"
    from "run_merchants" as "s" inner join "runs" as "r" on "r"."run_id" = "s"."run_id"
    left join "run_members" as "x" on "x"."merchant_id" = "s"."merchant_id" and "x"."run_id" = "s"."run_id"
    where "s"."merchant_id" = "h"."merchant_id" order by "s"."run_id" desc limit $4) as "last" on true
    order by "m"."reference"`,
  },
  {
    of: 'one merchant',
    why: /complex joins/,
    refused: `select "m"."reference", (select "p"."name" as "name" from "profile_versions" as "p"
    where "p"."merchant_id" = "m"."merchant_id" order by "p"."version" desc
    limit 1) as "name", (select "p"."country" as "country" from "profile_versions" as "p"
    where "p"."merchant_id" = "m"."merchant_id" order by "p"."version" desc
    limit 1) as "country", (select "p"."status" as "status" from "profile_versions" as "p"
    where "p"."merchant_id" = "m"."merchant_id" order by "p"."version" desc
    limit 1) as "status", "last"."verdict" as "verdict", "last"."run_id" as "lastRun", "last"."started_at" as
      "lastRunAt", "last"."watermark", (select count(*) as "count"
    from "findings" as "f"
    where "f"."merchant_id" = "h"."merchant_id" and ("f"."state" = $1 and "f"."is_root" = true)) as "openFindings"
    from (select "merchant_id", "reference" from "merchants" where "reference" = $2) as "m"
    inner join "merchant_heads" as "h" on "h"."merchant_id" = "m"."merchant_id"
    left join lateral (select "s"."verdict", "s"."run_id", "r"."started_at", "x"."watermark"
    from "run_merchants" as "s" inner join "runs" as "r" on "r"."run_id" = "s"."run_id"
    left join "run_members" as "x" on "x"."merchant_id" = "s"."merchant_id" and "x"."run_id" = "s"."run_id"
    where "s"."merchant_id" = "h"."merchant_id" order by "s"."run_id" desc limit $3) as "last" on true`,
    taken: `select "m"."reference", (select "p"."name" as "name" from "profile_versions" as "p"
    where "p"."merchant_id" = "h"."merchant_id" order by "p"."version" desc
    limit 1) as "name", (select "p"."country" as "country" from "profile_versions" as "p"
    where "p"."merchant_id" = "h"."merchant_id" order by "p"."version" desc
    limit 1) as "country", (select "p"."status" as "status" from "profile_versions" as "p"
    where "p"."merchant_id" = "h"."merchant_id" order by "p"."version" desc
    limit 1) as "status", "last"."verdict" as "verdict", "last"."run_id" as "lastRun", "last"."started_at" as
      "lastRunAt", "last"."watermark", (select count(*) as "count"
    from "findings" as "f"
    where "f"."merchant_id" = "h"."merchant_id" and ("f"."state" = $1 and "f"."is_root" = true)) as "openFindings"
    from (select "merchant_id", "reference" from "merchants" where "reference" = $2) as "m"
    inner join "merchant_heads" as "h" on "h"."merchant_id" = "m"."merchant_id"
    left join lateral (select "s"."verdict", "s"."run_id", "r"."started_at", "x"."watermark"
    from "run_merchants" as "s" inner join "runs" as "r" on "r"."run_id" = "s"."run_id"
    left join "run_members" as "x" on "x"."merchant_id" = "s"."merchant_id" and "x"."run_id" = "s"."run_id"
    where "s"."merchant_id" = "h"."merchant_id" order by "s"."run_id" desc limit $3) as "last" on true`,
  },
  {
    of: 'holders of an operation',
    why: /correlated subqueries .* contains a reference table/,
    refused: `select "m"."reference" from "merchants" as "m" where (exists (select "v"."version"
    from "operation_versions" as "v"
    where "v"."merchant_id" = "m"."merchant_id" and "v"."reference" = $1) or exists (select "e"."variant"
    from "entries" as "e"
    where "e"."merchant_id" = "m"."merchant_id" and "e"."operation_reference" = $2) or exists (select "n"."variant"
    from "notifications" as "n" where "n"."merchant_id" = "m"."merchant_id" and "n"."operation_reference" = $3))
    order by "m"."reference" limit $4`,
    taken: `select "m"."reference" from "merchants" as "m"
    inner join "merchant_heads" as "h" on "h"."merchant_id" = "m"."merchant_id"
    where (exists (select "v"."version" from "operation_versions" as "v"
    where "v"."merchant_id" = "h"."merchant_id" and "v"."reference" = $1) or exists (select "e"."variant"
    from "entries" as "e"
    where "e"."merchant_id" = "h"."merchant_id" and "e"."operation_reference" = $2) or exists (select "n"."variant"
    from "notifications" as "n" where "n"."merchant_id" = "h"."merchant_id" and "n"."operation_reference" = $3))
    order by "m"."reference" limit $4`,
  },
  {
    of: 'an operation by its reference',
    why: /complex joins|correlated subqueries|cannot push down/,
    refused: `select "m"."reference" as "merchant", "n"."reference", "n"."type" as "type", "n"."status" as "status",
      "n"."amount", "n"."currency", "n"."created_at" as "createdAt", "n"."external_reference" as
      "externalReference", (select "p"."country" as "country"
    from "profile_versions" as "p" where "p"."merchant_id" = "m"."merchant_id" order by "p"."version" desc
    limit 1) as "profileCountry" from "merchants" as "m" cross join lateral (select distinct "v"."reference"
    from "operation_versions" as "v" where "v"."merchant_id" = "m"."merchant_id" and "v"."reference" = $1
    limit $2) as "wanted" cross join lateral (select "v".* from "operation_versions" as "v"
    where ("v"."merchant_id" = "m"."merchant_id" and "v"."reference" = "wanted"."reference")
    order by "v"."version" desc limit $3) as "n"
    order by "n"."created_at" desc, "m"."reference", "n"."reference" limit $4`,
    taken: `select "m"."reference" as "merchant", "n"."reference", "n"."type" as "type", "n"."status" as "status",
      "n"."amount", "n"."currency", "n"."created_at" as "createdAt", "n"."external_reference" as
      "externalReference", (select "p"."country" as "country"
    from "profile_versions" as "p" where "p"."merchant_id" = "h"."merchant_id" order by "p"."version" desc
    limit 1) as "profileCountry" from "merchants" as "m"
    inner join "merchant_heads" as "h" on "h"."merchant_id" = "m"."merchant_id"
    cross join lateral (select distinct "v"."reference" from "operation_versions" as "v"
    where "v"."merchant_id" = "h"."merchant_id" and "v"."reference" = $1 limit $2) as "wanted"
    cross join lateral (select "v".* from "operation_versions" as "v"
    where ("v"."merchant_id" = "h"."merchant_id" and "v"."reference" = "wanted"."reference")
    order by "v"."version" desc limit $3) as "n"
    order by "n"."created_at" desc, "m"."reference", "n"."reference" limit $4`,
  },
  {
    of: 'a finding that a run resolves',
    why: /CASE or COALESCE/,
    refused: `with moved as (select merchant_id, fingerprint from findings where merchant_id = $1 and fingerprint = $2 group by 1, 2),
      changed as (update findings as f set last_seen_run = coalesce(f.last_seen_run,
        (select max(run_id) as run from run_merchants where merchant_id = $1 and run_id <> $3), f.first_seen_run)
        from moved as m where f.merchant_id = m.merchant_id and f.fingerprint = m.fingerprint)
      insert into finding_decisions (merchant_id, fingerprint) select merchant_id, fingerprint from moved`,
    taken: `with moved as (select merchant_id, fingerprint from findings where merchant_id = $1 and fingerprint = $2 group by 1, 2),
      changed as (update findings as f set last_seen_run = coalesce(f.last_seen_run,
        (select max(run_id) as run from run_merchants where merchant_id = $1 and run_id <> $3), f.first_seen_run)
        from moved as m where f.merchant_id = $1 and f.fingerprint = m.fingerprint)
      insert into finding_decisions (merchant_id, fingerprint) select merchant_id, fingerprint from moved`,
  },
])('a cluster refuses $of, and takes what was put in its place', ({ refused, taken, why }) => {
  expect(rules.refusedByCitus(refused)).toMatch(why);
  expect(rules.refusedByCitus(taken)).toBeNull();
});

test('the schema’s functions survive it that their tables are distributed, and send what a cluster takes', () => {
  expect(rules.catalog.functions.length).toBeGreaterThan(4);
  expect(
    rules.catalog.functions
      .map((definition) => rules.refusedFunction(definition))
      .filter((why) => why !== null),
  ).toEqual([]);
});

const LOCK_HEADS = (returns: string, body: string) =>
  `create function lock_heads(numbers bigint[]) returns ${returns} language plpgsql as $$
  declare number bigint;
  begin
    for number in select distinct unnest(numbers) order by 1 loop return query ${body}; end loop;
  end
  $$`;

test.each([
  [
    /row type of merchant_heads/,
    LOCK_HEADS(
      'setof merchant_heads',
      'update merchant_heads set fence = fence where merchant_id = number returning *',
    ),
  ],
  [
    /row type of runs/,
    'create function newest() returns runs language sql as $$ select * from runs limit 1 $$',
  ],
  [
    /FOR UPDATE/,
    LOCK_HEADS(
      'table (fence bigint)',
      'select h.fence from merchant_heads h where h.merchant_id = any (numbers) for update',
    ),
  ],
  [
    /must not be VOLATILE \(random\)/,
    'create function mix() returns void language sql as $$ update findings set owner = random() $$',
  ],
])('a cluster refuses a function: %s', (why, definition) => {
  expect(rules.refusedFunction(definition)).toMatch(why);
});

const JOINED = 'complex joins';
const LOCKED = 'FOR UPDATE/SHARE';
const CALLED = 'STABLE functions used in UPDATE';
const LOCAL = 'direct joins between distributed and local';

test.each([
  // Locks of rows of several merchants.
  [
    LOCKED,
    'select fence from merchant_heads where merchant_id = any ((select $1::bigint[])::bigint[]) order by merchant_id for update',
  ],
  [
    LOCKED,
    `select fingerprint from findings where merchant_id = any ($1::bigint[]) and state <> 'resolved' for update`,
  ],
  [LOCKED, 'select merchant_id, state from findings where fingerprint = $1 for update'],
  [
    LOCKED,
    'select h.intake from merchant_heads h join merchants m using (merchant_id) where m.reference = $1 for share of h',
  ],
  [LOCKED, 'select x.state from (select state from findings for update) as x'],
  [
    LOCKED,
    'declare several cursor for select state from findings where merchant_id > 5 for update',
  ],
  // Joins.
  [
    JOINED,
    'select f.state from findings f join finding_decisions d on d.fingerprint = f.fingerprint',
  ],
  [
    JOINED,
    'select 1 from merchants m join findings f on f.merchant_id = m.merchant_id join reports r on r.merchant_id = m.merchant_id',
  ],
  [
    JOINED,
    'update findings f set owner = $1 where exists (select 1 from finding_decisions d where d.fingerprint = f.fingerprint)',
  ],
  [
    JOINED,
    'copy (select f.state from findings f join finding_decisions d on d.fingerprint = f.fingerprint) to stdout',
  ],
  [
    JOINED,
    'select l.state from merchant_heads h cross join lateral (select state from findings f where f.last_seen_run = h.intake limit 1) l',
  ],
  [
    'cannot push down',
    'select l.state from merchants m cross join lateral (select state from findings f where f.merchant_id = m.merchant_id limit 1) l',
  ],
  [
    'lateral outer join',
    'select l.state from merchants m left join lateral (select state from findings f where f.merchant_id = m.merchant_id) l on true',
  ],
  [
    'contains a reference table',
    'select reference from merchants m where not exists (select 1 from findings f where f.merchant_id = m.merchant_id)',
  ],
  [
    'contains a CTE',
    'with r as materialized (select merchant_id from reports) select (select max(state) from findings f where f.merchant_id = r.merchant_id) from r',
  ],
  [
    'part of a union',
    `select (select json_agg(x) from (select action from finding_decisions d where d.merchant_id = f.merchant_id union all select 'a') x) from findings f`,
  ],
  [
    LOCAL,
    'select d.channel from deliveries d where exists (select 1 from findings f where f.fingerprint = d.topic)',
  ],
  [
    LOCAL,
    'select (select count(*) from deliveries d where d.topic = f.fingerprint) from findings f where f.merchant_id = $1',
  ],
  [
    'RECURSIVE|recursive',
    'with recursive t (n) as (select 1 union all select n + 1 from t where n < 5) select f.state from t join findings f on f.merchant_id = t.n',
  ],
  ['GROUPING SETS', 'select state, count(*) from findings group by rollup (state)'],
  ['subquery in LIMIT', 'select state from findings limit (select max(run_id) from runs)'],
  // Changes.
  [CALLED, `update findings set owner = concat_ws(' ', owner, $1) where merchant_id = $2`],
  [
    CALLED,
    `delete from row_digests d using state_texts t where t.merchant_id = d.merchant_id and d.digest <> sha256(convert_to(t.text, 'UTF8'))`,
  ],
  [
    'VOLATILE .clock_timestamp',
    'update run_members set started_at = extract(epoch from clock_timestamp()) where run_id = $1',
  ],
  [
    'VOLATILE .gen_random_uuid',
    'delete from reports where merchant_id = $1 and report_id = gen_random_uuid()',
  ],
  [
    'CASE or COALESCE',
    `update findings set state = case when now() > $1 then 'open' else state end where merchant_id = $2`,
  ],
  ['RETURNING', 'update findings set owner = $1 where merchant_id = $2 returning now()'],
  ['partition value', 'update findings set merchant_id = $1 where merchant_id = $2'],
  [
    'reference tables',
    'update merchants m set reference = $1 from findings f where f.merchant_id = m.merchant_id and f.merchant_id = $2',
  ],
  [
    'INSERT queries',
    'insert into proposals (merchant_id) values ((select merchant_id from merchants where reference = $1))',
  ],
  [
    'INSERT queries',
    'insert into reports (merchant_id, attempt) values ($1, (select max(attempt) from reports where merchant_id = $2))',
  ],
  [
    'INSERT queries',
    'insert into deliveries (merchant) values ((select reference from merchants where merchant_id = $1))',
  ],
  [
    'ON CONFLICT',
    `insert into row_digests (merchant_id, part, page, digest) values ($1, $2, $3, '') on conflict (merchant_id, part, page) do update set digest = convert_to(excluded.part, 'UTF8')`,
  ],
])('a cluster refuses, because of %s: %s', (why, statement) => {
  expect(rules.refusedByCitus(statement)).toMatch(new RegExp(why));
});

test.each([
  [
    'update merchant_heads set fence = fence where merchant_id = any ($1::bigint[]) returning fence',
  ],
  ['select merchant_id from merchant_heads where merchant_id = $1 and late_intake <= $2 for share'],
  ['select run_id from runs where finished_at is null order by run_id for update'],
  ['select r.run_id, d.state from runs r, deliveries d for update'],
  [
    'with moved as (select 1), changed as (update findings as f set state = $1 where f.merchant_id = $2) select 1',
  ],
  [
    'with changed as (update findings set state = $1 where fingerprint = $2 returning fingerprint) select * from changed',
  ],
  [
    'select * from findings f join finding_decisions d on d.merchant_id = f.merchant_id and d.fingerprint = f.fingerprint',
  ],
  ['select * from findings f natural join finding_decisions d'],
  [
    'select f.state from unnest($1::bigint[]) as g (x) join findings f on f.merchant_id = g.x join reports r on r.merchant_id = g.x',
  ],
  [
    'select f.state, l.action from findings f cross join lateral (select action from finding_decisions d where d.merchant_id = f.merchant_id limit 1) l',
  ],
  [
    'select reference from merchants where merchant_id in (select merchant_id from findings where state = $1)',
  ],
  [
    'select m.reference, f.state from merchants m left join findings f on f.merchant_id = m.merchant_id',
  ],
  ['select d.channel, f.state from deliveries d join findings f on f.fingerprint = d.topic'],
  ['update deliveries d set state = $1 from findings f where f.fingerprint = d.topic'],
  [`update run_members set state = 'failed' where run_id = $1 and state = 'expected'`],
  [
    'update findings set first_seen_run = $1 where merchant_id = $2 and first_seen_run < extract(epoch from now())',
  ],
  [
    'update findings f set merchant_id = d.merchant_id from finding_decisions d where d.merchant_id = f.merchant_id',
  ],
  ['select merchant_id, sha256(convert_to(text, $1)) from state_texts where merchant_id = $2'],
  ['insert into report_holds (merchant_id, act) values ($1, $2), ($3, $4) on conflict do nothing'],
  ['select state from findings union all select action from finding_decisions'],
  ['copy findings from stdin'],
  ['begin; set local statement_timeout = 2000'],
])('a cluster takes: %s', (statement) => {
  expect(rules.refusedByCitus(statement)).toBeNull();
});

test('a store of a test that was sent what a cluster refuses does not close well', async () => {
  notOnCitus('sends what a cluster refuses');
  const sent = await openTestStore();
  await ask(
    sent.store.pool,
    build.selectFrom('merchant_heads').select('fence').where('intake', '>', 0).forUpdate(),
  );
  await expect(sent.close()).rejects.toThrow(/FOR UPDATE\/SHARE commands: select "fence"/);
});
