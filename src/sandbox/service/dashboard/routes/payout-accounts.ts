// The accounts that a merchant is paid out to: listing, adding, choosing the primary one, removing.

import { z } from 'zod';
import { answerOf } from '../../../dashboard/answers.ts';
import {
  addPayoutAccount,
  makePrimary,
  type PayoutAccount,
  payoutAccountNamed,
  removePayoutAccount,
  shownAccount,
} from '../../../dashboard/payout-accounts.ts';
import { PAYOUT_ACCOUNT_TYPES } from '../../../plan.ts';
import { readForm } from '../../read-body.ts';
import { BANKS, CONFLICT, LONGEST_TEXT, PAYOUT_ACCOUNT_NOT_FOUND, QUERY } from '../choices.ts';
import { Refusal } from '../refusal.ts';
import type { DashboardCall, DashboardRoute } from '../route.ts';

const path = '/web-merchant/payout-accounts';

export const payoutAccountList: DashboardRoute = {
  method: 'GET',
  path,
  auth: 'Token',
  merchantIn: 'query',
  answer: ({ life }) => answerOf(life, 'payout-accounts'),
};

const error = `must be a text of 1 to ${LONGEST_TEXT} characters`;
const text = z.string({ error }).min(1, { error }).max(LONGEST_TEXT, { error });
const codes = BANKS.map(({ code }) => code);

export const payoutAccountForm = z
  .strictObject({
    [QUERY.merchant]: z.unknown().optional(),
    type: z.enum(PAYOUT_ACCOUNT_TYPES, { error: `must be one of ${PAYOUT_ACCOUNT_TYPES.join(', ')}` }),
    number: text,
    label: text.nullable().default(null),
    bankCode: z
      .enum(codes, { error: `must be one of ${codes.join(', ')}` })
      .nullable()
      .default(null),
  })
  .refine(({ type, bankCode }) => (type === 'BANK') === (bankCode !== null), {
    path: ['bankCode'],
    error: 'must be given when type is BANK, and only then',
  });

export const payoutAccountAddition: DashboardRoute = {
  method: 'POST',
  path,
  auth: 'Token',
  merchantIn: 'either',
  answer: ({ life, body }) => shownAccount(addPayoutAccount(life, readForm(body, payoutAccountForm))),
};

export const primaryChange: DashboardRoute = {
  method: 'PATCH',
  path: `${path}/:id/set-primary`,
  auth: 'Token',
  merchantIn: 'either',
  answer: (call) => {
    const account = named(call);
    makePrimary(call.life, account);
    return shownAccount(account);
  },
};

/** "A primary payout account is required for T0 and T1." */
export const payoutAccountRemoval: DashboardRoute = {
  method: 'DELETE',
  path: `${path}/:id`,
  auth: 'Token',
  merchantIn: 'either',
  answer: (call) => {
    const account = named(call);
    if (account.isPrimary && call.life.settlement.mode !== 'MANUAL') {
      throw new Refusal(CONFLICT, `The primary account is needed in ${call.life.settlement.mode}`);
    }
    removePayoutAccount(call.life, account);
    return { id: account.id, deleted: true };
  },
};

function named({ life, params }: DashboardCall): PayoutAccount {
  const account = payoutAccountNamed(life, params.id);
  if (account === null) throw new Refusal(404, PAYOUT_ACCOUNT_NOT_FOUND);
  return account;
}
