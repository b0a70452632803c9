// What was not checked, worded by its code alone. Every place of a sentence is filled, for one and
// for many.

import { expect, test } from 'vitest';
import type { CodedNote } from '../../../src/core/domain/snapshot.ts';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';
import { ENGLISH, fill } from '../../../src/core/words/finding.ts';
import { wordNote } from '../../../src/core/words/names.ts';
import { LABELS, SAMPLES } from '../../../src/core/words/tree.ts';

type Case = readonly [CodedNote['code'], NonNullable<CodedNote['figures']>, string];

test.each<Case>([
  [
    'BALANCE_BOUNDED',
    { count: 1 },
    'the fees of 1 payment were never told; it lies within what they may be',
  ],
  [
    'BALANCE_BOUNDED',
    { count: 12_345 },
    'the fees of 12345 payments were never told; it lies within what they may be',
  ],
  [
    'BALANCE_WITHOUT_ALL',
    { of: 'payments' },
    'the payments were not read from the first to the last',
  ],
  [
    'BALANCE_WITHOUT_ALL',
    { of: 'payouts' },
    'the payouts were not read from the first to the last',
  ],
  [
    'CLOCK_BEHIND',
    { clock: '2026-10-01T00:00:00.000Z', newest: '2026-10-02T00:00:00.000Z' },
    'it said 2026-10-01T00:00:00.000Z when the books were read, and they are dated up to 2026-10-02T00:00:00.000Z: what is newer than the clock is not judged',
  ],
  [
    'DAYS_SINCE',
    { since: '2026-10-05' },
    'the counts of days before 2026-10-05 are not compared with payments; those of their months are',
  ],
  [
    'DELIVERIES_REFUSED',
    { count: 3, place: 'GET /webhooks item 2', reason: 'amount is 12.5, not a whole number' },
    '3 could not be read exactly, the first at GET /webhooks item 2: amount is 12.5, not a whole number',
  ],
  ['DUE_UNKNOWN', {}, 'it takes every line, every operation and the wallet'],
  ['EVENTS_NOT_ASKED', {}, 'the profile has no webhookUrl, and no operation is notified'],
  ['EVENTS_REFUSED', { count: 2, listed: null }, '2 could not be read exactly'],
  [
    'EVENTS_REFUSED',
    { count: 1200, listed: 1000 },
    '1200 could not be read exactly; the first 1000 are listed',
  ],
  ['EVENTS_TOO_NEW', { count: 2 }, '2 are newer than the watermark and are judged next time'],
  ['LINES_OF_UNKNOWN_KINDS', { count: 2 }, '2 moved money, and the document does not say what for'],
  [
    'LINES_KNOWN_FROM',
    { sequence: 5001, day: '2026-10-05' },
    'the ledger is known from line 5001 of 2026-10-05 on: what moved before it in this period is not in its figures',
  ],
  ['NAMES_UNKNOWN', { names: '"NOKIA", "<b>{x}"' }, 'the document does not know "NOKIA", "<b>{x}"'],
  ['NOTHING_THERE', {}, 'there is no line and no operation to check'],
  [
    'OPERATIONS_AHEAD',
    { count: 1 },
    '1 is dated more than a day after it was read and cannot be judged',
  ],
  [
    'OPERATIONS_AHEAD',
    { count: 2 },
    '2 are dated more than a day after they were read and cannot be judged',
  ],
  ['OPERATIONS_OF_UNKNOWN_LINES', { count: 4 }, '4 more'],
  ['OPERATIONS_TOO_NEW', { count: 2 }, '2 moved after the watermark and are judged next time'],
  [
    'OPERATION_OF_UNKNOWN_LINES',
    { reference: 'GUI-CI-1' },
    'a line of a kind or direction that the document does not know',
  ],
  [
    'PAYMENTS_SINCE',
    { since: '2026-09-01T00:00:00.000Z' },
    'those created before 2026-09-01T00:00:00.000Z are not compared with what earlier looks and notifications said',
  ],
  [
    'PAYOUTS_COPIED',
    {},
    'a copy does not say of which moment it is: its figures are not compared with those of earlier ones',
  ],
  [
    'OPENING_WITHOUT_TOTALS',
    { totals: 'totalFees' },
    'totalFees cannot be compared: what they were before the first line is not declared (`opening` takes them too)',
  ],
  ['PAYOUTS_CUT', { count: 20 }, 'the list of 20 payouts may be cut short'],
  ['PAYOUTS_MOVED', {}, 'payouts moved while they were read; they are judged next time'],
  ['PROVISIONAL', { count: 2 }, '2 rest on evidence too young to confirm'],
  ['PUBLISHED_ROWS_REFUSED', { count: 2 }, '2 rows could not be read exactly'],
  [
    'REPORT_DOUBTFUL',
    { doubt: 1 },
    'its summary differs from the payments read, and 1 row of payments could not be read',
  ],
  [
    'REPORT_DOUBTFUL',
    { doubt: 2 },
    'its summary differs from the payments read, and 2 rows of payments could not be read',
  ],
  ['REPORT_WITHOUT_FIGURES', {}, 'its summary holds no figure'],
  ['ROWS_REFUSED', { count: 2, listed: null }, '2 rows could not be read exactly'],
  [
    'ROWS_REFUSED',
    { count: 1200, listed: 1000 },
    '1200 rows could not be read exactly; the first 1000 are listed',
  ],
  ['SETTLEMENT_ZONE', { zone: 'Mars/Olympus' }, 'its zone Mars/Olympus is not known'],
  [
    'UNEXPLAINED',
    { balance: '-1234567', reserved: '0' },
    'recorded otherwise than operations require, and no finding says why: balance by −1 234 567, reserved by 0',
  ],
])('%s %o', (code, figures, why) => {
  expect(wordNote({ what: 'this', code, figures })).toEqual({
    what: 'this',
    why,
    incomplete: false,
    code,
    figures,
  });
});

test('no note of a sample has a place without its figure', () => {
  const notes = Object.values(SAMPLES).flatMap(({ fires, quiet }) =>
    [fires, quiet].flatMap((sample) => reconcileSample(sample.join('\n')).notChecked),
  );
  expect(notes.length).toBeGreaterThan(50);
  expect(notes.filter(({ why }) => /[{}]|undefined|NaN/.test(why))).toEqual([]);
});

/** Figures that are no counts: a day, and what is never listed one alone. */
const NO_COUNTS = new Set(['since', 'listed']);

test.each(['fr', 'en'] as const)('a count of one has no plural beside it: %s', (language) => {
  const sentences = Object.entries(LABELS[language].notChecked.why);
  expect(sentences.length).toBeGreaterThan(50);
  const said = sentences.map(([code, text]) => {
    const ones = Object.fromEntries(
      [...text.matchAll(/\{(\w+)/g)].map(([, name]) => [name!, NO_COUNTS.has(name!) ? 2 : 1]),
    );
    return `${code}: ${fill(text, ones, ENGLISH)}`;
  });
  const plurals =
    /\b1 (?:rows|nights|months|readings|lines|payments|are|were|rest|have|nuits|lectures|lignes|mois plus anciens|laissées|ont|sont)\b/;
  expect(said.filter((one) => plurals.test(one))).toEqual([]);
});
