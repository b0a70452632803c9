// The words of a printed statement in one language, as data. Says which places in braces each phrase may have, so that a
// mistyped one is refused when the template is read, and not printed.

import { z } from 'zod';

/** A text in which `{name}` stands for something; only the names given are known. */
function phrase(...names: readonly string[]) {
  return z.string().superRefine((text, context) => {
    if (text.trim() === '') context.addIssue({ code: 'custom', message: 'must not be empty' });
    const unknown = [...text.matchAll(/\{([^}]*)\}?/g)].map((match) => match[1]!).find((name) => !names.includes(name));
    if (unknown === undefined) return;
    const known =
      names.length === 0 ? 'none is known here' : `known are ${names.map((name) => `{${name}}`).join(', ')}`;
    context.addIssue({ code: 'custom', message: `'{${unknown}}' stands for nothing, ${known}` });
  });
}

const text = phrase();

function texts<const Key extends string>(...keys: readonly Key[]) {
  return z.strictObject(Object.fromEntries(keys.map((key) => [key, text])) as Record<Key, typeof text>);
}

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
  findings: phrase('critical', 'error', 'warning'),
  notChecked: phrase('what', 'why'),
  details: text,
});

const summary = texts(
  'heading',
  'movements',
  'movement',
  'count',
  'amount',
  'balanceEffect',
  'reservedEffect',
  'opening',
  'closing',
  'balance',
  'reserved',
  'available',
  'control',
  'controlFormula',
  'recordedControl',
  'reservedControl',
  'figures',
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

const operators = texts(
  'heading',
  'note',
  'operator',
  'country',
  'countIn',
  'grossIn',
  'feesIn',
  'countOut',
  'grossOut',
  'feesOut',
  'reversals',
  'adjustments',
  'other',
  'net',
  'success',
  'noOperation',
  'byCountry',
  'collections',
  'collectionsNote',
  'count',
  'amount',
  'fees',
);

const days = texts(
  'heading',
  'note',
  'day',
  'opening',
  'in',
  'feesIn',
  'out',
  'feesOut',
  'reversals',
  'adjustments',
  'other',
  'net',
  'closing',
  'collections',
);

const commissions = texts(
  'heading',
  'note',
  'noPrice',
  'type',
  'cashin',
  'cashout',
  'priceTitle',
  'count',
  'base',
  'charged',
  'recomputed',
  'difference',
  'differenceCount',
  'posted',
  'differences',
  'operation',
  'amount',
).extend({ price: phrase('percent', 'flat'), roundings: phrase('list') });

const reconciliation = texts(
  'heading',
  'note',
  'line',
  'balance',
  'reserved',
  'recorded',
  'unexplained',
  'recomputed',
  'items',
  'collections',
  'collectionsOfOperations',
  'collectionsOfLines',
  'collectionsDifference',
  'wallet',
  'walletClosing',
  'walletSince',
  'walletRecomputed',
  'walletRecorded',
  'walletStated',
  'walletDifference',
  'walletUnexplained',
  'findings',
  'openHolds',
  'openOperations',
  'earlierReversals',
  'crossing',
).extend({
  atHead: phrase('sequence'),
  crossingAmount: text,
  carried: phrase('count'),
  others: phrase('count'),
  when: texts('month', 'earlier', 'standing'),
  columns: texts(
    'sequence',
    'date',
    'amount',
    'kind',
    'severity',
    'message',
    'reference',
    'operator',
    'held',
    'status',
    'created',
    'expires',
    'completed',
    'type',
    'when',
    'bound',
    'expected',
    'actual',
    'difference',
    'operationCreated',
  ),
  bound: texts('start', 'end'),
});

const ledger = texts(
  'heading',
  'note',
  'number',
  'date',
  'label',
  'reference',
  'operator',
  'debit',
  'credit',
  'balance',
  'reserved',
  'opening',
  'broughtForward',
  'carriedForward',
  'closing',
  'empty',
).extend({
  tooLong: phrase('count', 'most'),
  flags: texts(
    'BALANCE_DRIFT',
    'RESERVED_DRIFT',
    'AFTER_JUMP',
    'SEQUENCE_SHARED',
    'UNKNOWN_KIND',
    'WRONG_DIRECTION',
    'CROSSES_BOUND',
    'OPERATION_UNKNOWN',
  ),
});

const annex = texts(
  'heading',
  'journal',
  'account',
  'accountName',
  'debit',
  'credit',
  'balance',
  'changes',
  'figure',
  'before',
  'after',
  'assumptions',
  'question',
  'answer',
  'coverage',
  'notChecked',
  'what',
  'why',
  'verification',
  'contentHash',
  'chainHead',
  'engine',
  'glossary',
  'english',
  'french',
  'meaning',
  'allChecked',
).extend({
  covered: phrase('entries', 'operations', 'first', 'last'),
  readUntil: phrase('instant'),
  wholeBooks: phrase('verdict'),
  howToVerify: z.array(text).min(1),
  terms: z.array(texts('en', 'fr', 'meaning')),
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
