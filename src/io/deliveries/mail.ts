// Sends one mail for each delivery, to one recipient, over a connection that is logged in before a
// parcel is claimed. A mail must not be sent twice, so when it is unknown whether the server took
// its last byte, the delivery is in doubt. Refuses to send a password in clear over a network.

import { Readable } from 'node:stream';
import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type {
  ChannelSession,
  DeliveryChannel,
  Parcel,
  ParcelFile,
  SendOutcome,
} from '../../core/domain/delivery/delivery-channel.ts';
import type { Language } from '../../core/statements/statement.ts';
import type { MailTemplate } from '../formats/port/template.ts';
import { composeMessage, mailedName } from './compose-message.ts';
import { detailOf, outcomeOf } from './outcome.ts';

export interface MailSettings {
  /** `smtp://USER:PASSWORD@HOST:587` or `smtps://…`. */
  readonly url: string;
  /** An address, or a name and an address in `<>`. */
  readonly from: string;
  /** Milliseconds for one mail, and for logging in to the server. */
  readonly deadline: number;
  readonly templates: Readonly<Record<Language, MailTemplate>>;
  /** Language of mails that do not go to one merchant's accountant. */
  readonly alertLanguage: Language;
}

/**
 * Most mails in a session. Servers end sessions after some mails, so a new one is opened before
 * that.
 */
const MAILS_PER_SESSION = 50;

export function openMailChannel(settings: MailSettings): DeliveryChannel {
  return {
    name: 'mail',
    isRepeatable: false,
    concurrency: 2,
    deadline: settings.deadline,
    open: async () => sessionOver(settings, await openSmtp(settings)),
  };
}

function sessionOver(settings: MailSettings, smtp: SmtpSession): ChannelSession {
  const sender = senderOf(settings.from);
  let mails = 0;
  return {
    send: (parcel) => {
      mails += 1;
      return smtp.send({ from: sender.address, to: parcel.target }, streamOf(settings, parcel));
    },
    isOpen: () => smtp.isOpen() && mails < MAILS_PER_SESSION,
    close: smtp.close,
  };
}

/**
 * Splits `Name <address>`. The server takes the address alone, and message ids end in its domain.
 */
function senderOf(from: string): { readonly name: string; readonly address: string } {
  const parts = /^\s*"?([^<"]*?)"?\s*<([^<>]+)>\s*$/.exec(from);
  return parts === null
    ? { name: '', address: from.trim() }
    : { name: parts[1]!, address: parts[2]! };
}

/**
 * Returns the whole message as a stream. Its attachments are read while it is sent, and the stream
 * fails before its end when an attachment cannot be read.
 */
function streamOf(settings: MailSettings, parcel: Parcel): Readable {
  const { content, report, target } = parcel;
  const language = content.topic === 'statement' ? content.language : settings.alertLanguage;
  const sender = senderOf(settings.from);
  const composer = new MailComposer({
    from: sender,
    to: { name: '', address: target },
    ...composeMessage(parcel, { template: settings.templates[language], language }),
    // The same id in every attempt, so that a receiver can recognise a repeated mail.
    messageId: `<${parcel.id}@${sender.address.split('@')[1]}>`,
    date: new Date(parcel.sentAt),
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Pointage-Delivery': parcel.id,
      'Content-Language': language,
    },
    attachments: (report?.files ?? []).map(attachmentOf),
    // No part of a mail may name a file of this machine, or an address to read from.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composer.compile().createReadStream();
}

function attachmentOf(file: ParcelFile) {
  return {
    filename: mailedName(file.fileName),
    contentType: file.mediaType,
    contentTransferEncoding: 'base64',
    content: Readable.from(file.read(), { objectMode: false }),
  };
}

interface SmtpSession {
  send(envelope: SMTPConnection.Envelope, message: Readable): Promise<SendOutcome>;
  isOpen(): boolean;
  close(): void;
}

/** Milliseconds for the server to answer QUIT. */
const LONGEST_GOODBYE = 2_000;
const LOCAL = ['localhost', '127.0.0.1', '::1'];

/**
 * Connects and logs in. Rejects with one sentence, without the password, when the server is out of
 * reach or refuses the login.
 */
export async function openSmtp({
  url,
  deadline,
}: Pick<MailSettings, 'url' | 'deadline'>): Promise<SmtpSession> {
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
  const state = watch(connection, deadline);
  const opened = state.within((done) => {
    connection.connect((failure) => {
      if (failure) done(failure);
      else if (user === '' || !connection.allowsAuth) done(null);
      else
        connection.login({ user, pass: decodeURIComponent(password) }, (refusal) => done(refusal));
    });
  });
  await opened.catch((failure: Error) => {
    state.leave();
    throw new Error(detailOf(`The mail server ${host} cannot be used: ${failure.message}`), {
      cause: failure,
    });
  });
  return {
    send: (envelope, message) => sendOver(connection, state, { envelope, message }),
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
  /** Closes the connection at once, without QUIT. */
  leave(): void;
  /**
   * Resolves when `work` is done. Rejects when the work or the connection fails, or the deadline
   * passes.
   */
  within(work: (done: (failure: Error | null) => void) => void): Promise<void>;
}

/** Watches a connection, because it may fail or end at any time, also between two mails. */
function watch(connection: SMTPConnection, deadline: number): Watched {
  let isOpen = true;
  let onEnd: (failure: Error) => void = () => {};
  const end = (failure: Error): void => {
    isOpen = false;
    onEnd(failure);
  };
  connection.on('error', end);
  connection.on('end', () => end(new Error('the connection was closed')));
  return {
    isOpen: () => isOpen,
    leave: () => {
      isOpen = false;
      connection.close();
    },
    within: async (work) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      onEnd = reject;
      const late = setTimeout(
        () => reject(new Error(`no answer within ${deadline / 1_000} s`)),
        deadline,
      );
      try {
        if (!isOpen) throw new Error('the connection was closed');
        work((failure) =>
          failure === null || failure === undefined ? resolve() : reject(failure),
        );
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
  { envelope, message }: { readonly envelope: SMTPConnection.Envelope; readonly message: Readable },
): Promise<SendOutcome> {
  let isWhole = false;
  let response = '';
  message.once('end', () => {
    isWhole = true;
  });
  try {
    await state.within((done) => {
      connection.send(envelope, message, (failure, info) => {
        response = info?.response ?? '';
        done(failure);
      });
    });
    return outcomeOf('SUCCESS', response);
  } catch (failure) {
    // The server may be in the middle of this mail, so the next mail gets a connection of its own.
    message.destroy();
    state.leave();
    return judgeFailure(failure as Error, { isWhole });
  }
}

interface SmtpFailure extends Error {
  /** The command that the server refused: `RCPT TO`. */
  readonly command?: string;
  readonly response?: string;
  readonly responseCode?: number;
  /** True when the server refuses for good: 5xx except 503. */
  readonly permanent?: boolean;
}

/**
 * Decides the outcome of a failed attempt. A mail that the server may have taken is in doubt, and
 * never failed. `isWhole` is true when the connection was given every byte, so that the end of the
 * mail may have reached the server. A server that answered with a refusal did not take the mail.
 * Only a permanent refusal of the recipient ends the delivery, because a refused sender, login or
 * message may be our own setting, which can be corrected before the last attempt.
 */
export function judgeFailure(
  failure: SmtpFailure,
  { isWhole }: { readonly isWhole: boolean },
): SendOutcome {
  const { command, response, responseCode, permanent, message } = failure;
  const detail = response === undefined ? message : `${command}: ${response}`;
  if (responseCode !== undefined)
    return outcomeOf(permanent === true && command === 'RCPT TO' ? 'REFUSED' : 'RETRY', detail);
  if (!isWhole) return outcomeOf('RETRY', detail);
  return outcomeOf('IN_DOUBT', `${message}; the mail was given over whole, it may have arrived`);
}
