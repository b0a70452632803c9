// A finding as operators are shown it: what the last run reported, what became of it, and what people decided.

import { z } from 'zod';
import { SEVERITIES } from '../../core/domain/finding.ts';
import { DIRECTIONS, ENTRY_KINDS } from '../../core/domain/ledger-entry.ts';
import {
  FINDING_ACTIONS,
  FINDING_STATES,
  type FindingPage,
  type FoundFinding,
} from '../workflows/operators/operator-backend.ts';
import { shownInstant } from './operator-forms.ts';

export const STATUSES = ['confirmed', 'provisional'] as const;

const evidence = z.object({
  what: z.string(),
  sequence: z.string().nullable(),
  reference: z.string().nullable(),
  note: z.string().nullable(),
});

const lines = z.array(z.string()).describe('By sequence, ascending');

export const findingForm = z
  .object({
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
    figures: z.record(z.string(), z.unknown()).describe('What `message` is worded from: numbers as decimal strings'),
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
          of: z.enum(['drift', 'wallet', 'posted', 'unserved']),
          sequence: z.string().nullable(),
          operationReference: z.string().nullable(),
          balance: z.string(),
          reserved: z.string(),
        }),
      )
      .describe('Where the item comes from; the parts sum to it'),
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
        'Lines that fit by amount and sign alone, for a person to confirm; ambiguous: one of several, or of several roots',
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
    firstSeenRun: z.int(),
    firstSeenAt: z.iso.datetime().nullable(),
    lastSeenRun: z.int(),
    lastSeenAt: z.iso.datetime().nullable(),
  })
  .meta({
    example: {
      fingerprint: '1f658be68f1bb1d2',
      merchant: 'M001',
      kind: 'CREDIT_AMOUNT_MISMATCH',
      severity: 'critical',
      status: 'confirmed',
      state: 'open',
      sequence: '912',
      operationReference: 'GUI-CI-0412',
      expected: '5000',
      actual: '4000',
      difference: '-1000',
      message: 'Cash-in GUI-CI-0412 was credited 4 000 instead of 5 000.',
      figures: { reference: 'GUI-CI-0412', type: 'CASHIN', posted: '4000', due: '5000' },
      evidence: [{ what: 'line', sequence: '912', reference: null, note: null }],
      causedBy: null,
      item: { balance: '-1000', reserved: '0' },
      itemParts: [
        { of: 'posted', sequence: '912', operationReference: 'GUI-CI-0412', balance: '-1000', reserved: '0' },
      ],
      settledBy: null,
      proposedSettlement: null,
      accepted: null,
      proposal: null,
      firstSeenRun: 31,
      firstSeenAt: '2026-11-02T02:00:00.000Z',
      lastSeenRun: 34,
      lastSeenAt: '2026-11-05T02:00:00.000Z',
    },
  });

export function shownFinding({ finding, ...found }: FoundFinding): z.infer<typeof findingForm> {
  // What an earlier version of the engine has stored lacks the later fields.
  const { evidence, itemParts = [], settledBy, proposedSettlement = null, accepted = null, proposal = null } = finding;
  return {
    ...finding,
    ...found,
    evidence: evidence.map((one) => ({ ...one })),
    itemParts: itemParts.map((one) => ({ ...one })),
    settledBy: settledBy === null ? null : { ...settledBy, lines: [...settledBy.lines] },
    proposedSettlement:
      proposedSettlement === null ? null : { ...proposedSettlement, lines: [...proposedSettlement.lines] },
    accepted,
    proposal: proposal === null ? null : [...proposal],
    firstSeenAt: shownInstant(found.firstSeenAt),
    lastSeenAt: shownInstant(found.lastSeenAt),
  };
}

export const findingPageForm = findingForm.extend({
  explanation: z.string().nullable().describe('What the kind means and what to do, of the catalogue'),
  decisions: z.array(
    z.object({
      action: z.enum(FINDING_ACTIONS),
      stateBefore: z.enum(FINDING_STATES),
      stateAfter: z.enum(FINDING_STATES),
      reason: z.string(),
      terms: z
        .looseObject({})
        .nullable()
        .describe('What it rests on: once that is otherwise, the finding is open again'),
      by: z.string().describe('The operator, or the engine itself'),
      at: z.iso.datetime(),
      runId: z.int().nullable().describe('The run in which the engine decided'),
    }),
  ),
});

export function shownFindingPage(page: FindingPage, explanation: string | null): z.infer<typeof findingPageForm> {
  const { decisions: made, ...found } = page;
  const decisions = made.map((decision) => ({
    ...decision,
    terms: decision.terms === null ? null : { ...decision.terms },
    at: shownInstant(decision.at),
  }));
  return { ...shownFinding(found), explanation, decisions };
}
