// Logs: JSON lines on standard error, for machines. Replaces secrets in the finished line, at any
// depth: known ones, values under the name of a secret, and the users in addresses. Writes
// characters that would act on a terminal as escapes.

import { createRequire } from 'node:module';
import type { Logger } from 'pino';

/** The levels, from the one that lets no line through to the one that lets all through. */
export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Opens a log. `write` receives the finished lines; they go to standard error unless it is given.
 */
export function openLog(level: LogLevel, write?: (line: string) => void) {
  const known = new Set<string>();
  const conceal = (text: string): string => concealSecrets(text, known);
  const finish = (line: string): string =>
    `${escaped(conceal(line).replace(USER_OF_ADDRESS, '$1').trimEnd())}\n`;
  let least = level;
  let logger: Logger | null = null;
  return {
    /**
     * Writes an event as a line. The event's field `level` is that of the line; without it, the
     * level is `error` for an event that has a `failure`, else `info`. Its other fields become
     * fields of the line. A failure is written as its stack, and the stack of its cause.
     */
    write: (event: object): void => {
      const { level: ofLine = 'failure' in event ? 'error' : 'info', ...fields } = event as {
        readonly level?: LogLevel;
      };
      if (ofLine === 'silent' || LOG_LEVELS.indexOf(ofLine) > LOG_LEVELS.indexOf(least)) return;
      logger ??= openLogger(finish, write);
      logger[ofLine](withStack(fields));
    },
    /** From now on, writes lines of this level and above. */
    listenFrom: (next: LogLevel): void => {
      least = next;
    },
    /** From now on, these texts are replaced in every line, and by `conceal`. */
    keep: (secrets: readonly string[]): void => {
      for (const secret of secrets) for (const form of formsOf(secret)) known.add(form);
    },
    /** Replaces secrets in a text for people, as in a line, but leaves the users in addresses. */
    conceal,
  };
}

/**
 * Returns the fields of an event as a line has them: its `failure` becomes a text, the stack of the
 * failure and of its cause.
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
 * Loads the library with the first line, because most commands log nothing and should not wait for
 * it. Loads it by `require`, because a first line must not wait for an `import()`.
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

/**
 * Writes control and direction characters as escapes. The line stays JSON, because in JSON they
 * stand inside of texts only.
 */
function escaped(line: string): string {
  return line.replace(
    /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const CONCEALED = '[secret]';

/**
 * The shortest secret, in characters, that is searched for: a shorter text is too common. Under the
 * name of a secret it is replaced all the same.
 */
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

// Repetitions in these expressions have a bound, because otherwise a long run of backslashes or
// letters would be searched again from each of its places.

/**
 * Matches `"password":"…"` at any depth of a line, and the same inside of a text that is JSON
 * itself, where the quotes are escaped.
 */
const UNDER_SECRET_NAME = new RegExp(
  String.raw`((\\{0,63}")(?:${SECRET_NAMES.join('|')})\2\s*:\s*)(?:\2(?:(?!\2)(?:\\.|[^\\]))*\2|[^\s"\\,{}[\]]+)`,
  'gi',
);

/** Matches the user and the password of an address: `postgres://USER:PASSWORD@`. */
const USER_OF_ADDRESS = /\b([a-z][a-z\d+.-]{0,30}:\/\/)[^\s/?#"'<>\\]*@/gi;
/** Matches the password of an address, whose user people may see. */
const PASSWORD_OF_ADDRESS = /\b([a-z][a-z\d+.-]{0,30}:\/\/[^\s/?#"'<>\\:@]*):[^\s/?#"'<>\\]*@/gi;

/** Matches a secret among the parameters of an address: `?token=…`. */
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

/**
 * Returns the forms of a secret: as it is, as JSON writes it, and as an address writes it. Returns
 * none for a secret that is too short.
 */
function formsOf(secret: string): readonly string[] {
  if (secret.length < SHORTEST_SECRET) return [];
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
}
