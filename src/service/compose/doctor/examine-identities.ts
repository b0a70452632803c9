// Examines whose credentials are configured: the dashboard takes those of its merchants, and both APIs open one merchant with them.
// The documents do not say that the dashboard's `merchant_id` is the direct API's `merchantId`: that they differ is no fault by
// itself. Asks a few merchants, not all of thousands.

import { identifyLogin, type LoginIdentity } from '../../../io/sources/dashboard/identify-login.ts';
import { type AccountIdentity, identifyAccount } from '../../../io/sources/http/ask-object.ts';
import type { Configuration } from '../../config/check-configuration.ts';
import { dashboardSettingsOf, httpSettingsOf, seenAt } from '../open-configured.ts';
import {
  type Asking,
  askEach,
  broken,
  type Examination,
  good,
  idle,
  reasonOf,
  row,
  type Seen,
  warning,
} from './examination.ts';

export function examineIdentities(configuration: Configuration, asking: Asking): Examination {
  const todo = 'see that dashboard.baseUrl is right, and that this machine may reach it';
  return row('merchants of the dashboard', todo, () => identifyMerchants(configuration, asking), asking.turns);
}

async function identifyMerchants(configuration: Configuration, asking: Asking): Promise<Seen> {
  const { dashboard, merchants } = configuration;
  const { runtime, stop, most } = asking;
  if (dashboard === undefined) return idle('not configured');
  const settings = await dashboardSettingsOf(configuration, dashboard, runtime);
  const { merchants: logins } = settings;
  if (Object.keys(logins).length === 0) return idle('no merchant has a numero and a password for it');
  // Also some that are not on the dashboard: the credentials of another may open theirs.
  const chosen = [...new Set([...Object.keys(logins).sort(), ...Object.keys(merchants).sort()])].slice(0, most);
  const identities: Identity[] = [];
  const failed = new Map<string, unknown>();
  await askEach(chosen, async (merchant) => {
    try {
      const login = Object.hasOwn(logins, merchant) ? await identifyLogin(settings, { merchant, stop }) : null;
      identities.push({ merchant, login, account: await accountOf(configuration, merchant, asking) });
    } catch (failure) {
      failed.set(merchant, failure);
    }
  });
  const refused = chosen.find((merchant) => failed.has(merchant));
  if (refused !== undefined) {
    const says = `${failed.size} asked merchant(s) cannot be logged in; ${refused}: ${reasonOf(failed.get(refused))}`;
    return broken(says, `see that dashboard.numero and dashboard.password of ${refused} are its own`);
  }
  identities.sort((a, b) => (a.merchant < b.merchant ? -1 : 1));
  return judgeIdentities({ identities, all: new Set(Object.keys(merchants)) });
}

/** Null where it cannot be read: the examination of the source says so. */
async function accountOf(configuration: Configuration, merchant: string, { runtime, stop }: Asking) {
  const { source = configuration.source, apiKey, apiSecret } = configuration.merchants[merchant]!;
  if (source === undefined || !/^https?:/.test(source) || apiKey === undefined || apiSecret === undefined) return null;
  const settings = { ...httpSettingsOf(seenAt(configuration, source), source, runtime), baseUrl: source };
  return identifyAccount(settings, { merchant, stop }).catch(() => null);
}

interface Identity {
  /** As configured. */
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

/** What is certain first. */
function judgeIdentities(known: Known): Seen {
  const logged = known.identities.filter((one): one is LoggedIn => one.login !== null);
  const others = logged.filter((one) => !isConfirmed(one));
  const amiss = twiceOpened(logged) ?? crossed(others, known) ?? doubted(others, logged);
  if (amiss !== null) return amiss;
  const [other] = others;
  if (other !== undefined) return idle(`not to be known of ${others.length} merchant(s): ${compared(other)}`);
  return good(`its logins open the merchants that they are configured for: ${logged.length} asked`);
}

/** Both APIs give it one id, or the dashboard's own record of who is logged in has the reference that is configured. */
function isConfirmed({ merchant, login, account }: LoggedIn): boolean {
  const { merchantId, record } = login;
  return isSame(login, account) || (merchantId !== null && record?.id === merchantId && record.reference === merchant);
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
    return broken(`the dashboard credentials of ${merchant} open the merchant ${opened}`, todoFor(merchant));
  }
  return null;
}

/** What speaks against it, though nothing is certain. */
function doubted(others: readonly LoggedIn[], logged: readonly LoggedIn[]): Seen | null {
  const areOne = logged.some(({ login, account }) => isSame(login, account));
  for (const other of others) {
    const why = doubtOf(other, areOne);
    if (why !== null) return warning(`${other.merchant}: ${why}`, todoFor(other.merchant));
  }
  return null;
}

/** `areOne`: of some merchant, both APIs give one id. */
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

/** For a person to compare. */
function compared({ merchant, login, account }: LoggedIn): string {
  const [there, here] = [login.record?.name, account?.name].map((name) => (name == null ? 'not named' : shown(name)));
  return `${merchant} is ${here} in the direct API and ${there} on the dashboard`;
}

function todoFor(merchant: string): string {
  return `see that dashboard.numero and dashboard.password of ${merchant} are its own`;
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
