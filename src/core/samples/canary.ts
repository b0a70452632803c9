// The canary: faulty books of our own, which a night judges before any merchant's. An engine that
// does not find exactly their known faults must not call any other books clean. The faults are the
// same under every interpretation of the documents.

import { reconcileSample, type SampleRules } from './read-sample.ts';

const BOOKS = `
  line 1 CASHIN_CREDIT 9000 9000/0 CI-1
  line 2 CASHIN_CREDIT 500 9507/0 CI-2
  line 3 CASHIN_CREDIT 400 9907/0 CI-3
  line 4 CASHIN_CREDIT 400 10307/0 CI-3
  line 6 ADJUSTMENT_CREDIT 200 10537/0 - description=bonus
  line 7 CASHIN_CREDIT 50 10587/0 CI-7
  line 8 CASHOUT_HOLD 300 10587/300 CO-8
  line 9 CASHIN_CREDIT 60 10647/300 CI-9 currency=XAF
  op CI-1 SUCCEEDED 9000
  op CI-2 SUCCEEDED 500
  op CI-3 SUCCEEDED 400
  op CI-5 SUCCEEDED 111
  op CI-7 FAILED 50
  op CO-8 EXPIRED 300
  op CI-9 SUCCEEDED 60
  wallet 10650/300`;

const FOUND =
  'BALANCE_DRIFT 2 GUI-CI-2, CREDIT_DUPLICATED 4 GUI-CI-3, CREDIT_MISSING GUI-CI-5, CREDIT_WITHOUT_SUCCESS 7 GUI-CI-7, CURRENCY_MISMATCH 9 GUI-CI-9, HOLD_NOT_RELEASED GUI-CO-8, LINES_MISSING 6, WALLET_BALANCE_MISMATCH; due 10301/0';

/**
 * Judges the canary; returns `null` when exactly the known faults were found, each at its place,
 * and the figures due are right. Otherwise returns what was found.
 */
export function judgeCanary(rules: SampleRules): string | null {
  const { findings, due } = reconcileSample(BOOKS, rules);
  const roots = findings
    .filter(
      ({ causedBy, severity, status }) =>
        causedBy === null && severity !== 'info' && status === 'confirmed',
    )
    .map(({ kind, sequence, operationReference }) =>
      [kind, sequence, operationReference].filter(Boolean).join(' '),
    );
  const found = `${roots.sort().join(', ')}; due ${due?.balance}/${due?.reserved}`;
  return found === FOUND ? null : found;
}
