// What the service could not deliver of late, of merchants whose notifications are taken here: it gave up, and does not try again.

import { DAY } from '../../../core/domain/instant.ts';
import type { DeliveryList } from '../../../core/domain/published/failed-delivery.ts';
import { askDeliveries } from '../../../io/sources/http/ask-deliveries.ts';
import type { Configuration } from '../../config/check-configuration.ts';
import { httpSettingsOf } from '../open-configured.ts';
import { seenAt } from '../sources.ts';
import { type Asking, type Examination, good, idle, reasonOf, type Seen, someOf, warning } from './examination.ts';

/** What was given up before that, nights have missed. */
const LATELY = 7 * DAY;
const MOST_LISTED = 200;

export function examineDeliveries(configuration: Configuration, asking: Asking): Examination {
  return {
    what: 'failed deliveries',
    todo: 'see that the source runs, and that http.paths.deliveries is right',
    turns: asking.turns,
    examine: () => examine(configuration, asking),
  };
}

async function examine(configuration: Configuration, asking: Asking): Promise<Seen> {
  const taken = Object.entries(configuration.merchants).flatMap(([merchant, one]) => {
    const source = one.source ?? configuration.source;
    const isAsked = one.notifications !== undefined && one.apiKey !== undefined && one.apiSecret !== undefined;
    return isAsked && source !== undefined && /^https?:/.test(source) ? [{ merchant, source }] : [];
  });
  if (taken.length === 0) return idle('not known: no notification is taken of a merchant that can be asked');
  const asked = taken.slice(0, asking.most);
  const lists: DeliveryList[] = [];
  for (const { merchant, source } of asked) {
    const settings = httpSettingsOf(seenAt(configuration, source), source, asking.surroundings);
    const once = { ...settings, baseUrl: source, retries: { ...settings.retries, attempts: 1 } };
    try {
      lists.push(await askDeliveries({ settings: once, merchant, stop: asking.stop }, MOST_LISTED));
    } catch (failure) {
      return idle(`not known: the list of ${merchant} cannot be had: ${reasonOf(failure)}`);
    }
  }
  return judge(lists, someOf(lists.length, taken.length), asking.surroundings.clock() - LATELY);
}

function judge(lists: readonly DeliveryList[], asked: string, since: number): Seen {
  const recent = lists
    .flatMap(({ deliveries }) => deliveries)
    .filter(({ reference, createdAt }) => reference !== null && (createdAt ?? since) >= since);
  const count = (state: string): number => recent.filter(({ status }) => status === state).length;
  const says = `of the last 7 days ${count('ABANDONED')} abandoned and ${count('FAILED')} to be tried again, for ${asked} merchant(s)`;
  if (count('ABANDONED') === 0) return good(says);
  return warning(says, 'see that the receiver answers, and have the service send them again');
}
