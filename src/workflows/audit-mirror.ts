// Audits merchants from the mirror: a full replay from the first stored line that trusts no stored result.

import type { MerchantReport } from '../domain/finding.ts';
import { loadMerchants } from '../storage/load-merchants.ts';
import { loadWatermark } from '../storage/load-watermark.ts';
import type { Store } from '../storage/open-store.ts';
import type { AuditSourceOptions } from './audit-source.ts';
import { comparePublished } from './compare-published.ts';
import { replayMirror } from './replay-mirror.ts';

/** Throws an Error with a `code` when a merchant is not in the mirror. */
export async function auditMirror(
  store: Store,
  options: AuditSourceOptions & { readonly engine: string },
): Promise<readonly MerchantReport[]> {
  const known = await loadMerchants(store);
  const unknown = options.merchants.find((merchant) => !known.includes(merchant));
  if (unknown !== undefined) {
    const message = `The mirror has no merchant '${unknown}'; run 'pointage run ${unknown}' first, or give --source.`;
    throw Object.assign(new Error(message), { code: 'UNKNOWN_MERCHANT' });
  }
  const reports: MerchantReport[] = [];
  for (const merchant of options.merchants.length > 0 ? options.merchants : known) {
    const { engine, published } = options;
    const judging = options.optionsFor(merchant);
    const compared = published ? await comparePublished(published, { merchant, asOf: judging.asOf }) : null;
    // Of what came later the mirror has operations that were asked for by name, but not their lines.
    const completeUntil = (await loadWatermark(store, merchant)) ?? judging.asOf;
    const asOf = Math.min(judging.asOf, completeUntil);
    const auditOptions = { ...judging, asOf, onProgress: options.onMerchant(merchant, null), compared };
    const { report } = await replayMirror({
      store,
      merchant,
      engine,
      options: auditOptions,
      reading: null,
      full: true,
    });
    reports.push(report);
  }
  return reports;
}
