// The dashboard API as a source of what the service publishes about a merchant beside the ledger.
// It logs in and reads, and requests nothing that would create or change anything.

import { DAY, formatInstant, HOUR, type Instant, SECOND } from '../../../core/domain/instant.ts';
import type { Payment } from '../../../core/domain/payment.ts';
import type {
  Dashboard,
  DashboardSnapshot,
} from '../../../core/domain/published/dashboard-snapshot.ts';
import type { Answered, PayoutPlace } from '../../../core/domain/published/payout-place.ts';
import type { Span } from '../../../core/domain/service-report.ts';
import type { Batch, RejectedRow } from '../../../core/domain/snapshot.ts';
import { decodePayment } from '../decode/decode-payment.ts';
import { askPayouts } from '../decode/decode-payouts.ts';
import { decodeServiceReport } from '../decode/decode-service-report.ts';
import { SourceFailed } from '../port/source.ts';
import { addressOf, isTooLarge } from '../web/transport.ts';
import { openPlace } from '../web/web-settings.ts';
import { checkDashboardSettings, type DashboardSettings } from './dashboard-settings.ts';
import type { Owners, Session } from './session.ts';
import { askFile, askRows, askSingle } from './session.ts';

const BASE = '/web-merchant';
const REPORTS = `${BASE}/reports`;

/**
 * Opens the dashboard; nothing is sent before the first request about a merchant. Throws
 * `SourceFailed` INVALID_SETTINGS.
 */
export function openDashboard(given: DashboardSettings): Dashboard {
  checkDashboardSettings(given);
  const settings = { ...given, place: openPlace(given.retries) };
  const open = new Set<() => Promise<void>>();
  const owners: Owners = new Map();
  return {
    name: addressOf(settings),
    merchants: async () => Object.keys(settings.merchants).sort(),
    open: async (merchant) => {
      if (!Object.hasOwn(settings.merchants, merchant)) {
        throw new SourceFailed(
          'UNKNOWN_MERCHANT',
          `No dashboard credentials are configured for the merchant ${merchant}.`,
        );
      }
      const control = new AbortController();
      const close = async (): Promise<void> => {
        open.delete(close);
        control.abort();
      };
      open.add(close);
      return snapshotOf({ settings, merchant, stop: control.signal, login: null, owners }, close);
    },
    close: async () => {
      await Promise.all([...open].map((close) => close()));
    },
  };
}

function snapshotOf(session: Session, close: () => Promise<void>): DashboardSnapshot {
  return {
    merchant: session.merchant,
    absent: [],
    reports: () => {
      const place = `GET ${REPORTS}`;
      return askRows(session, {
        path: REPORTS,
        query: {},
        part: 'reports',
        place,
        decode: decodeServiceReport,
      });
    },
    reportFile: (id) => askFile(session, `${REPORTS}/${encodeURIComponent(id)}/download`),
    payments: (span) => walkPayments(session, span),
    payouts: payoutPlace(session),
    isCopy: false,
    close,
  };
}

/** Codes of a refusal that concerns a single request: the service may answer the other requests. */
const REFUSED_ALONE: ReadonlySet<string> = new Set([
  'NOT_FOUND',
  'VALIDATION_ERROR',
  'FORBIDDEN',
  'UNREADABLE_ANSWER',
  'ANSWER_TOO_LARGE',
  'REFUSED',
]);

/**
 * Reads payouts with separate requests, so that one that the service does not answer, or answers in
 * an unknown form, does not affect the others.
 */
function payoutPlace(session: Session): PayoutPlace {
  return askPayouts({
    one: (name, decode) =>
      answered(name, () => askSingle(session, { path: `${BASE}/${name}`, decode })),
    many: (name, decode, query = {}) =>
      answered(name, async () => {
        const path = `${BASE}/${name}`;
        const list = { path, query, part: 'payouts', place: `GET ${path}`, decode } as const;
        const { rows, rejected } = await askRows(session, list);
        // A list that lacks a row is not compared with any figures.
        return { value: rejected.length > 0 ? null : rows, readable: rows, rejected };
      }),
  });
}

async function answered<Value>(
  name: string,
  ask: () => Promise<Omit<Answered<Value>, 'absent'>>,
): Promise<Answered<Value>> {
  try {
    return { ...(await ask()), absent: null };
  } catch (failure) {
    if (!(failure instanceof SourceFailed) || !REFUSED_ALONE.has(failure.code)) throw failure;
    const reason = `${failure.code}: ${failure.message}`;
    const code = 'PAYOUTS_NOT_ANSWERED';
    const absent = {
      what: `payouts ${name}`,
      why: reason,
      incomplete: false,
      code,
      figures: { reason },
    } as const;
    return { value: null, rejected: [], absent };
  }
}

// Reads the payments of a long span of time window by window: wider windows where there are few
// payments, narrower ones where an answer is longer than maxResponseBytes, so that memory holds one
// window and not a month.

const NARROWEST = SECOND;
const WIDEST = 31 * DAY;
/** A longer span is first requested in one window. */
const LONG = 400 * DAY;
/** After a window with fewer payments than this, the next is twice as wide. */
const FEW = 200;

/**
 * Streams payments ascending in createdAt, each reference once. At the end, a refused row reports
 * each instant with more payments than one answer may show. Throws ANSWER_TOO_LARGE when the
 * payments of one second are longer than maxResponseBytes.
 */
async function* walkPayments(session: Session, span: Span): AsyncGenerator<Batch<Payment>> {
  const last = span.until - 1;
  const lengths: Lengths = { longest: 0, isCut: false, ends: new Map() };
  let first = span.from;
  // Most merchants have few payments, and a window costs three requests, however wide it is.
  let width = last - first > LONG ? last - first : WIDEST;
  /**
   * References of payments at the instant at which the last window ended. The next window begins
   * there and returns them again.
   */
  let given: ReadonlySet<string> = new Set();
  while (first <= last) {
    const window = { first, last: Math.min(first + width, last) };
    const searched = await searchWindow(session, window, lengths).catch((failure: unknown) => {
      if (!isTooLarge(failure) || width <= NARROWEST) throw failure;
      return null;
    });
    if (searched === null) {
      width = Math.max(NARROWEST, Math.floor(width / 4));
      noteNarrower(session, width);
      continue;
    }
    const { rows, rejected } = searched;
    const fresh = rows.filter(({ reference }) => !given.has(reference));
    if (fresh.length > 0 || rejected.length > 0) yield { rows: fresh, rejected };
    if (window.last === last) break;
    // The next window begins at the instant at which the last one ended, because a service may keep
    // time more finely than in milliseconds.
    first = window.last;
    given = new Set(
      rows.filter(({ createdAt }) => createdAt === first).map(({ reference }) => reference),
    );
    if (rows.length === 0) width *= 4;
    else if (rows.length < FEW) width = Math.max(width, Math.min(WIDEST, width * 2));
  }
  const hidden = [...lengths.ends].filter(([, end]) => isAsLongAsAny(end, lengths));
  if (hidden.length > 0)
    yield { rows: [], rejected: hidden.map(([at, { length }]) => hiddenRow(at, length)) };
}

/**
 * What the answers of one walk show about the service: the length of its longest answer, and
 * whether an answer was seen to leave out payments.
 */
interface Lengths {
  longest: number;
  isCut: boolean;
  /**
   * Long answers that brought nothing new, by the instant beyond which they were expected to bring
   * more.
   */
  readonly ends: Map<Instant, End>;
}

interface End {
  readonly length: number;
  /** True when all payments of the answer are of that instant. */
  readonly isOneInstant: boolean;
}

/** Payments: no service is assumed to cut an answer shorter than this. */
const SHORTEST_CUT = 10;

/**
 * True when the answer may have been cut: no answer is longer, and either some answer was cut, or
 * all its payments are of one instant and its length is a multiple of 5, as page sizes are.
 */
function isAsLongAsAny({ length, isOneInstant }: End, { longest, isCut }: Lengths): boolean {
  return length >= Math.max(longest, SHORTEST_CUT) && (isCut || (isOneInstant && length % 5 === 0));
}

function hiddenRow(at: Instant, length: number): RejectedRow {
  const place = `GET ${PATH} at ${formatInstant(at)}`;
  const reason = `${length} payments, as many as any answer has, are of this instant or about it: more of them may not be served`;
  return {
    part: 'payments',
    place,
    reason,
    refusal: null,
    sequence: null,
    reference: null,
    raw: '',
  };
}

function noteNarrower({ settings, merchant }: Session, width: number): void {
  const hours = Math.round((width / HOUR) * 100) / 100;
  settings.log({
    what: 'smaller-pages',
    merchant,
    request: `GET /web-merchant/payments/search of ${merchant}`,
    why: `an answer was larger than ${settings.maxResponseBytes} bytes; asking for ${hours} h at a time`,
    wait: 0,
  });
}

// Reads all payments created in one window of time. The document shows no page size, so that an
// answer may have been cut silently: the search repeats each end of the window until it brings
// nothing new. Refuses an answer that does not keep to the window.

/** A span of time whose both ends belong to it, as in the document. */
interface Window {
  readonly first: Instant;
  readonly last: Instant;
}

const PATH = '/web-merchant/payments/search';

/** More payments in one window than any service has: a service that returns more invents them. */
const MOST_IN_WINDOW = 250_000;

/** Returns the payments ascending in createdAt, each reference once, as it was served last. */
async function searchWindow(
  session: Session,
  window: Window,
  lengths: Lengths,
): Promise<Batch<Payment>> {
  const payments = new Map<string, Payment>();
  const rejected = new Map<string, RejectedRow>();
  /**
   * Requests a part of the window, and returns how many payments and refused rows are new. `end` is
   * the instant beyond which the part was expected to bring more.
   */
  const take = async (part: Window, end: Instant | null): Promise<number> => {
    const before = payments.size + rejected.size;
    const answer = await search(session, part);
    const { length } = answer.rows;
    lengths.longest = Math.max(lengths.longest, length);
    for (const payment of answer.rows) {
      const { createdAt } = payment;
      if (createdAt >= window.first && createdAt <= window.last)
        payments.set(payment.reference, payment);
    }
    for (const row of answer.rejected) if (!rejected.has(row.raw)) rejected.set(row.raw, row);
    if (payments.size + rejected.size > MOST_IN_WINDOW) throw endless(session, window);
    const fresh = payments.size + rejected.size - before;
    if (fresh > 0 && before > 0) lengths.isCut = true;
    const isLong = fresh === 0 && length >= Math.max(lengths.longest, SHORTEST_CUT);
    if (isLong && end !== null)
      lengths.ends.set(end, {
        length,
        isOneInstant: answer.rows.every(({ createdAt }) => createdAt === end),
      });
    return fresh;
  };
  await take(window, null);
  for (const rest of [olderThan, newerThan]) {
    for (;;) {
      const part = rest(window, [...payments.values()]);
      if (part === null) break;
      const end = rest === olderThan ? part.last : part.first;
      if ((await take(part, end)) > 0) continue;
      // If the payments of one instant fill an answer, they hide what lies beyond: the next search
      // leaves that instant out.
      const beyond = lengths.ends.has(end) ? beyondOf(part, end) : null;
      if (beyond === null || (await take(beyond, null)) === 0) break;
    }
  }
  const rows = [...payments.values()].sort(
    (a, b) => a.createdAt - b.createdAt || (a.reference < b.reference ? -1 : 1),
  );
  return { rows, rejected: [...rejected.values()] };
}

async function search(session: Session, window: Window): Promise<Batch<Payment>> {
  const { from, until } = session.settings.parameters;
  const begin = formatInstant(window.first);
  const answer = await askRows(session, {
    path: PATH,
    query: { [from]: begin, [until]: formatInstant(window.last) },
    part: 'payments',
    place: `GET ${PATH} from ${begin}`,
    decode: decodePayment,
  });
  // A service may take a date-time for its whole day; payments further off were not requested at
  // all.
  const stray = answer.rows.find(
    ({ createdAt }) => createdAt < window.first - DAY || createdAt > window.last + DAY,
  );
  if (stray === undefined) return answer;
  throw new SourceFailed(
    'UNREADABLE_ANSWER',
    `GET ${PATH} of ${session.merchant} was asked for ${begin} to ${formatInstant(window.last)} and answered with a payment of ${formatInstant(stray.createdAt)}: check dashboard.parameters.`,
  );
}

/**
 * Returns the part from the beginning of the window to the oldest known payment, which will be
 * returned again; `null` while no payment is known.
 */
function olderThan(window: Window, known: readonly Payment[]): Window | null {
  const oldest = known.reduce(
    (least, { createdAt }) => Math.min(least, createdAt),
    Number.POSITIVE_INFINITY,
  );
  return oldest <= window.last ? { first: window.first, last: oldest } : null;
}

/** Returns the part without the instant at its edge; `null` when nothing else is in it. */
function beyondOf({ first, last }: Window, edge: Instant): Window | null {
  const rest = edge === last ? { first, last: edge - 1 } : { first: edge + 1, last };
  return rest.first <= rest.last ? rest : null;
}

function newerThan(window: Window, known: readonly Payment[]): Window | null {
  const newest = known.reduce(
    (most, { createdAt }) => Math.max(most, createdAt),
    Number.NEGATIVE_INFINITY,
  );
  return newest >= window.first ? { first: newest, last: window.last } : null;
}

function endless({ merchant }: Session, window: Window): SourceFailed {
  return new SourceFailed(
    'UNREADABLE_ANSWER',
    `GET ${PATH} of ${merchant} serves more than ${MOST_IN_WINDOW} payments from ${formatInstant(window.first)} to ${formatInstant(window.last)} and finds new ones each time.`,
  );
}
