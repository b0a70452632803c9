// Which addresses a webhook may go to: those of the public internet. Refuses every other, whichever
// way it is written.

import { lookup } from 'node:dns';
import { lookup as resolveHost } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The addresses that are given out to hosts of the internet; all others are private, reserved or a
 * tunnel.
 */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/** The name or the address itself is not public; the message says which. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/**
 * Of an IP address as text. IPv4 inside IPv6 is judged as the IPv4 that it leads to, or refused.
 */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST);
}

/**
 * Throws AddressRefused when a URL's host is itself an address, and not a public one: names are
 * judged when they resolve.
 */
export function requirePublicHost({ hostname }: URL): void {
  const host = hostOf(hostname);
  if (isIP(host) !== 0 && !isPublic(host)) throw new AddressRefused(refusalOf(host));
}

/**
 * For the `lookup` option of a request: the addresses that it gives are those that are connected
 * to, so that no second answer of a name server can slip in between. One that is not public refuses
 * the name.
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
 * Sends nothing there: the first address of a URL's host that is not public, null when all are.
 * Throws as the resolver does.
 */
export async function findInsideAddress(url: string): Promise<string | null> {
  const found = await resolveHost(hostOf(new URL(url).hostname), { all: true });
  return found.find(({ address }) => !isPublic(address))?.address ?? null;
}

/** Without the brackets of an IPv6 address. */
function hostOf(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function refusalOf(address: string, name?: string): string {
  const leads = name === undefined ? '' : `${name} leads to `;
  return `${leads}${address}, which is not a public address; alerts.allowPrivate would let it pass`;
}
