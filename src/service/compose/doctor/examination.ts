// Runs the examinations that are made before a service is trusted with a night. Each answers good,
// worth a look, or broken, with what to do about it. Each must be done within a time, and one that
// fails is reported as broken and fails no other.

import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { DAY } from '../../../core/domain/instant.ts';
import { SourceFailed } from '../../../io/sources/port/source.ts';
import type { Runtime } from '../open-configured.ts';

/**
 * `good`: as it should be. `idle`: not configured, or not to be known from here. `warning`: it
 * works, but a person should look. `broken`: it does not work.
 */
export type Condition = 'good' | 'idle' | 'warning' | 'broken';

export interface Diagnosis {
  readonly what: string;
  readonly condition: Condition;
  /** One line: what was seen. */
  readonly says: string;
  /** One line: what to do; null where nothing is to be done. */
  readonly todo: string | null;
}

export type Seen = Omit<Diagnosis, 'what'>;

/** A row of the doctor's table. */
export interface Examination {
  readonly what: string;
  /** What to do when it throws or is not done in time. */
  readonly todo: string;
  /** May throw: a failure is `broken`. */
  readonly examine: () => Promise<Seen> | Seen;
  /**
   * The examination may take so many times the `patience`; more than 1 where it asks many
   * merchants.
   */
  readonly turns: number;
}

export function row(
  what: string,
  todo: string,
  examine: Examination['examine'],
  turns = 1,
): Examination {
  return { what, todo, examine, turns };
}

/** How an examination asks merchants. */
export interface Asking {
  readonly runtime: Runtime;
  readonly stop: AbortSignal;
  /** Merchants whose credentials are tried, at most. */
  readonly most: number;
  /** The `turns` of an `Examination` that asks `most` merchants. */
  readonly turns: number;
}

/** Returns `20 of 50`, or `50` when all were asked. */
export const someOf = (asked: number, all: number): string =>
  asked === all ? `${all}` : `${asked} of ${all}`;

export const good = (says: string): Seen => ({ condition: 'good', says, todo: null });
export const idle = (says: string): Seen => ({ condition: 'idle', says, todo: null });
export const warning = (says: string, todo: string): Seen => ({ condition: 'warning', says, todo });
export const broken = (says: string, todo: string): Seen => ({ condition: 'broken', says, todo });

/**
 * Runs all examinations at once, each within `patience` milliseconds times its `turns`, and returns
 * the diagnoses in the order given. Never fails.
 */
export async function examineAll(
  examinations: readonly Examination[],
  { patience, conceal }: { readonly patience: number; readonly conceal: (text: string) => string },
): Promise<readonly Diagnosis[]> {
  const clean = (text: string): string => conceal(text).replace(/\p{Cc}+/gu, ' ');
  return Promise.all(
    examinations.map(async (examination) => {
      const { condition, says, todo } = await examineOne(examination, patience);
      const { what } = examination;
      return { what, condition, says: clean(says), todo: todo === null ? null : clean(todo) };
    }),
  );
}

async function examineOne({ examine, todo, turns }: Examination, turn: number): Promise<Seen> {
  const patience = turn * turns;
  const late = broken(`no answer within ${Math.round(patience / 1_000)} s`, todo);
  const seen = (async () => examine())().catch((failure: unknown) =>
    broken(reasonOf(failure), todo),
  );
  return Promise.race([seen, sleep(patience, late, { ref: false })]);
}

/** Merchants examined at the same time. */
const AT_ONCE = 5;

export async function askEach(
  merchants: readonly string[],
  ask: (merchant: string) => Promise<void>,
): Promise<void> {
  const limit = pLimit(AT_ONCE);
  await Promise.all(merchants.map((merchant) => limit(() => ask(merchant))));
}

/**
 * Returns what happened in words. Where `failure` has no message of its own, its code or its first
 * cause is returned.
 */
export function reasonOf(failure: unknown): string {
  if (failure instanceof SourceFailed) return `${failure.code}: ${failure.message}`;
  if (!(failure instanceof Error)) return String(failure);
  const { code, errors } = failure as {
    readonly code?: unknown;
    readonly errors?: readonly Error[];
  };
  if (failure.message !== '') return failure.message;
  return typeof code === 'string' ? code : (errors?.[0]?.message ?? failure.name);
}

export interface Skew {
  /** Milliseconds by which the other clock is ahead of ours: its time − our time. */
  readonly skew: number;
  /** Milliseconds that `skew` may be, ahead or behind. */
  readonly tolerance: number;
}

/** The length of each unit in seconds. */
const UNITS = [
  [86_400, 'days'],
  [3_600, 'h'],
  [60, 'min'],
] as const;

/** How far another clock is from ours: `is 3 s ahead of this machine`. */
function describeSkew({ skew }: Pick<Skew, 'skew'>): string {
  const seconds = Math.round(Math.abs(skew) / 1_000);
  const [length, unit] = UNITS.find(([least]) => seconds >= 2 * least) ?? [1, 's'];
  const side = skew > 0 ? 'ahead of' : 'behind';
  return seconds < 1
    ? 'agrees with this machine'
    : `is ${Math.round(seconds / length)} ${unit} ${side} this machine`;
}

export function judgeSkew(clock: string, { skew, tolerance }: Skew, hint = ''): Seen {
  const says = `${clock} ${describeSkew({ skew })}`;
  if (Math.abs(skew) > tolerance) {
    const ntp = 'set the clocks by NTP: what is young or late cannot be known while they disagree';
    return broken(says, skew < -DAY ? `${ntp}${hint}` : ntp);
  }
  // Warn above half a minute: an HTTP date is exact to a second, and no network takes so long.
  if (Math.abs(skew) > Math.min(30_000, tolerance / 2))
    return warning(says, 'set the clocks by NTP');
  return good(says);
}
