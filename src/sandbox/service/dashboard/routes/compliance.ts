// The compliance file: depositing it, whole at first and what was rejected again, and what it stands at.

import { z } from 'zod';
import { answerOf } from '../../../dashboard/answers.ts';
import {
  type DepositedFiles,
  type DepositedTexts,
  DOCUMENT_KEYS,
  type DocumentKey,
  deposit,
  MANAGER_ID_TYPES,
} from '../../../dashboard/compliance-file.ts';
import { payoutLimits } from '../../../dashboard/payouts.ts';
import { readForm } from '../../read-body.ts';
import { CONFLICT, LARGEST_DOCUMENT, LONGEST_TEXT, QUERY } from '../choices.ts';
import { badRequest, Refusal } from '../refusal.ts';
import type { DashboardCall, DashboardRoute } from '../route.ts';

export const complianceFile: DashboardRoute = {
  method: 'GET',
  path: '/web-merchant/compliance',
  auth: 'Token',
  merchantIn: 'query',
  answer: ({ life }) => answerOf(life, 'compliance'),
};

export const complianceDeposit: DashboardRoute = {
  method: 'POST',
  path: '/web-merchant/compliance',
  auth: 'Token',
  merchantIn: 'body',
  bodyLimit: (DOCUMENT_KEYS.length + 1) * LARGEST_DOCUMENT,
  answer: depositFile,
};

function depositFile({ life, body }: DashboardCall) {
  if (!(body instanceof FormData)) throw badRequest('the body must be multipart/form-data');
  const before = life.compliance;
  const entries = [...body.entries()].filter(([name]) => name !== QUERY.merchant);
  const texts = Object.fromEntries(entries.filter(([, value]) => typeof value === 'string'));
  const files = entries.flatMap(([name, value]) => (typeof value === 'string' ? [] : [[name, value] as const]));
  const stated = readForm(texts, before === null ? firstForm : laterForm) as DepositedTexts;
  const sent = filesOf(files);
  return sent.then((read) => {
    const missing = before === null ? DOCUMENT_KEYS.filter((key) => read[key] === undefined) : [];
    if (missing.length > 0) throw badRequest(`${missing.join(', ')} must be sent`);
    if (before !== null && before.status !== 'REJECTED') throw new Refusal(CONFLICT, `The file is ${before.status}`);
    return { ...deposit(life, stated, read), limits: payoutLimits(life) };
  });
}

const error = `must be a text of 1 to ${LONGEST_TEXT} characters`;
const text = z.string({ error }).min(1, { error }).max(LONGEST_TEXT, { error });
const optional = {
  legalForm: text.optional(),
  dfeNumber: text.optional(),
  managerIdType: z.enum(MANAGER_ID_TYPES, { error: `must be one of ${MANAGER_ID_TYPES.join(', ')}` }).optional(),
  managerIdNumber: text.optional(),
};
const mandatory = { legalName: text, activity: text, rccmNumber: text, address: text, managerName: text };
export const firstForm = z.strictObject({ ...mandatory, ...optional });
const laterForm = firstForm.partial();

/** By their first bytes: what a file says of itself is not asked. */
async function filesOf(sent: readonly (readonly [string, File])[]): Promise<DepositedFiles> {
  const read = new Map<DocumentKey, string>();
  for (const [name, file] of sent) {
    const key = DOCUMENT_KEYS.find((one) => one === name);
    if (key === undefined) throw badRequest(`${name} is not a document of this call`);
    if (read.has(key)) throw badRequest(`${name} must be sent once`);
    if (file.size > LARGEST_DOCUMENT) throw badRequest(`${name} must have at most 8 MB`);
    const extension = extensionOf(Buffer.from(await file.slice(0, 12).arrayBuffer()));
    if (extension === null) throw badRequest(`${name} must be JPG, PNG, WEBP or PDF`);
    read.set(key, extension);
  }
  return Object.fromEntries(read);
}

function extensionOf(head: Buffer): string | null {
  const text = head.toString('latin1');
  if (text.startsWith('\xff\xd8\xff')) return 'jpg';
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (text.startsWith('RIFF') && text.slice(8) === 'WEBP') return 'webp';
  return text.startsWith('%PDF-') ? 'pdf' : null;
}
