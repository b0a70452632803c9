// What the direct API document does not show and the sandbox had to choose, as data: GET /sandbox/choices lists it. Each is
// lawful under the document; none is claimed to be the service's own.

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
      'amount, country, operator, phoneNumber, and optionally name, externalReference, description, metadata, callbackUrl; a field that is not one of them is refused with 400; the currency is the account’s',
    source: 'Endpoint list: "other body fields: not shown"',
  },
  'answer of a creation': {
    chosen: '201 with {"operation": …}; the operation is CREATED, and PENDING and AWAITING_PAYER follow within seconds',
    source: 'Endpoint list: "an Operation (type CASHIN)"',
  },
  'order of refusals': {
    chosen:
      'credentials 401, address 403, haste 429, account 403, Idempotency-Key 400, form 400, idempotency 409, amount 422, country and operator 422, phone number 422, external reference 409, wallet 403, daily ceiling 422, balance 402',
    source: 'Errors',
  },
  'same body under one Idempotency-Key': {
    chosen: 'equal as JSON values: order of fields and space do not count, and an absent optional field equals null',
    source: 'Idempotency rules, 1 and 2',
  },
  'what an Idempotency-Key keeps': {
    chosen:
      'creations for 24 hours of simulated time, per account and for both endpoints together; refusals and unavailability are not kept',
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
    chosen:
      'amounts of the cash-outs created in the last 24 hours that have not lapsed; what the simulation draws by itself stays below it however it is counted',
    source: 'Merchant, limits.dailyCashoutLimit',
  },
  'available balance of a new cash-out': {
    chosen: 'the wallet’s available less the commissions that open cash-outs will still take beyond their holds',
    source: 'Cash-out balance rule',
  },
  'external reference': {
    chosen: 'taken by any operation of the account, until that has FAILED, EXPIRED or been CANCELLED',
    source: 'Errors, DUPLICATE_EXTERNAL_REFERENCE',
  },
  'phone numbers': {
    chosen:
      'E.164, or 00 and the country’s prefix, or the national number; spaces, dots, hyphens and brackets are dropped; of the country’s length',
    source: 'Counterparty: "normalized to E.164"',
  },
  'operators by country': {
    chosen:
      'CI all five; BF, ML ORANGE MOOV WAVE; SN ORANGE WAVE; TG MOOV; BJ MTN MOOV; NE ORANGE MOOV; CM, GN ORANGE MTN; WAVE and DJAMO redirect the payer',
    source: 'Enumerations: "not shown"',
  },
  'states of the account': {
    chosen:
      'PENDING reads and configures; SUSPENDED may do nothing; CLOSED reads; each is refused with ACCOUNT_SUSPENDED',
    source: 'Merchant, status; Authentication, 4',
  },
  'states of the wallet': {
    chosen: 'FROZEN and CLOSED refuse creations with WALLET_FROZEN and nothing else; what is in flight reaches its end',
    source: 'Authentication, 4; "Wallet status moves: not shown"',
  },
  'attempts of a notification': {
    chosen:
      'eight, each after its own wait (2 s, 4 s, 8 s, 5 min, 15 min, 1 h, 6 h, 24 h), so that the last is about 31 hours after what it tells of; pings and replays begin at once',
    source: 'Delivery rules, 5',
  },
  'answers that are not listed': {
    chosen: 'tried again, redirects included: none is followed',
    source: 'Delivery rules',
  },
  'time in a signature': {
    chosen:
      'this machine’s, with which receivers compare it; the simulated one where that is set (courier.signatureTime)',
    source: 'Headers and signature',
  },
  HTTPS: {
    chosen:
      'required, but for this machine itself (127.0.0.0/8, ::1, localhost), and for private networks where that is set (courier.privateHttp)',
    source: 'PATCH /merchants/me: "HTTPS required"',
  },
  'where notifications go': {
    chosen:
      'to the operation’s callbackUrl, else to the URL that PATCH /merchants/me or the option `notify` has set; never to the made-up URL of a profile; attempts keep their URL, a replay takes the one in force',
    source: 'Events',
  },
  'PATCH /merchants/me': {
    chosen: 'webhookUrl alone, null to send nothing any more; answers the profile',
    source: 'Endpoint list: "other updatable fields: not shown"',
  },
  deliveries: {
    chosen:
      'states PENDING, SUCCESS, FAILED, ABANDONED; fields id, type, url, state, attempts, lastStatus, nextRetryAt, createdAt, updatedAt, payload; newest first; filters status (FAILED, ABANDONED), limit, offset; test and replay answer {"delivery": …} once the receiver has',
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
    chosen: 'the key stays; 64 characters, as the first one has; the old secret opens nothing from the next call on',
    source: 'Authentication, 6',
  },
});
