// The words of a printed statement in one language, as data: numbers and dates, the first page, and all sections together.

import { z } from 'zod';
import { phrase, text, texts } from './phrase.ts';
import { annex, commissions, days, ledger, operators, reconciliation } from './section-labels.ts';

const numbers = z
  .strictObject({
    group: z.string().max(1),
    decimal: z.enum([',', '.']),
    date: phrase('day', 'month', 'year'),
  })
  .refine(({ group, decimal }) => group !== decimal && !/[0-9A-Za-z-]/.test(group), {
    message: 'must be a sign that is neither the decimal sign nor a digit, a letter or a hyphen',
    path: ['group'],
  });

const documentLabels = z.strictObject({
  title: phrase('period'),
  number: phrase('reference', 'period', 'revision'),
  page: phrase('page', 'pages'),
  pair: phrase('name', 'value'),
  none: text,
  total: text,
  more: phrase('count'),
  unknown: text,
});

const identity = texts(
  'merchant',
  'reference',
  'country',
  'wallet',
  'currency',
  'period',
  'zone',
  'issued',
  'revision',
  'verdict',
  'boundsOfReport',
  'boundsOfConfiguration',
).extend({ bounds: phrase('from', 'to'), utc: phrase('from', 'to') });

const counts = phrase('total', 'critical', 'error', 'warning', 'info');

const verdict = z.strictObject({
  clean: text,
  broken: text,
  incomplete: text,
  brokenTitle: text,
  incompleteTitle: text,
  balance: phrase('recorded', 'recomputed', 'difference'),
  reserved: phrase('recorded', 'recomputed', 'difference'),
  carried: phrase('count', 'amount'),
  item: phrase('sequence', 'amount', 'kind'),
  others: phrase('count'),
  remainder: phrase('amount'),
  untouched: text,
  findings: counts,
  earlierFindings: counts,
  standingFindings: counts,
  notChecked: phrase('what', 'why'),
  details: text,
});

const summary = texts(
  'heading',
  'movement',
  'count',
  'amount',
  'balanceEffect',
  'reservedEffect',
  'opening',
  'closing',
  'available',
  'control',
  'controlFormula',
  'recordedControl',
  'reservedControl',
  'operationsPopulation',
  'linesPopulation',
  'paymentCount',
  'totalAmount',
  'totalFees',
  'collected',
  'disbursed',
  'fees',
  'reversals',
  'adjustments',
  'otherMovements',
  'entryCount',
  'sequences',
  'statuses',
  'findingCounts',
  'findingTotal',
  'findingRoots',
).extend({
  status: texts('OPEN', 'SUCCEEDED', 'FAILED', 'EXPIRED', 'CANCELLED', 'REVERSED'),
  severity: texts('critical', 'error', 'warning', 'info'),
});

const charts = z.strictObject({
  balance: text,
  balanceAlt: phrase('opening', 'closing', 'lowest', 'lowestDay', 'highest', 'highestDay'),
  operators: text,
  operatorsAlt: phrase('list'),
  operatorAlt: phrase('operator', 'in', 'out'),
  in: text,
  out: text,
  qrAlt: phrase('hash'),
});

export const labelsSchema = z.strictObject({
  numbers,
  document: documentLabels,
  identity,
  currencies: z.record(z.string(), text),
  countries: z.record(z.string(), text),
  verdict,
  summary,
  charts,
  operators,
  days,
  commissions,
  reconciliation,
  ledger,
  annex,
});

export type Labels = z.infer<typeof labelsSchema>;
