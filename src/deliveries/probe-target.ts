// Where a webhook would go: every address of its host. Sends nothing there.

import { lookup } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';

export interface Target {
  readonly addresses: readonly string[];
  /** Those that are not of the public internet: this machine, a private network, a link. */
  readonly inside: readonly string[];
}

/** Throws what the resolver says when the host has no address. */
export async function probeTarget(url: string): Promise<Target> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  const found = await lookup(host, { all: true });
  const addresses = found.map(({ address }) => address);
  return { addresses, inside: addresses.filter((address) => ipaddr.process(address).range() !== 'unicast') };
}
