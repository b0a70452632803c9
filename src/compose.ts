// Joins the concrete parts: configuration in, opened sources and stores out. The one place that knows them all.

import { type Configuration, pinnedFor, toleranceOf } from './config.ts';
import type { Instant } from './domain/instant.ts';
import { openSource } from './sources/register.ts';
import type { Source } from './sources/source.ts';
import type { AuditOptions } from './workflows/audit-reading.ts';

export async function openConfiguredSource(_configuration: Configuration, uri: string): Promise<Source> {
  return openSource(uri, {});
}

/** How a merchant's books are judged: as of an instant, with the readings pinned and the opening declared for it. */
export function judgingOf(
  configuration: Configuration,
  merchant: string,
  judged: { readonly asOf: Instant; readonly stateless: boolean },
): Omit<AuditOptions, 'onProgress'> {
  const { grace, clockTolerance } = toleranceOf(configuration);
  const opening = configuration.merchants[merchant]?.opening ?? null;
  return {
    asOf: judged.asOf,
    // Files are read once: everything older than the instant of judgement is confirmed.
    grace: judged.stateless ? 0 : grace,
    clockTolerance,
    pinned: pinnedFor(configuration, merchant),
    opening,
  };
}
