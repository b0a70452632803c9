// Logs: JSON lines on standard error, for a machine. Replaces secrets in the finished line, at any
// depth: known ones, values under the name of one, and the users of addresses. Writes characters
// that would act on a terminal as their escapes.

import { createRequire } from 'node:module';
import type { Logger } from 'pino';

/** From the one that lets nothing through to the one that lets everything through. */
export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** `write` is where finished lines go; standard error unless given. */
export function openLog(level: LogLevel, write?: (line: string) => void) {
  const known = new Set<string>();
  const conceal = (text: string): string => concealSecrets(text, known);
  const finish = (line: string): string =>
    `${escaped(conceal(line).replace(USER_OF_ADDRESS, '$1').trimEnd())}\n`;
  let least = level;
  let logger: Logger | null = null;
  return {
    /**
     * What happened. Its field `level` is that of the line; where there is none, it is `error` for
     * an event that holds a `failure`, else `info`. The other fields are the line's own; of a
     * failure the line has its stack, and that of its cause.
     */
    write: (event: object): void => {
      const { level: ofLine = 'failure' in event ? 'error' : 'info', ...fields } = event as {
        readonly level?: LogLevel;
      };
      if (ofLine === 'silent' || LOG_LEVELS.indexOf(ofLine) > LOG_LEVELS.indexOf(least)) return;
      logger ??= openLogger(finish, write);
      logger[ofLine](withStack(fields));
    },
    /** Lines of this level and above are written from now on. */
    listenFrom: (next: LogLevel): void => {
      least = next;
    },
    /** These texts never leave the process from now on, in a line or by `conceal`. */
    keep: (secrets: readonly string[]): void => {
      for (const secret of secrets) for (const form of formsOf(secret)) known.add(form);
    },
    /** A text for people, without what a line would not hold. */
    conceal,
  };
}

/**
 * The fields of an event, with the stack of its `failure` and of what caused that, as a line has
 * them.
 */
export function withStack(event: object): object {
  if (!('failure' in event && event.failure instanceof Error)) return event;
  const { stack, cause } = event.failure;
  return {
    ...event,
    failure: cause instanceof Error ? `${stack}\nCaused by: ${cause.stack}` : stack,
  };
}

/**
 * Most commands log nothing, and should not wait for the library; a first line must not wait
 * either, hence no `import()`.
 */
function openLogger(
  finish: (line: string) => string,
  write: ((line: string) => void) | undefined,
): Logger {
  const { pino } = createRequire(import.meta.url)('pino') as typeof import('pino');
  const options = {
    level: 'debug',
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: { streamWrite: finish },
  };
  return pino(options, write === undefined ? pino.destination(2) : { write });
}

/** A line is JSON, in which these stand in texts alone. */
function escaped(line: string): string {
  return line.replace(
    /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const CONCEALED = '[secret]';

/** A shorter text is too common to be looked for: under its key it is replaced all the same. */
const SHORTEST_SECRET = 5;

const SECRET_NAMES = [
  'apiSecret',
  'apiKey',
  'x-api-secret',
  'x-api-key',
  'password',
  'databaseUrl',
  'authorization',
  'cookie',
  'secret',
  'token',
  'access_token',
  'refresh_token',
  'authenticationtoken',
  'webhook-signature',
  'service-signature',
];

// Repetitions have a bound: without one, a long run of backslashes or letters is searched again
// from each of its places.

/**
 * `"password":"…"` at any depth of a line, and the same inside of a text that is JSON itself, in
 * its quotes.
 */
const UNDER_SECRET_NAME = new RegExp(
  String.raw`((\\{0,63}")(?:${SECRET_NAMES.join('|')})\2\s*:\s*)(?:\2(?:(?!\2)(?:\\.|[^\\]))*\2|[^\s"\\,{}[\]]+)`,
  'gi',
);

/** The user of an address; people are shown it, without its password. */
const USER_OF_ADDRESS = /\b([a-z][a-z\d+.-]{0,30}:\/\/)[^\s/?#"'<>\\]*@/gi;
const PASSWORD_OF_ADDRESS = /\b([a-z][a-z\d+.-]{0,30}:\/\/[^\s/?#"'<>\\:@]*):[^\s/?#"'<>\\]*@/gi;

/** Of a query: `?token=…`. */
const SECRET_PARAMETER =
  /([?&](?:[\w-]*(?:token|secret|password)|api[_-]?key|key|sig(?:nature)?)=)[^&#\s"'<>\\]+/gi;

function concealSecrets(text: string, known: ReadonlySet<string>): string {
  let masked = text;
  for (const secret of known)
    if (masked.includes(secret)) masked = masked.replaceAll(secret, CONCEALED);
  return masked
    .replace(UNDER_SECRET_NAME, `$1$2${CONCEALED}$2`)
    .replace(PASSWORD_OF_ADDRESS, '$1@')
    .replace(SECRET_PARAMETER, `$1${CONCEALED}`);
}

/** A secret as it is, as JSON writes it, and as an address writes it. */
function formsOf(secret: string): readonly string[] {
  if (secret.length < SHORTEST_SECRET) return [];
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
}
