// The living service without its server: accounts, settings, the courier, and time, which only moves when it is moved.

import { formatInstant, type Instant } from '../../core/domain/instant.ts';
import { closeCourier, openCourier } from '../courier/courier.ts';
import { refusalOfUrl } from '../courier/receiving-url.ts';
import type { MerchantPlan } from '../plan.ts';
import { type Random, seedRandom } from '../random.ts';
import { type Account, bringUp, joinCourier, listenTo, openAccount, setNotifyUrl, setPaymentsUrl } from './account.ts';
import { passTime, type Time } from './pass-time.ts';
import { type GivenSettings, type Settings, settingsFrom } from './settings.ts';

export interface ServiceOptions {
  readonly seed: string;
  readonly merchants: readonly MerchantPlan[];
  /** The simulated time at which the service opens; each merchant's history up to here exists already. */
  readonly start: Instant;
  readonly settings?: GivenSettings;
  /** Merchant's reference → where its notifications go from `start` on. Others are notified once a call has said where. */
  readonly notify?: Readonly<Record<string, string>>;
  /** The same for the results of payments by link, which have a URL of their own. */
  readonly notifyPayments?: Readonly<Record<string, string>>;
  /** This machine's time, which signatures bear unless `settings.courier` says otherwise. */
  readonly clock?: () => Instant;
}

export interface Service extends Time {
  readonly accounts: Account[];
  readonly settings: Settings;
  readonly seed: string;
  readonly requestIds: Random;
  /** How creations fare: the trouble that is asked for draws from it. */
  readonly creations: Random;
  /** The last advance that was asked for. */
  advancing: Promise<void>;
}

/** Simulates every merchant's history up to `start`. Throws RangeError for an impossible plan, and for a URL that is refused. */
export function openService(options: ServiceOptions): Service {
  const settings = settingsFrom(options.settings);
  const service: Service = {
    accounts: [],
    settings,
    seed: options.seed,
    requestIds: seedRandom(`${options.seed}/requests`),
    creations: seedRandom(`${options.seed}/creations`),
    now: options.start,
    courier: openCourier(settings.courier, options.clock ?? Date.now),
    listening: new Set(),
    advancing: Promise.resolve(),
  };
  for (const plan of options.merchants) enrol(service, plan);
  for (const [name, notifyAt] of [
    ['notify', notifyAccount],
    ['notifyPayments', notifyPayments],
  ] as const) {
    for (const [reference, url] of Object.entries(options[name] ?? {})) {
      const refusal = refusalOfUrl(url, service.courier.settings);
      if (refusal !== null) throw new RangeError(`${name}: the URL of ${reference} ${refusal}`);
      notifyAt(service, accountOf(service, reference), url);
    }
  }
  return service;
}

/** Adds the merchant, with its history up to now. */
export function enrol(service: Service, plan: MerchantPlan): Account {
  const account = openAccount(plan, { seed: service.seed, start: service.now });
  joinCourier(account, service.courier);
  service.accounts.push(account);
  return account;
}

/** Says where the account's notifications go from now on; null: nowhere. */
export function notifyAccount(service: Service, account: Account, url: string | null): void {
  setNotifyUrl(account, url);
  if (url !== null) listenTo(service, account);
}

/** Says where the results of the account's payments by link go from now on. The account must be up to date. */
export function notifyPayments(service: Service, account: Account, url: string): void {
  setPaymentsUrl(account, url);
  listenTo(service, account);
}

/** Up to date. Throws RangeError for an unknown reference. */
export function accountOf(service: Service, reference: string): Account {
  const account = service.accounts.find(({ plan }) => plan.reference === reference);
  if (account === undefined) throw new RangeError(`the sandbox has no merchant ${reference}`);
  bringUp(account, service.now);
  return account;
}

/** Advances follow one another. Rejects with RangeError when `instant` is in the past by then. */
export function advanceService(service: Service, instant: Instant): Promise<void> {
  const advance = async (): Promise<void> => {
    if (instant < service.now) throw new RangeError(`time runs forward: it is ${formatInstant(service.now)} already`);
    await passTime(service, instant);
    for (const account of service.accounts) bringUp(account, instant);
  };
  const advanced = service.advancing.then(advance);
  service.advancing = advanced.catch(() => undefined);
  return advanced;
}

export async function closeService(service: Service): Promise<void> {
  await closeCourier(service.courier);
}
