// Who visits a page, and in which language: cookies, the words of the language, and the token of
// forms, which is made of the session's id and stored nowhere.

import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operator } from '../../../core/domain/operators/role.ts';
import { LABELS, type LabelLanguage, type Labels } from '../../../core/words/tree.ts';
import { type Wording, wordingOf } from '../../../io/formats/port/wording.ts';
import type { Draft } from '../../workflows/operators/known-operators.ts';

export interface Visit {
  readonly language: LabelLanguage;
  readonly words: Labels['console'];
  readonly labels: Labels;
  /** Words instants in UTC. */
  readonly wording: Wording;
  /** The address of this page, without its query. */
  readonly path: string;
  /**
   * The address with its query, except for the choice of a language and for what a form has done.
   */
  readonly address: string;
  /** Null before the login. */
  readonly operator: Operator | null;
  /** The token that every form of the page carries. */
  readonly formToken: string;
  /**
   * The fields of a form of this page that was sent after an earlier session had ended; `null`:
   * none.
   */
  readonly draft: Draft['fields'] | null;
}

export type Known = Pick<Visit, 'operator' | 'formToken' | 'draft'>;

const WORDINGS = { fr: wordingIn('fr'), en: wordingIn('en') };

function wordingIn(language: LabelLanguage): Wording {
  return wordingOf('UTC', { labels: LABELS[language], language });
}

export function visitOf(request: FastifyRequest, language: LabelLanguage, known: Known): Visit {
  const { pathname, searchParams } = new URL(request.url, 'http://console');
  for (const name of ['lang', 'done']) searchParams.delete(name);
  const labels = LABELS[language];
  return {
    language,
    labels,
    words: labels.console,
    wording: WORDINGS[language],
    path: pathname,
    address: searchParams.size === 0 ? pathname : `${pathname}?${searchParams}`,
    ...known,
  };
}

export function formTokenOf(id: string): string {
  return createHash('sha256').update(`form ${id}`).digest('base64url');
}

const LANGUAGE_COOKIE = 'pointage_language';

/**
 * Returns the language that the address chooses, and keeps it in a cookie; else the one chosen
 * before; else the browser's; else `otherwise`.
 */
export function languageOf(
  request: FastifyRequest,
  reply: FastifyReply,
  otherwise: LabelLanguage,
): LabelLanguage {
  const chosen = (request.query as { readonly lang?: unknown }).lang;
  if (isLanguage(chosen)) {
    reply.header(
      'set-cookie',
      `${LANGUAGE_COOKIE}=${chosen}; Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly`,
    );
    return chosen;
  }
  const kept = cookieOf(request, LANGUAGE_COOKIE);
  if (isLanguage(kept)) return kept;
  const accepted = (request.headers['accept-language'] ?? '')
    .toLowerCase()
    .matchAll(/\b(fr|en)\b(?:-\w+)?/g);
  return (accepted.next().value?.[1] as LabelLanguage | undefined) ?? otherwise;
}

function isLanguage(value: unknown): value is LabelLanguage {
  return value === 'fr' || value === 'en';
}

/** Returns the value of a cookie; `null` when the browser sent none of that name. */
export function cookieOf(
  { headers }: Pick<FastifyRequest, 'headers'>,
  name: string,
): string | null {
  for (const one of (headers.cookie ?? '').split(';')) {
    const [key, value] = one.split('=');
    if (key!.trim() === name) return value?.trim() ?? '';
  }
  return null;
}
