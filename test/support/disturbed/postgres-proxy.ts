// A proxy in front of a PostgreSQL that reads the protocol (version 3, without TLS) and breaks one
// connection at one statement: before the server has seen the statement, or after the server has
// done it and before the client knows.

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface StatementFault {
  readonly of: StatementKind;
  /** Number of the statement, 1 for the first of its kind after `arm`. */
  readonly number: number;
  readonly does: 'lost' | 'unanswered';
}

export type StatementKind = 'query' | 'write' | 'commit';

export interface PostgresProxy {
  readonly port: number;
  /** Replaces the fault and begins to count anew; `null`: nothing breaks from now on. */
  arm(fault: StatementFault | null): void;
  /**
   * Returns the statement at which the fault struck, without its values; `null`: it has not struck.
   */
  readonly struck: () => string | null;
  /** Returns how many statements there were since `arm`, by kind. */
  readonly counted: () => Readonly<Record<StatementKind, number>>;
  close(): Promise<void>;
}

interface Armed {
  fault: StatementFault | null;
  struck: string | null;
  counted: Record<StatementKind, number>;
}

const isKind: Readonly<Record<StatementKind, (text: string) => boolean>> = {
  query: () => true,
  write: (text) =>
    /^\s*(?:insert|update|delete|copy \S+ .*from stdin|with\b.*\b(?:insert into|update|delete from)\b)/is.test(
      text,
    ),
  commit: (text) => /^\s*commit/i.test(text),
};

/** Starts a proxy. `socketPath` is the server's socket, such as `/tmp/x/.s.PGSQL.5432`. */
export async function startPostgresProxy(socketPath: string): Promise<PostgresProxy> {
  const armed: Armed = { fault: null, struck: null, counted: { query: 0, write: 0, commit: 0 } };
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(socketPath);
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => open.delete(socket));
    }
    join(client, upstream, armed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    arm: (fault) =>
      void Object.assign(armed, {
        fault,
        struck: null,
        counted: { query: 0, write: 0, commit: 0 },
      }),
    struck: () => armed.struck,
    counted: () => armed.counted,
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * Passes messages on both ways. The client's messages are passed on one by one, so that a fault
 * cuts between two of them.
 */
function join(client: Socket, upstream: Socket, armed: Armed): void {
  let isUnanswered = false;
  const cut = () => {
    client.destroy();
    upstream.destroy();
  };
  client.on('close', () => upstream.end());
  upstream.on('close', () => client.end());
  const statementOf = statementReader();
  const fromClient = messageReader({ opensUntyped: true }, (type, message) => {
    const text = statementOf(type, message);
    const strikes = text !== null && countsTo(armed, text);
    if (strikes && armed.fault!.does === 'lost') return cut();
    if (strikes) isUnanswered = true;
    upstream.write(message);
  });
  // ReadyForQuery: the server has done what it was sent.
  const fromServer = messageReader({ opensUntyped: false }, (type) => {
    if (isUnanswered && type === 'Z') cut();
  });
  client.on('data', fromClient);
  upstream.on('data', (part) => {
    if (!isUnanswered) client.write(part);
    fromServer(part);
  });
}

/** Counts one statement. Returns `true` when the fault is to strike at it. */
function countsTo(armed: Armed, text: string): boolean {
  for (const kind of ['query', 'write', 'commit'] as const)
    if (isKind[kind](text)) armed.counted[kind] += 1;
  const { fault } = armed;
  if (fault === null || armed.struck !== null || !isKind[fault.of](text)) return false;
  if (armed.counted[fault.of] !== fault.number) return false;
  armed.struck = text;
  return true;
}

/**
 * Splits a stream into messages. The first message of a client has no type: its length comes first.
 */
function messageReader(
  { opensUntyped }: { readonly opensUntyped: boolean },
  take: (type: string, message: Buffer) => void,
): (part: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let isUntyped = opensUntyped;
  return (part) => {
    rest = rest.length === 0 ? part : Buffer.concat([rest, part]);
    for (;;) {
      const head = isUntyped ? 0 : 1;
      if (rest.length < head + 4) return;
      const length = head + rest.readInt32BE(head);
      if (rest.length < length) return;
      const message = rest.subarray(0, length);
      const type = isUntyped ? '' : String.fromCharCode(message[0]!);
      rest = rest.subarray(length);
      isUntyped = false;
      take(type, message);
    }
  };
}

/**
 * Returns what reads the text of a Query, or of the statement that an Execute executes; `null` for
 * any other message.
 */
function statementReader(): (type: string, message: Buffer) => string | null {
  const prepared = new Map<string, string>();
  let bound = '';
  return (type, message) => {
    if (type === 'Q') return textAt(message, 5).text;
    if (type === 'P') {
      const name = textAt(message, 5);
      prepared.set(name.text, textAt(message, name.end).text);
    }
    if (type === 'B') bound = prepared.get(textAt(message, textAt(message, 5).end).text) ?? '';
    return type === 'E' ? bound : null;
  };
}

/** Returns the text at `start`. `end` is the place after its closing zero. */
function textAt(message: Buffer, start: number): { readonly text: string; readonly end: number } {
  const zero = message.indexOf(0, start);
  return { text: message.toString('utf8', start, zero), end: zero + 1 };
}
