// The resources of the dashboard API, as named forms: the schemas of its OpenAPI document, and the
// types of what is served. The fields are those of the document's tables. Where the document says
// "not shown", the sandbox has chosen one form.

import { z } from 'zod';
import type { Amount } from '../../core/domain/amount.ts';
import { LINK_OPERATORS, PAYMENT_STATUSES, type PaymentStatus } from '../../core/domain/payment.ts';
import {
  COMPLIANCE_STATUSES,
  PAYOUT_STATUSES,
  SETTLEMENT_MODES,
} from '../../core/domain/published/payout.ts';
import { REPORT_STATUSES } from '../../core/domain/service-report.ts';

/** Countries in which payments by link exist. There are fewer than for the wallet's operations. */
export const LINK_COUNTRIES = ['CI', 'BF', 'ML', 'CM'] as const;
export type LinkCountry = (typeof LINK_COUNTRIES)[number];

export type LinkOperator = (typeof LINK_OPERATORS)[number];

/** The documents of a compliance file. The labels are our own. */
export const COMPLIANCE_DOCUMENTS = [
  { key: 'rccm', label: 'Registre du commerce' },
  { key: 'dfe', label: 'Déclaration fiscale d’existence' },
  { key: 'rib', label: 'Relevé d’identité bancaire' },
  { key: 'managerId', label: 'Pièce d’identité du gérant' },
  { key: 'managerSelfie', label: 'Photo du gérant' },
  { key: 'statutes', label: 'Statuts' },
] as const;
export type DocumentKey = (typeof COMPLIANCE_DOCUMENTS)[number]['key'];
export const DOCUMENT_KEYS: readonly DocumentKey[] = COMPLIANCE_DOCUMENTS.map(({ key }) => key);

export const MANAGER_ID_TYPES = ['CNI', 'PASSPORT'] as const;

const instant = z.iso.datetime().describe('ISO 8601, UTC');
const text = z.string();
const francs = z.int().describe('FCFA');
const free = z.record(z.string(), z.unknown()).describe('free data, as it was given');

const payment = z.strictObject({
  id: z.uuid(),
  reference: z.string().startsWith('PAY'),
  amount: francs,
  country: z.enum(LINK_COUNTRIES),
  provider: text,
  order_id: text,
  senderNumber: text,
  senderOperateur: text.describe(`${LINK_OPERATORS.join(', ')}; casing varies`),
  metadata: free,
  status: z.enum(PAYMENT_STATUSES),
  createdAt: instant,
});
export type ServedPayment = Readonly<z.output<typeof payment>>;
export const PAYMENT_FIELDS = payment.keyof().options;

const report = z.strictObject({
  id: z.uuid(),
  period: text.describe('YYYY-MM'),
  periodLabel: text,
  periodStart: instant,
  periodEnd: instant,
  status: z.enum(REPORT_STATUSES),
  filename: text.nullable(),
  fileUrl: text.nullable(),
  fileSize: z.int().nullable(),
  summary: z.record(z.string(), z.unknown()).nullable(),
  error: text.nullable(),
  generatedAt: instant.nullable(),
});

/**
 * The summary of a report: total amount and number of the payments that succeeded, broken down. Its
 * form is the sandbox's own.
 */
export interface ServedSummary {
  readonly currency: string;
  readonly totalAmount: Amount;
  readonly paymentCount: number;
  readonly byOperator: readonly {
    readonly operator: string;
    readonly count: number;
    readonly amount: Amount;
  }[];
  readonly byCountry: readonly {
    readonly country: string;
    readonly count: number;
    readonly amount: Amount;
  }[];
  readonly byStatus: Readonly<Record<PaymentStatus, number>>;
}

/** A monthly report. Fields that it does not have yet are `null`. */
export type ServedReport = Readonly<Omit<z.output<typeof report>, 'summary'>> & {
  readonly summary: ServedSummary | null;
};

const limits = z.strictObject({
  plafond: francs.describe('monthly ceiling of payouts'),
  consomme: francs.describe('used of it'),
  restant: francs.describe('left of it'),
});
export type ServedPayoutLimits = Readonly<z.output<typeof limits>>;

const complianceFields = {
  id: z.uuid(),
  status: z.enum(COMPLIANCE_STATUSES),
  legalName: text,
  legalForm: text.nullable(),
  activity: text,
  rccmNumber: text,
  dfeNumber: text.nullable(),
  address: text,
  managerName: text,
  managerIdType: z.enum(MANAGER_ID_TYPES).nullable(),
  managerIdNumber: text.nullable(),
  documents: z.strictObject(Object.fromEntries(DOCUMENT_KEYS.map((key) => [key, text]))),
  rejectionReason: text.nullable(),
};
const complianceFile = z.strictObject(complianceFields);
export const COMPLIANCE_FIELDS = complianceFile.keyof().options;
export type ComplianceFile = Readonly<Omit<z.output<typeof complianceFile>, 'documents'>> & {
  readonly documents: Readonly<Record<DocumentKey, string>>;
};

const disbursement = z.strictObject({
  id: z.uuid(),
  reference: text,
  amount: francs,
  fees: francs.describe('on top of the amount'),
  status: z.enum(PAYOUT_STATUSES),
  mode: z.enum(SETTLEMENT_MODES),
  payoutAccountId: z.uuid(),
  accountType: text,
  createdAt: instant,
  completedAt: instant.nullable(),
  failureReason: text.nullable(),
});
/**
 * A payout. Its form is the sandbox's own, because the document shows no field of a payout.
 * `completedAt` is `null` while it is PENDING.
 */
export type ServedPayout = Readonly<z.output<typeof disbursement>>;

const payoutAccount = z.strictObject({
  id: z.uuid(),
  type: text,
  label: text,
  number: text,
  bankCode: text.nullable(),
  isPrimary: z.boolean(),
  createdAt: instant,
});

const counts = { total: z.int(), success: z.int(), pending: z.int(), failed: z.int() };

/** A notification of this API. It is unsigned, and therefore only a signal. */
const notification = z.strictObject({
  status: z.enum(['SUCCESS', 'FAILED']),
  amount: francs,
  fees: z.number().optional().describe('where status is SUCCESS'),
  reference: z.string().startsWith('PAY'),
  provider: text.describe('the operator; casing varies'),
  country_code: z.enum(LINK_COUNTRIES),
  metadata: free,
  created_date: instant,
});

const delivery = z.strictObject({
  id: z.uuid(),
  status: z.enum(['PENDING', 'SUCCESS', 'FAILED', 'ABANDONED']),
  reference: text,
  url: text,
  attempts: z.int(),
  lastStatusCode: z.int().nullable(),
  nextRetryAt: instant.nullable(),
  payload: notification,
  createdAt: instant,
  updatedAt: instant,
});

/** The schemas by the names that the document gives them. */
export const DASHBOARD_ANSWERS = {
  LoginResult: z.strictObject({
    access_token: text.describe('JWT, as it is, in the header authenticationtoken'),
    refresh_token: text,
    user: z.strictObject({
      id: text,
      numero: text,
      fullname: text,
      email: text,
      merchant_id: z.uuid(),
      userType: z.literal('MERCHANT'),
    }),
  }),
  Link: z.strictObject({
    reference: z.string().startsWith('PAY'),
    url: text,
    qrCode: text,
    status: z.enum(PAYMENT_STATUSES),
    createdAt: instant,
    expiresAt: instant,
  }),
  Payment: payment,
  Report: report,
  ComplianceFile: complianceFile,
  DepositedFile: z.strictObject({ ...complianceFields, limits }),
  ComplianceState: z.strictObject({
    compliance: complianceFile.nullable(),
    requiredDocuments: z.array(z.strictObject({ key: z.enum(DOCUMENT_KEYS), label: text })),
    limits,
  }),
  SettlementSettings: z.strictObject({
    mode: z.enum(SETTLEMENT_MODES),
    time: text.nullable().describe('HH:mm'),
    timezone: text,
    lastSettlementAt: instant.nullable(),
    hasPrimaryAccount: z.boolean(),
    primaryAccountType: text.nullable(),
    fees: z.strictObject({ mobileMoneyRate: z.number(), bankFixed: z.number() }),
  }),
  DisbursementCounters: z.strictObject({
    requestSuccess: z.int(),
    requestPending: z.int(),
    requestFailed: z.int(),
  }),
  Balance: z.strictObject({ balance: z.string().regex(/^-?\d+\.\d{2}$/) }),
  Disbursement: disbursement,
  PayoutAccount: payoutAccount,
  Removed: z.strictObject({ id: z.uuid(), deleted: z.literal(true) }),
  Bank: z.strictObject({ code: text, name: text }),
  Counts: z.strictObject(counts),
  MonthlyCount: z.strictObject({ month: text, ...counts, amount: francs }),
  DailyFlow: z.strictObject({ date: text, count: z.int(), amount: francs }),
  PaymentsUrl: z.strictObject({ reference: text, webhookUrl: text }),
  Delivery: delivery,
  Notification: notification,
  AllowedAddress: z.strictObject({ id: z.uuid(), address: text }),
  ApiSecret: z.strictObject({
    apiKey: text,
    apiSecret: text.describe('64 characters, shown this once'),
  }),
  OpenedAccount: z.strictObject({ name: text }),
  Merchant: z.strictObject({
    id: z.uuid(),
    reference: text,
    name: text,
    legalName: text.nullable(),
    email: text,
    phoneNumber: text.nullable(),
    country: text,
    status: text,
    webhookUrl: text.nullable(),
    createdAt: instant,
  }),
  Refusal: z.strictObject({ statusCode: z.int(), message: text, error: text }),
} as const;
export type DashboardAnswer = keyof typeof DASHBOARD_ANSWERS;
