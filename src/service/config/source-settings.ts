// Configuration of the places that books and reports are read from: what their documents do not show, and how patient to be.

import { z } from 'zod';
import { FIGURE_MEANINGS, parseSummaryKey } from '../../core/domain/summary-keys.ts';
import { openZone } from '../../core/domain/zone.ts';

/** How long to wait for a service, how often to ask it again, and how much to read. */
const patience = {
  /** Milliseconds for one attempt. */
  deadline: z.int().min(100).optional(),
  retries: z
    .strictObject({
      attempts: z.int().min(1).max(20).optional(),
      firstDelay: z.int().min(0).optional(),
      longestDelay: z.int().min(0).optional(),
      longestRetryAfter: z.int().min(0).optional(),
    })
    .optional(),
  maxResponseBytes: z.int().min(1_024).optional(),
};

/** The direct API: what its document does not show. */
export const httpSettings = z.strictObject({
  paths: z
    .strictObject({
      profile: z.string().startsWith('/').optional(),
      wallet: z.string().startsWith('/').optional(),
      ledger: z.string().startsWith('/').optional(),
      operations: z.string().startsWith('/').optional(),
      operation: z.string().startsWith('/').includes('{reference}').optional(),
      deliveries: z.string().startsWith('/').optional(),
    })
    .optional(),
  envelope: z.string().min(1).optional(),
  pageSize: z.int().min(2).max(200).optional(),
  ledgerOrder: z.enum(['auto', 'ascending', 'descending']).optional(),
  operationsOrder: z.enum(['auto', 'ascending', 'descending']).optional(),
  ...patience,
});

/** The dashboard API: where it is, and what its document does not show. */
export const dashboardSettings = z.strictObject({
  baseUrl: z.string().min(1),
  parameters: z
    .strictObject({
      merchant: z.string().min(1).optional(),
      from: z.string().min(1).optional(),
      until: z.string().min(1).optional(),
    })
    .optional(),
  /** How many of the newest months' reports are compared. */
  months: z.int().min(1).max(240).default(3),
  ...patience,
});

/** Which keys of a report's summary hold which figures. */
export const summaryKeys = z
  .record(z.string().min(1), z.enum(FIGURE_MEANINGS).nullable())
  .superRefine((keys, context) => {
    for (const [path, meaning] of Object.entries(keys)) {
      if (meaning === null || parseSummaryKey(path, meaning) !== null) continue;
      const message = "must be a path like totals.amount, and like byOperator[operator].amount where it is '… by …'";
      context.addIssue({ code: 'custom', path: [path], message });
    }
  });

const part = z.strictObject({
  from: z.union([z.strictObject({ relation: z.string().min(1) }), z.strictObject({ select: z.string().min(1) })]),
  merchantColumn: z.string().min(1),
  columns: z.record(z.string(), z.string().nullable()).default({}),
});

/** The operator's own tables: where they differ from the usual form. */
export const postgresSettings = z.strictObject({
  merchants: part.nullable().optional(),
  wallets: part.nullable().optional(),
  entries: part.optional(),
  operations: part.optional(),
  timeZone: z
    .string()
    .refine((name) => openZone(name) !== null, { message: 'must be the name of a zone, like Africa/Douala' })
    .nullable()
    .optional(),
  connectTimeout: z.int().min(100).optional(),
});
