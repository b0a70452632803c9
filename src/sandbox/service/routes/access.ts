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
  described: {
    operationId: 'listAddresses',
    summary: 'Addresses that may call; none: any may',
    answer: { status: 200, form: 'AllowedAddress', list: true },
  },
  answer: ({ account, settings: { listEnvelope } }) =>
    ok(listEnvelope === 'array' ? account.addresses : { [listEnvelope]: account.addresses }),
};

const form = z.strictObject({ address: z.string({ error: 'must be an IP address' }) });

export const addressAddition: Route = {
  method: 'POST',
  path,
  deed: 'CONFIGURE',
  described: {
    operationId: 'allowAddress',
    summary: 'Lets an address call',
    body: form,
    answer: { status: 201, form: 'AllowedAddress' },
    refusals: [400],
  },
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
  described: {
    operationId: 'forbidAddress',
    summary: 'Lets an address call no more',
    answer: { status: 200, form: 'RemovedAddress' },
    refusals: [404],
  },
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
  described: {
    operationId: 'regenerateSecret',
    summary: 'Another API secret; the old one opens nothing from then on',
    answer: { status: 200, form: 'ApiSecret' },
  },
  answer: ({ account, service }) => {
    regenerateSecret(account, service.now);
    return ok({ apiKey: account.apiKey, apiSecret: account.apiSecret });
  },
};
