// What operators send and are shown, as forms: pages, runs, their members, merchants. Instants are ISO 8601 in UTC; amounts of
// reports are decimal texts, as everywhere in reports.

import { z } from 'zod';
import { formatInstant, type Instant, parseInstant } from '../domain/instant.ts';
import {
  type Listed,
  MEMBER_STATES,
  type MerchantRecord,
  type RunMember,
  type RunRecord,
} from '../workflows/operator-desk.ts';

export const VERDICTS = ['clean', 'broken', 'incomplete'] as const;

/** Digits only, as a whole number within bounds; described as one. */
function count(bounds: { readonly least: number; readonly most: number; readonly otherwise: number }) {
  const { least: minimum, most: maximum, otherwise } = bounds;
  return z
    .string()
    .regex(/^\d{1,10}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(minimum).max(maximum))
    .default(otherwise)
    .meta({ type: 'integer', minimum, maximum, default: otherwise });
}

/** The documents' own bounds. */
export const pageQuery = z.strictObject({
  limit: count({ least: 1, most: 200, otherwise: 50 }),
  offset: count({ least: 0, most: 1_000_000_000, otherwise: 0 }),
});

export const reference = z.string().min(1).max(200);

export const instantText = z
  .string()
  .refine((text) => parseInstant(text) !== null, 'must be an instant with a zone, like 2026-11-02T12:00:00Z')
  .meta({ format: 'date-time' });

const instant = z.iso.datetime();

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    total: z.int().describe('How many there are in all'),
    limit: z.int(),
    offset: z.int(),
    items: z.array(item),
  });
}

export function shownPage<Item, Shown>(
  { total, items }: Listed<Item>,
  { limit, offset }: z.infer<typeof pageQuery>,
  show: (item: Item) => Shown,
) {
  return { total, limit, offset, items: items.map(show) };
}

export function shownInstant(instant: Instant): string;
export function shownInstant(instant: Instant | null): string | null;
export function shownInstant(at: Instant | null): string | null {
  return at === null ? null : formatInstant(at);
}

export const runForm = z.object({
  id: z.int(),
  kind: z.enum(['manual', 'night']),
  source: z.string(),
  engine: z.string(),
  startedAt: instant,
  finishedAt: instant.nullable().describe('Null while it goes on, or when it never ended properly'),
  plannedFor: instant.nullable().describe('When its schedule wanted it'),
  closed: z.string().nullable().describe('Why it ended without covering everyone'),
  merchants: z.object({
    expected: z.int().nullable().describe('How many it is to cover; null when that was not written down'),
    clean: z.int(),
    broken: z.int(),
    incomplete: z.int(),
    failed: z.int().describe('Could not be judged at all'),
    waiting: z.int().describe('Still to be done'),
  }),
  entriesAdded: z.int(),
  operationsChanged: z.int(),
  findings: z.object({ added: z.int(), resolved: z.int(), reopened: z.int() }),
});

export function shownRun(run: RunRecord): z.infer<typeof runForm> {
  const { id, kind, source, engine, closed, entriesAdded, operationsChanged } = run;
  const { expected, clean, broken, incomplete, failed, waiting } = run;
  return {
    id,
    kind,
    source,
    engine,
    startedAt: shownInstant(run.startedAt),
    finishedAt: shownInstant(run.finishedAt),
    plannedFor: shownInstant(run.plannedFor),
    closed,
    merchants: { expected, clean, broken, incomplete, failed, waiting },
    entriesAdded,
    operationsChanged,
    findings: { added: run.findingsAdded, resolved: run.findingsResolved, reopened: run.findingsReopened },
  };
}

export const memberForm = z.object({
  merchant: z.string(),
  state: z.enum(MEMBER_STATES),
  verdict: z.enum(VERDICTS).nullable(),
  reason: z.string().nullable().describe('Why it could not be judged'),
  attempts: z.int(),
  startedAt: instant.nullable(),
  finishedAt: instant.nullable(),
  watermark: instant.nullable().describe('The mirror holds what the source had at this instant'),
  entries: z.int().nullable().describe('Lines of its books as a whole'),
  operations: z.int().nullable(),
  entriesAdded: z.int(),
  operationsChanged: z.int(),
  findings: z.object({
    total: z.int().nullable(),
    roots: z.int().nullable(),
    added: z.int(),
    resolved: z.int(),
    reopened: z.int(),
  }),
});

export function shownMember(member: RunMember): z.infer<typeof memberForm> {
  const { merchant, state, verdict, reason, attempts, entries, operations, entriesAdded, operationsChanged } = member;
  return {
    merchant,
    state,
    verdict,
    reason,
    attempts,
    startedAt: shownInstant(member.startedAt),
    finishedAt: shownInstant(member.finishedAt),
    watermark: shownInstant(member.watermark),
    entries,
    operations,
    entriesAdded,
    operationsChanged,
    findings: {
      total: member.findings,
      roots: member.roots,
      added: member.findingsAdded,
      resolved: member.findingsResolved,
      reopened: member.findingsReopened,
    },
  };
}

export const merchantForm = z.object({
  reference: z.string(),
  name: z.string().nullable(),
  country: z.string().nullable(),
  status: z.string().nullable(),
  verdict: z.enum(VERDICTS).nullable().describe('Of the last run that judged it'),
  lastRun: z.int().nullable(),
  lastRunAt: instant.nullable(),
  watermark: instant.nullable().describe('The mirror holds what the source had at this instant'),
  openFindings: z.int().describe('Roots that are open'),
});

export function shownMerchant(record: MerchantRecord): z.infer<typeof merchantForm> {
  const { reference, name, country, status, verdict, lastRun, openFindings } = record;
  return {
    reference,
    name,
    country,
    status,
    verdict,
    lastRun,
    lastRunAt: shownInstant(record.lastRunAt),
    watermark: shownInstant(record.watermark),
    openFindings,
  };
}
