// The filter of a list, which stays in the address: reads it, shows it as a form, and puts it in
// words.

import type { FastifyRequest } from 'fastify';
import { invalid } from '../../http/port/errors.ts';
import { type Filter, type Filters, readFilter } from '../../http/port/filters.ts';
import { worded } from './cells.ts';
import { optionsOf } from './forms.ts';
import { type Html, html } from './html.ts';
import type { Visit } from './visit.ts';

/** Returns the filter in the address. Throws `DirectError` 400. */
export function filterIn<Of extends Filters>(declared: Of, { query }: FastifyRequest): Filter<Of> {
  const { offset: _, lang: __, done: ___, ...filter } = query as Readonly<Record<string, unknown>>;
  return readFilter(declared, filter, (problems) => invalid(problems.map((one) => `query.${one}`)));
}

export interface Filtering {
  /** The name of each field, in the order of the form. */
  readonly names: Readonly<Record<string, string>>;
  /** For a field that is no text: its values, each with its name. */
  readonly choices?: Readonly<Record<string, readonly (readonly [string, string])[]>>;
  /** What the address says of each field. */
  readonly given: Readonly<Record<string, unknown>>;
}

/**
 * Attributes of a form that filters: the list is drawn anew in place as soon as a choice is made,
 * and the address keeps the filter.
 */
const LIVE = html` hx-trigger="change, submit" hx-target="main" hx-select="main" hx-swap="outerMorph" hx-push-url="true" hx-sync="this:replace" hx-select-oob="#language"`;

export function filterForm(visit: Visit, { names, choices = {}, given }: Filtering): Html {
  const { words, path, operator } = visit;
  const own = operator?.merchant ?? null;
  const fieldOf = (field: string): Html => {
    const chosen = String(given[field] ?? '');
    const options = choices[field];
    return options === undefined
      ? html`<input id="${field}" name="${field}" value="${chosen}"${field === 'merchant' && own !== null ? html` readonly` : null}>`
      : html`<select id="${field}" name="${field}"><option value="">${words.all}</option>${optionsOf(options, chosen)}</select>`;
  };
  const fields = Object.entries(names).map(
    ([field, name]) => html`<p><label for="${field}">${name}</label>${fieldOf(field)}</p>`,
  );
  return html`<form class="filter" method="get" action="${path}" aria-label="${words.findings.filter}" hx-get="${path}"${LIVE}>
${fields}
<button>${words.show}</button>
<a href="${path}${own === null ? '' : `?merchant=${encodeURIComponent(own)}`}">${words.findings.clear}</a>
</form>`;
}

/** Says which filter is in force, or `unfiltered` where there is none. */
export function filterInForce(
  visit: Visit,
  { names, choices = {}, given }: Filtering,
  unfiltered: string,
): Html {
  const said = Object.entries(names).flatMap(([field, name]) => {
    const value = given[field];
    if (value === undefined) return [];
    return [`${name} = ${choices[field]?.find(([one]) => one === value)?.[1] ?? value}`];
  });
  const filters = said.join(' ; ');
  return html`<p class="note">${filters === '' ? unfiltered : worded(visit, visit.words.findings.filtered, { filters })}</p>`;
}
