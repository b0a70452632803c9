// Who may call and with which secret: addresses, and a new API secret. The direct API has the same pair and the same addresses.

import { z } from 'zod';
import { regenerateSecret } from '../../account.ts';
import { allowAddress, forbidAddress } from '../../addresses.ts';
import { readForm } from '../../read-body.ts';
import { ADDRESS_NOT_FOUND, QUERY } from '../choices.ts';
import { badRequest, Refusal } from '../refusal.ts';
import type { DashboardRoute } from '../route.ts';

const path = '/web-merchant/allowed-ips';

export const allowedAddresses: DashboardRoute = {
  method: 'GET',
  path,
  auth: 'Token',
  merchantIn: 'query',
  answer: ({ account }) => account.addresses,
};

export const addressForm = z.strictObject({
  [QUERY.merchant]: z.unknown().optional(),
  address: z.string({ error: 'must be an IP address' }),
});

export const addressPermission: DashboardRoute = {
  method: 'POST',
  path,
  auth: 'Token',
  merchantIn: 'either',
  answer: ({ account, body }) => {
    const added = allowAddress(account, readForm(body, addressForm).address);
    if (added === null) throw badRequest('address must be an IP address');
    return added;
  },
};

/** "Object with `id` and `deleted` (boolean `true`); unknown merchant: 404." */
export const addressWithdrawal: DashboardRoute = {
  method: 'DELETE',
  path: `${path}/:id`,
  auth: 'Token',
  merchantIn: 'query',
  answer: ({ account, params: { id } }) => {
    if (!forbidAddress(account, id!)) throw new Refusal(404, ADDRESS_NOT_FOUND);
    return { id, deleted: true };
  },
};

/** "The old secret is invalidated at once; the new secret is also sent by SMS." */
export const secretRegeneration: DashboardRoute = {
  method: 'POST',
  path: '/web-merchant/regenerate-api-key',
  auth: 'Token',
  merchantIn: 'query',
  answer: ({ account, service }) => {
    regenerateSecret(account, service.now);
    return { apiKey: account.apiKey, apiSecret: account.apiSecret };
  },
};
