// Configuration of the nightly service: when it runs, how much it does at once, to whom it
// announces what, and by which ways. What each key means is in docs/CONFIGURATION.md.

import { z } from 'zod';
import { EVENTS } from '../../core/domain/delivery/delivery.ts';
import { SEVERITIES } from '../../core/domain/finding.ts';
import {
  INCONSISTENT,
  isConsistent,
  isPermitted,
  ROLES,
} from '../../core/domain/operators/role.ts';
import { openZone } from '../../core/domain/zone.ts';
import { LANGUAGES, STATEMENT_FORMATS } from '../../core/statements/statement.ts';
import { DEFAULTS } from './defaults.ts';

export const zoneName = () =>
  z.string().refine((name) => openZone(name) !== null, {
    message: 'must be the name of a zone, like Africa/Douala',
  });

/** Whole units by currency. */
const amounts = (least: number) =>
  z.record(
    z.string().regex(/^[A-Z]{3}$/, 'must be the code of a currency, like XOF'),
    z.int().min(least),
  );

/** Five fields: minute, hour, day of month, month, day of week. */
const cron = z.string().regex(/^\S+( \S+){4}$/, "must be five fields, like '0 2 * * *'");

const { night: NIGHT, watchdog: WATCHDOG, ...WORKER } = DEFAULTS.worker;

/** What `pointage worker` does, and when. */
export const workerSettings = z.strictObject({
  night: z
    .strictObject({ cron: cron.default(NIGHT.cron), zone: zoneName().default(NIGHT.zone) })
    .prefault({}),
  monthStart: cron.default(WORKER.monthStart),
  concurrency: z.int().min(1).max(64).default(WORKER.concurrency),
  longestMinutes: z.number().min(0.01).max(1_440).default(WORKER.longestMinutes),
  attempts: z.int().min(1).max(20).default(WORKER.attempts),
  takeOverSeconds: z.int().min(10).max(3_600).default(WORKER.takeOverSeconds),
  watchdog: z
    .strictObject({
      lateMinutes: z.number().min(1).max(1_440).default(WATCHDOG.lateMinutes),
      longestMinutes: z.number().min(1).max(10_080).default(WATCHDOG.longestMinutes),
    })
    .prefault({}),
});

/** The mail server that statements and alerts go through. */
export const mailSettings = z.strictObject({
  url: z.string().regex(/^smtps?:\/\//, 'must be an smtp:// or smtps:// address'),
  from: z
    .string()
    .regex(
      /^(?:[^\r\n<>]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/,
      'must be an address, or a name and an <address>',
    ),
  deadline: z.int().min(1_000).max(600_000).default(60_000),
});

export const email = z.email();

export const accountant = z.strictObject({ email, language: z.enum(LANGUAGES).optional() });

export const deliverySettings = z.strictObject({
  folder: z.string().min(1).optional(),
  formats: z.array(z.enum(STATEMENT_FORMATS)).min(1).default(DEFAULTS.deliveries.formats),
  hold: z.enum(['broken', 'none']).default(DEFAULTS.deliveries.hold),
});

const NEEDS_ROLES = `needs roles, one or more of ${ROLES.join(', ')}`;
export const roleSettings = {
  roles: z
    .array(z.enum(ROLES, { error: NEEDS_ROLES }), { error: NEEDS_ROLES })
    .min(1, { error: NEEDS_ROLES }),
  merchant: z.string().min(1).nullable().default(null),
};

/**
 * A reader of the mail at a night's end, with the roles and the merchant that the mail is made for.
 */
const digestRecipient = z
  .strictObject({ to: email, ...roleSettings })
  .refine(isConsistent, { message: INCONSISTENT })
  .refine((one) => isPermitted(one, 'read'), {
    message: 'must have a role that may read findings',
  });

/** Who is notified of new confirmed findings, and of runs that did not do what they should. */
export const alertSettings = z
  .strictObject({
    mail: z.array(email).default(DEFAULTS.alerts.mail),
    digest: z.array(digestRecipient).default(DEFAULTS.alerts.digest),
    webhooks: z
      .array(
        z.strictObject({
          url: z.string().refine((text) => URL.canParse(text), { message: 'must be an address' }),
          secret: z
            .string()
            .regex(
              /^whsec_(?:[A-Za-z0-9+/]{4}){8,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
              'must be whsec_ and at least 24 bytes in base64',
            ),
          events: z.array(z.enum(EVENTS)).min(1).optional(),
        }),
      )
      .default(DEFAULTS.alerts.webhooks),
    severity: z.enum(SEVERITIES).default(DEFAULTS.alerts.severity),
    above: amounts(1).optional(),
    language: z.enum(LANGUAGES).default(DEFAULTS.alerts.language),
    allowPrivate: z.boolean().default(DEFAULTS.alerts.allowPrivate),
  })
  .superRefine(({ webhooks, allowPrivate }, context) => {
    for (const [i, { url }] of webhooks.entries()) {
      const protocol = URL.parse(url)?.protocol;
      if (protocol === undefined || protocol === 'https:' || (allowPrivate && protocol === 'http:'))
        continue;
      context.addIssue({
        code: 'custom',
        path: ['webhooks', i, 'url'],
        message: 'must begin with https://',
      });
    }
  });

/**
 * The secrets that the direct API signs its notifications to us with; `previous` holds good during
 * a rotation.
 */
export const signingSecrets = z.strictObject({
  current: z.string().min(8),
  previous: z.string().min(8).optional(),
});

export const telemetrySettings = z.strictObject({
  port: z.int().min(0).max(65_535).optional(),
  host: z.string().min(1).default(DEFAULTS.telemetry.host),
  tracesUrl: z.string().optional(),
});

/** How people work on findings. */
export const deskSettings = z.strictObject({
  due: z
    .array(
      z.strictObject({
        severity: z.enum(SEVERITIES),
        minAmount: amounts(1).optional(),
        days: z.int().min(0).max(366),
      }),
    )
    .max(50)
    .default(DEFAULTS.desk.due),
});

/** The log of what runs and statements came to (docs/EVIDENCE.md). */
export const evidenceSettings = z.strictObject({
  origin: z
    .string()
    .regex(
      /^[^\s+]{1,200}$/,
      'must be a name without spaces and plus signs, like books.example/log',
    )
    .optional(),
  key: z
    .string()
    .regex(
      /^[A-Za-z0-9+/]{43}=$/,
      'must be 32 bytes as base64: make them with openssl rand -base64 32',
    )
    .optional(),
  lastSigned: z.string().min(1).optional(),
});

/** Above so many whole units of a currency, one operator may not decide alone. */
export const decisionSettings = z.strictObject({
  secondPersonAbove: amounts(0).default(DEFAULTS.decisions.secondPersonAbove),
});
