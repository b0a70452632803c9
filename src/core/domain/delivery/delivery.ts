// What the engine announces to people and programs, before it is sent: to whom, on which channel,
// and about what. Contents hold references and figures, never secrets.

import type { ReportedFigures } from '../figures.ts';
import type { Item, Severity, Verdict } from '../finding.ts';
import type { Instant } from '../instant.ts';
import type { Operator } from '../operators/role.ts';

export const CHANNELS = ['mail', 'folder', 'webhook'] as const;
export type Channel = (typeof CHANNELS)[number];

/**
 * HELD: a statement that waits for its release, or findings that wait for the mail at the night's
 * end, which makes them GATHERED · PENDING: not tried yet · SENDING: claimed by a process · SUCCESS
 * · FAILED: to be tried again · ABANDONED: refused, or every attempt failed · IN_DOUBT: may have
 * gone out, and is not sent again unless a person says so.
 */
export const DELIVERY_STATES = [
  'HELD',
  'GATHERED',
  'PENDING',
  'SENDING',
  'SUCCESS',
  'FAILED',
  'ABANDONED',
  'IN_DOUBT',
] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/**
 * States of a delivery that did not surely arrive: its last attempt failed or may have arrived, or
 * it was given up.
 */
export const STUCK_STATES = ['FAILED', 'ABANDONED', 'IN_DOUBT'] as const;

/**
 * RETRY: it did not arrive, and may later · REFUSED: the receiver will never take it · IN_DOUBT: it
 * may have arrived.
 */
export type DeliveryOutcome = 'SUCCESS' | 'RETRY' | 'REFUSED' | 'IN_DOUBT';

export type DeliveryContent =
  /** A report that is READY; its files and figures are loaded when it is sent. */
  | {
      readonly topic: 'statement';
      readonly merchant: string;
      readonly period: string;
      readonly reportId: string;
      readonly language: 'fr' | 'en';
      /** Present when a person named the address and had the statement sent although it is held. */
      readonly evenIfHeld?: true;
      /** The person who had the statement sent once more. */
      readonly askedBy?: string;
    }
  /** Confirmed roots that are new, or back. */
  | {
      readonly topic: 'findings';
      readonly merchant: string;
      readonly runId: number;
      readonly verdict: Verdict;
      readonly findings: readonly ReportedFinding[];
      /** How many more findings there are than `findings` holds. */
      readonly more: number;
    }
  | { readonly topic: 'run'; readonly problem: RunProblem }
  /**
   * A night that ended, also when all is well. `reader` is whom the mail is for; absent when the
   * mail is about all merchants.
   */
  | {
      readonly topic: 'night';
      readonly night: NightDigest;
      readonly reader?: Pick<Operator, 'roles' | 'merchant'>;
    }
  /**
   * Announced to programs alone, with `data` as they receive it: a finding was resolved, reopened
   * or assigned, or an audit ended.
   */
  | {
      readonly topic: 'resolved' | 'reopened' | 'assigned' | 'audit';
      readonly data: Readonly<Record<string, unknown>>;
    };

/** The names of events in webhooks. The event of a run ends in its problem: `run.not_begun`. */
const NAMES = {
  statement: 'report.issued',
  findings: 'findings.confirmed',
  night: 'night.ended',
  resolved: 'finding.resolved',
  reopened: 'finding.reopened',
  assigned: 'finding.assigned',
  audit: 'audit.done',
} as const satisfies Readonly<Record<Exclude<DeliveryContent['topic'], 'run'>, string>>;
export const EVENTS = [
  ...Object.values(NAMES),
  'run.not_begun',
  'run.not_ended',
  'run.not_covered',
] as const;

export function eventOf(content: DeliveryContent): (typeof EVENTS)[number] {
  if (content.topic !== 'run') return NAMES[content.topic];
  return `run.${content.problem.kind.toLowerCase() as Lowercase<RunProblem['kind']>}`;
}

export interface ReportedFinding {
  readonly fingerprint: string;
  readonly kind: string;
  readonly severity: Severity;
  /** The finding's sentences in English. */
  readonly message: string;
  /**
   * The figures that other languages word the finding from. Absent in deliveries that were queued
   * by versions without them.
   */
  readonly figures?: ReportedFigures;
}

/** A night that did not do what it should. */
export interface RunProblem {
  readonly kind: 'NOT_BEGUN' | 'NOT_ENDED' | 'NOT_COVERED';
  /** When the night was due (NOT_BEGUN), or when it began. */
  readonly night: Instant;
  /** `null` when the night never began. */
  readonly runId: number | null;
  readonly expected: number;
  readonly done: number;
  /** Merchants that were not judged for a reason of their own, with that reason; at most twenty. */
  readonly missing: readonly { readonly merchant: string; readonly reason: string }[];
  /**
   * Servers that were out of reach, with how many merchants were not judged because of it, and how
   * many of these stay broken. Absent in deliveries that were queued by versions without it.
   */
  readonly down?: readonly (PlaceDown & { readonly merchants: number; readonly broken?: number })[];
}

/** The results of a night, for one mail. */
export interface NightDigest extends Omit<RunProblem, 'kind' | 'runId'> {
  readonly runId: number;
  /**
   * Merchants by their standing verdict. A merchant that was not judged in the night stays broken
   * if it was, and else counts as incomplete.
   */
  readonly verdicts: Readonly<Record<Verdict, number>>;
  readonly entriesAdded: number;
  /**
   * Merchants with confirmed roots that are new or back, at most fifty, or the reader's merchant
   * alone. Each has the content of a mail about its findings.
   */
  readonly news: readonly Omit<
    Extract<DeliveryContent, { readonly topic: 'findings' }>,
    'topic' | 'runId'
  >[];
  readonly moreNews: number;
}

/** The results of a night with the news of every merchant, from which the mails are made. */
export type GatheredNight = Omit<NightDigest, 'moreNews'>;

/** Figures about confirmed findings that are neither settled nor accepted. */
export interface OpenFindings {
  /** Open roots by severity; `followers` counts the findings that follow from a root. */
  readonly counts: Readonly<Record<Severity | 'followers', number>>;
  readonly oldest: OpenRoot | null;
  /** For each currency, the root with the largest item. */
  readonly largest: readonly (OpenRoot & { readonly item: Item; readonly currency: string })[];
}

export interface OpenRoot {
  readonly merchant: string;
  readonly fingerprint: string;
  /** When the run that first saw the root began. */
  readonly since: Instant;
}

/**
 * A delivery to be queued. `announces`, `channel` and `target` together are unique, so that no
 * announcement is queued twice.
 */
export interface NewDelivery {
  readonly channel: Channel;
  /**
   * The key of what is announced: `report/<id>`, `issued/<id>`, `night/<run>`,
   * `night/<run>/<roles>`, `night/<run>/<merchant>`, `findings/<run>/<merchant>`,
   * `alert/<run>/<merchant>`, `run/<id>/<problem>`, `night/<instant>/NOT_BEGUN`,
   * `decision/<merchant>/<fingerprint>/<number>`, `audit/<id>`.
   */
  readonly announces: string;
  /** A mail address, a folder, or a URL without secrets. */
  readonly target: string;
  readonly merchant: string | null;
  readonly content: DeliveryContent;
  /** The delivery waits until a person releases it; absent: it is sent as soon as possible. */
  readonly isHeld?: boolean;
}

// The one sentence about a server that cannot be reached. It is equal for all merchants of the
// server, so that it can be counted instead of repeated, and read back to be said in another
// language.

export interface PlaceDown {
  /** Address of the server, without credentials. */
  readonly place: string;
  /** The failure's code: `ECONNREFUSED`, `SERVICE_UNAVAILABLE`. */
  readonly why: string;
}

/** `setting` is the name of the setting that holds the address. */
export function sayPlaceDown({ place, why }: PlaceDown, setting: string): string {
  return `No answer from ${place} (${why}): check ${setting} and the network.`;
}

/**
 * SQL LIKE pattern of the reasons that `readPlaceDown` reads: a failure's code, then the sentence.
 */
export const PLACE_DOWN_LIKE = 'UNREACHABLE: No answer from % (%): check %';

/** Reads the sentence of `sayPlaceDown` back; `null` when `reason` is another one. */
export function readPlaceDown(reason: string): PlaceDown | null {
  const [, place, why] = /^UNREACHABLE: No answer from (\S+) \((\w+)\): check /.exec(reason) ?? [];
  return place === undefined || why === undefined ? null : { place, why };
}
