// Decides which addresses a webhook may go to: those of the public internet. Refuses every other
// address, in whatever form it is written.

import { lookup } from 'node:dns';
import { lookup as resolveHost } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The IPv6 addresses that are given out to hosts on the internet. All others are private, reserved
 * or a tunnel.
 */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/**
 * Thrown when an address, or an address that a name leads to, is not public. The message names it.
 */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/**
 * Returns whether an IP address, as text, is public. IPv4 inside IPv6 is judged as the IPv4 address
 * that it leads to, or refused.
 */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST);
}

/**
 * Throws `AddressRefused` when a URL's host is an address that is not public. Host names are judged
 * when they are resolved.
 */
export function requirePublicHost({ hostname }: URL): void {
  const host = hostOf(hostname);
  if (isIP(host) !== 0 && !isPublic(host)) throw new AddressRefused(refusalOf(host));
}

/**
 * Returns a function for the `lookup` option of a request. The request connects to the addresses
 * that it returns, so that no second answer of a name server can get in between. A name is refused
 * when one of its addresses is not public.
 */
export function lookupPublic(resolve: typeof lookup = lookup): LookupFunction {
  return (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (failure, addresses) => {
      if (failure !== null) return done(failure, '');
      const wrong = addresses.find(({ address }) => !isPublic(address));
      if (wrong !== undefined)
        return done(new AddressRefused(refusalOf(wrong.address, hostname)), '');
      const [first] = addresses;
      if (options.all === true) done(null, addresses);
      else done(null, first!.address, first!.family);
    });
  };
}

/**
 * Returns the first address of a URL's host that is not public; `null` when all are public. Sends
 * nothing to the host. Throws when the name cannot be resolved.
 */
export async function findInsideAddress(url: string): Promise<string | null> {
  const found = await resolveHost(hostOf(new URL(url).hostname), { all: true });
  return found.find(({ address }) => !isPublic(address))?.address ?? null;
}

/** Returns the host without the brackets of an IPv6 address. */
function hostOf(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function refusalOf(address: string, name?: string): string {
  const leads = name === undefined ? '' : `${name} leads to `;
  return `${leads}${address}, which is not a public address; alerts.allowPrivate would let it pass`;
}
