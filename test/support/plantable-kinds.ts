// The kinds of findings for which the sandbox must have a fault to plant. These are the kinds of
// the catalogue, except for rows that cannot be read, a mirror that was altered, which no service
// serves, and a past that a service serves no more, which nights of their own play
// (`fallen-nights.test.ts`, `run-replaced-wallet.test.ts`).

import { CATALOGUE } from '../../src/core/kernel/checks/port/kinds.ts';

const OF_NO_FAULT: readonly string[] = [
  'INPUT_REJECTED',
  'MIRROR_TAMPERED',
  'CLOSED_PERIOD_CHANGED',
  'HISTORY_NO_LONGER_SERVED',
  'WALLET_REPLACED',
];

export const PLANTABLE_KINDS: readonly string[] = CATALOGUE.flatMap(
  (section) => section.kinds,
).filter((kind) => !OF_NO_FAULT.includes(kind));
