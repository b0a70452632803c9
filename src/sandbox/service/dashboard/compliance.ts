// GET /web-merchant/compliance: the compliance file of a simulated merchant, which is always approved, and its limits.

import { payoutLimitsAt } from '../../dashboard/payouts.ts';
import { drawDigits, drawUuid, seedRandom } from '../../random.ts';
import type { Account } from '../account.ts';
import { REQUIRED_DOCUMENTS } from './choices.ts';

export function complianceOf({ plan, seed, simulation }: Account) {
  const random = seedRandom(`${seed}/${plan.reference}/compliance`);
  const host = `https://files.example/${plan.reference.toLowerCase()}`;
  return {
    compliance: {
      id: drawUuid(random),
      status: 'APPROVED',
      legalName: plan.legalName ?? plan.name,
      legalForm: 'SARL',
      activity: 'Commerce',
      rccmNumber: `RCCM-${drawDigits(random, 8)}`,
      dfeNumber: `DFE-${drawDigits(random, 7)}`,
      address: '1, rue de Nulle Part',
      managerName: 'Personne Fictive',
      managerIdType: null,
      managerIdNumber: drawDigits(random, 10),
      documents: Object.fromEntries(REQUIRED_DOCUMENTS.map(({ key }) => [key, `${host}/${key}.pdf`])),
      rejectionReason: null,
    },
    requiredDocuments: REQUIRED_DOCUMENTS,
    limits: payoutLimitsAt(plan, { seed, now: simulation.now }),
  };
}
