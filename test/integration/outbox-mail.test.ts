// Mails out of the outbox, through a real mail server. Each goes out at most once, whichever
// process sends and whatever breaks. One that failed is tried again on the ladder, one that may
// have arrived is not.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MINUTE, SECOND } from '../../src/core/domain/instant.ts';
import { openMailChannel } from '../../src/io/deliveries/mail.ts';
import { loadDelivery, retryDeliveries } from '../../src/io/storage/deliveries/deliveries.ts';
import { openStore } from '../../src/io/storage/server/open-store.ts';
import type { Store } from '../../src/io/storage/server/store.ts';
import { deliverDue, runOutbox } from '../../src/service/workflows/deliveries/deliver-due.ts';
import { openTestStore, type TestStore } from '../support/database-store.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import {
  alertTo,
  announce,
  emptyOutbox,
  mailSettings,
  NOW,
  outboxTask,
  stored,
  type TestOutbox,
} from '../support/outbox.ts';
import { startSender } from '../support/sender-child.ts';

let opened: TestStore;
let store: Store;
let server: MailServer;
beforeAll(async () => {
  opened = await openTestStore();
  store = opened.store;
});
afterAll(() => opened.close());
beforeEach(async () => {
  server = await startMailServer();
});
afterEach(async () => {
  await server.close();
  await emptyOutbox(store);
});

const taskOver = (url = server.url, deadline = 5_000): TestOutbox =>
  outboxTask(store, [openMailChannel(mailSettings(url, { deadline }))]);
const stateOf = async () => (await stored(store)).map(({ state }) => state);
const historyOf = async () => (await loadDelivery(store, (await stored(store))[0]!.id)).history;

test('a mail arrives, is recorded with what the server said, and is not sent again', async () => {
  await announce(store, [alertTo('mail', 'controle@example.com')]);
  const task = taskOver();
  expect(await deliverDue(task)).toEqual({ SUCCESS: 1, RETRY: 0, REFUSED: 0, IN_DOUBT: 0 });
  const [delivery] = await stored(store);
  expect(delivery).toMatchObject({ state: 'SUCCESS', attempts: 1, nextAttemptAt: null });
  const [mail] = server.arrived;
  expect(mail).toMatchObject({
    from: { name: 'Contrôle', address: 'pointage@example.com' },
    to: [{ address: 'controle@example.com' }],
    subject: 'Nightly check — the run does not cover every merchant',
    messageId: `<${delivery!.id}@example.com>`,
    envelope: { from: 'pointage@example.com', to: ['controle@example.com'] },
  });
  expect(mail!.text).toContain('M2: no answer');
  expect(mail!.html).toContain('M2: no answer');
  expect(await historyOf()).toMatchObject([{ number: 1, outcome: 'SUCCESS', startedAt: NOW }]);
  task.now += 100 * 3_600 * SECOND;
  expect(await deliverDue(task)).toMatchObject({ SUCCESS: 0 });
  expect(server.arrived).toHaveLength(1);
});

test('the same announcement written twice is sent once', async () => {
  await announce(store, [alertTo('mail', 'a@example.com')]);
  await announce(store, [alertTo('mail', 'a@example.com'), alertTo('mail', 'b@example.com')]);
  await deliverDue(taskOver());
  expect(server.asked.toSorted()).toEqual(['a@example.com', 'b@example.com']);
});

test('fifty mails, three processes at once: each arrives once', async () => {
  await announce(
    store,
    Array.from({ length: 50 }, (_, i) => alertTo('mail', `a${i}@example.com`)),
  );
  const others = [await openStore({ databaseUrl: opened.databaseUrl, dataDirectory: '' })];
  const tasks = [taskOver(), taskOver(), outboxTask(others[0]!, taskOver().channels)];
  const counts = await Promise.all(tasks.map((task) => deliverDue(task)));
  await others[0]!.close();
  expect(counts.reduce((sum, { SUCCESS }) => sum + SUCCESS, 0)).toBe(50);
  expect(new Set(server.arrived.map(({ messageId }) => messageId)).size).toBe(50);
  expect(server.arrived).toHaveLength(50);
  expect(new Set(await stateOf())).toEqual(new Set(['SUCCESS']));
});

describe('a mail that does not go out', () => {
  test('is refused for good when the server says so of the recipient, and holds up no other', async () => {
    server.refuse = (recipient) =>
      recipient.startsWith('gone') ? 550 : recipient.startsWith('busy') ? 451 : null;
    await announce(
      store,
      ['gone@example.com', 'busy@example.com', 'fine@example.com'].map((target) =>
        alertTo('mail', target),
      ),
    );
    expect(await deliverDue(taskOver())).toEqual({ SUCCESS: 1, RETRY: 1, REFUSED: 1, IN_DOUBT: 0 });
    const byTarget = Object.fromEntries((await stored(store)).map((one) => [one.target, one]));
    expect(byTarget['gone@example.com']).toMatchObject({ state: 'ABANDONED', nextAttemptAt: null });
    expect(byTarget['gone@example.com']!.lastDetail).toContain('RCPT TO: 550');
    expect(byTarget['busy@example.com']).toMatchObject({
      state: 'FAILED',
      nextAttemptAt: NOW + 2 * SECOND,
    });
    expect(byTarget['fine@example.com']).toMatchObject({ state: 'SUCCESS' });
  });

  test('is tried again when it is due and not before, up the whole ladder, and then given up', async () => {
    server.refuse = () => 451;
    await announce(store, [alertTo('mail', 'a@example.com')]);
    const task = taskOver();
    for (let attempts = 1; attempts <= 9; attempts++) {
      expect(await deliverDue(task)).toMatchObject({ RETRY: 1 });
      const [delivery] = await stored(store);
      expect(delivery!.attempts).toBe(attempts);
      if (delivery!.nextAttemptAt === null) break;
      task.now = delivery!.nextAttemptAt - 1;
      expect(await deliverDue(task)).toMatchObject({ RETRY: 0 });
      task.now += 1;
    }
    expect(await stateOf()).toEqual(['ABANDONED']);
    expect(await historyOf()).toHaveLength(9);
    expect(server.asked).toHaveLength(9);
  });

  test('is not claimed while the server cannot be reached: it fails, and nothing is in doubt', async () => {
    await announce(store, [alertTo('mail', 'a@example.com'), alertTo('mail', 'b@example.com')]);
    const { url } = server;
    await server.close();
    expect(await deliverDue(taskOver(url))).toEqual({
      SUCCESS: 0,
      RETRY: 2,
      REFUSED: 0,
      IN_DOUBT: 0,
    });
    expect(await stateOf()).toEqual(['FAILED', 'FAILED']);
    expect((await historyOf())[0]!.detail).toMatch(
      /^The mail server 127\.0\.0\.1 cannot be used: .*ECONNREFUSED/,
    );
  });

  test('is not claimed when the server does not let us in, and the password is nowhere', async () => {
    await server.close();
    server = await startMailServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) => done(new Error('no')),
    });
    await announce(store, [alertTo('mail', 'a@example.com')]);
    const task = taskOver(server.url.replace('//', '//mailer:hush-hush@'));
    expect(await deliverDue(task)).toMatchObject({ RETRY: 1, IN_DOUBT: 0 });
    expect(JSON.stringify([await historyOf(), task.attempts, task.failures])).not.toContain(
      'hush-hush',
    );
    expect((await historyOf())[0]!.detail).toContain('Invalid login');
  });

  test('is in doubt when the server had it whole and never answered', async () => {
    await announce(store, [alertTo('mail', 'a@example.com')]);
    server.beforeAnswer = () => new Promise(() => {});
    expect(await deliverDue(taskOver(server.url, 1_000))).toEqual({
      SUCCESS: 0,
      RETRY: 0,
      REFUSED: 0,
      IN_DOUBT: 1,
    });
    expect(await stateOf()).toEqual(['IN_DOUBT']);
    expect(server.arrived).toHaveLength(1);
  });

  test('is tried again when the server answers the whole of it with no', async () => {
    await announce(store, [alertTo('mail', 'a@example.com')]);
    server.beforeAnswer = async () => 552;
    expect(await deliverDue(taskOver())).toEqual({ SUCCESS: 0, RETRY: 1, REFUSED: 0, IN_DOUBT: 0 });
  });
});

describe('a process that is killed', () => {
  test('in the middle of a mail leaves it in doubt: one mail, until a person says otherwise', async () => {
    await announce(store, [alertTo('mail', 'a@example.com')]);
    const arrived = Promise.withResolvers<void>();
    server.beforeAnswer = async () => {
      arrived.resolve();
      return new Promise(() => {});
    };
    const sender = startSender({ databaseUrl: opened.databaseUrl, mailUrl: server.url });
    await arrived.promise;
    await sender.kill();
    server.beforeAnswer = async () => null;
    expect(await stateOf()).toEqual(['SENDING']);
    const task = taskOver();
    task.now = Date.now();
    expect(await deliverDue(task), 'its claim has not run out').toMatchObject({
      SUCCESS: 0,
      IN_DOUBT: 0,
    });
    task.now += 10 * MINUTE;
    expect(await deliverDue(task)).toEqual({ SUCCESS: 0, RETRY: 0, REFUSED: 0, IN_DOUBT: 1 });
    task.now += 100 * 3_600 * SECOND;
    await deliverDue(task);
    expect(await stateOf()).toEqual(['IN_DOUBT']);
    expect(server.arrived).toHaveLength(1);
    expect(await retryDeliveries(store, { ids: [], states: ['IN_DOUBT'] }, task.now)).toBe(1);
    expect(await deliverDue(task)).toMatchObject({ SUCCESS: 1 });
    const [first, second] = server.arrived.map(({ messageId }) => messageId);
    expect(second, 'a receiver can tell the repeat').toBe(first);
    expect((await historyOf()).map(({ number, outcome }) => [number, outcome])).toEqual([
      [1, 'IN_DOUBT'],
      [2, 'SUCCESS'],
    ]);
  });
});

describe('a retry by a person', () => {
  test('gives it the whole ladder, and keeps what was', async () => {
    server.refuse = () => 550;
    await announce(store, [alertTo('mail', 'a@example.com')]);
    const task = taskOver();
    await deliverDue(task);
    const { id } = (await stored(store))[0]!;
    await retryDeliveries(store, { ids: [id], states: [] }, task.now);
    expect((await stored(store))[0]).toMatchObject({
      state: 'PENDING',
      attempts: 0,
      nextAttemptAt: task.now,
    });
    server.refuse = () => 451;
    await deliverDue(task);
    expect((await stored(store))[0]).toMatchObject({
      attempts: 1,
      nextAttemptAt: task.now + 2 * SECOND,
    });
    expect((await historyOf()).map(({ outcome }) => outcome)).toEqual(['REFUSED', 'RETRY']);
  });

  test('is refused for a delivered mail, and changes nothing of the others', async () => {
    server.refuse = (recipient) => (recipient.startsWith('gone') ? 550 : null);
    await announce(store, [
      alertTo('mail', 'gone@example.com'),
      alertTo('mail', 'fine@example.com'),
    ]);
    await deliverDue(taskOver());
    const ids = (await stored(store)).map(({ id }) => id);
    await expect(retryDeliveries(store, { ids, states: [] }, NOW)).rejects.toThrow(
      /was delivered at 2026-11-15T12:00:00.000Z/,
    );
    expect((await stateOf()).toSorted()).toEqual(['ABANDONED', 'SUCCESS']);
  });
});

test('the pump sends new deliveries while it runs, and ends those on their way when it stops', async () => {
  const task = { ...taskOver(), clock: Date.now };
  const stop = new AbortController();
  const running = runOutbox(task, stop.signal);
  const begun = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<null>();
  server.beforeAnswer = () => {
    begun.resolve();
    return answer.promise;
  };
  await announce(store, [alertTo('mail', 'a@example.com')], Date.now());
  await begun.promise;
  stop.abort();
  await announce(store, [alertTo('mail', 'late@example.com')], Date.now());
  answer.resolve(null);
  await running;
  expect(server.asked).toEqual(['a@example.com']);
  expect((await stateOf()).toSorted()).toEqual(['PENDING', 'SUCCESS']);
});
