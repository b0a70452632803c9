// The direct API as a source: a key and a secret open one merchant's books. Reads only; sends nothing but GETs.

import { type Source, SourceFailed } from '../source.ts';
import { openPlace } from '../web/place.ts';
import { askDeliveries } from './ask-deliveries.ts';
import { type Asker, askSurely } from './ask-object.ts';
import { checkHttpSettings, type HttpSettings } from './http-settings.ts';
import { openHttpSnapshot, type ServiceMemory } from './http-snapshot.ts';

/** Throws `SourceFailed` INVALID_SETTINGS; nothing is sent before a merchant is opened. */
export function openHttpSource(given: HttpSettings): Source {
  checkHttpSettings(given);
  const settings = { ...given, place: openPlace(given.retries) };
  const memory: ServiceMemory = {
    ledger: { order: settings.ledgerOrder, longestPage: 0 },
    operations: { order: settings.operationsOrder, longestPage: 0 },
    proof: { isProven: false },
  };
  const control = new AbortController();
  const open = new Set<() => Promise<void>>();
  function expectConfigured(merchant: string): void {
    if (Object.hasOwn(settings.merchants, merchant)) return;
    throw new SourceFailed('UNKNOWN_MERCHANT', `No credentials are configured for the merchant ${merchant}.`);
  }
  return {
    name: settings.baseUrl.replace(/\/+$/, ''),
    isStateless: () => false,
    async merchants() {
      return Object.keys(settings.merchants).sort();
    },
    async open(merchant, since) {
      expectConfigured(merchant);
      const snapshot = await openHttpSnapshot({ settings, merchant, since, memory });
      const close = async (): Promise<void> => {
        open.delete(close);
        await snapshot.close();
      };
      open.add(close);
      return { ...snapshot, close };
    },
    async askOperation(merchant, reference) {
      expectConfigured(merchant);
      const asker: Asker = { settings, merchant, stop: control.signal };
      const asked = await askSurely(asker, { reference, proof: memory.proof });
      if (asked === null) return null;
      if (asked.kind === 'read') return asked.value;
      throw new SourceFailed(
        'UNREADABLE_OPERATION',
        `${asked.row.place} of ${merchant} was answered with an operation that cannot be read (${asked.row.reason}).`,
      );
    },
    async askDeliveries(merchant) {
      expectConfigured(merchant);
      return askDeliveries({ settings, merchant, stop: control.signal });
    },
    async close() {
      control.abort();
      await Promise.all([...open].map((close) => close()));
    },
  };
}
