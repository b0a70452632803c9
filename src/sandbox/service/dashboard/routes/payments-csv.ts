// Payments by link as a file of comma-separated values (RFC 4180): a line of names, then a line a payment.

import type { ServedPayment } from '../../../dashboard/served-dashboard.ts';

const COLUMNS = [
  'id',
  'reference',
  'amount',
  'country',
  'provider',
  'order_id',
  'senderNumber',
  'senderOperateur',
  'metadata',
  'status',
  'createdAt',
] as const satisfies readonly (keyof ServedPayment)[];

export function csvOfPayments(payments: readonly ServedPayment[]): string {
  const lines = payments.map((payment) => COLUMNS.map((name) => cellOf(payment[name])));
  return [COLUMNS, ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
}

function cellOf(value: ServedPayment[keyof ServedPayment]): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
