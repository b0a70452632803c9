// What must be so, by the play's own account: what each merchant's mirror has been given, what is
// wrong in it, and in which state each root must be by the lines and the decisions so far. It is
// small on purpose, and computed from the books and the steps alone.

import { DAY, type Instant } from '../../../src/core/domain/instant.ts';
import { type Fault, type Money, type PlayBooks, sumOf } from './books.ts';

export type RootState = 'unseen' | 'open' | 'settled' | 'accepted' | 'resolved';

export interface Decision {
  readonly action: 'settle' | 'accept';
  /** What was off when the decision was taken. */
  readonly item: Money;
  /** Most that the acceptance covers, in whole units; `null`: what was off then. */
  readonly limit: number | null;
  readonly until: Instant | null;
}

export interface Root {
  state: RootState;
  /** What was off when the last run read it. */
  item: Money;
  /** The decision in force; `null`: the root is corrected, or nobody has decided. */
  decision: Decision | null;
  /** How often its state was changed, by a person or a run. */
  moves: number;
  /**
   * Amounts that were paid outside the ledger, as people said when they settled; without those that
   * were taken back.
   */
  paid: readonly { readonly item: Money; readonly at: Instant }[];
  /** The last decision of a person; `null`: there was none. */
  lastWord: 'settle' | 'accept' | 'reopen' | null;
  /** The correcting lines that a person does not believe; `null`: none. */
  refused: string | null;
  /** The decisions that were in force, each with its beginning and end. */
  readonly rests: { readonly decision: Decision; readonly from: Instant; to: Instant }[];
}

export interface MerchantModel {
  /**
   * The lines that the merchant's mirror has, what the operations behind them require, and what the
   * last of them records.
   */
  read: { lines: number; required: Money; recorded: Money };
  /** The verdict of the last run that judged it. */
  verdict: 'none' | 'clean' | 'broken';
  /** Whether the last run that was to judge it did not reach it. */
  isMissed: boolean;
  /**
   * Whether a month was stated from lines that no run has judged yet. An audit judges up to the
   * last run, and says how much lies after it.
   */
  isAhead: boolean;
  /**
   * The roots in the order of the faults in its books. Only faults that were planted when it was
   * last read have one.
   */
  roots: Root[];
}

export interface Proposal {
  readonly id: string;
  readonly merchant: string;
  readonly fault: number;
  readonly by: 'ama' | 'bio';
  readonly decision: Decision;
  readonly moves: number;
}

export interface Month {
  revision: number;
  /** Numbers of the faults that the month ended with. */
  readonly broken: readonly number[];
  released: boolean;
  closed: boolean;
}

/** What must be so. All of it goes back when a copy is restored. */
export interface Model {
  readonly merchants: Record<string, MerchantModel>;
  proposals: Proposal[];
  /** The months by `MERCHANT PERIOD`. */
  readonly months: Record<string, Month>;
  /** SHA-256 of each file that was issued. */
  readonly files: Record<string, string>;
  /** How often each statement went to its accountant. */
  readonly mailed: Record<string, number>;
}

const NOTHING: Money = { balance: 0, reserved: 0 };

export function openModel(books: Readonly<Record<string, PlayBooks>>): Model {
  const merchants = Object.keys(books).map((name): [string, MerchantModel] => [
    name,
    {
      read: { lines: 0, required: NOTHING, recorded: NOTHING },
      verdict: 'none',
      isMissed: false,
      isAhead: false,
      roots: [],
    },
  ]);
  return {
    merchants: Object.fromEntries(merchants),
    proposals: [],
    months: {},
    files: {},
    mailed: {},
  };
}

/** Notes that all there is of the books has come into the mirror. */
export function read(model: Model, { merchant, served, required, recorded }: PlayBooks): void {
  const lines = served.ledger.length;
  model.merchants[merchant]!.read = { lines, required: { ...required }, recorded: { ...recorded } };
}

/** Returns a root that nobody has seen yet. */
export function unseenRoot(): Root {
  return {
    state: 'unseen',
    item: NOTHING,
    decision: null,
    moves: 0,
    paid: [],
    lastWord: null,
    refused: null,
    rests: [],
  };
}

/** Judges a merchant as a run does, by what its mirror has, as of `at`. */
export function judge(model: Model, books: PlayBooks, at: Instant): void {
  const known = model.merchants[books.merchant]!;
  for (const [i, fault] of books.faults.entries()) {
    const root = known.roots[i] ?? unseenRoot();
    known.roots[i] = root;
    const moves = fault.moves.filter(({ sequence }) => sequence <= known.read.lines);
    const left = leftOf(root, moves);
    const state = stateOf(root, moves, left, at);
    if (state !== root.state) {
      if (root.state !== 'unseen') root.moves += 1;
      if (root.decision !== null) endRest(root, at);
    }
    if (state !== root.state || weightOf(left) === 0) root.decision = null;
    Object.assign(root, { state, item: left });
  }
  known.isAhead = false;
  known.verdict = verdictOf(known, at);
}

/**
 * Returns the verdict that every screen shows. A merchant whom the last run did not reach stays
 * broken if it was, and is incomplete otherwise.
 */
export function standingOf({
  verdict,
  isMissed,
}: MerchantModel): 'none' | 'clean' | 'broken' | 'incomplete' {
  return isMissed && verdict !== 'broken' ? 'incomplete' : verdict;
}

/**
 * Returns the verdict with the decisions that hold at `at`. An acceptance ends when it says,
 * whether or not there is a run.
 */
export function verdictOf({ roots }: MerchantModel, at: Instant): 'clean' | 'broken' {
  const isOpen = ({ state, decision }: Root) =>
    state === 'open' || (decision?.until ?? at + 1) <= at;
  return roots.some(isOpen) ? 'broken' : 'clean';
}

/**
 * Returns what is left of a fault by these lines and by what people said of money outside of them.
 */
export function leftOf({ paid, refused }: Root, moves: Fault['moves']): Money {
  const corrections = moves.filter(({ isCorrection }) => isCorrection);
  if (refused !== null && namesOf(corrections) === refused)
    return sumOf(moves.filter(({ isCorrection }) => !isCorrection));
  let counted = moves;
  for (const { item, at: paidAt } of paid) {
    const isSince = ({ at, isCorrection }: Fault['moves'][number]): boolean =>
      isCorrection && at > paidAt;
    const then = sumOf(counted.filter((move) => !isSince(move)));
    const since = counted.filter(isSince);
    // A settlement covers what was left when it was said, and nothing that came after.
    if (
      then.balance === item.balance &&
      then.reserved === item.reserved &&
      weightOf(sumOf(since)) > 0
    )
      counted = since;
  }
  return sumOf(counted);
}

export function namesOf(lines: Fault['moves']): string {
  return lines.map(({ sequence }) => sequence).join();
}

/** Returns the state after a run at `at` that finds this left of the fault. */
function stateOf(
  { state, decision }: Root,
  moves: Fault['moves'],
  left: Money,
  at: Instant,
): RootState {
  if (moves.length === 0) return state;
  if (weightOf(left) === 0)
    return isInTime(moves) ? (state === 'unseen' ? 'unseen' : 'resolved') : 'settled';
  return decision !== null && holds(decision, left, at)
    ? decision.action === 'settle'
      ? 'settled'
      : 'accepted'
    : 'open';
}

/** Whether a hold was released within a day, so that it was never left open. */
function isInTime(moves: Fault['moves']): boolean {
  const [first, last] = [moves[0]!, moves.at(-1)!];
  return first.reserved > 0 && last.at - first.at < DAY;
}

/** Whether a decision still covers what is left. */
function holds({ item, limit, until }: Decision, left: Money, at: Instant): boolean {
  if (until !== null && until <= at) return false;
  if (limit !== null) return weightOf(left) <= limit;
  return left.balance === item.balance && left.reserved === item.reserved;
}

export function weightOf({ balance, reserved }: Money): number {
  return Math.max(Math.abs(balance), Math.abs(reserved));
}

/**
 * Returns the faults that the month ended with, by the lines dated before `end` and the decisions
 * that held then.
 */
export function brokenAt(
  model: Model,
  { merchant, faults }: PlayBooks,
  end: Instant,
): readonly number[] {
  return faults.flatMap((fault, i) => {
    const root = model.merchants[merchant]!.roots[i] ?? unseenRoot();
    const paid = root.paid.filter(({ at }) => at < end);
    const left = leftOf(
      { ...root, paid },
      fault.moves.filter(({ at }) => at < end),
    );
    const isAtRest = root.rests.some(
      ({ decision, from, to }) => from < end && to >= end && holds(decision, left, end),
    );
    return weightOf(left) > 0 && !isAtRest ? [i] : [];
  });
}

/** Lets a person's decision take effect at `at`; `null`: the decision is taken back. */
export function decide(root: Root, decision: Decision | null, at: Instant): void {
  // A person who takes a settlement back says that it never was one. An acceptance stays in force
  // for the months that ended while it held.
  if (root.decision?.action === 'settle') root.rests.pop();
  else endRest(root, at);
  if (decision === null && root.lastWord !== 'accept') root.paid = root.paid.slice(0, -1);
  if (decision?.action === 'settle') root.paid = [...root.paid, { item: decision.item, at }];
  root.lastWord = decision?.action ?? 'reopen';
  root.state = decision === null ? 'open' : decision.action === 'settle' ? 'settled' : 'accepted';
  root.decision = decision;
  root.moves += 1;
  if (decision !== null) root.rests.push({ decision, from: at, to: Number.POSITIVE_INFINITY });
}

function endRest({ rests }: Root, at: Instant): void {
  const last = rests.at(-1);
  if (last !== undefined) last.to = Math.min(last.to, at);
}

/**
 * Returns the figure that is due: what the operations require, with what people have settled
 * without a line, or do not believe of lines.
 */
export function dueOf(
  { read: { required, lines }, roots }: MerchantModel,
  { faults }: PlayBooks,
): Money {
  const due = { ...required };
  for (const [i, { state, item }] of roots.entries()) {
    const off = sumOf(faults[i]!.moves.filter(({ sequence }) => sequence <= lines));
    const weighs = state === 'open' || state === 'accepted' ? item : NOTHING;
    due.balance += off.balance - weighs.balance;
    due.reserved += off.reserved - weighs.reserved;
  }
  return due;
}
