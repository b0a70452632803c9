// What the engine announces to people and programs, before it is sent: to whom, by which way, and
// about what. Content holds references and figures, never secrets.

import type { ReportedFigures } from '../figures.ts';
import type { Item, Severity, Verdict } from '../finding.ts';
import type { Instant } from '../instant.ts';
import type { Operator } from '../operators/role.ts';

export const CHANNELS = ['mail', 'folder', 'webhook'] as const;
export type Channel = (typeof CHANNELS)[number];

/**
 * HELD: a statement that waits for its release, or findings for the mail at the end of the night,
 * which then are GATHERED · PENDING: not tried yet · SENDING: claimed by a process · SUCCESS ·
 * FAILED: to be tried again · ABANDONED: refused, or every attempt failed · IN_DOUBT: may have gone
 * out, and is not sent again unless a person says so.
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

/** No attempt is planned, or the last one failed, or may have arrived. */
export const STUCK_STATES = ['FAILED', 'ABANDONED', 'IN_DOUBT'] as const;

/**
 * RETRY: it did not arrive, and may later · REFUSED: it will never be taken · IN_DOUBT: it may have
 * arrived.
 */
export type DeliveryOutcome = 'SUCCESS' | 'RETRY' | 'REFUSED' | 'IN_DOUBT';

export type DeliveryContent =
  /** A report that is READY; its files and figures are fetched when it is sent. */
  | {
      readonly topic: 'statement';
      readonly merchant: string;
      readonly period: string;
      readonly reportId: string;
      readonly language: 'fr' | 'en';
      /** A person has named the address, and has it sent while the statement is held. */
      readonly evenIfHeld?: true;
      /** Who had it sent once more. */
      readonly askedBy?: string;
    }
  /** Confirmed roots that are new, or back. */
  | {
      readonly topic: 'findings';
      readonly merchant: string;
      readonly runId: number;
      readonly verdict: Verdict;
      readonly findings: readonly ReportedFinding[];
      /** How many more there are than `findings` holds. */
      readonly more: number;
    }
  | { readonly topic: 'run'; readonly problem: RunProblem }
  /** A night that ended, also when all is well. `reader`: of the mail; absent: of all. */
  | {
      readonly topic: 'night';
      readonly night: NightDigest;
      readonly reader?: Pick<Operator, 'roles' | 'merchant'>;
    }
  /**
   * For programs alone, as they get it: a finding was resolved, reopened or assigned, an audit
   * ended.
   */
  | {
      readonly topic: 'resolved' | 'reopened' | 'assigned' | 'audit';
      readonly data: Readonly<Record<string, unknown>>;
    };

/** As webhooks name them; of a run its problem follows. */
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
  /** In English. */
  readonly message: string;
  /** What it is worded from in other languages; absent in what was queued before there were any. */
  readonly figures?: ReportedFigures;
}

/** A night that did not do what it should. */
export interface RunProblem {
  readonly kind: 'NOT_BEGUN' | 'NOT_ENDED' | 'NOT_COVERED';
  /** When the night was due, or began. */
  readonly night: Instant;
  /** Null when there is no run. */
  readonly runId: number | null;
  readonly expected: number;
  readonly done: number;
  /** Merchants that were not judged for a reason of their own, with it, at most twenty. */
  readonly missing: readonly { readonly merchant: string; readonly reason: string }[];
  /**
   * Places that were out of reach, with how many merchants were not judged for it, and how many of
   * these stay broken; absent in what was queued before there were any.
   */
  readonly down?: readonly (PlaceDown & { readonly merchants: number; readonly broken?: number })[];
}

/** What a night came to, for one mail. */
export interface NightDigest extends Omit<RunProblem, 'kind' | 'runId'> {
  readonly runId: number;
  /** Standing ones: a merchant that was not judged is broken where it was, else incomplete. */
  readonly verdicts: Readonly<Record<Verdict, number>>;
  readonly entriesAdded: number;
  /**
   * Merchants with confirmed roots that are new or back, at most fifty, or the one of a reader;
   * each as its own mail would have them.
   */
  readonly news: readonly Omit<
    Extract<DeliveryContent, { readonly topic: 'findings' }>,
    'topic' | 'runId'
  >[];
  readonly moreNews: number;
}

/** With the news of every merchant. */
export type GatheredNight = Omit<NightDigest, 'moreNews'>;

/** Confirmed findings that are neither put right nor accepted. */
export interface OpenFindings {
  /** Roots by severity, and apart from them what follows from one. */
  readonly counts: Readonly<Record<Severity | 'followers', number>>;
  readonly oldest: OpenRoot | null;
  /** Of each currency the root that weighs most. */
  readonly largest: readonly (OpenRoot & { readonly item: Item; readonly currency: string })[];
}

export interface OpenRoot {
  readonly merchant: string;
  readonly fingerprint: string;
  /** When the run began that saw it first. */
  readonly since: Instant;
}

/**
 * `announces`, `channel` and `target` together are unique: what was once written is never written
 * again.
 */
export interface NewDelivery {
  readonly channel: Channel;
  /**
   * What is announced: `report/<id>`, `issued/<id>`, `night/<run>`, `night/<run>/<roles>`,
   * `night/<run>/<merchant>`, `findings/<run>/<merchant>`, `alert/<run>/<merchant>`,
   * `run/<id>/<problem>`, `night/<instant>/NOT_BEGUN`,
   * `decision/<merchant>/<fingerprint>/<number>`, `audit/<id>`.
   */
  readonly announces: string;
  /** An address, a folder, or a URL without secrets. */
  readonly target: string;
  readonly merchant: string | null;
  readonly content: DeliveryContent;
  /** It waits until a person releases it; absent: it is sent as soon as possible. */
  readonly isHeld?: boolean;
}

// The one sentence about a place that cannot be reached: equal for each of its merchants, so that
// it is counted and not repeated, and read back where another language says it.

export interface PlaceDown {
  /** Its address, without credentials. */
  readonly place: string;
  /** `ECONNREFUSED`, `SERVICE_UNAVAILABLE`. */
  readonly why: string;
}

/** `setting`: the one that holds the address. */
export function sayPlaceDown({ place, why }: PlaceDown, setting: string): string {
  return `No answer from ${place} (${why}): check ${setting} and the network.`;
}

/** As a pattern of SQL: what `readPlaceDown` reads, behind the code of its failure. */
export const PLACE_DOWN_LIKE = 'UNREACHABLE: No answer from % (%): check %';

/** Null for any other reason. */
export function readPlaceDown(reason: string): PlaceDown | null {
  const [, place, why] = /^UNREACHABLE: No answer from (\S+) \((\w+)\): check /.exec(reason) ?? [];
  return place === undefined || why === undefined ? null : { place, why };
}
