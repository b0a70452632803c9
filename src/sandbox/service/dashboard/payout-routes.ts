// The endpoints of the dashboard API about payouts: the balance, requests and their counters,
// payout accounts, the settlement settings, and the compliance file. "The endpoint that changes the
// settlement mode: not shown", so only a control call changes it.

import { z } from 'zod';
import {
  type DepositedFiles,
  type DepositedTexts,
  deposit,
} from '../../dashboard/compliance-file.ts';
import { requestPayout } from '../../dashboard/life.ts';
import {
  addPayoutAccount,
  balanceOf,
  type DashboardLife,
  LEAST_PAYOUT,
  type PayoutAccount,
  payoutFees,
  payoutLimits,
  primaryOf,
  shownAccount,
} from '../../dashboard/state.ts';
import { PAYOUT_ACCOUNT_TYPES } from '../../model/plan.ts';
import { DOCUMENT_KEYS, type DocumentKey, MANAGER_ID_TYPES } from '../../model/served-dashboard.ts';
import { type DashboardCall, defineDashboardRoutes } from '../account/account.ts';
import { oneOf, onlyWhen, readForm } from '../account/calls.ts';
import { absent, badRequest, conflict, published } from './calls.ts';
import { BANKS, LARGEST_DOCUMENT, LONGEST_TEXT, QUERY } from './choices.ts';

const disbursementForm = z.strictObject({
  [QUERY.merchant]: z.unknown().optional(),
  amount: z
    .int({ error: 'must be an integer, without decimals' })
    .min(LEAST_PAYOUT, { error: `must be at least ${LEAST_PAYOUT}` }),
  payoutAccountId: z.string({ error: 'must be the id of a payout account' }).optional(),
});

const error = `must be a text of 1 to ${LONGEST_TEXT} characters`;
const text = z.string({ error }).min(1, { error }).max(LONGEST_TEXT, { error });

const payoutAccountForm = onlyWhen(
  z.strictObject({
    [QUERY.merchant]: z.unknown().optional(),
    type: oneOf(PAYOUT_ACCOUNT_TYPES),
    number: text,
    label: text.nullable().default(null),
    bankCode: oneOf(BANKS.map(({ code }) => code))
      .nullable()
      .default(null),
  }),
  'bankCode',
  [({ type }) => type === 'BANK', 'when type is BANK'],
);

const optional = {
  legalForm: text.optional(),
  dfeNumber: text.optional(),
  managerIdType: oneOf(MANAGER_ID_TYPES).optional(),
  managerIdNumber: text.optional(),
};
const mandatory = {
  legalName: text,
  activity: text,
  rccmNumber: text,
  address: text,
  managerName: text,
};
const firstForm = z.strictObject({ ...mandatory, ...optional });
const laterForm = firstForm.partial();

export const PAYOUT_ROUTES = defineDashboardRoutes({
  readBalance: published('get-balance'),
  requestDisbursement: {
    body: disbursementForm,
    answer: requestDisbursement,
  },
  listDisbursements: published('list-disbursements'),
  countDisbursements: published('refunds-stats'),
  listPayoutAccounts: published('payout-accounts'),
  addPayoutAccount: {
    body: payoutAccountForm,
    answer: ({ life, body }) =>
      shownAccount(addPayoutAccount(life, readForm(body, payoutAccountForm))),
  },
  choosePrimary: ({ life, params }) => {
    const account = accountNamed(life, params.id);
    for (const one of life.payoutAccounts) one.isPrimary = one === account;
    return shownAccount(account);
  },
  /**
   * "A primary payout account is required for T0 and T1." No other account becomes primary in its
   * place.
   */
  removePayoutAccount: ({ life: { payoutAccounts, settlement }, params }) => {
    const account = accountNamed({ payoutAccounts }, params.id);
    if (account.isPrimary && settlement.mode !== 'MANUAL') {
      throw conflict(`The primary account is needed in ${settlement.mode}`);
    }
    payoutAccounts.splice(payoutAccounts.indexOf(account), 1);
    return { id: account.id, deleted: true };
  },
  readSettlement: published('settlement-settings'),
  readCompliance: published('compliance'),
  depositCompliance: {
    body: z.object({ [QUERY.merchant]: z.string(), ...firstForm.shape }),
    files: DOCUMENT_KEYS,
    bodyLimit: (DOCUMENT_KEYS.length + 1) * LARGEST_DOCUMENT,
    answer: depositFile,
  },
});

/**
 * Takes a request for a payout. One above the monthly ceiling is taken and FAILED at once; one
 * above the balance is refused.
 */
function requestDisbursement({ life, service, body }: DashboardCall) {
  const { amount, payoutAccountId } = readForm(body, disbursementForm);
  const account =
    payoutAccountId === undefined ? primaryOf(life) : accountNamed(life, payoutAccountId);
  if (account === null) throw badRequest('There is no primary payout account');
  if (100 * (amount + payoutFees(amount, account.type)) > balanceOf(life))
    throw badRequest('Insufficient balance');
  return requestPayout(
    life,
    { amount, account, mode: 'MANUAL' },
    service.settings.fates === 'drawn',
  );
}

/** Returns the payout account of that id. Throws 404. */
function accountNamed(
  { payoutAccounts }: Pick<DashboardLife, 'payoutAccounts'>,
  id: string | undefined,
): PayoutAccount {
  const account = payoutAccounts.find((one) => one.id === id);
  if (account === undefined) throw absent('Payout account');
  return account;
}

/**
 * Deposits the compliance file. The first deposit must be complete; after a rejection, the parts
 * that are sent replace the earlier ones.
 */
async function depositFile({ life, body }: DashboardCall) {
  if (!(body instanceof FormData)) throw badRequest('the body must be multipart/form-data');
  const before = life.compliance;
  const entries = [...body.entries()].filter(([name]) => name !== QUERY.merchant);
  const texts = Object.fromEntries(entries.filter(([, value]) => typeof value === 'string'));
  const files = entries.flatMap(([name, value]) =>
    typeof value === 'string' ? [] : [[name, value] as const],
  );
  const stated = readForm(texts, before === null ? firstForm : laterForm) as DepositedTexts;
  const read = await readFiles(files);
  const missing = before === null ? DOCUMENT_KEYS.filter((key) => read[key] === undefined) : [];
  if (missing.length > 0) throw badRequest(`${missing.join(', ')} must be sent`);
  if (before !== null && before.status !== 'REJECTED')
    throw conflict(`The file is ${before.status}`);
  return { ...deposit(life, stated, read), limits: payoutLimits(life) };
}

/**
 * Reads the documents. Their type follows from their first bytes, because the type that a caller
 * states proves nothing.
 */
async function readFiles(sent: readonly (readonly [string, File])[]): Promise<DepositedFiles> {
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
  const start = head.toString('latin1');
  if (start.startsWith('\xff\xd8\xff')) return 'jpg';
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (start.startsWith('RIFF') && start.slice(8) === 'WEBP') return 'webp';
  return start.startsWith('%PDF-') ? 'pdf' : null;
}
