// Examines the sources of books: each is reached, its credentials open what they are configured
// for, its clock agrees, and it has given up no notification of late. Asks a few merchants, not all
// of thousands, unless all are wanted.

import { DAY, type Instant } from '../../../core/domain/instant.ts';
import type { DeliveryList } from '../../../core/domain/published/failed-delivery.ts';
import { identifyLogin, type LoginIdentity } from '../../../io/sources/dashboard/identify-login.ts';
import { askDeliveries } from '../../../io/sources/http/ask-deliveries.ts';
import {
  type AccountIdentity,
  identifyAccount,
  type Notifying,
  probeMerchant,
} from '../../../io/sources/http/ask-object.ts';
import { PlaceUnreachable, SourceFailed } from '../../../io/sources/port/source.ts';
import type { Configuration } from '../../config/check-configuration.ts';
import { toleranceOf } from '../../config/for-merchant.ts';
import {
  dashboardSettingsOf,
  httpSettingsOf,
  openConfiguredSource,
  type Runtime,
  seenAt,
} from '../open-configured.ts';
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

const SIMULATED =
  '; where it is the simulated service, start it with pointage lab sandbox --follow';
const SEND_DATE =
  'let it, or the proxy before it, send the header Date: else its books are judged up to the newest instant in them';
const TODO =
  'see that the source runs, that its address is right, and that this machine may reach it';

export function examineSource(
  configuration: Configuration,
  asking: Asking,
): readonly Examination[] {
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

/** Returns each address once: the common `source` first, then those that single merchants have. */
function addressesIn({ source, merchants }: Configuration): readonly string[] {
  const own = Object.values(merchants).map((one) => one.source);
  return [...new Set([source, ...own])].filter((address) => address !== undefined);
}

function examineOne(
  configuration: Configuration,
  one: Asking & {
    readonly address: string;
    /** Says which of several sources is examined, like ` 2`; empty for the only one. */
    readonly nth: string;
  },
): readonly Examination[] {
  const { address: source, nth, runtime, turns } = one;
  const what = `source${nth}`;
  if (!/^https?:/.test(source))
    return [row(what, TODO, () => examineOther(configuration, source, runtime))];
  const asked = askSome(configuration, source, one);
  const answered = asked.catch(() => null);
  const { clockTolerance: tolerance } = toleranceOf(configuration);
  return [
    row(what, TODO, async () => describeAnswers(await asked), turns),
    row(
      `clock of the source${nth}`,
      TODO,
      async () => judgeClock(await answered, tolerance),
      turns,
    ),
    row(
      `notifications of the source${nth}`,
      TODO,
      async () => judgeNotifying(configuration, await answered),
      turns,
    ),
  ];
}

function judgeClock(answers: Answers | null, tolerance: number): Seen {
  const dated = answers?.tried.find(({ date }) => date !== null);
  if (dated !== undefined)
    return judgeSkew('it', { skew: dated.date! - dated.at, tolerance }, SIMULATED);
  const hasAnswered = answers?.tried.some(({ failure }) => failure === null) === true;
  return hasAnswered
    ? warning('it sends none', SEND_DATE)
    : idle('not known: the source did not answer');
}

interface Answers {
  readonly name: string;
  readonly merchants: number;
  readonly tried: readonly {
    readonly merchant: string;
    readonly failure: unknown;
    readonly date: Instant | null;
    readonly notifying: Notifying | null;
    /** Our time when the source answered. */
    readonly at: Instant;
  }[];
}

async function askSome(
  configuration: Configuration,
  uri: string,
  { runtime, stop, most }: Asking,
): Promise<Answers> {
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
  const failed = tried
    .filter(({ failure }) => failure !== null)
    .sort((a, b) => (a.merchant < b.merchant ? -1 : 1));
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
  return broken(
    says,
    refused === undefined ? TODO : `correct apiKey and apiSecret of ${refused.merchant}`,
  );
}

/**
 * Judges merchants whose notifications we take: the payment service must have a URL to notify, and
 * must sign with a secret that is configured.
 */
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
    return warning(
      `those of ${strange.merchant} are signed with a secret that is not configured`,
      todo,
    );
  }
  const silent = taken.find(({ webhookUrl }) => webhookUrl === null);
  if (silent === undefined)
    return good(`those of ${taken.length} merchant(s) are signed with a secret that is configured`);
  const todo = `set its URL at the service to https://HOST/notifications/direct/${silent.merchant}`;
  return warning(`${silent.merchant} has no URL to be notified at`, todo);
}

async function examineOther(
  configuration: Configuration,
  uri: string,
  runtime: Runtime,
): Promise<Seen> {
  await using source = await openConfiguredSource(configuration, uri, runtime);
  const { length } = await source.merchants();
  if (length === 0)
    return warning(`${source.name} has no merchants`, 'see that the address is the right one');
  return good(`${source.name} has ${length} merchant(s)`);
}

/**
 * Notifications that were given up longer ago do not count, because nights have since read the
 * operations that they were about.
 */
const LATELY = 7 * DAY;
const MOST_LISTED = 200;

export function examineDeliveries(configuration: Configuration, asking: Asking): Examination {
  const todo = 'see that the source runs, and that http.paths.deliveries is right';
  return row('failed deliveries', todo, () => countAbandoned(configuration, asking), asking.turns);
}

async function countAbandoned(configuration: Configuration, asking: Asking): Promise<Seen> {
  const taken = Object.entries(configuration.merchants).flatMap(([merchant, one]) => {
    const source = one.source ?? configuration.source;
    const isAsked =
      one.notifications !== undefined && one.apiKey !== undefined && one.apiSecret !== undefined;
    return isAsked && source !== undefined && /^https?:/.test(source) ? [{ merchant, source }] : [];
  });
  if (taken.length === 0)
    return idle('not known: no notification is taken of a merchant that can be asked');
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
  return judgeDeliveries(
    lists,
    someOf(lists.length, taken.length),
    asking.runtime.clock() - LATELY,
  );
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

export function examineIdentities(configuration: Configuration, asking: Asking): Examination {
  const todo = 'see that dashboard.baseUrl is right, and that this machine may reach it';
  return row(
    'merchants of the dashboard',
    todo,
    () => identifyMerchants(configuration, asking),
    asking.turns,
  );
}

async function identifyMerchants(configuration: Configuration, asking: Asking): Promise<Seen> {
  const { dashboard, merchants } = configuration;
  const { runtime, stop, most } = asking;
  if (dashboard === undefined) return idle('not configured');
  const settings = await dashboardSettingsOf(configuration, dashboard, runtime);
  const { merchants: logins } = settings;
  if (Object.keys(logins).length === 0)
    return idle('no merchant has a numero and a password for it');
  // Ask merchants without a login of their own too, because another's login may open their account.
  const chosen = [
    ...new Set([...Object.keys(logins).sort(), ...Object.keys(merchants).sort()]),
  ].slice(0, most);
  const identities: Identity[] = [];
  const failed = new Map<string, unknown>();
  await askEach(chosen, async (merchant) => {
    try {
      const login = Object.hasOwn(logins, merchant)
        ? await identifyLogin(settings, { merchant, stop })
        : null;
      identities.push({
        merchant,
        login,
        account: await accountOf(configuration, merchant, asking),
      });
    } catch (failure) {
      failed.set(merchant, failure);
    }
  });
  const refused = chosen.find((merchant) => failed.has(merchant));
  if (refused !== undefined) {
    const says = `${failed.size} asked merchant(s) cannot be logged in; ${refused}: ${reasonOf(failed.get(refused))}`;
    return broken(
      says,
      `see that dashboard.numero and dashboard.password of ${refused} are its own`,
    );
  }
  identities.sort((a, b) => (a.merchant < b.merchant ? -1 : 1));
  return judgeIdentities({ identities, all: new Set(Object.keys(merchants)) });
}

/**
 * Returns the account that a merchant's keys open in the direct API. Returns `null` where it cannot
 * be read, because the examination of the source says so already.
 */
async function accountOf(
  configuration: Configuration,
  merchant: string,
  { runtime, stop }: Asking,
) {
  const { source = configuration.source, apiKey, apiSecret } = configuration.merchants[merchant]!;
  if (
    source === undefined ||
    !/^https?:/.test(source) ||
    apiKey === undefined ||
    apiSecret === undefined
  )
    return null;
  const settings = {
    ...httpSettingsOf(seenAt(configuration, source), source, runtime),
    baseUrl: source,
  };
  return identifyAccount(settings, { merchant, stop }).catch(() => null);
}

interface Identity {
  /** The merchant's reference in the configuration. */
  readonly merchant: string;
  /** Null where it is not configured for the dashboard. */
  readonly login: LoginIdentity | null;
  /** Null where the direct API was not asked, or did not answer. */
  readonly account: AccountIdentity | null;
}

type LoggedIn = Identity & { readonly login: LoginIdentity };

interface Known {
  readonly identities: readonly Identity[];
  /** The references of every merchant that is configured. */
  readonly all: ReadonlySet<string>;
}

/** Judges what is certain before what is only in doubt. */
function judgeIdentities(known: Known): Seen {
  const logged = known.identities.filter((one): one is LoggedIn => one.login !== null);
  const others = logged.filter((one) => !isConfirmed(one));
  const amiss = twiceOpened(logged) ?? crossed(others, known) ?? doubted(others, logged);
  if (amiss !== null) return amiss;
  const [other] = others;
  if (other !== undefined)
    return idle(`not to be known of ${others.length} merchant(s): ${compared(other)}`);
  return good(`its logins open the merchants that they are configured for: ${logged.length} asked`);
}

/**
 * Whether both APIs give the merchant one id, or the dashboard's own record of who is logged in has
 * the reference that is configured.
 */
function isConfirmed({ merchant, login, account }: LoggedIn): boolean {
  const { merchantId, record } = login;
  return (
    isSame(login, account) ||
    (merchantId !== null && record?.id === merchantId && record.reference === merchant)
  );
}

function twiceOpened(logged: readonly LoggedIn[]): Seen | null {
  const byId = Map.groupBy(logged, ({ login }) => login.merchantId);
  byId.delete(null);
  const pair = [...byId.values()].find(({ length }) => length > 1);
  if (pair === undefined) return null;
  const [first, second] = pair.map(({ merchant }) => merchant);
  return broken(
    `the dashboard credentials of ${first} and of ${second} open one and the same merchant`,
    `correct dashboard.numero and dashboard.password of ${first} or of ${second}`,
  );
}

function crossed(others: readonly LoggedIn[], { identities, all }: Known): Seen | null {
  for (const { merchant, login } of others) {
    const { merchantId, record } = login;
    const owner = identities.find(({ account }) => isSame(login, account))?.merchant;
    const opened = owner ?? (record?.id === merchantId ? record?.reference : null);
    if (opened == null || opened === merchant || !all.has(opened)) continue;
    return broken(
      `the dashboard credentials of ${merchant} open the merchant ${opened}`,
      todoFor(merchant),
    );
  }
  return null;
}

/**
 * Returns a warning about the first login that may not be the merchant's own, though nothing is
 * certain; `null` if there is none.
 */
function doubted(others: readonly LoggedIn[], logged: readonly LoggedIn[]): Seen | null {
  const areOne = logged.some(({ login, account }) => isSame(login, account));
  for (const other of others) {
    const why = doubtOf(other, areOne);
    if (why !== null) return warning(`${other.merchant}: ${why}`, todoFor(other.merchant));
  }
  return null;
}

/**
 * Returns why the login may not be the merchant's own, or `null`. `areOne` says that for some
 * merchant both APIs give the same id, so that two different ids mean something.
 */
function doubtOf({ merchant, login, account }: LoggedIn, areOne: boolean): string | null {
  const { merchantId, record } = login;
  if (record?.id != null && merchantId !== null && record.id !== merchantId) {
    return `its login opens the merchant ${shown(merchantId)}, its record is that of ${shown(record.id)}`;
  }
  if (record?.reference != null && record.reference !== merchant) {
    return `its record on the dashboard has the reference ${shown(record.reference)}`;
  }
  if (areOne && merchantId !== null && account?.merchantId != null) {
    return 'its id on the dashboard is not that of its wallet, though those of other merchants are';
  }
  const [here, there] = [account?.country, record?.country];
  if (here == null || there == null || here === there) return null;
  return `its country is ${here} in the direct API and ${shown(there)} on the dashboard`;
}

function isSame({ merchantId }: LoginIdentity, account: AccountIdentity | null): boolean {
  return merchantId !== null && merchantId === account?.merchantId;
}

/** Returns both names of the merchant, for a person to compare. */
function compared({ merchant, login, account }: LoggedIn): string {
  const [there, here] = [login.record?.name, account?.name].map((name) =>
    name == null ? 'not named' : shown(name),
  );
  return `${merchant} is ${here} in the direct API and ${there} on the dashboard`;
}

function todoFor(merchant: string): string {
  return `see that dashboard.numero and dashboard.password of ${merchant} are its own`;
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
