// The limiter of notifications: so many at once, an answer in time, and every failure is one after
// which the sender tries again.

import { expect, test } from 'vitest';
import { DirectError } from '../../../src/service/http/port/errors.ts';
import { openNotificationLimiter } from '../../../src/service/http/routes/notifications.ts';

test('work that takes too long is given up with 503, and keeps its place until it ends', async () => {
  const limiter = openNotificationLimiter({ atOnce: 1, within: 20 });
  const { promise, reject } = Promise.withResolvers<void>();
  await expect(limiter(() => promise)).rejects.toMatchObject({
    status: 503,
    cause: { message: 'no answer within 20 ms' },
  });
  await expect(limiter(async () => 'next')).rejects.toMatchObject({ status: 503 });
  reject(new Error('it ends badly, and nobody waits for it'));
  await promise.catch(() => {});
  await expect.poll(() => limiter(async () => 'next').catch(() => null)).toBe('next');
});

test('what fails is 503 with its cause; what was refused stays as it was', async () => {
  const limiter = openNotificationLimiter({ atOnce: 1, within: 1_000 });
  const failing = () => Promise.reject(new Error('away'));
  await expect(limiter(failing)).rejects.toMatchObject({ status: 503, cause: { message: 'away' } });
  const refused = new DirectError(404, 'NOT_FOUND', 'There is nothing.');
  await expect(limiter(() => Promise.reject(refused))).rejects.toBe(refused);
  expect(await limiter(async () => 'taken')).toBe('taken');
});
