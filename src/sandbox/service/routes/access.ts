// Who may call, and with which secret: "Paths for … allowed IP addresses … and API-key management: not shown", so these are
// the sandbox's own.

import { z } from 'zod';
import { regenerateSecret } from '../account.ts';
import { allowAddress, forbidAddress } from '../addresses.ts';
import { invalidRequest, notFound } from '../api-error.ts';
import { readBody } from '../read-body.ts';
import { ok, type Route } from '../route.ts';

const path = '/merchants/me/allowed-ips';

export const addressList: Route = {
  method: 'GET',
  path,
  deed: 'READ',
  answer: ({ account, settings: { listEnvelope } }) =>
    ok(listEnvelope === 'array' ? account.addresses : { [listEnvelope]: account.addresses }),
};

const form = z.strictObject({ address: z.string({ error: 'must be an IP address' }) });

export const addressAddition: Route = {
  method: 'POST',
  path,
  deed: 'CONFIGURE',
  answer: ({ account, body }) => {
    const added = allowAddress(account, readBody(body, form).address);
    if (added === null) throw invalidRequest(['address must be an IP address']);
    return { status: 201, body: added };
  },
};

export const addressRemoval: Route = {
  method: 'DELETE',
  path: `${path}/:id`,
  deed: 'CONFIGURE',
  answer: ({ account, params: { id } }) => {
    if (!forbidAddress(account, id!)) throw notFound(`address ${id}`);
    return ok({ id, deleted: true });
  },
};

/** The only time that the secret is shown. */
export const keyRegeneration: Route = {
  method: 'POST',
  path: '/merchants/me/api-key/regenerate',
  deed: 'CONFIGURE',
  answer: ({ account, service }) => {
    regenerateSecret(account, service.now);
    return ok({ apiKey: account.apiKey, apiSecret: account.apiSecret });
  },
};
