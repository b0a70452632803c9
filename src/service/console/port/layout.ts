// The frame of every page: what the page may load, where its menu leads, and who is logged in. The
// addresses of the stylesheet and the script contain a hash of their content.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isPermitted, type Operator } from '../../../core/domain/operators/role.ts';
import type { Labels } from '../../../core/words/tree.ts';
import type { OperatorApi } from '../../http/port/operator-api.ts';
import { type Html, html, type Shown } from './html.ts';
import type { Visit } from './visit.ts';

const STYLES = assetOf('text/css', join(import.meta.dirname, '../console.css'));
/** Every page works without the script: a filter is then a form like others. */
const SCRIPT = assetOf(
  'text/javascript',
  fileURLToPath(import.meta.resolve('htmx.org/dist/htmx.min.js')),
);
export const ASSETS = [STYLES, SCRIPT];

function assetOf(type: string, file: string) {
  const content = readFileSync(file);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12);
  return {
    type: `${type}; charset=utf-8`,
    content,
    address: `/console/assets/${hash}-${basename(file)}`,
  };
}

/** Allows nothing inline, nothing from elsewhere, and the page in no frame. */
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

export function sendPage(reply: FastifyReply, page: Html): FastifyReply {
  return reply
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    })
    .send(`<!doctype html>\n${page}`);
}

type Place = readonly [address: string, name: keyof Labels['console']['places']];

const PLACES: readonly Place[] = [
  ['/', 'morning'],
  ['/console/findings?state=open', 'findings'],
  ['/console/merchants', 'merchants'],
  ['/console/months', 'months'],
  ['/console/deliveries', 'deliveries'],
  ['/console/audits', 'audits'],
];

/** Returns the places that the operator may see. */
function placesOf(operator: Operator): readonly Place[] {
  const { merchant } = operator;
  if (merchant === null)
    return isPermitted(operator, 'trail') ? [...PLACES, ['/console/trail', 'trail']] : PLACES;
  const findings = `/console/findings?merchant=${encodeURIComponent(merchant)}&state=open`;
  return [
    [merchantPlace(merchant), 'merchant'],
    [findings, 'findings'],
  ];
}

export function merchantPlace(reference: string): string {
  return `/console/merchants/${encodeURIComponent(reference)}`;
}

/** `title` is also the page's heading. */
export function layout(visit: Visit, title: string, body: Shown): Html {
  const { language, words, operator, formToken } = visit;
  return html`<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · pointage</title>
<meta name="htmx-config" content="includeIndicatorCSS:false">
<link rel="stylesheet" href="${STYLES.address}">
<script src="${SCRIPT.address}" defer></script>
<link rel="icon" href="data:,">
</head>
<body>
<a class="skip" href="#main">${words.skip}</a>
<header>
<a class="brand" href="/">pointage</a>
${operator === null ? null : html`<nav aria-label="${words.menu}"><ul>${placesOf(operator).map((place) => placeOf(visit, place))}</ul></nav>`}${operator?.merchant === null ? searchBox(visit) : null}
<div class="visitor">
${languageSwitch(visit)}
${operator === null ? null : html`<form method="post" action="/logout"><input type="hidden" name="form" value="${formToken}"><span class="who">${operator.name}</span> <button class="quiet">${words.logout}</button></form>`}
</div>
</header>
<main id="main">
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
}

function searchBox({ words, address }: Visit): Html {
  const asked = new URL(address, 'http://console').searchParams.get('q') ?? '';
  return html`<form role="search" action="/console/search"><input type="search" name="q" value="${asked}" aria-label="${words.search.title}" placeholder="${words.search.title}" maxlength="200" required></form>`;
}

function placeOf({ path, words }: Visit, [address, name]: Place): Html {
  const [place] = address.split('?');
  const isHere = place === '/' ? path === '/' : path.startsWith(place!);
  return html`<li><a href="${address}"${isHere ? html` aria-current="page"` : null}>${words.places[name]}</a></li>`;
}

function languageSwitch({ address, path, language }: Visit): Html {
  const [to, name] =
    language === 'fr' ? (['en', 'English'] as const) : (['fr', 'Français'] as const);
  const here = path.startsWith('/login/') ? '/login' : address;
  const link = `${here}${here.includes('?') ? '&' : '?'}lang=${to}`;
  return html`<a id="language" class="language" href="${link}" hreflang="${to}" lang="${to}">${name}</a>`;
}

export type Visiting = Visit & { readonly operator: Operator };

/** Draws a page; `null` where the answer was sent already. */
export type Draw = (
  visit: Visiting,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<Html | null>;

/** Returns the offset in a list. A text that is no number counts as the beginning. */
export function offsetOf({ query }: FastifyRequest): number {
  const { offset } = query as { readonly offset?: unknown };
  return typeof offset === 'string' && /^\d{1,9}$/.test(offset) ? Number(offset) : 0;
}

export type Backend = OperatorApi['backend'];

export interface Pages extends OperatorApi {
  /** Adds a page for people who are logged in and see every merchant. */
  readonly page: (address: string, draw: Draw) => void;
  /**
   * Adds a page that also the accountant may see of the merchant that the parameter `merchant`
   * names.
   */
  readonly merchantPage: (address: string, draw: Draw) => void;
  /** Takes a form. Its token was checked. */
  readonly form: (address: string, take: Draw) => void;
}
