// What the service itself says of a month, beside our statement of it.

import type { Statement } from '../statement.ts';
import type { ServiceComparison } from './comparison.ts';
import type { LinkSection } from './link-section.ts';
import type { ServiceDocument } from './service-document.ts';

export interface SaidByService {
  /** Of a report that counts wallet operations. */
  readonly report: ServiceComparison | null;
  readonly paymentsByLink: LinkSection | null;
  readonly document: ServiceDocument | null;
}

export function saidByService({ paymentsByLink, circumstances }: Statement): SaidByService {
  const { serviceReport: report, serviceDocument: document } = circumstances;
  return { report, paymentsByLink, document };
}
