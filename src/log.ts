// Logs: JSON lines on standard error, for a machine. Refuses secrets: known keys are replaced before anything is written.

import { type Logger, pino } from 'pino';

export type { Logger };

const SECRET_KEYS = [
  'apiSecret',
  'apiKey',
  'password',
  'databaseUrl',
  'authorization',
  'secret',
  'authenticationtoken',
];

export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;

export function openLog(level: (typeof LOG_LEVELS)[number]): Logger {
  const paths = SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]);
  return pino({ level, redact: { paths, censor: '[secret]' } }, pino.destination(2));
}
