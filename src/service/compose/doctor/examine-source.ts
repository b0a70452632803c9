// Examines the sources of books: each is reached, its credentials open what they are configured for, its clock agrees, and it has
// given up no notification of late. Asks a few merchants, not all of thousands, unless all are wanted.

import { DAY, type Instant } from '../../../core/domain/instant.ts';
import type { DeliveryList } from '../../../core/domain/published/failed-delivery.ts';
import { askDeliveries } from '../../../io/sources/http/ask-deliveries.ts';
import { type Notifying, probeMerchant } from '../../../io/sources/http/ask-object.ts';
import { PlaceUnreachable, SourceFailed } from '../../../io/sources/port/source.ts';
import type { Configuration } from '../../config/check-configuration.ts';
import { toleranceOf } from '../../config/for-merchant.ts';
import { httpSettingsOf, openConfiguredSource, type Runtime, seenAt } from '../open-configured.ts';
import {
  type Asking,
  askEach,
  broken,
  type Examination,
  good,
  idle,
  judgeSkew,
  reasonOf,
  row,
  type Seen,
  someOf,
  warning,
} from './examination.ts';

const SIMULATED = '; where it is the simulated service, start it with pointage lab sandbox --follow';
const SEND_DATE =
  'let it, or the proxy before it, send the header Date: else its books are judged up to the newest instant in them';
const TODO = 'see that the source runs, that its address is right, and that this machine may reach it';

export function examineSource(configuration: Configuration, asking: Asking): readonly Examination[] {
  const addresses = addressesIn(configuration);
  if (addresses.length === 0) {
    const todo = 'give source, for example https://api.example/v1';
    return [row('source', todo, () => warning('none is configured', todo))];
  }
  return addresses.flatMap((address) => {
    const nth = addresses.length === 1 ? '' : ` ${addresses.indexOf(address) + 1}`;
    return examineOne(seenAt(configuration, address), { ...asking, address, nth });
  });
}

/** The source of all, then those that single merchants have. */
function addressesIn({ source, merchants }: Configuration): readonly string[] {
  const own = Object.values(merchants).map((one) => one.source);
  return [...new Set([source, ...own])].filter((address) => address !== undefined);
}

function examineOne(
  configuration: Configuration,
  one: Asking & {
    readonly address: string;
    /** Which of several: ` 2`. */
    readonly nth: string;
  },
): readonly Examination[] {
  const { address: source, nth, runtime, turns } = one;
  const what = `source${nth}`;
  if (!/^https?:/.test(source)) return [row(what, TODO, () => examineOther(configuration, source, runtime))];
  const asked = askSome(configuration, source, one);
  const answered = asked.catch(() => null);
  const { clockTolerance: tolerance } = toleranceOf(configuration);
  return [
    row(what, TODO, async () => describeAnswers(await asked), turns),
    row(`clock of the source${nth}`, TODO, async () => judgeClock(await answered, tolerance), turns),
    row(`notifications of the source${nth}`, TODO, async () => judgeNotifying(configuration, await answered), turns),
  ];
}

function judgeClock(answers: Answers | null, tolerance: number): Seen {
  const dated = answers?.tried.find(({ date }) => date !== null);
  if (dated !== undefined) return judgeSkew('it', { skew: dated.date! - dated.at, tolerance }, SIMULATED);
  const hasAnswered = answers?.tried.some(({ failure }) => failure === null) === true;
  return hasAnswered ? warning('it sends none', SEND_DATE) : idle('not known: the source did not answer');
}

interface Answers {
  readonly name: string;
  readonly merchants: number;
  readonly tried: readonly {
    readonly merchant: string;
    readonly failure: unknown;
    readonly date: Instant | null;
    readonly notifying: Notifying | null;
    /** Ours when it answered. */
    readonly at: Instant;
  }[];
}

async function askSome(configuration: Configuration, uri: string, { runtime, stop, most }: Asking): Promise<Answers> {
  const settings = { ...httpSettingsOf(configuration, uri, runtime), baseUrl: uri };
  const merchants = Object.keys(settings.merchants).sort();
  const chosen = merchants.slice(0, most);
  const tried: Answers['tried'][number][] = [];
  let isDown = false;
  await askEach(chosen, async (merchant) => {
    if (isDown) return;
    const answer = await probeMerchant(settings, { merchant, stop }).then(
      (probed) => ({ failure: null, ...probed }),
      (failure: unknown) => ({ failure, date: null, notifying: null }),
    );
    tried.push({ merchant, ...answer, at: runtime.clock() });
    isDown ||= answer.failure instanceof PlaceUnreachable;
  });
  return { name: uri.replace(/\/+$/, ''), merchants: merchants.length, tried };
}

function describeAnswers({ name, merchants, tried }: Answers): Seen {
  const failed = tried.filter(({ failure }) => failure !== null).sort((a, b) => (a.merchant < b.merchant ? -1 : 1));
  const asked = someOf(tried.length, merchants);
  if (failed.length === 0)
    return good(
      `${name} takes the credentials of ${asked} merchant(s)${tried.length === merchants ? '' : '; --all asks the others too'}`,
    );
  const [first] = failed;
  const says = `${name}: ${failed.length} of ${tried.length} asked merchant(s)${tried.length === merchants ? '' : `, of ${merchants},`} cannot be read; ${first!.merchant}: ${reasonOf(first!.failure)}`;
  const refused = failed.find(
    ({ failure }) => failure instanceof SourceFailed && failure.code === 'INVALID_CREDENTIALS',
  );
  return broken(says, refused === undefined ? TODO : `correct apiKey and apiSecret of ${refused.merchant}`);
}

/** Of merchants whose notifications are taken: they have an address, and are signed with a secret that is configured. */
function judgeNotifying({ merchants }: Configuration, answers: Answers | null): Seen {
  const taken = (answers?.tried ?? []).flatMap(({ merchant, notifying }) => {
    const secrets = merchants[merchant]?.notifications;
    return notifying === null || secrets === undefined ? [] : [{ merchant, secrets, ...notifying }];
  });
  if (taken.length === 0) return idle('not known: none is taken of a merchant that was asked');
  const strange = taken.find(
    ({ secrets, secretHint }) =>
      secretHint !== null &&
      ![secrets.current, secrets.previous].some((secret) => secret?.endsWith(secretHint) === true),
  );
  if (strange !== undefined) {
    const todo = `give its current signing secret as merchants.${strange.merchant}.notifications.current`;
    return warning(`those of ${strange.merchant} are signed with a secret that is not configured`, todo);
  }
  const silent = taken.find(({ webhookUrl }) => webhookUrl === null);
  if (silent === undefined)
    return good(`those of ${taken.length} merchant(s) are signed with a secret that is configured`);
  const todo = `set its URL at the service to https://HOST/notifications/direct/${silent.merchant}`;
  return warning(`${silent.merchant} has no URL to be notified at`, todo);
}

async function examineOther(configuration: Configuration, uri: string, runtime: Runtime): Promise<Seen> {
  await using source = await openConfiguredSource(configuration, uri, runtime);
  const { length } = await source.merchants();
  if (length === 0) return warning(`${source.name} has no merchants`, 'see that the address is the right one');
  return good(`${source.name} has ${length} merchant(s)`);
}

/** What was given up before that, nights have missed. */
const LATELY = 7 * DAY;
const MOST_LISTED = 200;

export function examineDeliveries(configuration: Configuration, asking: Asking): Examination {
  const todo = 'see that the source runs, and that http.paths.deliveries is right';
  return row('failed deliveries', todo, () => countAbandoned(configuration, asking), asking.turns);
}

async function countAbandoned(configuration: Configuration, asking: Asking): Promise<Seen> {
  const taken = Object.entries(configuration.merchants).flatMap(([merchant, one]) => {
    const source = one.source ?? configuration.source;
    const isAsked = one.notifications !== undefined && one.apiKey !== undefined && one.apiSecret !== undefined;
    return isAsked && source !== undefined && /^https?:/.test(source) ? [{ merchant, source }] : [];
  });
  if (taken.length === 0) return idle('not known: no notification is taken of a merchant that can be asked');
  const asked = taken.slice(0, asking.most);
  const lists: DeliveryList[] = [];
  for (const { merchant, source } of asked) {
    const settings = httpSettingsOf(seenAt(configuration, source), source, asking.runtime);
    const once = { ...settings, baseUrl: source, retries: { ...settings.retries, attempts: 1 } };
    try {
      lists.push(await askDeliveries({ settings: once, merchant, stop: asking.stop }, MOST_LISTED));
    } catch (failure) {
      return idle(`not known: the list of ${merchant} cannot be had: ${reasonOf(failure)}`);
    }
  }
  return judgeDeliveries(lists, someOf(lists.length, taken.length), asking.runtime.clock() - LATELY);
}

function judgeDeliveries(lists: readonly DeliveryList[], asked: string, since: number): Seen {
  const recent = lists
    .flatMap(({ deliveries }) => deliveries)
    .filter(({ reference, createdAt }) => reference !== null && (createdAt ?? since) >= since);
  const count = (state: string): number => recent.filter(({ status }) => status === state).length;
  const says = `of the last 7 days ${count('ABANDONED')} abandoned and ${count('FAILED')} to be tried again, for ${asked} merchant(s)`;
  if (count('ABANDONED') === 0) return good(says);
  return warning(says, 'see that the receiver answers, and have the service send them again');
}
