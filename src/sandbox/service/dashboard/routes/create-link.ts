// POST /web-merchant/create-web-payment-link: a link that a customer pays by, PENDING until then and for 24 hours at most.

import { z } from 'zod';
import { formatInstant } from '../../../../core/domain/instant.ts';
import { LINK_LIFETIME } from '../../../../core/domain/payment.ts';
import { makeLink } from '../../../dashboard/links.ts';
import { linkCountriesOf, servedAt } from '../../../dashboard/payments.ts';
import { LINK_COUNTRIES } from '../../../dashboard/served-dashboard.ts';
import { LEAST_LINK_AMOUNT } from '../../../dashboard/terms.ts';
import { freeObject } from '../../free-data.ts';
import { readForm } from '../../read-body.ts';
import { LARGEST_METADATA, LONGEST_ORDER_ID, QUERY } from '../choices.ts';
import { badRequest } from '../refusal.ts';
import type { DashboardRoute } from '../route.ts';

const orderId = `must be a text of 1 to ${LONGEST_ORDER_ID} characters`;

export const linkForm = z.strictObject({
  [QUERY.merchant]: z.unknown().optional(),
  amount: z
    .int({ error: 'must be an integer, without decimals' })
    .min(LEAST_LINK_AMOUNT, { error: `must be at least ${LEAST_LINK_AMOUNT}` }),
  order_id: z.string({ error: orderId }).min(1, { error: orderId }).max(LONGEST_ORDER_ID, { error: orderId }),
  country: z.enum(LINK_COUNTRIES, { error: `must be one of ${LINK_COUNTRIES.join(', ')}` }).optional(),
  metadata: freeObject(LARGEST_METADATA, 'must be an object').optional(),
});

export const linkCreation: DashboardRoute = {
  method: 'POST',
  path: '/web-merchant/create-web-payment-link',
  auth: 'Key',
  merchantIn: 'nowhere',
  operates: true,
  answer: ({ account: { plan }, life, service, body }) => {
    const { amount, order_id, metadata = {}, ...rest } = readForm(body, linkForm);
    const countries = linkCountriesOf(plan);
    const country = rest.country ?? countries.find((one) => one === plan.country) ?? countries[0];
    if (country === undefined || !countries.includes(country)) {
      throw badRequest(`country must be one of ${countries.join(', ')}`);
    }
    const isDrawn = service.settings.fates === 'drawn';
    const payment = makeLink(life, { amount, country, orderId: order_id, metadata }, isDrawn);
    const { reference, status, createdAt } = servedAt(payment, life.now);
    const url = `https://pay.example/${reference}`;
    const expiresAt = formatInstant(payment.createdAt + LINK_LIFETIME);
    return { reference, url, qrCode: `${url}/qr.png`, status, createdAt, expiresAt };
  },
};
