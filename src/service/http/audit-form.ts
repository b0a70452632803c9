// An audit that was asked for, as operators are shown it.

import { z } from 'zod';
import { AUDIT_SOURCES, AUDIT_STATES, type StoredAudit } from '../workflows/operators/operator-backend.ts';
import { shownInstant } from './operator-forms.ts';

export const auditForm = z
  .object({
    id: z.uuid(),
    merchant: z.string(),
    source: z.enum(AUDIT_SOURCES),
    asOf: z.iso.datetime().describe('Findings that lie at or after it are left out'),
    period: z.string().nullable(),
    state: z.enum(AUDIT_STATES),
    requestedBy: z.string(),
    requestedAt: z.iso.datetime(),
    startedAt: z.iso.datetime().nullable(),
    finishedAt: z.iso.datetime().nullable(),
    attempts: z.int().describe('More than one when a worker died on the way'),
    entriesRead: z.int().describe('Lines taken so far'),
    error: z.string().nullable().describe('Why the audit is FAILED'),
  })
  .meta({
    example: {
      id: '0b9b3c1e-55a8-4a35-9a5e-0d9a3c0f7a10',
      merchant: 'M001',
      source: 'mirror',
      asOf: '2026-11-01T00:00:00.000Z',
      period: '2026-10',
      state: 'RUNNING',
      requestedBy: 'controle',
      requestedAt: '2026-11-05T08:00:00.000Z',
      startedAt: '2026-11-05T08:00:01.000Z',
      finishedAt: null,
      attempts: 1,
      entriesRead: 40_000,
      error: null,
    },
  });

export const auditPageForm = auditForm.extend({
  result: z.looseObject({}).nullable().describe('The document of `pointage audit --format json`; null unless DONE'),
});

export function shownAudit(audit: StoredAudit): z.infer<typeof auditForm> {
  return {
    ...audit,
    asOf: shownInstant(audit.asOf),
    requestedAt: shownInstant(audit.requestedAt),
    startedAt: shownInstant(audit.startedAt),
    finishedAt: shownInstant(audit.finishedAt),
  };
}
