// Who is who, looked at: the dashboard takes the credentials of its merchants, and they are those of the merchant whose books
// the direct API opens. Asks a few merchants, not all of thousands.

import { identifyLogin } from '../../../io/sources/dashboard/identify-login.ts';
import { identifyAccount } from '../../../io/sources/http/identify-account.ts';
import type { Configuration } from '../../config/check-configuration.ts';
import { dashboardSettingsOf, httpSettingsOf } from '../open-configured.ts';
import { seenAt } from '../sources.ts';
import { type Asking, broken, type Examination, idle, reasonOf, type Seen } from './examination.ts';
import { AT_ONCE } from './examine-source.ts';
import { type Identity, judgeIdentities } from './judge-identities.ts';

export function examineIdentities(configuration: Configuration, asking: Asking): Examination {
  return {
    what: 'merchants of the dashboard',
    todo: 'see that dashboard.baseUrl is right, and that this machine may reach it',
    turns: asking.turns,
    examine: () => examine(configuration, asking),
  };
}

async function examine(configuration: Configuration, asking: Asking): Promise<Seen> {
  const { dashboard, merchants } = configuration;
  const { surroundings, stop, most } = asking;
  if (dashboard === undefined) return idle('not configured');
  const settings = await dashboardSettingsOf(configuration, dashboard, surroundings);
  const { merchants: logins } = settings;
  if (Object.keys(logins).length === 0) return idle('no merchant has a numero and a password for it');
  // Also some that are not on the dashboard: the credentials of another may open theirs.
  const chosen = [...new Set([...Object.keys(logins).sort(), ...Object.keys(merchants).sort()])].slice(0, most);
  const identities: Identity[] = [];
  const failed = new Map<string, unknown>();
  const rest = chosen.values();
  const askNext = async (): Promise<void> => {
    for (const merchant of rest) {
      try {
        const login = Object.hasOwn(logins, merchant) ? await identifyLogin(settings, { merchant, stop }) : null;
        identities.push({ merchant, login, account: await accountOf(configuration, merchant, asking) });
      } catch (failure) {
        failed.set(merchant, failure);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, askNext));
  const refused = chosen.find((merchant) => failed.has(merchant));
  if (refused !== undefined) {
    const says = `${failed.size} asked merchant(s) cannot be logged in; ${refused}: ${reasonOf(failed.get(refused))}`;
    return broken(says, `see that dashboard.numero and dashboard.password of ${refused} are its own`);
  }
  identities.sort((a, b) => (a.merchant < b.merchant ? -1 : 1));
  return judgeIdentities({ identities, all: new Set(Object.keys(merchants)) });
}

/** That it cannot be read is said of the source. */
async function accountOf(configuration: Configuration, merchant: string, { surroundings, stop }: Asking) {
  const { source = configuration.source, apiKey, apiSecret } = configuration.merchants[merchant]!;
  if (source === undefined || !/^https?:/.test(source) || apiKey === undefined || apiSecret === undefined) return null;
  const settings = { ...httpSettingsOf(seenAt(configuration, source), source, surroundings), baseUrl: source };
  return identifyAccount(settings, { merchant, stop }).catch(() => null);
}
