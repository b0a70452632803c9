// A real SMTP server in this process. It keeps what arrives, as it arrives, and can refuse, hang or
// break off.

import { createHash } from 'node:crypto';
import type { AddressInfo, Socket } from 'node:net';
import type { Readable } from 'node:stream';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ArrivedMail extends Email {
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  readonly raw: Buffer;
}

export interface MailServer {
  /** `smtp://…` */
  readonly url: string;
  readonly arrived: ArrivedMail[];
  /** Recipients that clients asked for, refused ones included. */
  readonly asked: string[];
  /**
   * Answers RCPT TO. The client sees the number as the error's `responseCode`; `null` takes the
   * recipient.
   */
  refuse: (recipient: string) => number | null;
  /**
   * Called when a mail has arrived whole, before it is answered. The client sees the number as an
   * error; `null` takes the mail.
   */
  beforeAnswer: (mail: ArrivedMail) => Promise<number | null>;
  /** Breaks all connections at once. */
  cut(): void;
  close(): Promise<void>;
}

export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    logger: false,
    ...options,
    onRcptTo: ({ address }, _session, done) => {
      running.asked.push(address);
      const code = running.refuse(address);
      done(code === null ? null : answering(code));
    },
    onData: (stream, { envelope }, done) => {
      const to = envelope.rcptTo.map(({ address }) => address);
      const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
      gather(stream)
        .then(async (raw) => {
          const mail = { ...(await PostalMime.parse(raw)), raw, envelope: { from, to } };
          running.arrived.push(mail);
          const code = await running.beforeAnswer(mail);
          done(code === null ? null : answering(code));
        })
        .catch(done);
    },
  });
  server.on('error', () => {});
  const sockets = new Set<Socket>();
  server.server.on('connection', (socket: Socket) => void sockets.add(socket));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  const running: MailServer = {
    url: `smtp://127.0.0.1:${port}`,
    arrived: [],
    asked: [],
    refuse: () => null,
    beforeAnswer: async () => null,
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
  return running;
}

function answering(responseCode: number): Error {
  return Object.assign(new Error('as the test says'), { responseCode });
}

async function gather(stream: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** Returns the SHA-256 of each attachment by its file name. */
export function digestsOf({ attachments }: Email): Readonly<Record<string, string>> {
  return Object.fromEntries(
    attachments.map(({ filename, content }) => {
      const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);
      return [filename ?? '', createHash('sha256').update(bytes).digest('hex')];
    }),
  );
}
