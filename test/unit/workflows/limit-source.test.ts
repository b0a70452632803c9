// A source that is left when its time is over. What was served stays served, and no caller waits
// for what hangs.

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { Snapshot } from '../../../src/core/domain/snapshot.ts';
import type { Source } from '../../../src/io/sources/port/source.ts';
import { PutBack } from '../../../src/service/workflows/jobs.ts';
import { limitSource } from '../../../src/service/workflows/nightly/limit-source.ts';

const EMPTY = { rows: [], rejected: [] };

/** Returns a source that serves `batches` and then hangs, and tells when its stream was left. */
function hangingSource(batches: number, told: string[] = []): Source {
  async function* entries() {
    try {
      for (let i = 0; i < batches; i += 1) yield EMPTY;
      await new Promise(() => {});
    } finally {
      told.push('left');
    }
  }
  const snapshot = { entries, close: async () => void told.push('closed') } as unknown as Snapshot;
  return { name: 'hangs', open: async () => snapshot } as unknown as Source;
}

async function readFrom(source: Source, onBatch: () => void = () => {}): Promise<number> {
  const snapshot = await source.open('M001', null);
  let batches = 0;
  try {
    for await (const _ of snapshot.entries()) {
      batches += 1;
      onBatch();
    }
  } catch (failure) {
    throw Object.assign(failure as Error, { batches });
  } finally {
    await snapshot.close();
  }
  return batches;
}

test('a merchant that takes too long is left with what was read', async () => {
  const limits = { signal: new AbortController().signal, longest: 60 };
  const snapshot = readFrom(limitSource(hangingSource(3), limits));
  await expect(snapshot).rejects.toMatchObject({ code: 'TOOK_TOO_LONG', batches: 3 });
});

test('a clock that is set a day ahead meanwhile cuts nothing off', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const source = limitSource(hangingSource(3), {
      signal: new AbortController().signal,
      longest: 60_000,
    });
    const ahead = () => void vi.setSystemTime(Date.now() + 86_400_000);
    const ended = readFrom(source, ahead).catch((failure: unknown) => failure);
    expect(await Promise.race([ended, sleep(100, 'it is waited for')])).toBe('it is waited for');
  } finally {
    vi.useRealTimers();
  }
});

test('a stopping process leaves at the next page, and tells the stream', async () => {
  const told: string[] = [];
  const stop = new AbortController();
  const limits = { signal: stop.signal, longest: 60_000 };
  const snapshot = readFrom(limitSource(hangingSource(3, told), limits), () => stop.abort());
  await expect(snapshot).rejects.toBeInstanceOf(PutBack);
  await expect(snapshot).rejects.toMatchObject({ batches: 1, seconds: 0 });
  expect(told).toEqual(['left', 'closed']);
});

test('what fails by itself fails as it does', async () => {
  const broken = {
    name: 'broken',
    open: () => Promise.reject(new Error('no such thing')),
  } as unknown as Source;
  const limits = { signal: new AbortController().signal, longest: 60_000 };
  await expect(readFrom(limitSource(broken, limits))).rejects.toThrow('no such thing');
});
