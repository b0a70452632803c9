// GET /audits/{id}/report.pdf: what an audit said, as a document for people. Refuses to answer with half of one: it is drawn
// whole before its first byte is sent.

import { Writable } from 'node:stream';
import { z } from 'zod';
import type { StoredAudit } from '../../workflows/operators/operator-backend.ts';
import { directRefusals, notFound } from '../answer-error.ts';
import type { Server } from '../api.ts';
import { DirectError } from '../direct-error.ts';
import { OPERATOR_ROUTE, type OperatorApi } from '../operator-api.ts';

export function addDownloadAudit(server: Server, { backend, drawing }: OperatorApi): void {
  server.route({
    method: 'GET',
    url: '/audits/:id/report.pdf',
    schema: {
      ...OPERATOR_ROUTE,
      operationId: 'downloadAudit',
      summary: 'The report of an audit, as PDF',
      description: 'In the language of `reports.language`. 409 while the audit is not DONE.',
      tags: ['audits'],
      params: z.object({ id: z.uuid() }),
      produces: ['application/pdf'],
      response: { 200: z.string().meta({ format: 'binary' }), ...directRefusals(400, 401, 404, 409, 429, 503) },
    },
    handler: async ({ params }, reply) => {
      const audit = await backend.findAudit(params.id);
      if (audit === null) throw notFound('audit');
      const bytes = await drawing(async () => drawn(await resultOf(audit), backend));
      reply.headers({
        'content-type': 'application/pdf',
        'content-disposition': `attachment; filename="${nameOf(audit)}"`,
      });
      return reply.send(bytes as never);
    },
  });

  async function resultOf({ id, state }: StoredAudit): Promise<string> {
    const result = await backend.loadResult(id);
    if (result !== null) return result;
    throw new DirectError(409, 'AUDIT_NOT_DONE', `The audit is ${state}: it has no report.`, { state });
  }
}

async function drawn(result: string, backend: OperatorApi['backend']): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const out = new Writable({
    write(chunk: Buffer, _, done) {
      chunks.push(chunk);
      done();
    },
  });
  await backend.writeReport(result, out);
  return Buffer.concat(chunks);
}

/** `AUDIT_M001_2026-11-01.pdf`. */
function nameOf({ merchant, asOf }: StoredAudit): string {
  return `AUDIT_${merchant.replace(/[^\w.-]/g, '_')}_${new Date(asOf).toISOString().slice(0, 10)}.pdf`;
}
