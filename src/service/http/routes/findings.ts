// GET /findings, GET /findings/{fingerprint}, POST /findings/{fingerprint}/decisions and POST
// /findings/decisions: what was found across merchants, what became of it, and what people decide
// about it, one by one or about all of a filter. A decision bears the name of the operator whose
// token it came with.

import { z } from 'zod';
import { FINDING_STATES, SEVERITIES } from '../../../core/domain/finding.ts';
import { DIRECTIONS, ENTRY_KINDS } from '../../../core/domain/ledger-entry.ts';
import { AGES, EXPOSED_STATES } from '../../../core/domain/measures.ts';
import { explainKind } from '../../../io/formats/port/wording.ts';
import {
  type DatedFinding,
  FINDING_ACTIONS,
  type FindingPage,
  MOST_TOGETHER,
  NOTES,
  PERMISSION_OF,
  STORED_ACTIONS,
} from '../../workflows/operators/operator-backend.ts';
import type { Server } from '../port/api.ts';
import { directRefusals, thereIs } from '../port/errors.ts';
import { FINDING_FILTER, queryOf, STATUSES } from '../port/filters.ts';
import {
  givenInstant,
  instant,
  type OperatorApi,
  paged,
  pageOf,
  pageQuery,
  plain,
  proposalForm,
  reference,
  shownProposal,
} from '../port/operator-api.ts';
import {
  askingOperator,
  namedAlone,
  noteMerchant,
  noteSubjects,
  requirePermission,
} from '../port/operators.ts';

const evidence = z.object({
  what: z.string(),
  sequence: z.string().nullable(),
  reference: z.string().nullable(),
  note: z.string().nullable(),
});

const lines = z.array(z.string()).describe('By sequence, ascending');

export const findingForm = z.object({
  fingerprint: z.string(),
  merchant: z.string(),
  kind: z.string().describe('A page of the catalogue'),
  severity: z.enum(SEVERITIES),
  status: z.enum(STATUSES),
  state: z.enum(FINDING_STATES),
  sequence: z.string().nullable().describe('First offending line'),
  operationReference: z.string().nullable(),
  expected: z.string().nullable(),
  actual: z.string().nullable(),
  difference: z.string().nullable().describe('actual − expected, its sign kept'),
  message: z.string(),
  figures: z
    .record(z.string(), z.unknown())
    .describe('What `message` is worded from: numbers as decimal strings'),
  evidence: z.array(evidence),
  causedBy: z.string().nullable().describe('Fingerprint of its root; null when it is one'),
  item: z
    .object({ balance: z.string(), reserved: z.string() })
    .nullable()
    .describe(
      'By how much the recorded figures are too high or, negative, too low because of this root; null on others',
    ),
  itemParts: z
    .array(
      z.object({
        of: z.enum(['drift', 'wallet', 'posted', 'unserved', 'corrected']),
        sequence: z.string().nullable(),
        operationReference: z.string().nullable(),
        balance: z.string(),
        reserved: z.string(),
      }),
    )
    .describe('Where the item comes from; the parts sum to it'),
  concerned: z
    .string()
    .nullable()
    .describe('Of a root that puts no figure off: the amount that it is about, without sign'),
  currency: z.string().nullable().describe('Of its amounts; null where it is not known'),
  itemAt: z.iso.datetime().nullable().describe('Of the line or the operation that it is about'),
  settledBy: z
    .object({
      by: z.enum(['correction', 'person']).describe('A correction names the fault itself'),
      lines,
      at: z.iso.datetime().describe('Of the last line; without lines, of the decision'),
      person: z.string().nullable(),
      reason: z.string().nullable(),
    })
    .nullable()
    .describe('What put it right; null while it is open'),
  proposedSettlement: z
    .object({ lines, at: z.iso.datetime(), ambiguous: z.literal(true).optional() })
    .nullable()
    .describe(
      'Lines that fit in the balance by amount and sign alone, one or two together, for a person to confirm; ambiguous: one of several, or of several roots',
    ),
  accepted: z
    .object({
      person: z.string(),
      reason: z.string(),
      at: z.iso.datetime(),
      limit: z.string().nullable().describe('The most that the item may be, without sign'),
      until: z.iso.datetime().nullable(),
    })
    .nullable(),
  proposal: z
    .array(
      z.object({
        kind: z.enum(ENTRY_KINDS),
        direction: z.enum(DIRECTIONS),
        amount: z.string(),
        operationReference: z.string().nullable(),
        description: z.string(),
      }),
    )
    .nullable()
    .describe('Entries that would put it right; null: no entry would'),
  owner: z.string().nullable(),
  labels: z.array(z.string()),
  dueDay: z.iso
    .date()
    .nullable()
    .describe('UTC; as a person set it, else by the rules of `desk.due`'),
  lastComment: z.object({ by: z.string(), reason: z.string(), at: instant }).nullable(),
  firstSeenRun: z.int(),
  firstSeenAt: instant.nullable(),
  lastSeenRun: z.int(),
  lastSeenAt: instant.nullable(),
});

export function shownFinding({ finding, ...found }: DatedFinding) {
  return { ...finding, ...found };
}

const historyForm = z.array(
  z.object({
    action: z
      .enum(STORED_ACTIONS)
      .describe(
        'Of the engine alone: resolve, it is found no more; become, it goes on as another finding',
      ),
    stateBefore: z.enum(FINDING_STATES),
    stateAfter: z.enum(FINDING_STATES),
    reason: z.string(),
    terms: z
      .looseObject({})
      .nullable()
      .describe('What it rests on: once that is otherwise, the finding is open again'),
    by: z.string().describe('The operator, or the engine itself'),
    at: instant,
    runId: z.int().nullable().describe('The run in which the engine decided'),
  }),
);

const findingPageForm = findingForm.extend({
  explanation: z.string().nullable().describe('What the kind means and what to do, in English'),
  decisions: historyForm,
  earlier: historyForm.describe('What was decided about the findings that it goes on from'),
});

function shownFindingPage({ decisions, earlier, ...found }: FindingPage) {
  const explanation = explainKind(found.finding.kind, 'en');
  return plain({ ...shownFinding(found), explanation, decisions, earlier });
}

const fingerprint = z.string().regex(/^[0-9a-f]{16}$/, 'must be the 16 digits of a fingerprint');
export const params = z.object({ fingerprint });
export const ofMerchant = z.strictObject({ merchant: reference.optional() });

const findingsForm = pageOf(findingForm).extend({
  seen: z
    .string()
    .nullable()
    .describe(
      `Names all of the filter, for POST /findings/decisions; null: none, more than ${MOST_TOGETHER}, or causedBy=all`,
    ),
});

const query = pageQuery.extend({
  ...FINDING_FILTER,
  causedBy: z
    .enum(['none', 'all'])
    .default('none')
    .describe('none: roots only; all: also what follows from them'),
});

export function addListFindings(server: Server, { backend, querying }: OperatorApi): void {
  server.get('/findings', {
    config: { needs: 'read', merchantIn: 'merchant' },
    schema: {
      operationId: 'listFindings',
      summary: 'Findings, worst first',
      description: 'Roots only, unless causedBy=all. Without a state: in whatever state they are.',
      querystring: query,
      response: { 200: findingsForm, ...directRefusals(404, 429) },
    },
    handler: async (request) => {
      const { limit, offset, causedBy, ...filter } = request.query;
      const wanted = { ...queryOf(filter), limit, offset, rootsOnly: causedBy === 'none' };
      return querying(async () => {
        const { total, items, seen } = await backend.listDecidable(wanted);
        return { ...paged({ total, items: items.map(shownFinding) }, { limit, offset }), seen };
      });
    },
  });
  addExposure(server, { backend, querying });
  server.get('/findings/:fingerprint', {
    config: { needs: 'read', merchantIn: 'merchant' },
    schema: {
      operationId: 'readFinding',
      summary: 'A finding, with what was decided about it',
      params,
      querystring: ofMerchant,
      response: { 200: findingPageForm, ...directRefusals(404) },
    },
    handler: async (request) => {
      const found = await backend.findFinding({ ...request.params, ...request.query });
      return shownFindingPage(namedAlone(request, found, 'finding'));
    },
  });
  addDecide(server, { backend });
  addDecideTogether(server, { backend, querying });
}

const exposureForm = z.object({
  items: z.array(
    z.object({
      currency: z.string().nullable().describe('null: not known, and then no amount is given'),
      state: z.enum(EXPOSED_STATES),
      age: z
        .enum(AGES)
        .describe('Whole days since `itemAt`, else since a run saw the finding first'),
      findings: z.int(),
      off: z
        .string()
        .nullable()
        .describe('By how much recorded figures are off, too high or too low'),
      concerned: z.string().nullable().describe('What findings are about that put no figure off'),
    }),
  ),
});

function addExposure(
  server: Server,
  { backend, querying }: Pick<OperatorApi, 'backend' | 'querying'>,
): void {
  server.get('/exposure', {
    config: { needs: 'read', merchantIn: 'merchant' },
    schema: {
      operationId: 'readExposure',
      summary: 'What is at stake: confirmed roots by currency, state and age',
      description: 'Amounts of two currencies are never added.',
      querystring: ofMerchant,
      response: { 200: exposureForm, ...directRefusals(404, 429) },
    },
    handler: (request) =>
      querying(async () => plain({ items: await backend.loadExposure(request.query.merchant) })),
  });
}

const reason = z.string().trim().min(1).max(2_000);
const until = givenInstant.optional().describe('accept: from this instant on no more');

const decision = z
  .strictObject({
    action: z.enum(FINDING_ACTIONS),
    reason: reason
      .optional()
      .describe(
        'Kept as history; lines that settle are reason enough. assign: the owner; label: `+LABEL -LABEL`; due: `YYYY-MM-DD`; `-`: none',
      ),
    lines: z
      .array(z.string().regex(/^\d{1,15}$/))
      .max(50)
      .optional()
      .describe('settle: lines that put it right'),
    limit: z
      .string()
      .regex(/^\d{1,18}$/)
      .optional()
      .describe('accept: at most that much, without sign; absent: what it is now'),
    until,
  })
  .refine(({ action, reason }) => reason !== undefined || action === 'settle', {
    message: 'must be given',
    path: ['reason'],
  })
  .meta({ example: { action: 'acknowledge', reason: 'asked the service, ticket 4412' } });

function addDecide(server: Server, { backend }: Pick<OperatorApi, 'backend'>): void {
  server.post('/findings/:fingerprint/decisions', {
    config: { needs: 'investigate', merchantIn: 'merchant' },
    schema: {
      operationId: 'decideFinding',
      summary: 'Decide about a finding, or note something',
      description: `acknowledge and the notes (${NOTES.join(', ')}) need the permission investigate, any other action decide. Notes
change no state, and the newest of each holds. acknowledge: from open; settle and accept: a root that is none of
it yet; reopen: from any other state. Another move changes nothing and is refused with 409. A resolved finding that a run
finds again is reopened by the engine, and so is one that was settled or accepted once its evidence, its amount or its
lines are others, its limit is passed or its expiry is over. The next run applies what was decided. Above the amount of
\`decisions.secondPersonAbove\`, settle and accept answer 202 with a proposal, which another operator confirms.`,
      params,
      querystring: ofMerchant,
      body: decision,
      response: { 201: findingPageForm, 202: proposalForm, ...directRefusals(404, 409) },
    },
    handler: async (request, reply) => {
      requirePermission(request, PERMISSION_OF[request.body.action]);
      const by = askingOperator(request).name;
      const wish = { ...request.params, ...request.query, ...request.body, by };
      const decided = thereIs(await backend.decide(wish), 'finding');
      noteMerchant(request, 'proposed' in decided ? decided.proposed.merchant : decided.merchant);
      if ('proposed' in decided) return reply.code(202).send(shownProposal(decided.proposed));
      return reply.code(201).send(shownFindingPage(decided));
    },
  });
}

const jointDecision = z
  .strictObject({
    action: z.enum(FINDING_ACTIONS),
    reason: reason.describe('As of a decision about one'),
    until,
    expect: z.int().min(1).describe('How many findings the filter has'),
    seen: z.string().max(100).describe('As GET /findings gave it with the same filter'),
  })
  .meta({
    example: {
      action: 'acknowledge',
      reason: 'ticket 4412',
      expect: 12,
      seen: '9f3c51d2a07be4468a1c3d5e7f902b46',
    },
  });

function addDecideTogether(
  server: Server,
  { backend, querying }: Pick<OperatorApi, 'backend' | 'querying'>,
): void {
  server.post('/findings/decisions', {
    config: { needs: 'investigate', merchantIn: 'merchant' },
    schema: {
      operationId: 'decideFindings',
      summary: 'Decide about all roots of a filter, or note something',
      description: `The filter is that of GET /findings. All or none: 409 where the filter finds another number, others than were seen, one that has
changed since, more than ${MOST_TOGETHER}, one whose state does not allow it, or, for settle and accept, one above the amount of
\`decisions.secondPersonAbove\`.`,
      querystring: z.strictObject(FINDING_FILTER),
      body: jointDecision,
      response: {
        201: z.object({
          items: z.array(z.object({ merchant: z.string(), fingerprint: z.string() })),
        }),
        ...directRefusals(404, 409, 429),
      },
    },
    handler: async (request, reply) => {
      requirePermission(request, PERMISSION_OF[request.body.action]);
      const made = {
        ...request.body,
        by: askingOperator(request).name,
        filter: queryOf(request.query),
      };
      const items = await querying(() => backend.decideTogether(made));
      noteSubjects(request, items);
      return reply.code(201).send(plain({ items }));
    },
  });
}
