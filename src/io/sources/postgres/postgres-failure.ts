// Turns a failure of PostgreSQL or of the network into a named one, by SQLSTATE or system code.
// Repeats no connection string. What the server says of a table, a column or a zone is repeated,
// because only that tells what to correct.

import { SourceFailed } from '../port/source.ts';

interface Advice {
  readonly code: string;
  readonly advice: string;
}

const BY_STATE: Readonly<Record<string, Advice>> = {
  '28000': { code: 'INVALID_CREDENTIALS', advice: 'check the user and the password' },
  '28P01': { code: 'INVALID_CREDENTIALS', advice: 'check the user and the password' },
  '3D000': { code: 'UNREACHABLE', advice: 'check the name of the database' },
  '42501': { code: 'FORBIDDEN', advice: 'grant select to the user' },
  '42P01': { code: 'INVALID_SETTINGS', advice: 'correct the relation in the settings' },
  '42703': { code: 'INVALID_SETTINGS', advice: 'correct the columns in the settings' },
  '3F000': { code: 'INVALID_SETTINGS', advice: 'correct the relation in the settings' },
  '22023': { code: 'INVALID_SETTINGS', advice: 'correct timeZone in the settings' },
  '57014': {
    code: 'TIMEOUT',
    advice: 'raise statement_timeout for the user, or index the tables by merchant',
  },
  '53300': {
    code: 'RATE_LIMITED',
    advice: 'read fewer merchants at once, or allow more connections',
  },
};

/** Advice by the first two characters of the SQLSTATE. */
const BY_CLASS: Readonly<Record<string, Advice>> = {
  '08': { code: 'UNREACHABLE', advice: 'check the network and the server' },
  '57': { code: 'UNREACHABLE', advice: 'the server ended the session, run again later' },
  '42': { code: 'INVALID_SETTINGS', advice: 'correct the settings of this source' },
};

/**
 * Words a failure in one sentence: what was being done, what PostgreSQL said, what to do. Returns a
 * `SourceFailed` unchanged.
 */
export function failureOf(error: unknown, doing: string): SourceFailed {
  if (error instanceof SourceFailed) return error;
  const state = (error as { readonly code?: unknown }).code;
  const text = typeof state === 'string' ? state : '';
  const said = error instanceof Error && error.message !== '' ? error.message : text;
  const { code, advice } = adviceFor(text, said);
  return new SourceFailed(
    code,
    `PostgreSQL failed while ${doing} (${said.replace(/\.$/, '')}): ${advice}.`,
    error,
  );
}

function adviceFor(code: string, said: string): Advice {
  // A server that accepts such a client only with SSL says so in these words.
  if (/no encryption|SSL off/.test(said))
    return { code: 'SSL_REQUIRED', advice: 'add ?sslmode=verify-full to its address' };
  const known = BY_STATE[code] ?? BY_CLASS[isSqlState(code) ? code.slice(0, 2) : ''];
  if (known !== undefined) return known;
  return isSqlState(code)
    ? { code: 'REFUSED', advice: 'see the log of the server' }
    : { code: 'UNREACHABLE', advice: 'check the address, the network and the server' };
}

function isSqlState(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code) && /\d/.test(code);
}
