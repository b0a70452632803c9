#!/usr/bin/env node
// Scores an engine's findings.csv against truth.csv: `node score.js truth.csv findings.csv`. One
// file, plain Node, no dependency; the README beside it has the rules in words.

import { readFileSync } from 'node:fs';

/** @typedef {Record<string, string>} Row */
/**
 * Counts of cases that belong together. `planted` and `found` count faults, the others count cases.
 * @typedef {{
 *   kind: string, cases: number, planted: number, found: number, exact: number, alarmed: number, abstained: number,
 *   dueAsked: number, dueRight: number, breaks: number,
 * }} Count
 */
/**
 * `faults`: single faults by name · `groups`: every case by its group · `claimed`: in how many lawful cases each kind is claimed.
 * @typedef {{ faults: Record<string, Count>, groups: Record<string, Count>, claimed: Record<string, number> }} Tally
 */
/**
 * Shares from 0 to 1; null where nothing was asked.
 * @typedef {{
 *   name: string, kind: string, cases: number, breaks: number, found: number | null, exact: number | null,
 *   alarm: number, abstained: number, due: number | null, score: number | null,
 * }} Score
 */

const LAWFUL = ['clean', 'oddity'];

/** @returns {Tally} */
export function emptyTally() {
  return { faults: {}, groups: {}, claimed: {} };
}

/**
 * Adds one case to a tally, by its rows of truth.csv and of findings.csv.
 * @param {Tally} tally @param {readonly Row[]} truths @param {readonly Row[]} findings
 */
export function addCase(tally, truths, findings) {
  const [first] = truths;
  if (first === undefined) return;
  const planted = truths.filter(({ kind }) => kind !== 'none' && kind !== 'abstain');
  const claims = findings.filter(({ kind }) => kind !== 'none' && kind !== 'abstain');
  const { pairs, left } = matchClaims(planted, claims);
  const { due_balance: balance, due_reserved: reserved } = first;
  const isRight = findings.some(
    (row) => row.due_balance === balance && row.due_reserved === reserved,
  );
  const counts = [countOf(tally.groups, first.group ?? '', '')];
  const isSingle = first.group === 'fault' || first.group === 'history';
  if (isSingle || planted.length === 0)
    counts.push(countOf(tally.faults, first.fault ?? '', first.kind ?? ''));
  for (const count of counts) {
    count.cases += 1;
    count.planted += planted.length;
    count.found += pairs.length;
    count.exact += pairs.filter(({ isExact }) => isExact).length;
    count.alarmed += left.length > 0 ? 1 : 0;
    count.abstained +=
      findings.some(({ kind }) => kind === 'abstain') && claims.length === 0 ? 1 : 0;
    count.breaks += first.form === 'breaks' ? 1 : 0;
    if (balance === '') continue;
    count.dueAsked += 1;
    count.dueRight += isRight ? 1 : 0;
  }
  if (!LAWFUL.includes(first.group ?? '')) return;
  for (const kind of new Set(claims.map((claim) => claim.kind ?? ''))) {
    tally.claimed[kind] = (tally.claimed[kind] ?? 0) + 1;
  }
}

/**
 * Matches claims with faults. A claim counts for one fault at most: one of its kind at its place, else one of its kind elsewhere. A
 * claim of the kind ANY counts only for a fault at its place.
 * @param {readonly Row[]} planted @param {readonly Row[]} claims
 */
function matchClaims(planted, claims) {
  const left = [...claims];
  const open = [...planted];
  const pairs = [];
  const rules = [
    (/** @type {Row} */ truth, /** @type {Row} */ claim) =>
      claim.kind === truth.kind && isAtPlace(truth, claim),
    (/** @type {Row} */ truth, /** @type {Row} */ claim) =>
      claim.kind === 'ANY' && touches(truth, claim),
    (/** @type {Row} */ truth, /** @type {Row} */ claim) => claim.kind === truth.kind,
  ];
  for (const [round, isFor] of rules.entries()) {
    for (const truth of [...open]) {
      const at = left.findIndex((claim) => isFor(truth, claim));
      if (at < 0) continue;
      left.splice(at, 1);
      open.splice(open.indexOf(truth), 1);
      pairs.push({ truth, isExact: round < 2 });
    }
  }
  return { pairs, left };
}

/** @param {Row} truth @param {Row} claim */
function isAtPlace(truth, claim) {
  return (
    truth.sequence === claim.sequence && truth.operation_reference === claim.operation_reference
  );
}

/**
 * Whether the claim is at the fault's line or, where the fault has no line, at its operation. A fault of the wallet has neither.
 * @param {Row} truth @param {Row} claim
 */
function touches(truth, claim) {
  if (truth.sequence !== '') return truth.sequence === claim.sequence;
  return isAtPlace(truth, { ...claim, sequence: '' }) && claim.sequence === '';
}

/** @param {Record<string, Count>} counts @param {string} name @param {string} kind @returns {Count} */
function countOf(counts, name, kind) {
  counts[name] ??= {
    kind,
    cases: 0,
    planted: 0,
    found: 0,
    exact: 0,
    alarmed: 0,
    abstained: 0,
    dueAsked: 0,
    dueRight: 0,
    breaks: 0,
  };
  return counts[name];
}

/**
 * Returns the sum of two tallies of different cases.
 * @param {Tally} one @param {Tally} other @returns {Tally}
 */
export function addTallies(one, other) {
  const sum = /** @type {Tally} */ (structuredClone(one));
  for (const part of /** @type {const} */ (['faults', 'groups'])) {
    for (const [name, count] of Object.entries(other[part])) {
      const into = countOf(sum[part], name, count.kind);
      for (const key of /** @type {Exclude<keyof Count, 'kind'>[]} */ (
        Object.keys(count).filter((k) => k !== 'kind')
      )) {
        into[key] += count[key];
      }
    }
  }
  for (const [kind, count] of Object.entries(other.claimed))
    sum.claimed[kind] = (sum.claimed[kind] ?? 0) + count;
  return sum;
}

/** Returns the scores by name. @param {Tally} tally @returns {{ faults: Score[], groups: Score[] }} */
export function scoresOf(tally) {
  const lawful = LAWFUL.reduce((sum, group) => sum + (tally.groups[group]?.cases ?? 0), 0);
  const scores = (/** @type {Record<string, Count>} */ counts) =>
    Object.entries(counts)
      .map(([name, count]) => {
        const claimed = (tally.claimed[count.kind] ?? 0) + (tally.claimed.ANY ?? 0);
        return scoreOf(name, count, lawful === 0 ? 0 : claimed / lawful);
      })
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  return { faults: scores(tally.faults), groups: scores(tally.groups) };
}

/**
 * score = (found − false alarm) × exact place, not below 0. False alarm: the larger of the share of the fault's own cases in which
 * something else is claimed, and the share of lawful cases in which its kind is.
 * @param {string} name @param {Count} count @param {number} claimed @returns {Score}
 */
function scoreOf(name, count, claimed) {
  const { kind, cases, breaks, planted, found, exact, alarmed, abstained, dueAsked, dueRight } =
    count;
  const share = (/** @type {number} */ part, /** @type {number} */ of) =>
    of === 0 ? null : part / of;
  const alarm = planted === 0 ? alarmed / cases : Math.max(alarmed / cases, claimed);
  const [recall, place] = [share(found, planted), share(exact, found)];
  const score = recall === null ? null : Math.max(0, recall - alarm) * (place ?? 0);
  const due = share(dueRight, dueAsked);
  return {
    name,
    kind,
    cases,
    breaks: breaks / cases,
    found: recall,
    exact: place,
    alarm,
    abstained: abstained / cases,
    due,
    score,
  };
}

/**
 * Returns a share in per cent with one digit; `-` for null. It rounds to 100 and 0 only where these are exact.
 * @param {number | null} share @returns {string}
 */
export function percent(share) {
  if (share === null) return '-';
  const rounded = Math.round(share * 1000) / 10;
  if (rounded === 100 && share < 1) return '99.9';
  if (rounded === 0 && share > 0) return '0.1';
  return String(rounded);
}

/**
 * Returns columns of equal width, of which the first two are aligned to the left.
 * @param {readonly (readonly string[])[]} rows @returns {string}
 */
export function alignColumns(rows) {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** @param {readonly Score[]} scores @returns {string} */
export function tableOf(scores) {
  const head = [
    'name',
    'cases',
    'found',
    'exact place',
    'false alarm',
    'due right',
    'abstained',
    'score',
  ];
  const rows = scores.map(({ name, cases, found, exact, alarm, due, abstained, score }) => [
    name,
    String(cases),
    ...[found, exact, alarm, due, abstained, score].map(percent),
  ]);
  return alignColumns([head, ...rows]);
}

/** Returns the rows by the names of the first line. @param {string} text @returns {Row[]} */
function readCsv(text) {
  /** @type {string[][]} */
  const table = [[]];
  for (const [, quoted, plain, end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g,
  )) {
    table.at(-1)?.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
    if (end === '') break;
    if (end !== ',') table.push([]);
  }
  const [names = [], ...rows] = table.filter((cells) => cells.join('') !== '');
  return rows.map((cells) => Object.fromEntries(names.map((name, i) => [name, cells[i] ?? ''])));
}

/** @param {string} truthFile @param {string} findingsFile */
function scoreFiles(truthFile, findingsFile) {
  const truths = Map.groupBy(readCsv(readFileSync(truthFile, 'utf8')), (row) => row.case);
  const findings = Map.groupBy(readCsv(readFileSync(findingsFile, 'utf8')), (row) => row.case);
  const tally = emptyTally();
  for (const [name, rows] of truths) addCase(tally, rows, findings.get(name) ?? []);
  const { faults, groups } = scoresOf(tally);
  process.stdout.write(`${tableOf(faults)}\n${tableOf(groups)}`);
}

if (import.meta.main) {
  const [truthFile, findingsFile] = process.argv.slice(2);
  if (truthFile === undefined || findingsFile === undefined) {
    process.stderr.write('usage: node score.js truth.csv findings.csv\n');
    process.exitCode = 2;
  } else {
    scoreFiles(truthFile, findingsFile);
  }
}
