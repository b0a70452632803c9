// One connection to the mail server: connected and logged in first, then mail after mail. Knows for each whether the server
// may have taken it. Refuses to send a password in clear over a network.

import type { Readable } from 'node:stream';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SendOutcome } from '../../../core/domain/delivery/delivery-channel.ts';
import { detailOf } from '../detail.ts';
import { judgeFailure } from './judge-failure.ts';
import type { MailSettings } from './mail-settings.ts';

export interface SmtpSession {
  send(envelope: { readonly from: string; readonly to: string }, message: Readable): Promise<SendOutcome>;
  isOpen(): boolean;
  close(): void;
}

/** Milliseconds for the server to answer QUIT. */
const LONGEST_GOODBYE = 2_000;
const LOCAL = ['localhost', '127.0.0.1', '::1'];

/** Rejects with one sentence, without the password, when the server cannot be reached or refuses to let us in. */
export async function openSmtp({ url, deadline }: Pick<MailSettings, 'url' | 'deadline'>): Promise<SmtpSession> {
  const { protocol, hostname, port, username, password } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const user = decodeURIComponent(username);
  const connection = new SMTPConnection({
    host,
    ...(port === '' ? {} : { port: Number(port) }),
    secure: protocol === 'smtps:',
    requireTLS: protocol === 'smtp:' && user !== '' && !LOCAL.includes(host),
    connectionTimeout: deadline,
    greetingTimeout: deadline,
    socketTimeout: deadline,
    socketCloseTimeout: 0,
  });
  const state = watch(connection);
  const opened = state.within(deadline, (done) => {
    connection.connect((failure) => {
      if (failure) done(failure);
      else if (user === '' || !connection.allowsAuth) done(null);
      else connection.login({ user, pass: decodeURIComponent(password) }, (refusal) => done(refusal));
    });
  });
  await opened.catch((failure: Error) => {
    state.leave();
    throw new Error(detailOf(`The mail server ${host} cannot be used: ${failure.message}`), { cause: failure });
  });
  return {
    send: (envelope, message) => sendOver(connection, state, { envelope, message, deadline }),
    isOpen: state.isOpen,
    close: () => {
      if (!state.isOpen()) return connection.close();
      connection.quit();
      setTimeout(state.leave, LONGEST_GOODBYE).unref();
    },
  };
}

interface Watched {
  isOpen(): boolean;
  /** At once, and without a word. */
  leave(): void;
  /** Resolves when `work` is done; rejects when it fails, the connection does, or the time is over. */
  within(deadline: number, work: (done: (failure: Error | null) => void) => void): Promise<void>;
}

/** A connection may fail or end at any time, also between two mails. */
function watch(connection: SMTPConnection): Watched {
  let isOpen = true;
  let onEnd: (failure: Error) => void = () => {};
  connection.on('error', (failure: Error) => {
    isOpen = false;
    onEnd(failure);
  });
  connection.on('end', () => {
    isOpen = false;
    onEnd(new Error('the connection was closed'));
  });
  return {
    isOpen: () => isOpen,
    leave: () => {
      isOpen = false;
      connection.close();
    },
    within: async (deadline, work) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      onEnd = reject;
      const late = setTimeout(() => reject(new Error(`no answer within ${deadline / 1_000} s`)), deadline);
      try {
        if (!isOpen) throw new Error('the connection was closed');
        work((failure) => (failure === null || failure === undefined ? resolve() : reject(failure)));
        await promise;
      } finally {
        clearTimeout(late);
        onEnd = () => {};
      }
    },
  };
}

async function sendOver(
  connection: SMTPConnection,
  state: Watched,
  {
    envelope,
    message,
    deadline,
  }: {
    readonly envelope: { readonly from: string; readonly to: string };
    readonly message: Readable;
    readonly deadline: number;
  },
): Promise<SendOutcome> {
  let isWhole = false;
  let said = '';
  message.once('end', () => {
    isWhole = true;
  });
  try {
    await state.within(deadline, (done) => {
      connection.send(envelope, message, (failure, info) => {
        said = info?.response ?? '';
        done(failure);
      });
    });
    return { outcome: 'SUCCESS', detail: detailOf(said) };
  } catch (failure) {
    // A server may be in the middle of this mail: the next one gets a connection of its own.
    message.destroy();
    state.leave();
    return judgeFailure(failure as Error, { isWhole });
  }
}
