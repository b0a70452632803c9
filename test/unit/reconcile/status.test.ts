// When a finding is confirmed, and when it waits.

import { expect, test } from 'vitest';
import { HOUR } from '../../../src/core/domain/instant.ts';
import { fingerprintOf } from '../../../src/core/kernel/checks/port/fingerprint.ts';
import { statusOf } from '../../../src/core/kernel/reconcile/roots/material.ts';

const WATERMARK = Date.UTC(2026, 9, 15, 12);
const terms = {
  ...{ merchant: 'M', currency: null, grace: HOUR, watermark: WATERMARK },
  latest: WATERMARK + HOUR,
};
const draft = (newestEvidence: number | null, againstOlder = false) =>
  ({
    ...{ kind: 'CREDIT_MISSING', sequence: null, operationReference: 'A', inputPlace: null },
    ...{ newestEvidence, againstOlder },
  }) as never;

test.each([
  ['is as old as the grace', WATERMARK - HOUR, 'confirmed'],
  ['is a millisecond younger', WATERMARK - HOUR + 1, 'provisional'],
  ['is of the last instant that is possible', WATERMARK + HOUR, 'provisional'],
  ['has an impossible date', WATERMARK + HOUR + 1, 'confirmed'],
  ['has no date', null, 'confirmed'],
])('a finding whose evidence %s', (_, newest, status) => {
  expect(statusOf(draft(newest), terms)).toBe(status);
});

test('one that may be newer than what it is compared with waits, however old it is', () => {
  expect(statusOf(draft(null, true), terms)).toBe('provisional');
});

test('one of which something could not be read waits, and no other does', () => {
  const unread = new Set([fingerprintOf('M', draft(null))]);
  expect(statusOf(draft(null), { ...terms, unread })).toBe('provisional');
  expect(statusOf(draft(null), { ...terms, merchant: 'N', unread })).toBe('confirmed');
});
