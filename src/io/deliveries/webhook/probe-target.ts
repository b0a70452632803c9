// Where a webhook would go: whether its host has an address, and a public one. Sends nothing there.

import { lookup } from 'node:dns/promises';
import { isPublic } from './public-address.ts';

/** The first address that is not public, null when all are. Throws what the resolver says when the host has none. */
export async function findInsideAddress(url: string): Promise<string | null> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const found = await lookup(host, { all: true });
  return found.find(({ address }) => !isPublic(address))?.address ?? null;
}
