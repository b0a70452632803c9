// GET /findings/{fingerprint}/letter: what the service is given about findings.

import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { LANGUAGES } from '../../../core/statements/statement.ts';
import type { WrittenLetter } from '../../workflows/operators/write-letter.ts';
import type { Server } from '../port/api.ts';
import { directRefusals, notFound } from '../port/errors.ts';
import type { OperatorApi } from '../port/operator-api.ts';
import { noteMerchant } from '../port/operators.ts';
import { ofMerchant, params } from './findings.ts';

export function addLetter(server: Server, { backend }: OperatorApi): void {
  server.route({
    method: 'GET',
    url: '/findings/:fingerprint/letter',
    config: { needs: 'read', merchantIn: 'merchant' },
    schema: {
      operationId: 'writeLetter',
      summary: 'A letter to the service about a finding',
      description: '409 for what is open no more, what follows from another finding, and what is about our own store.',
      params,
      querystring: ofMerchant.extend({ language: z.enum(LANGUAGES).default('fr') }),
      produces: ['text/plain'],
      response: { 200: z.string(), ...directRefusals(404, 409) },
    },
    handler: async (request, reply) => {
      const { language, merchant } = request.query;
      const found = await backend.findFinding({ ...request.params, merchant });
      if (found === null) throw notFound('finding');
      noteMerchant(request, found.merchant);
      return sendLetter(reply, await backend.writeLetter(found, language)) as never;
    },
  });
}

export function sendLetter(reply: FastifyReply, { fileName, text }: WrittenLetter): FastifyReply {
  const disposition = `attachment; filename="${fileName}"`;
  return reply.headers({ 'content-type': 'text/plain; charset=utf-8', 'content-disposition': disposition }).send(text);
}
