// Decodes what the dashboard says of payouts: the monthly ceiling (dashboard API, "Compliance file", `limits`) and the
// counters of payout requests ("Disbursement counters"). Figures that disagree with each other pass.

import type { DisbursementCounters, PayoutLimits } from '../../domain/dashboard-snapshot.ts';
import type { Decoded } from '../../rows/decoded.ts';
import { decodedFrom, fieldsOf, takeInteger, takeNatural, takeObject } from '../../rows/take-fields.ts';

/** `value` is the answer of the compliance endpoint: a compliance file, what it still wants, and `limits`. */
export function decodePayoutLimits(value: unknown): Decoded<PayoutLimits> {
  const fields = fieldsOf(value);
  return decodedFrom(
    fields,
    takeObject(fields, 'limits', (limits) => ({
      ceiling: takeNatural(limits, 'plafond'),
      used: takeNatural(limits, 'consomme'),
      // Below zero where more was paid out than the ceiling allows: to judge that is not the decoder's business.
      remaining: takeInteger(limits, 'restant'),
    })),
  );
}

export function decodeDisbursements(value: unknown): Decoded<DisbursementCounters> {
  const fields = fieldsOf(value);
  return decodedFrom(fields, {
    succeeded: takeNatural(fields, 'requestSuccess'),
    pending: takeNatural(fields, 'requestPending'),
    failed: takeNatural(fields, 'requestFailed'),
  });
}
