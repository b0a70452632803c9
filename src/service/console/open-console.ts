// The console: pages for operators in a browser, beside the routes for programs and answered from
// the same backend. Every page except the login asks for a session. A refusal is a page too.

import type { RouteOptions } from 'fastify';
import type { Server } from '../http/port/api.ts';
import { answerOf, invalid, notFound } from '../http/port/errors.ts';
import { type AddDesk, requireMerchantOf } from '../http/port/operators.ts';
import { addEntrance, type Entrance, visitorOf } from './entrance.ts';
import { addAuditPages } from './pages/audits.ts';
import { addDeliveryPages } from './pages/deliveries.ts';
import { addFinding } from './pages/finding.ts';
import { addFindings } from './pages/findings.ts';
import { addMerchants } from './pages/merchants.ts';
import { addMonth } from './pages/month.ts';
import { addMonths } from './pages/months.ts';
import { addMorning } from './pages/morning.ts';
import { addOperation } from './pages/operation.ts';
import { addSearch } from './pages/search.ts';
import { addTrailPages } from './pages/trail.ts';
import { takeForms } from './port/forms.ts';
import { type Html, html } from './port/html.ts';
import { ASSETS, type Draw, layout, merchantPlace, type Pages, sendPage } from './port/layout.ts';
import { languageOf, type Visit, visitOf } from './port/visit.ts';

interface ConsoleSettings extends Pick<Entrance, 'sessions' | 'provider' | 'language'> {
  readonly publicUrl: string | null;
}

export function openConsole({ sessions, provider, language, publicUrl }: ConsoleSettings): AddDesk {
  return (room, { api, findOperator, wrong, clock, log }) => {
    const isPublicSecure = publicUrl?.startsWith('https:') ?? false;
    const entrance: Entrance = {
      sessions,
      provider,
      findOperator,
      wrong,
      language,
      isPublicSecure,
      log,
    };
    takeForms(room);
    room.setErrorHandler((thrown, request, reply) => {
      const { status, body } = answerOf(thrown, {
        path: '/console',
        requestId: request.id,
        now: clock(),
      });
      if (status >= 500) log({ event: 'call failed', requestId: request.id, failure: thrown });
      const known = { operator: null, formToken: '', draft: null };
      const visit = visitOf(request, languageOf(request, reply, language), known);
      return sendPage(reply.code(status), refusalPage(visit, status, body as Refusal));
    });
    addEntrance(room, entrance);
    addAssets(room);
    const route = (
      options: Pick<RouteOptions, 'method' | 'config'>,
      url: string,
      draw: Draw,
    ): void => {
      room.route({
        ...options,
        url,
        schema: { hide: true },
        handler: async (request, reply) => {
          const visit = await visitorOf(entrance, request, reply);
          if (visit === null) return reply;
          const { merchant } = visit.operator;
          if (merchant !== null && visit.path === '/')
            return reply.redirect(merchantPlace(merchant), 303);
          requireMerchantOf(request);
          const twice = Object.entries(request.query as object).find(([, value]) =>
            Array.isArray(value),
          );
          if (twice !== undefined) throw invalid([`query.${twice[0]}: comes twice`]);
          const page = await api.querying(() => draw(visit, request, reply));
          return page === null ? reply : sendPage(reply, page);
        },
      });
    };
    const pages: Pages = {
      ...api,
      page: route.bind(null, { method: 'GET' }),
      merchantPage: route.bind(null, { method: 'GET', config: { merchantIn: 'merchant' } }),
      form: route.bind(null, { method: 'POST' }),
    };
    pages.page('/console/*', async () => {
      throw notFound('page');
    });
    const all = [
      addMorning,
      addFindings,
      addFinding,
      addOperation,
      addMerchants,
      addMonths,
      addMonth,
      addDeliveryPages,
    ];
    for (const add of [...all, addAuditPages, addSearch, addTrailPages]) add(pages);
  };
}

/** Browsers may keep these files for ever, because the address changes with the content. */
function addAssets(room: Server): void {
  for (const { address, type, content } of ASSETS)
    room.get(address, { schema: { hide: true } }, async (_, reply) =>
      reply
        .headers({ 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' })
        .send(content),
    );
}

interface Refusal {
  readonly error: {
    readonly message: string;
    readonly details: { readonly fields?: readonly string[] } | null;
  };
}

function refusalPage(visit: Visit, status: number, { error: { message, details } }: Refusal): Html {
  const { error } = visit.words;
  const text = html`<p class="fault" role="alert" lang="en">${[message, ...(details?.fields ?? [])].join(' ')}</p><p><a href="/">${error.back}</a></p>`;
  return layout(visit, `${error.title} ${status}`, text);
}
