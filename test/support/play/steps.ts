// What may happen in a play: each step with how often it is drawn and when it can be. A step tells
// the model what it did, and throws where a command or a call ends otherwise than documented.
//
// These are left out: `zone`, because the months that follow differ by no rule yet; faults in the
// last 26 hours of a month, because their lines may still be on their way; corrections that name
// nothing, and settling by a line; decisions between the end of a reading and its saving, which
// have a test of their own; the console. Also left out, because it is known: an audit says nothing
// of lines that `statement issue` has read before a run has judged them.

import { setTimeout as sleep } from 'node:timers/promises';
import { DAY, formatInstant, HOUR, MINUTE } from '../../../src/core/domain/instant.ts';
import { chance, drawFrom, drawInteger, type Random } from '../../../src/sandbox/model/random.ts';
import type { Ended } from '../command.ts';
import { credentialsOf } from '../http-service.ts';
import {
  addTraffic,
  correct,
  FAULTS,
  type Fault,
  plant,
  plantAgain,
  release,
  sumOf,
} from './books.ts';
import { isHeld, type Play } from './invariants.ts';
import {
  type Decision,
  decide,
  judge,
  leftOf,
  namesOf,
  type Proposal,
  type Root,
  read,
  unseenRoot,
  weightOf,
} from './model.ts';
import { ALONE, MERCHANTS, type OperatorName } from './world.ts';

export interface Step {
  readonly weight: number;
  /** Whether the step can be done now; absent: always. */
  readonly can?: (play: Play) => boolean;
  /** Does the step, and returns what it did, on one line. Throws `Wrong`. */
  readonly do: (play: Play, random: Random) => Promise<string>;
}

export class Wrong extends Error {}

interface Place {
  readonly merchant: string;
  readonly i: number;
  readonly fault: Fault;
  readonly root: Root;
}

/** Returns the faults, seen by a run or only planted, that are wanted, in a fixed order. */
function places({ world, model }: Play, wanted: (place: Place) => boolean): readonly Place[] {
  return MERCHANTS.flatMap((merchant) =>
    world.books[merchant]!.faults.map((fault, i) => ({
      merchant,
      i,
      fault,
      root: model.merchants[merchant]!.roots[i] ?? unseenRoot(),
    })),
  ).filter(wanted);
}

const isOpen = ({ root }: Place) => root.state === 'open';
const isCorrectable = ({ fault }: Place) => fault.kind !== 'HOLD_NOT_RELEASED';
const isReopenable = ({ fault, root }: Place) =>
  root.decision !== null ||
  (root.state === 'settled' && fault.kind !== 'HOLD_NOT_RELEASED') ||
  (root.state === 'open' && root.paid.length > 0);

export const STEPS: Readonly<Record<string, Step>> = {
  grow: { weight: 5, do: grow },
  plant: { weight: 5, do: plantOne },
  again: { weight: 1, can: (play) => places(play, canGrow).length > 0, do: growOne },
  correct: { weight: 4, can: (play) => places(play, isCorrectable).length > 0, do: correctOne },
  release: { weight: 1, can: (play) => places(play, isReleasable).length > 0, do: releaseOne },
  night: { weight: 6, do: oneNight },
  two: { weight: 1, can: ({ world }) => world.away.size === 0, do: twoNights },
  decide: { weight: 4, can: (play) => places(play, isOpen).length > 0, do: decideOne },
  during: {
    weight: 1,
    can: (play) => places(play, isOpen).length > 0 && play.world.away.size === 0,
    do: decideDuring,
  },
  forbidden: { weight: 0.5, can: (play) => places(play, isOpen).length > 0, do: forbidden },
  race: { weight: 0.5, can: (play) => places(play, isOpen).length > 0, do: race },
  reopen: { weight: 1, can: (play) => places(play, isReopenable).length > 0, do: reopenOne },
  confirm: { weight: 3, can: ({ model }) => model.proposals.length > 0, do: confirmOne },
  issue: { weight: 3, can: ({ world }) => isOver(world.now()), do: issue },
  free: {
    weight: 2,
    can: ({ model }) => monthsIn(model, isHeld).length > 0,
    do: free,
  },
  close: {
    weight: 1,
    can: ({ model }) => monthsIn(model, (month) => !month.closed).length > 0,
    do: closeMonth,
  },
  send: { weight: 1, do: send },
  set: { weight: 1, do: set },
  outage: { weight: 1, do: outage },
  back: { weight: 3, can: ({ world }) => world.away.size > 0, do: back },
  kill: { weight: 0.7, can: ({ world }) => world.away.size === 0, do: kill },
  restart: { weight: 0.5, do: restart },
  copy: { weight: 0.7, do: copy },
  restore: { weight: 0.7, can: ({ copy: kept }) => kept !== null, do: restore },
};

async function grow(play: Play, random: Random): Promise<string> {
  const days = drawInteger(random, { from: 1, to: 3 });
  for (let day = 0; day < days; day += 1) {
    play.world.pass(DAY);
    for (const merchant of MERCHANTS) {
      const thousands = Array.from({ length: 4 }, () => drawInteger(random, { from: 5, to: 200 }));
      addTraffic(play.world.books[merchant]!, play.world.now(), thousands);
    }
  }
  return `${days} day(s) pass, until ${formatInstant(play.world.now()).slice(0, 16)}`;
}

/** Plants one fault. Amounts are unequal, because lines that do not name a fault may fit it too. */
async function plantOne({ world }: Play, random: Random): Promise<string> {
  world.pass(2 * HOUR);
  const rest = monthEnd(world.now()) - world.now();
  if (rest < 27 * HOUR) world.pass(rest + 3 * HOUR);
  const merchant = drawFrom(random, MERCHANTS);
  const kind = drawFrom(random, FAULTS);
  const amount =
    drawInteger(random, { from: 2, to: 99 }) * 1_000 + 100 * world.books[merchant]!.faults.length;
  const { reference, sequence } = plant(world.books[merchant]!, kind, world.now(), amount);
  return `${merchant} has ${kind} of ${amount} at ${reference ?? `line ${sequence}`}`;
}

const canGrow = ({ fault, root }: Place) =>
  fault.kind === 'CREDIT_DUPLICATED' && !(root.state === 'settled' && root.decision !== null);

async function growOne(play: Play, random: Random): Promise<string> {
  play.world.pass(HOUR);
  const { merchant, fault } = drawFrom(random, places(play, canGrow));
  plantAgain(play.world.books[merchant]!, fault, play.world.now());
  return `${merchant} is credited once more for ${fault.reference}`;
}

async function correctOne(play: Play, random: Random): Promise<string> {
  play.world.pass(HOUR);
  const { merchant, fault } = drawFrom(random, places(play, isCorrectable));
  const left = sumOf(fault.moves).balance;
  const last = fault.moves.findLast(({ isCorrection }) => isCorrection)?.balance ?? -left;
  const how =
    left === 0
      ? drawFrom(random, ['back', 'twice'])
      : drawFrom(random, ['exact', 'exact', 'part', 'back']);
  const moves = {
    exact: -left,
    part: -left / 2,
    twice: last,
    back: last === -left ? -left : -last,
  }[how]!;
  correct(play.world.books[merchant]!, fault, play.world.now(), moves);
  return `${merchant} ${fault.kind} of ${fault.amount} is corrected (${how}) by ${moves}: ${left + moves} is left`;
}

const isReleasable = ({ fault, root }: Place) =>
  fault.kind === 'HOLD_NOT_RELEASED' &&
  sumOf(fault.moves).reserved > 0 &&
  root.decision?.action !== 'settle';

async function releaseOne(play: Play, random: Random): Promise<string> {
  play.world.pass(HOUR);
  const { merchant, fault } = drawFrom(random, places(play, isReleasable));
  release(play.world.books[merchant]!, fault, play.world.now());
  return `${merchant} releases the hold of ${fault.reference}`;
}

async function oneNight(play: Play, random: Random): Promise<string> {
  const alone = chance(random, 0.2) ? drawFrom(random, MERCHANTS) : null;
  if (alone !== null) return concluded(play, ['run', alone], [alone]);
  const words = chance(random, 0.6) ? ['worker', '--once'] : ['run'];
  return concluded(play, words, MERCHANTS);
}

/** Runs over these merchants. Those that are away are not read. */
async function concluded(
  play: Play,
  words: readonly string[],
  merchants: readonly string[],
): Promise<string> {
  const { status, err } = await play.world.run(words);
  const right = judged(play, merchants);
  if (status !== right)
    throw new Wrong(`${words.join(' ')} ends with ${status}, not ${right}: ${err}`);
  return `${words.join(' ')}: ${status}`;
}

/** Tells the model of a run that has just ended, and returns the exit status that is right. */
function judged({ world, model }: Play, merchants: readonly string[]): number {
  const reached = merchants.filter((name) => !world.away.has(name));
  for (const name of merchants) model.merchants[name]!.isMissed = !reached.includes(name);
  for (const name of reached) {
    read(model, world.books[name]!);
    judge(model, world.books[name]!, world.now());
  }
  if (reached.some((name) => model.merchants[name]!.verdict === 'broken')) return 1;
  return reached.length < merchants.length ? 2 : 0;
}

async function twoNights(play: Play, random: Random): Promise<string> {
  const pairs = [
    [['run'], ['run']],
    [
      ['worker', '--once'],
      ['worker', '--once'],
    ],
    [
      ['worker', '--once'],
      ['deliveries', 'send'],
    ],
    [['run'], ['worker', '--once']],
  ];
  const [one, other] = drawFrom(random, pairs) as [string[], string[]];
  const ended = await Promise.all([play.world.run(one), play.world.run(other)]);
  const said = ended.map(({ status }) => status).join(' and ');
  const failed = ended.find(({ status }) => status > 2);
  if (failed !== undefined)
    throw new Wrong(`${one.join(' ')} beside ${other.join(' ')}: ${said}: ${failed.err}`);
  // Each merchant was read by one of the two runs. Only the next run says what was found of all of
  // them.
  return `${one.join(' ')} beside ${other.join(' ')}: ${said}; ${await concluded(play, ['run'], MERCHANTS)}`;
}

interface Wish {
  readonly place: Place;
  readonly by: 'ama' | 'bio';
  readonly decision: Decision;
  readonly words: readonly string[];
  readonly body: object;
}

function drawWish(play: Play, random: Random): Wish {
  const place = drawFrom(random, places(play, isOpen));
  const { item } = place.root;
  const by = drawFrom(random, ['ama', 'bio'] as const);
  if (chance(random, 0.5)) {
    const decision = { action: 'settle', item, limit: null, until: null } as const;
    return {
      place,
      by,
      decision,
      words: ['settle', '--reason', 'paid back'],
      body: { action: 'settle', reason: 'paid back' },
    };
  }
  const limit = chance(random, 0.4)
    ? drawInteger(random, { from: weightOf(item), to: 2 * weightOf(item) })
    : null;
  const until = chance(random, 0.4)
    ? play.world.now() + drawInteger(random, { from: 1, to: 60 }) * HOUR
    : null;
  const options = {
    ...(limit === null ? {} : { limit: String(limit) }),
    ...(until === null ? {} : { until: formatInstant(until) }),
  };
  const words = [
    'accept',
    '--reason',
    'too small',
    ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
  ];
  const body = { action: 'accept', reason: 'too small', ...options };
  return { place, by, decision: { action: 'accept', item, limit, until }, words, body };
}

async function decideOne(play: Play, random: Random): Promise<string> {
  return taken(play, drawWish(play, random), chance(random, 0.5));
}

/** Takes a decision by command or over HTTP, and tells the model. */
async function taken(play: Play, wish: Wish, byHttp: boolean): Promise<string> {
  const { place, by, decision, words, body } = wish;
  const { world, model, seen } = play;
  const id = seen.ids.get(`${place.merchant} ${place.i}`)!;
  const weighs = Math.max(weightOf(place.root.item), decision.limit ?? 0);
  const waits = weighs > ALONE;
  const isProposed =
    waits &&
    model.proposals.some((one) => isAbout(one, place) && one.decision.action === decision.action);
  const said = `${by} ${byHttp ? 'posts' : 'types'} ${words.join(' ')} of ${place.merchant} ${place.fault.kind} (${weighs})`;
  let proposal: string | undefined;
  let status: number;
  if (byHttp) {
    const answer = await world.call(by, `/findings/${id}/decisions`, body);
    status = answer.status;
    proposal = answer.body?.id;
    const right = isProposed ? 409 : waits ? 202 : 201;
    if (status !== right) throw new Wrong(`${said}: ${status}, not ${right}: ${answer.text}`);
  } else {
    const [verb, ...rest] = words;
    const ended = await world.run(['findings', verb!, id, ...rest], by);
    status = ended.status;
    proposal = /proposal ([0-9a-f-]{36})/.exec(ended.out)?.[1];
    const right = isProposed ? 3 : 0;
    if (status !== right || (proposal !== undefined) !== (waits && !isProposed))
      throw new Wrong(`${said}: ${status}, not ${right}: ${ended.out}${ended.err}`);
  }
  if (isProposed) return `${said}: refused, it was proposed`;
  if (!waits) {
    decide(place.root, decision, world.now());
    return `${said}: done`;
  }
  model.proposals.push({
    id: proposal!,
    merchant: place.merchant,
    fault: place.i,
    by,
    decision,
    moves: place.root.moves,
  });
  return `${said}: proposed`;
}

const isAbout = ({ merchant, fault }: Proposal, place: Place) =>
  merchant === place.merchant && fault === place.i;

/**
 * Decides while a night reads that merchant's ledger. A decision above the limit waits as a
 * proposal, and the night ends.
 */
async function decideDuring(play: Play, random: Random): Promise<string> {
  const wish = drawWish(play, random);
  const { service } = play.world;
  const { before } = service;
  const reading = Promise.withResolvers<void>();
  const decided = Promise.withResolvers<void>();
  service.before = (request) => {
    if (
      request.path !== '/ledger' ||
      request.headers['x-api-key'] !== credentialsOf(wish.place.merchant).apiKey
    )
      return before(request);
    reading.resolve();
    return { do: 'hold', until: decided.promise };
  };
  const isWorker = chance(random, 0.5);
  const night = play.world.run(isWorker ? ['worker', '--once'] : ['run']);
  await Promise.race([reading.promise, night]);
  const said = await taken(play, wish, true).finally(() => {
    decided.resolve();
    service.before = before;
  });
  const { status, err } = await night;
  const right = judged(play, MERCHANTS);
  if (status !== right)
    throw new Wrong(`${said}, during a night that ends with ${status}, not ${right}: ${err}`);
  return `${said}, during a night: ${status}`;
}

/** Tries calls that must be refused: a reader decides nothing, and a wrong token is nobody's. */
async function forbidden(play: Play, random: Random): Promise<string> {
  const { merchant, i } = drawFrom(random, places(play, isOpen));
  const id = play.seen.ids.get(`${merchant} ${i}`)!;
  const answer = await play.world.call('coro', `/findings/${id}/decisions`, {
    action: 'settle',
    reason: 'no',
  });
  const { status } = await play.world.run(['findings', 'settle', id, '--reason', 'no'], 'coro');
  if (answer.status !== 403 || status !== 3)
    throw new Wrong(`coro settles ${id}: ${answer.status} and ${status}`);
  return `coro is refused to settle ${merchant} ${id}`;
}

/** Lets two people settle the same root at once: one of them does. */
async function race(play: Play, random: Random): Promise<string> {
  const { merchant, i, root } = drawFrom(random, places(play, isOpen));
  const id = play.seen.ids.get(`${merchant} ${i}`)!;
  if (weightOf(root.item) > ALONE) return `${merchant} ${id} weighs too much for one person`;
  const settle = (by: OperatorName) =>
    play.world.call(by, `/findings/${id}/decisions`, { action: 'settle', reason: `as ${by}` });
  const statuses = (await Promise.all([settle('ama'), settle('bio')]))
    .map(({ status }) => status)
    .toSorted();
  if (statuses.join() !== '201,409') throw new Wrong(`both settle ${id}: ${statuses.join()}`);
  decide(root, { action: 'settle', item: root.item, limit: null, until: null }, play.world.now());
  return `both settle ${merchant} ${id}, and one does`;
}

async function reopenOne(play: Play, random: Random): Promise<string> {
  const { merchant, i, root, fault } = drawFrom(random, places(play, isReopenable));
  const id = play.seen.ids.get(`${merchant} ${i}`)!;
  const ended = await play.world.run(['findings', 'reopen', id, '--reason', 'after all'], 'ama');
  if (ended.status !== 0) throw new Wrong(`reopen ${id}: ${ended.status}: ${ended.err}`);
  const { lines } = play.model.merchants[merchant]!.read;
  const known = fault.moves.filter(({ sequence }) => sequence <= lines);
  if (root.decision === null && root.state === 'settled')
    root.refused = namesOf(known.filter(({ isCorrection }) => isCorrection));
  decide(root, null, play.world.now());
  root.item = leftOf(root, known);
  return `ama reopens ${merchant} ${id}`;
}

/**
 * Lets the other operator confirm a proposal that still stands as it was proposed; any other is
 * withdrawn.
 */
async function confirmOne(play: Play, random: Random): Promise<string> {
  const { world, model } = play;
  const proposal = drawFrom(random, model.proposals);
  const { id, merchant, fault, by, decision, moves } = proposal;
  const root = model.merchants[merchant]!.roots[fault]!;
  const said = `${decision.action} of ${merchant} ${world.books[merchant]!.faults[fault]!.kind}, as ${by} proposed`;
  const own = await world.call(by, `/proposals/${id}/confirm`, {});
  if (own.status < 400) throw new Wrong(`${by} confirms the own ${said}: ${own.status}`);
  model.proposals = model.proposals.filter((one) => one !== proposal);
  const other = by === 'ama' ? 'bio' : 'ama';
  const isAsItWas =
    root.item.balance === decision.item.balance && root.item.reserved === decision.item.reserved;
  const hasEnded = decision.until !== null && decision.until <= world.now();
  if (root.moves !== moves) {
    const { status, text } = await world.call(other, `/proposals/${id}/confirm`, {});
    if (status < 400 || status >= 500)
      throw new Wrong(`${said}, which another decision overtook: ${status} ${text}`);
    return `${said}: fell`;
  }
  if (!isAsItWas || hasEnded || root.state !== 'open') {
    const { status, text } = await world.call(other, `/proposals/${id}/confirm`, {});
    const isSame = isAsItWas && !hasEnded;
    if (!isSame && status !== 409)
      throw new Wrong(`${said}, whose basis is another: ${status} ${text}`);
    if (status === 409) await world.call(other, `/proposals/${id}/withdraw`, {});
    else decide(root, decision, world.now());
    return `${said}: ${status === 409 ? 'refused and withdrawn' : 'confirmed'}`;
  }
  const { status, text } = await world.call(other, `/proposals/${id}/confirm`, {});
  if (status !== 200) throw new Wrong(`${other} confirms ${said}: ${status} ${text}`);
  decide(root, decision, world.now());
  return `${other} confirms ${said}`;
}

function monthEnd(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

/** The month that every play begins in and sees the end of. */
const FIRST = '2025-03';
const FIRST_DAY = Date.UTC(2025, 2, 1);
function isOver(at: number): boolean {
  return at > monthEnd(FIRST_DAY);
}

function monthsIn(
  { months }: Play['model'],
  wanted: (month: Play['model']['months'][string]) => boolean,
): readonly string[] {
  return Object.keys(months).filter((key) => wanted(months[key]!));
}

async function issue(play: Play, random: Random): Promise<string> {
  const one = chance(random, 0.5) ? drawFrom(random, MERCHANTS) : '--all';
  const { status, out, err } = await play.world.run(['statement', 'issue', one, FIRST]);
  if (status !== 0 && status !== 2) throw new Wrong(`issue ${one}: ${status}: ${out}${err}`);
  for (const merchant of one === '--all' ? MERCHANTS : [one]) {
    const { read: was } = play.model.merchants[merchant]!;
    if (
      !play.world.away.has(merchant) &&
      was.lines < play.world.books[merchant]!.served.ledger.length
    )
      play.model.merchants[merchant]!.isAhead = true;
  }
  return `statement issue ${one} ${FIRST}: ${status}`;
}

async function free(play: Play, random: Random): Promise<string> {
  const key = drawFrom(random, monthsIn(play.model, isHeld));
  const [merchant, period] = key.split(' ') as [string, string];
  const answer = await play.world.call('ama', `/merchants/${merchant}/months/${period}/release`, {
    reason: 'as agreed',
  });
  if (answer.status === 202) {
    const confirmed = await play.world.call('bio', `/proposals/${answer.body.id}/confirm`, {});
    if (confirmed.status !== 200)
      throw new Wrong(`release of ${key} is not confirmed: ${confirmed.status} ${confirmed.text}`);
  } else if (answer.status !== 200)
    throw new Wrong(`release of ${key}: ${answer.status} ${answer.text}`);
  play.model.months[key]!.released = true;
  return `${key} is released${answer.status === 202 ? ' by two' : ''}`;
}

async function closeMonth(play: Play, random: Random): Promise<string> {
  const key = drawFrom(
    random,
    monthsIn(play.model, (month) => !month.closed),
  );
  const [merchant, period] = key.split(' ') as [string, string];
  const { world, model } = play;
  const month = model.months[key]!;
  const open = places(
    play,
    (place) =>
      place.merchant === merchant &&
      isOpen(place) &&
      place.fault.moves[0]!.at < monthEnd(FIRST_DAY),
  );
  const isSound = month.broken.length + open.length === 0;
  const ended = await world.run(
    ['statement', 'close', merchant, period, ...(isSound ? [] : ['--yes'])],
    'bio',
  );
  const proposal = /proposal ([0-9a-f-]{36})/.exec(ended.out)?.[1];
  if (ended.status !== (proposal === undefined ? 0 : 2) || (isSound && proposal !== undefined))
    throw new Wrong(`close ${key}: ${ended.status}: ${ended.out}${ended.err}`);
  if (proposal !== undefined) {
    const confirmed = await play.world.call('ama', `/proposals/${proposal}/confirm`, {});
    if (confirmed.status !== 200)
      throw new Wrong(`close of ${key} is not confirmed: ${confirmed.status} ${confirmed.text}`);
  }
  month.closed = true;
  return `${key} is closed${proposal === undefined ? '' : ' by two'}`;
}

/**
 * Sends what is due. The folder keeps what was issued before a copy was restored, and refuses what
 * is issued in its place.
 */
async function send({ world, seen }: Play): Promise<string> {
  const { status, err } = await world.run(['deliveries', 'send']);
  if (status !== 0 && !(status === 2 && seen.isRestored))
    throw new Wrong(`deliveries send: ${status}: ${err}`);
  return `deliveries send: ${status}`;
}

async function set({ world }: Play, random: Random): Promise<string> {
  Object.assign(world.settings, {
    language: drawFrom(random, ['fr', 'en']),
    grace: drawFrom(random, [0, 10, 25]),
  });
  return `settings: ${JSON.stringify(world.settings)}`;
}

async function outage({ world }: Play, random: Random): Promise<string> {
  world.pass(MINUTE);
  const merchant = drawFrom(random, MERCHANTS);
  world.away.add(merchant);
  return `the source of ${merchant} answers 503`;
}

async function back({ world }: Play): Promise<string> {
  world.away.clear();
  return 'every source answers';
}

/**
 * Kills a command at a drawn request to the source. The run after it must find all as if nothing
 * had happened.
 */
async function kill(play: Play, random: Random): Promise<string> {
  const { service } = play.world;
  const { before } = service;
  const months = isOver(play.world.now()) ? [['statement', 'issue', '--all', FIRST]] : [];
  const words = drawFrom(random, [['run'], ['worker', '--once'], ...months]);
  let waits = drawInteger(random, { from: 1, to: 14 });
  const soon = drawInteger(random, { from: 0, to: 300 });
  const reached = Promise.withResolvers<void>();
  service.before = (request) => {
    waits -= 1;
    if (waits === 0) void sleep(soon).then(reached.resolve);
    return before(request);
  };
  const { status }: Ended = await play.world.killed(words, reached.promise).finally(() => {
    service.before = before;
  });
  return `${words.join(' ')} is killed (${status}); ${await concluded(play, ['run'], MERCHANTS)}`;
}

async function restart({ world }: Play): Promise<string> {
  await world.restart();
  return 'the server starts anew';
}

async function copy(play: Play): Promise<string> {
  play.copy = { database: await play.world.copy(), model: structuredClone(play.model) };
  return 'the store is copied';
}

/** Restores the copy. The books stay as they are, as do the folder and what was mailed. */
async function restore(play: Play): Promise<string> {
  const { database, model } = play.copy!;
  await play.world.restore(database);
  play.model = model;
  play.seen.isRestored = true;
  play.copy = null;
  return 'the copy takes the place of the store';
}
