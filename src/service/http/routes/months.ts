// Months that were issued, across merchants and one by one, for operators: GET /months, their
// files, and what people do with one, POST …/release, …/send and …/close. A merchant's own
// accountant has no file of a month that is held.

import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { MonthKey } from '../../../core/domain/period.ts';
import { deltaOf } from '../../../io/formats/deltas.ts';
import { holdOf, type ReportRecord } from '../../workflows/month/read-reports.ts';
import type { MonthRecord, Proposal } from '../../workflows/operators/operator-backend.ts';
import type { Server } from '../port/api.ts';
import { DirectError, directRefusals, notFound, thereIs } from '../port/errors.ts';
import {
  instant,
  type OperatorApi,
  pageOf,
  pageQuery,
  plain,
  proposalForm,
  reference,
  shownProposal,
  VERDICTS,
} from '../port/operator-api.ts';
import { askingOperator } from '../port/operators.ts';
import { sendFile } from './reports.ts';

const period = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month, YYYY-MM');

const monthForm = z.object({
  merchant: z.string(),
  period: z.string(),
  revision: z.int().describe('The one in force'),
  statedAt: instant,
  verdict: z.enum(VERDICTS).describe('As it was issued'),
  held: z
    .enum(['broken', 'reread'])
    .nullable()
    .describe('Why it waits for a person; null: it does not'),
  openRoots: z
    .int()
    .nullable()
    .describe('Roots it was issued with that no decision has ended; null: not known'),
  releasedAt: instant.nullable(),
  releasedBy: z.string().nullable(),
  releaseReason: z.string().nullable(),
  closedAt: instant.nullable(),
  closedBy: z.string().nullable(),
  deliveries: z
    .object({ total: z.int(), sent: z.int(), stuck: z.int() })
    .describe('Of this revision'),
});

function shownMonth({ deliveries: total, sent, stuck, ...month }: MonthRecord) {
  return { ...month, held: holdOf(month), deliveries: { total, sent, stuck } };
}

const query = pageQuery.extend({
  merchant: reference.optional(),
  period: period
    .optional()
    .describe('Left out, and without a merchant: the newest that was issued'),
  verdict: z.enum(VERDICTS).optional(),
  held: z.enum(['true', 'false']).optional(),
});

const counts = z.object({
  stated: z.int(),
  broken: z.int(),
  held: z.int(),
  sent: z.int().describe('At least one delivery arrived'),
  closed: z.int(),
});

export function addMonths(server: Server, { backend, querying }: OperatorApi): void {
  server.get('/months', {
    config: { needs: 'read', merchantIn: 'merchant' },
    schema: {
      operationId: 'listMonths',
      summary: 'Months that were issued, by merchant',
      description:
        'Of one month, or of one merchant, newest first. `counts` are of all of them, whatever is filtered.',
      querystring: query,
      response: {
        200: pageOf(monthForm).extend({ period: z.string().nullable(), counts }),
        ...directRefusals(404, 429),
      },
    },
    handler: async ({ query: { held, ...asked } }) =>
      querying(async () => {
        const wanted = { ...asked, isHeld: held === undefined ? undefined : held === 'true' };
        const { items, ...listed } = await backend.listMonths(wanted);
        return plain({
          ...listed,
          limit: asked.limit,
          offset: asked.offset,
          items: items.map(shownMonth),
        });
      }),
  });
  addFiles(server, { backend });
  addActs(server, { backend });
}

const params = z.object({ reference, period });

function keyOf({ reference: merchant, period: of }: z.infer<typeof params>): MonthKey {
  return { merchant, period: of };
}

const fileForm = z.object({
  format: z.string(),
  fileName: z.string(),
  mediaType: z.string(),
  size: z.int().describe('Bytes'),
  sha256: z.string(),
  deltaOf: z.int().nullable().describe('The revision that it has only the changes of; null: whole'),
});

type Backend = Pick<OperatorApi, 'backend'>;

function addFiles(server: Server, { backend }: Backend): void {
  server.get('/merchants/:reference/months/:period/files', {
    config: { needs: 'read', merchantIn: 'reference' },
    schema: {
      operationId: 'listMonthFiles',
      summary: 'Files of the revision in force',
      description: 'While it is held its own accountant sees none of them, and the reason.',
      params,
      response: {
        200: z.object({
          revision: z.int(),
          held: z.boolean(),
          error: z.string().nullable().describe('Why there is no file for an accountant'),
          items: z.array(fileForm),
        }),
        ...directRefusals(404),
      },
    },
    handler: async (request) => {
      const report = thereIs(
        await backend.findStatement(keyOf(request.params), askingOperator(request)),
        'statement',
      );
      const { revision, isHeld, error, files } = report;
      const items = files.map((file) => ({ ...file, deltaOf: deltaOf({ ...file, revision }) }));
      return plain({ revision, held: isHeld, error, items });
    },
  });
  server.get('/merchants/:reference/months/:period/files/:format', {
    config: { needs: 'read', merchantIn: 'reference' },
    schema: {
      operationId: 'downloadMonthFile',
      summary: 'A file of the revision in force',
      description: 'The name of one that is held begins with HELD_.',
      params: params.extend({ format: z.string().min(1).max(60) }),
      produces: ['application/octet-stream'],
      response: { 200: z.string().meta({ format: 'binary' }), ...directRefusals(404) },
    },
    handler: async (request, reply) => {
      const report = await backend.findStatement(keyOf(request.params), askingOperator(request));
      return sendMonthFile(reply, backend, { report, format: request.params.format }) as never;
    },
  });
}

/**
 * Sends a file of a month. The name of one that is held begins with HELD_. Throws `DirectError`
 * 404.
 */
export async function sendMonthFile(
  reply: FastifyReply,
  backend: OperatorApi['backend'],
  { report, format }: { readonly report: ReportRecord | null; readonly format: string },
): Promise<FastifyReply> {
  const file = report?.files.find((one) => one.format === format);
  if (report === null || file === undefined)
    throw report?.error == null
      ? notFound('file')
      : new DirectError(404, 'NOT_FOUND', report.error);
  const fileName = report.isHeld ? `HELD_${file.fileName}` : file.fileName;
  return sendFile(reply, { ...report, ...file, fileName }, await backend.readFile(report, file));
}

const reason = z.string().trim().min(1).max(2_000).describe('Kept with it');

const PROPOSED =
  '202 with a proposal, which another operator confirms, where the roots that it was issued with and those open in it come to more than `decisions.secondPersonAbove`.';

const ACTS = {
  release: {
    summary: 'Let a statement that is held go out',
    description: `To all whom it was meant for. 409 where nothing is held. ${PROPOSED}`,
    body: z.strictObject({ reason }),
  },
  send: {
    summary: 'Send the revision in force by mail once more',
    description:
      'As a new delivery to each recipient; `accountants` are those of the configuration. 409 while it is held, and for an address that the mail server has refused.',
    body: z.strictObject({ to: z.union([z.literal('accountants'), z.email().max(320)]) }),
  },
  close: {
    summary: 'Close a month for good',
    description: `409 where roots are open or the statement is held, unless \`expectOpen\` is the number of roots. ${PROPOSED}`,
    body: z.strictObject({ reason, expectOpen: z.int().min(0).optional() }),
  },
};

function addActs(server: Server, { backend }: Backend): void {
  const answer = async (key: MonthKey) => {
    const { items } = await backend.listMonths({ ...key, limit: 1, offset: 0 });
    return plain(shownMonth(items[0]!));
  };
  const route = (
    name: keyof typeof ACTS,
    act: (wish: MonthKey & { by: string }, body: never) => Promise<Proposal | null>,
  ): void => {
    const { body, ...described } = ACTS[name];
    server.post(`/merchants/:reference/months/:period/${name}`, {
      config: { needs: 'publish', merchantIn: 'reference' },
      schema: {
        operationId: `${name}Month`,
        ...described,
        params,
        body,
        response: {
          200: monthForm,
          ...(name === 'send' ? {} : { 202: proposalForm }),
          ...directRefusals(404, 409),
        },
      },
      handler: async (request, reply) => {
        const key = keyOf(request.params);
        const proposed = await act(
          { ...key, by: askingOperator(request).name },
          request.body as never,
        );
        return proposed === null ? answer(key) : reply.code(202).send(shownProposal(proposed));
      },
    });
  };
  route('release', (wish, body: z.infer<typeof ACTS.release.body>) =>
    backend.releaseMonth({ ...wish, ...body }),
  );
  route('send', (wish, { to }: z.infer<typeof ACTS.send.body>) =>
    backend.sendMonth({ ...wish, to: to === 'accountants' ? undefined : to }),
  );
  route('close', (wish, { reason, expectOpen }: z.infer<typeof ACTS.close.body>) =>
    backend.closeMonth({ ...wish, reason, expectOpen: expectOpen ?? null }),
  );
}
