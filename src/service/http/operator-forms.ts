// What operators send and are shown, as forms: pages, runs, their members, merchants. Instants are ISO 8601 in UTC; amounts of
// reports are decimal texts, as everywhere in reports.

import { z } from 'zod';
import { SEVERITIES } from '../../core/domain/finding.ts';
import { formatInstant, type Instant, parseInstant } from '../../core/domain/instant.ts';
import type { Listed, MemberRecord, MerchantRecord, RunRecord } from '../workflows/operators/operator-backend.ts';

export const VERDICTS = ['clean', 'broken', 'incomplete'] as const;
export const MEMBER_STATES = ['expected', 'done', 'failed'] as const;

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

/** Of a merchant; what no database can hold is the name of none. */
export const reference = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => !text.includes('\0') && text.isWellFormed(), 'must be the reference of a merchant');

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

const changes = z.object({ added: z.int(), resolved: z.int(), reopened: z.int() });

export const runForm = z.object({
  id: z.int(),
  kind: z.enum(['manual', 'night']),
  source: z.string(),
  engine: z.string(),
  plannedFor: instant.nullable().describe('When its schedule wanted it'),
  startedAt: instant,
  finishedAt: instant.nullable().describe('Null while it goes on, or when it never ended properly'),
  closed: z.string().nullable().describe('Why it ended without covering everyone'),
  watermark: instant.nullable().describe('The oldest instant up to which the books of a judged merchant were known'),
  coverage: z.object({
    expected: z.int().describe('Merchants that it was to cover'),
    judged: z.int().describe('Read to the end and judged'),
    unread: z.int().describe('Could not be read to the end'),
    failed: z.int().describe('Could not be judged, because of us'),
    waiting: z.int().describe('Not settled yet'),
  }),
  verdicts: z.object({ clean: z.int(), broken: z.int(), incomplete: z.int() }),
  entriesAdded: z.int(),
  operationsChanged: z.int(),
  findings: changes,
});

export function shownRun({ runId: id, ...run }: RunRecord): z.infer<typeof runForm> {
  return {
    ...run,
    id,
    plannedFor: shownInstant(run.plannedFor),
    startedAt: shownInstant(run.startedAt),
    finishedAt: shownInstant(run.finishedAt),
    watermark: shownInstant(run.watermark),
  };
}

export const memberForm = z.object({
  merchant: z.string(),
  state: z.enum(MEMBER_STATES),
  verdict: z.enum(VERDICTS).nullable(),
  reason: z.string().nullable().describe('Why it was not judged'),
  attempts: z.int(),
  startedAt: instant.nullable().describe('Of the last attempt'),
  finishedAt: instant.nullable(),
  watermark: instant.nullable().describe('The mirror holds what the source had at this instant'),
  entriesAdded: z.int(),
  operationsChanged: z.int(),
  findings: changes,
});

export function shownMember(member: MemberRecord): z.infer<typeof memberForm> {
  return {
    ...member,
    startedAt: shownInstant(member.startedAt),
    finishedAt: shownInstant(member.finishedAt),
    watermark: shownInstant(member.watermark),
  };
}

export const changeForm = z.object({
  change: z.enum(['added', 'resolved', 'settled', 'reopened']),
  merchant: z.string(),
  fingerprint: z.string(),
  kind: z.string(),
  severity: z.enum(SEVERITIES),
  message: z.string(),
  causedBy: z.string().nullable(),
});

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
  return { ...record, lastRunAt: shownInstant(record.lastRunAt), watermark: shownInstant(record.watermark) };
}
