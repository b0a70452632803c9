// GET /proposals, POST /proposals/{id}/confirm and …/withdraw: what one operator wants and another
// must confirm.

import { z } from 'zod';
import { PERMISSION_OF_PROPOSAL } from '../../workflows/operators/operator-backend.ts';
import type { Server } from '../port/api.ts';
import { directRefusals } from '../port/errors.ts';
import {
  type OperatorApi,
  pageQuery,
  proposalForm,
  reference,
  shownProposal,
} from '../port/operator-api.ts';
import { askingOperator, namedAlone, requirePermission } from '../port/operators.ts';

export function addProposals(server: Server, { backend, querying }: OperatorApi): void {
  server.get('/proposals', {
    config: { needs: 'read', merchantIn: 'merchant' },
    schema: {
      operationId: 'listProposals',
      summary: 'Proposals that wait for a second operator, oldest first',
      querystring: pageQuery.omit({ offset: true }).extend({ merchant: reference.optional() }),
      response: { 200: z.object({ items: z.array(proposalForm) }), ...directRefusals(429) },
    },
    handler: async ({ query }) =>
      querying(async () => ({ items: (await backend.listProposals(query)).map(shownProposal) })),
  });
  for (const act of ['confirm', 'withdraw'] as const) {
    server.post(`/proposals/:id/${act}`, {
      config: { needs: 'confirm' },
      schema: {
        operationId: `${act}Proposal`,
        summary:
          act === 'confirm' ? 'Confirm what another operator proposes' : 'Withdraw a proposal',
        description: `Needs the permission of the action too. A proposal about a finding falls with any other decision about it.`,
        params: z.object({ id: z.uuid() }),
        body: z.strictObject({}),
        response: { 200: proposalForm, ...directRefusals(404, 409) },
      },
      handler: async (request) => {
        const { id } = request.params;
        const proposal = namedAlone(request, await backend.findProposal(id), 'proposal');
        requirePermission(request, PERMISSION_OF_PROPOSAL[proposal.action]);
        return shownProposal(await backend[`${act}Proposal`](id, askingOperator(request)));
      },
    });
  }
}
