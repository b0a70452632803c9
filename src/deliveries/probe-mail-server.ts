// The mail server, looked at: it is reached, and takes the login. Sends no mail.

import { createTransport } from 'nodemailer';

/** Resolves to what was done: `connected` or `connected and logged in`. Throws what the server or the network said. */
export async function probeMailServer({
  url,
  patience,
}: {
  /** `smtp://USER:PASSWORD@HOST:587` or `smtps://…`. */
  readonly url: string;
  /** Milliseconds for each step. */
  readonly patience: number;
}): Promise<string> {
  const transport = createTransport(url, {});
  Object.assign(transport.options, { connectionTimeout: patience, greetingTimeout: patience, socketTimeout: patience });
  try {
    await transport.verify();
    return new URL(url).username === '' ? 'connected' : 'connected and logged in';
  } finally {
    transport.close();
  }
}
