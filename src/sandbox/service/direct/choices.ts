// The sandbox's choices where the direct API's document is silent, as data: GET /sandbox/choices lists them. Each is lawful under the
// document; none is claimed to be the service's own.

export interface Choice {
  readonly subject: string;
  readonly chosen: string;
  /** The document's place that leaves it open. */
  readonly source: string;
}

/** By their subjects. */
export function choicesOf(chosen: Readonly<Record<string, Omit<Choice, 'subject'>>>): readonly Choice[] {
  return Object.entries(chosen).map(([subject, choice]) => ({ subject, ...choice }));
}

export const CHOICES = choicesOf({
  'fields of POST /cashin and POST /cashout': {
    chosen:
      'amount, country, operator, phoneNumber, and optionally name, externalReference, description, metadata, callbackUrl; another field: 400; the currency is the account’s',
    source: 'Endpoint list: "other body fields: not shown"',
  },
  'answer of a creation': {
    chosen: '201 with {"operation": …}, CREATED; PENDING and AWAITING_PAYER follow within seconds',
    source: 'Endpoint list: "an Operation (type CASHIN)"',
  },
  'order of refusals': {
    chosen:
      'credentials 401, address 403, haste 429, account 403, Idempotency-Key 400, form 400, idempotency 409, amount 422, country and operator 422, phone number 422, external reference 409, wallet 403, daily ceiling 422, balance 402',
    source: 'Errors',
  },
  'same body under one Idempotency-Key': {
    chosen: 'equal as JSON values: order and space do not count, an absent optional field equals null',
    source: 'Idempotency rules, 1 and 2',
  },
  'what an Idempotency-Key keeps': {
    chosen:
      'creations, for 24 hours of simulated time, by account, both endpoints together; no refusals, no unavailability',
    source: 'Idempotency rules',
  },
  'temporary unavailability': {
    chosen: '503 SERVICE_UNAVAILABLE with Retry-After',
    source: 'Errors: "status and code: not shown"',
  },
  haste: { chosen: '429 TOO_MANY_REQUESTS with Retry-After', source: 'Errors: "code: not shown"' },
  'what is not there': { chosen: '404 RESOURCE_NOT_FOUND', source: 'Errors: "code: not shown"' },
  'codes of 422': {
    chosen: 'AMOUNT_OUT_OF_BOUNDS, OPERATOR_UNAVAILABLE, INVALID_PHONE_NUMBER, DAILY_CASHOUT_LIMIT_EXCEEDED',
    source: 'Errors: "codes: not shown"',
  },
  'daily ceiling': {
    chosen: 'amounts of cash-outs created in the last 24 hours that have not lapsed',
    source: 'Merchant, limits.dailyCashoutLimit',
  },
  'available balance of a new cash-out': {
    chosen: 'the wallet’s available, less commissions that open cash-outs take beyond their holds',
    source: 'Cash-out balance rule',
  },
  'external reference': {
    chosen: 'taken by any operation of the account until it is FAILED, EXPIRED or CANCELLED',
    source: 'Errors, DUPLICATE_EXTERNAL_REFERENCE',
  },
  'phone numbers': {
    chosen:
      'E.164, 00 and the country’s prefix, or the national number, of the country’s length; without spaces, dots, hyphens, brackets',
    source: 'Counterparty: "normalized to E.164"',
  },
  'operators by country': {
    chosen:
      'CI all five; BF, ML ORANGE MOOV WAVE; SN ORANGE WAVE; TG MOOV; BJ MTN MOOV; NE ORANGE MOOV; CM, GN ORANGE MTN; WAVE and DJAMO redirect the payer',
    source: 'Enumerations: "not shown"',
  },
  'states of the account': {
    chosen: 'PENDING reads and configures, SUSPENDED nothing, CLOSED reads; refused with ACCOUNT_SUSPENDED',
    source: 'Merchant, status; Authentication, 4',
  },
  'states of the wallet': {
    chosen: 'FROZEN and CLOSED refuse creations alone, with WALLET_FROZEN; operations in flight reach their end',
    source: 'Authentication, 4; "Wallet status moves: not shown"',
  },
  'attempts of a notification': {
    chosen:
      'eight, after 2 s, 4 s, 8 s, 5 min, 15 min, 1 h, 6 h, 24 h: the last about 31 hours after the event; pings and replays begin at once',
    source: 'Delivery rules, 5',
  },
  'answers that are not listed': {
    chosen: 'tried again, redirects included: none is followed',
    source: 'Delivery rules',
  },
  'time in a signature': {
    chosen: 'this machine’s, as receivers compare it; simulated with courier.signatureTime',
    source: 'Headers and signature',
  },
  HTTPS: {
    chosen:
      'required but for this machine (127.0.0.0/8, ::1, localhost) and, with courier.privateHttp, private networks',
    source: 'PATCH /merchants/me: "HTTPS required"',
  },
  'where notifications go': {
    chosen:
      'to the operation’s callbackUrl, else to the URL of PATCH /merchants/me or of the option `notify`; never to a profile’s made-up URL; attempts keep their URL, a replay takes the one in force',
    source: 'Events',
  },
  'PATCH /merchants/me': {
    chosen: 'webhookUrl alone, null to stop; answers the profile',
    source: 'Endpoint list: "other updatable fields: not shown"',
  },
  deliveries: {
    chosen:
      'states PENDING, SUCCESS, FAILED, ABANDONED; newest first; filters status (FAILED, ABANDONED), limit, offset; test and replay answer {"delivery": …} after the receiver',
    source: 'Endpoint list: "other fields and query parameters: not shown"',
  },
  'rotation of the signing secret': {
    chosen: 'answers {"webhookSecret", "webhookSecretHint"}; attempts that are tried again bear the new secret too',
    source: 'Endpoint list: "response body: not shown"',
  },
  paths: {
    chosen:
      '/wallet, /ledger, /operations/{reference}, /merchants/me/allowed-ips (GET, POST {"address"}, DELETE /{id}), /merchants/me/api-key/regenerate (POST)',
    source: 'Endpoint list: "not shown"',
  },
  'allowed addresses': {
    chosen: 'single IPv4 or IPv6 addresses, one list for both APIs; an empty list allows any',
    source: 'Authentication, 4',
  },
  'a regenerated secret': {
    chosen: '64 characters, as the first; the key stays, the old secret opens nothing from the next call on',
    source: 'Authentication, 6',
  },
});
