// An address that many ask. It is down when none of it answers for several merchants, and never
// because one merchant is refused.

import { describe, expect, test } from 'vitest';
import { PlaceUnreachable } from '../../../src/io/sources/port/source.ts';
import { openPlace } from '../../../src/io/sources/web/web-settings.ts';

const RETRIES = { attempts: 2, firstDelay: 1, longestDelay: 5_000, longestRetryAfter: 1 };
const DOWN = new PlaceUnreachable({ place: 'http://host/v1', why: 'ECONNREFUSED' }, 'source');
const never = new AbortController().signal;

function placeAt(start = 0) {
  let at = start;
  const place = openPlace(RETRIES, () => at);
  const fail = (...merchants: readonly string[]): void => {
    for (const merchant of merchants) {
      place.unreached(merchant, DOWN);
      place.gaveUp(merchant, DOWN);
    }
  };
  /** Returns whether a caller may ask now. */
  const asks = (): Promise<boolean> =>
    place.enter(never).then(
      () => true,
      () => false,
    );
  return { place, fail, asks, pass: (milliseconds: number) => (at += milliseconds) };
}

describe('a place', () => {
  test('that stayed away is called by one in a minute, and by all again once it has answered', async () => {
    const { place, fail, asks, pass } = placeAt();
    fail('A', 'B');
    pass(10_000);
    expect([await asks(), await asks(), await asks()]).toEqual([true, false, false]);
    pass(59_000);
    expect(await asks()).toBe(false);
    pass(1_000);
    expect([await asks(), await asks()]).toEqual([true, false]);
    await expect(place.enter(never)).rejects.toThrow(
      'No answer from http://host/v1 (ECONNREFUSED): check source and the network.',
    );
    place.answered();
    expect([await asks(), await asks()]).toEqual([true, true]);
  });

  test('is not down for one merchant that is refused between sound ones, however often', async () => {
    const { place, fail, asks } = placeAt();
    for (let i = 0; i < 20; i += 1) {
      fail('REFUSED');
      expect(await asks()).toBe(true);
      place.answered();
    }
  });

  test('that answers failures only is down after five merchants, not after four', async () => {
    const { place, asks, pass } = placeAt();
    for (const merchant of ['A', 'B', 'C', 'D']) place.gaveUp(merchant, DOWN);
    pass(10_000);
    expect([await asks(), await asks()]).toEqual([true, true]);
    place.gaveUp('E', DOWN);
    expect([await asks(), await asks()]).toEqual([true, false]);
  });

  test('that was not asked for long is not known to be down', async () => {
    const { fail, asks, pass } = placeAt();
    fail('A', 'B');
    pass(10_000);
    await asks();
    pass(3_600_000);
    expect([await asks(), await asks()]).toEqual([true, true]);
  });
});
