// How the merchant is paid out: by request, or by itself at a time of day ("Settlement settings").

import { formatInstant } from '../../core/domain/instant.ts';
import type { SettlementTerms } from '../plan.ts';
import { primaryOf } from './payout-accounts.ts';
import { type DashboardLife, planSettlement } from './state.ts';
import { BANK_FIXED, MOBILE_MONEY_RATE } from './terms.ts';

/** From the present instant on. What was planned by the terms before is void. */
export function changeSettlement(life: DashboardLife, terms: SettlementTerms): void {
  life.settlement = { ...terms, lastSettlementAt: life.settlement.lastSettlementAt };
  planSettlement(life, life.now);
}

/** The fields of the document's table, in its order. */
export function settlementOf(life: DashboardLife) {
  const { mode, time, timezone, lastSettlementAt } = life.settlement;
  const primary = primaryOf(life);
  return {
    mode,
    time,
    timezone,
    lastSettlementAt: lastSettlementAt === null ? null : formatInstant(lastSettlementAt),
    hasPrimaryAccount: primary !== null,
    primaryAccountType: primary?.type ?? null,
    fees: { mobileMoneyRate: MOBILE_MONEY_RATE, bankFixed: BANK_FIXED },
  };
}
