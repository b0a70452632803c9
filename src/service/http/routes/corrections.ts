// GET /corrections and GET /findings/{fingerprint}/letter: the entries that are proposed to the
// payment service, and letters to it about findings.

import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { LANGUAGES } from '../../../core/statements/statement.ts';
import { CORRECTION_COLUMNS, correctionsOf } from '../../workflows/operators/weigh-findings.ts';
import type { Server } from '../port/api.ts';
import { attach, ROWS_ASKED, sendCsv } from '../port/csv.ts';
import { directRefusals } from '../port/errors.ts';
import { FINDING_FILTER, queryOf } from '../port/filters.ts';
import type { OperatorApi } from '../port/operator-api.ts';
import { namedAlone } from '../port/operators.ts';
import { ofMerchant, params } from './findings.ts';

export function addCorrections(server: Server, { backend, querying }: OperatorApi): void {
  server.get('/corrections', {
    config: { needs: 'read', merchantIn: 'merchant' },
    schema: {
      operationId: 'listCorrections',
      summary: 'Entries that are proposed to put findings right, as CSV',
      description:
        'A row each, by the filter of GET /findings, worst first; of more than 10,000 the last row says so.',
      querystring: z.strictObject(FINDING_FILTER),
      produces: ['text/csv'],
      response: { 200: z.string(), ...directRefusals(404, 429) },
    },
    handler: async ({ query }, reply) => {
      const wanted = { ...queryOf(query), rootsOnly: true, proposed: true, limit: ROWS_ASKED };
      const rows = correctionsOf((await querying(() => backend.listFindings(wanted))).items);
      const cut = 'This file ends here, and there are more corrections: narrow the filter.';
      await sendCsv(reply, { name: 'corrections', columns: CORRECTION_COLUMNS, rows, cut });
      return reply as never;
    },
  });
  server.get('/findings/:fingerprint/letter', {
    config: { needs: 'read', merchantIn: 'merchant' },
    schema: {
      operationId: 'writeLetter',
      summary: 'A letter to the service about a finding',
      description:
        '409 for what is open no more, what follows from another finding, and what is about our own store.',
      params,
      querystring: ofMerchant.extend({ language: z.enum(LANGUAGES).default('fr') }),
      produces: ['text/plain'],
      response: { 200: z.string(), ...directRefusals(404, 409) },
    },
    handler: async (request, reply) => {
      const { language, merchant } = request.query;
      const found = namedAlone(
        request,
        await backend.findFinding({ ...request.params, merchant }),
        'finding',
      );
      return sendLetter(reply, await backend.writeLetter(found, language)) as never;
    },
  });
}

export function sendLetter(
  reply: FastifyReply,
  { fileName, text }: Record<'fileName' | 'text', string>,
): FastifyReply {
  return attach(reply, 'text/plain; charset=utf-8', fileName).send(text);
}
