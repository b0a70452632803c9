// A real HTTP or HTTPS server that receives webhooks. It keeps them, verifies nothing, and answers
// by its settings.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ReceivedCall {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface WebhookReceiverServer {
  readonly port: number;
  readonly calls: ReceivedCall[];
  answer: (response: ServerResponse, call: ReceivedCall) => void;
  close(): Promise<void>;
}

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** Returns a self-signed certificate for `localhost`; `null` where there is no openssl. */
export function makeCertificate(): Certificate | null {
  const folder = mkdtempSync(join(tmpdir(), 'pointage-certificate-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const asked = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
  ];
  const named = [
    '-subj',
    '/CN=localhost',
    '-addext',
    'subjectAltName=DNS:localhost',
    '-keyout',
    key,
    '-out',
    cert,
  ];
  try {
    execFileSync('openssl', [...asked, ...named], { stdio: 'ignore' });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  } catch {
    return null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function startReceiver(
  certificate: Certificate | null,
): Promise<WebhookReceiverServer> {
  const listen: RequestListener = (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const body = Buffer.concat(parts).toString('utf8');
      const call = { method, path: url, headers: headers as Record<string, string>, body };
      running.calls.push(call);
      running.answer(response, call);
    });
  };
  const server =
    certificate === null ? createServer(listen) : createSecureServer(certificate, listen);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const running: WebhookReceiverServer = {
    port: (server.address() as AddressInfo).port,
    calls: [],
    answer: (response) => void response.writeHead(204).end(),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
  return running;
}
