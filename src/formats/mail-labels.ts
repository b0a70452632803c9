// The words of a mail in one language, as data: those of a statement, of new findings, and of a night that went wrong.

import { z } from 'zod';
import { phrase, text, texts } from './phrase.ts';

const statement = texts(
  'opening',
  'collected',
  'disbursed',
  'fees',
  'reversals',
  'adjustments',
  'otherMovements',
  'closing',
  'reserved',
  'available',
  'sound',
  'noFindings',
).extend({
  subject: phrase('period', 'merchant'),
  subjectRevised: phrase('period', 'revision', 'merchant'),
  intro: phrase('merchant', 'period', 'currency'),
  revised: phrase('revision'),
  balanceDiffers: phrase('difference'),
  reservedDiffers: phrase('difference'),
  findings: phrase('critical', 'error', 'warning'),
  attached: phrase('files'),
});

const findings = z.strictObject({
  subject: phrase('count', 'merchant'),
  intro: phrase('run', 'merchant', 'verdict'),
  finding: phrase('severity', 'kind', 'fingerprint'),
  more: phrase('count'),
  how: text,
  severity: texts('critical', 'error', 'warning', 'info'),
  verdict: texts('clean', 'broken', 'incomplete'),
});

const run = texts('NOT_BEGUN', 'NOT_ENDED', 'NOT_COVERED').extend({
  subject: phrase('problem'),
  night: phrase('night', 'problem'),
  progress: phrase('done', 'expected'),
  missing: phrase('merchant', 'reason'),
  more: phrase('count'),
});

export const mailLabelsSchema = z.strictObject({
  greeting: text,
  signature: phrase('id'),
  named: phrase('name', 'reference'),
  pair: phrase('name', 'value'),
  statement,
  findings,
  run,
});

export type MailLabels = z.infer<typeof mailLabelsSchema>;
