// Forms: what they send, the token that they carry, and how a page answers a form: it leads on, or
// says why nothing was done.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Server } from '../../http/port/api.ts';
import { DirectError, refusalIn } from '../../http/port/errors.ts';
import { worded } from './cells.ts';
import { type Html, html, type Shown } from './html.ts';
import type { Visit } from './visit.ts';

export type Fields = Readonly<Record<string, string>>;

/** Lets the room take forms alone. Of a field that comes twice the last value counts. */
export function takeForms(room: Server): void {
  room.removeAllContentTypeParsers();
  const options = { parseAs: 'string', bodyLimit: 65_536 } as const;
  room.addContentTypeParser('application/x-www-form-urlencoded', options, (_, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  );
}

export function fieldsOf({ body }: FastifyRequest): Fields {
  return (body ?? {}) as Fields;
}

/**
 * Leads to the address that `act` returns, and returns `null`. Where `act` refuses, answers 409 and
 * returns why nothing was done. Throws any failure that is no refusal.
 */
export async function answerForm(
  visit: Visit,
  reply: FastifyReply,
  act: () => Promise<string>,
): Promise<Html | null> {
  try {
    await reply.redirect(await act(), 303);
    return null;
  } catch (failure) {
    const why = worded(visit, visit.words.finding.refused, { why: refusalIn(failure) });
    reply.code(409);
    return html`<p class="fault" role="alert">${why}</p>`;
  }
}

export function refused(why: string): DirectError {
  return new DirectError(409, 'DECISION_REFUSED', why);
}

/**
 * Shows what a form has done. Where none has done anything, says that the draft of a form is back;
 * `null` where there is none.
 */
export function noteOf({ words, draft }: Visit, done: string | null): Shown {
  if (done !== null) return html`<p class="done" role="status">${done}</p>`;
  return draft === null ? null : html`<p class="note">${words.finding.restored}</p>`;
}

export function hidden(fields: Fields): Html {
  return html`${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`;
}

/** Returns the options of a select: what each choice sends, and its name. */
export function optionsOf(
  choices: readonly (readonly [value: string, name: string])[],
  chosen = '',
): readonly Html[] {
  return choices.map(
    ([value, name]) =>
      html`<option value="${value}"${chosen === value ? html` selected` : null}>${name}</option>`,
  );
}

interface Choice {
  readonly name: string;
  readonly help: string;
  readonly isOpen: boolean;
  /** Hidden fields beside the form token. */
  readonly carries: Fields;
  readonly address?: string;
}

/** Shows a form that opens at its name and is sent by a button of the same name. */
export function choiceOf(
  visit: Visit,
  { name, help, isOpen, carries, address = visit.path }: Choice,
  fields: Shown,
) {
  return html`<details${isOpen ? html` open` : null}>
<summary>${name}</summary>
<p class="hint">${help}</p>
<form method="post" action="${address}">
${hidden({ form: visit.formToken, ...carries })}
${fields}
<p><button>${name}</button></p>
</form>
</details>`;
}

/** Shows the field for a reason. `id` is the field's; `isFree` lets it be left empty. */
export function reasonField(
  { words }: Visit,
  { id, text = '', isFree = false }: ReasonField,
): Html {
  return html`<label for="${id}">${words.finding.reason}</label>
<textarea id="${id}" name="reason" maxlength="2000"${isFree ? null : html` required`}>${text}</textarea>`;
}

interface ReasonField {
  readonly id: string;
  readonly text: string | undefined;
  readonly isFree?: boolean;
}
