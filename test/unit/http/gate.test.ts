// The gate of notifications: so many at once, an answer in time, and every trouble one that passes.

import { expect, test } from 'vitest';
import { DirectError } from '../../../src/http/direct-error.ts';
import { openGate } from '../../../src/http/notification-inbox.ts';

test('work that takes too long is given up with 503, and keeps its place until it ends', async () => {
  const gate = openGate({ atOnce: 1, within: 20 });
  const { promise, reject } = Promise.withResolvers<void>();
  await expect(gate(() => promise)).rejects.toMatchObject({
    status: 503,
    cause: { message: 'no answer within 20 ms' },
  });
  await expect(gate(async () => 'next')).rejects.toMatchObject({ status: 503 });
  reject(new Error('it ends badly, and nobody waits for it'));
  await promise.catch(() => {});
  await expect.poll(() => gate(async () => 'next').catch(() => null)).toBe('next');
});

test('what fails is 503 with its cause; what was refused stays as it was', async () => {
  const gate = openGate({ atOnce: 1, within: 1_000 });
  const failing = () => Promise.reject(new Error('away'));
  await expect(gate(failing)).rejects.toMatchObject({ status: 503, cause: { message: 'away' } });
  const refused = new DirectError(404, 'NOT_FOUND', 'There is nothing.');
  await expect(gate(() => Promise.reject(refused))).rejects.toBe(refused);
  expect(await gate(async () => 'taken')).toBe('taken');
});
