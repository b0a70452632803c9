// GET and PATCH /merchants/me: the account profile, with the prices and bounds in force now, and the URL that notifications
// go to, which is all of it that a call may change.

import { z } from 'zod';
import { refusalOfUrl } from '../../courier/receiving-url.ts';
import { invalidRequest } from '../api-error.ts';
import { readBody } from '../read-body.ts';
import { ok, type Route } from '../route.ts';
import { notifyAccount } from '../service.ts';

export const merchantProfile: Route = {
  method: 'GET',
  path: '/merchants/me',
  deed: 'READ',
  described: { operationId: 'readMerchant', summary: 'The account', answer: { status: 200, form: 'Merchant' } },
  answer: ({ account }) => ok(account.simulation.merchant),
};

const changes = z.strictObject({ webhookUrl: z.string({ error: 'must be a URL, or null' }).nullable() });

export const merchantChange: Route = {
  method: 'PATCH',
  path: '/merchants/me',
  deed: 'CONFIGURE',
  described: {
    operationId: 'changeMerchant',
    summary: 'Says where notifications go: HTTPS is required',
    body: changes,
    answer: { status: 200, form: 'Merchant' },
    refusals: [400],
  },
  answer: ({ account, service, body }) => {
    const { webhookUrl } = readBody(body, changes);
    const refusal = webhookUrl === null ? null : refusalOfUrl(webhookUrl, service.courier.settings);
    if (refusal !== null) throw invalidRequest([`webhookUrl ${refusal}`]);
    notifyAccount(service, account, webhookUrl);
    return ok(account.simulation.merchant);
  },
};
