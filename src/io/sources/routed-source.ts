// Several sources as one: each merchant is read from the source that has its books. A source is
// opened when one of its merchants is first used, so that a source that is down, or not configured,
// fails only its own merchants.

import { type Source, SourceFailed } from './port/source.ts';

export interface Routes {
  /**
   * The source of the merchants that have no address of their own; `null` when there are no such
   * merchants.
   */
  readonly elsewhere: Source | null;
  /**
   * Addresses of single merchants, by reference. An address may hold a password, and is never
   * shown.
   */
  readonly addresses: ReadonlyMap<string, string>;
  readonly open: (address: string) => Promise<Source>;
}

/**
 * Joins the sources into one. It owns `elsewhere`, which is closed with it. Merchants with the same
 * address share one source.
 */
export function routeSources({ elsewhere, addresses, open }: Routes): Source {
  const opening = new Map<string, Promise<Source>>();
  const opened = new Map<string, Source>();

  const openAt = (address: string): Promise<Source> => {
    const known = opening.get(address);
    if (known !== undefined) return known;
    const next = open(address);
    opening.set(address, next);
    next.then(
      (source) => opened.set(address, source),
      () => opening.delete(address),
    );
    return next;
  };
  const sourceOf = async (merchant: string): Promise<Source> => {
    const address = addresses.get(merchant);
    if (address !== undefined) return openAt(address);
    if (elsewhere !== null) return elsewhere;
    throw new SourceFailed(
      'UNKNOWN_MERCHANT',
      `No source is configured for the merchant ${merchant}.`,
    );
  };
  return {
    name: nameOf(elsewhere, new Set(addresses.values()).size),
    isStateless: (merchant) => {
      const address = addresses.get(merchant);
      const source = address === undefined ? elsewhere : opened.get(address);
      return source?.isStateless(merchant) ?? false;
    },
    merchants: async () =>
      [...new Set([...((await elsewhere?.merchants()) ?? []), ...addresses.keys()])].sort(),
    open: async (merchant, since, detail) =>
      (await sourceOf(merchant)).open(merchant, since, detail),
    ...(elsewhere?.openTogether === undefined
      ? {}
      : {
          openTogether: async (merchant, since) =>
            (await (await sourceOf(merchant)).openTogether?.(merchant, since)) ?? null,
          digestTogether: async (...asked) =>
            (await (await sourceOf(asked[0])).digestTogether?.(...asked)) ?? null,
        }),
    askOperation: async (merchant, reference) =>
      (await sourceOf(merchant)).askOperation(merchant, reference),
    askDeliveries: async (merchant) =>
      (await (await sourceOf(merchant)).askDeliveries?.(merchant)) ?? null,
    async close() {
      await Promise.allSettled(opening.values());
      await Promise.all([elsewhere, ...opened.values()].map((source) => source?.close()));
    },
  };
}

function nameOf(elsewhere: Source | null, others: number): string {
  const counted = `${others} source${others === 1 ? '' : 's'}`;
  return elsewhere === null
    ? `${counted} of single merchants`
    : `${elsewhere.name} and ${counted} of single merchants`;
}
