// What a configuration may hold for one merchant, whether a file says it or a list.

import { z } from 'zod';
import { INTERPRETATIONS, QUESTIONS } from '../../core/domain/assumptions.ts';
import { openZone } from '../../core/domain/zone.ts';
import { journalSettings } from './journal-settings.ts';
import { holderSettings } from './party-settings.ts';
import { accountant, signingSecrets } from './service-settings.ts';

export const pins = z.strictObject(
  Object.fromEntries(
    QUESTIONS.map((question) => [question, z.enum(INTERPRETATIONS[question]).optional()]),
  ) as unknown as {
    [Q in keyof typeof INTERPRETATIONS]: z.ZodOptional<z.ZodEnum<{ [R in (typeof INTERPRETATIONS)[Q][number]]: R }>>;
  },
);

export const zone = z.string().refine((name) => name === 'local' || openZone(name) !== null, {
  message: "must be the name of a zone, like Africa/Douala, or 'local' for that of the merchant's country",
});

export const merchant = z.strictObject({
  apiKey: z.string().min(1).optional(),
  apiSecret: z.string().min(1).optional(),
  /** What logs the merchant in to its dashboard. */
  dashboard: z.strictObject({ numero: z.string().min(1), password: z.string().min(1) }).optional(),
  /** Declared figures before the first line, in whole units. */
  opening: z.strictObject({ balance: z.int(), reserved: z.int().default(0) }).optional(),
  assumptions: pins.optional(),
  zone: zone.optional(),
  journal: journalSettings.optional(),
  /** What stands on its documents beside its name. */
  holder: holderSettings.optional(),
  /** Where this merchant's books are, when they are not at `source`. */
  source: z.string().min(1).optional(),
  /** To whom its statements are sent. */
  accountants: z.array(accountant).default([]),
  /** What the service signs its notifications with. */
  notifications: signingSecrets.optional(),
});

export type Merchant = z.infer<typeof merchant>;
