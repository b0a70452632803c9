// Proposals that wait for a second person, on the page of the finding or the month that they are
// about: who proposed what, and buttons that confirm or withdraw it, for operators who may.

import type { FastifyRequest } from 'fastify';
import type { Instant } from '../../../core/domain/instant.ts';
import { isPermitted } from '../../../core/domain/operators/role.ts';
import type { DecisionTerms } from '../../../core/domain/settlement.ts';
import { wordTerms } from '../../../core/words/finding.ts';
import { requirePermission } from '../../http/port/operators.ts';
import {
  PERMISSION_OF_PROPOSAL,
  type Proposal,
} from '../../workflows/operators/operator-backend.ts';
import { amountText, instantText, worded } from '../port/cells.ts';
import { type Fields, hidden, refused } from '../port/forms.ts';
import { type Html, html, type Shown } from '../port/html.ts';
import type { Backend, Visiting } from '../port/layout.ts';
import type { Visit } from '../port/visit.ts';

type About = Pick<Proposal, 'merchant' | 'subject'>;

const MOST_SHOWN = 50;

function waitingOf(backend: Backend, about: About): Promise<readonly Proposal[]> {
  return backend.listProposals({ ...about, limit: MOST_SHOWN });
}

export type Done = 'decided' | 'proposed';

/**
 * Confirms or withdraws the proposal that the form names. Throws as `confirmProposal`, and
 * `DirectError` 403.
 */
export async function endProposal(
  { operator, words }: Visiting,
  request: FastifyRequest,
  backend: Backend,
  { filled, ...about }: About & { readonly filled: Fields },
): Promise<Done> {
  const proposal = (await waitingOf(backend, about)).find(({ id }) => id === filled.proposal);
  if (proposal === undefined) throw refused(words.finding.changed);
  requirePermission(request, PERMISSION_OF_PROPOSAL[proposal.action]);
  await backend[filled.action === 'confirm' ? 'confirmProposal' : 'withdrawProposal'](
    proposal.id,
    operator,
  );
  return 'decided';
}

/** Shows how far a decision goes; `null`: the decision has no terms of its own. */
export function termsShown(visit: Visit, terms: DecisionTerms | null | undefined): Shown {
  const { figure, speech } = visit.wording;
  const instant = (at: Instant) => instantText(visit, at);
  const text = wordTerms(visit.labels.mail.night.terms, terms, { figure, instant, speech });
  return text === 'null' ? null : html`<br><em>${text}</em>`;
}

/** Shows the proposals that wait; `null` where there are none. */
export async function waitingShown(
  visit: Visiting,
  backend: Backend,
  about: About,
): Promise<Shown> {
  const { words, operator, formToken, path } = visit;
  const { actions, waiting: head, proposedBy, confirm, withdraw } = words.finding;
  const names = { ...actions, ...words.month.names };
  const waiting = await waitingOf(backend, about);
  if (waiting.length === 0) return null;
  const shown = waiting.map(({ id, action, by, at, wish, amount, currency, merchant }) => {
    const isPermittedHere = isPermitted(operator, PERMISSION_OF_PROPOSAL[action]);
    const button = (name: string, label: string): Html =>
      html`<button name="action" value="${name}">${label}</button>`;
    const form = html`<form method="post" action="${path}">
${hidden({ form: formToken, merchant, proposal: id })}
<p>${by === operator.name ? null : button('confirm', confirm)} ${button('withdraw', withdraw)}</p></form>`;
    return html`<li><strong>${names[action]}</strong> · ${amountText(visit, amount, currency)} <span class="who">${worded(visit, proposedBy, { by, at: instantText(visit, at) })}</span><br>${wish.reason}${termsShown(visit, wish.terms)}${isPermittedHere ? form : null}</li>`;
  });
  return html`<section class="choices-of"><h2>${head}</h2><ol class="story">${shown}</ol></section>`;
}
