// Where notifications may be sent to: HTTPS anywhere, plain HTTP only to this machine, and to private networks where that was
// asked for.

import { BlockList, isIP } from 'node:net';

const LONGEST_URL = 2_048;

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

const PRIVATE = new BlockList();
PRIVATE.addSubnet('10.0.0.0', 8, 'ipv4');
PRIVATE.addSubnet('172.16.0.0', 12, 'ipv4');
PRIVATE.addSubnet('192.168.0.0', 16, 'ipv4');
PRIVATE.addSubnet('fc00::', 7, 'ipv6');

/** Null when notifications may be sent there, else the sentence that refuses it. */
export function refusalOfUrl(text: string, allowance: { readonly privateHttp: boolean }): string | null {
  if (text.length > LONGEST_URL) return `must not be longer than ${LONGEST_URL} characters`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return 'must be a URL';
  if (url.username !== '' || url.password !== '') return 'must carry no user name and no password';
  if (url.protocol === 'https:') return null;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const isAllowed = isLoopback(host) || (allowance.privateHttp && isPrivate(host));
  return url.protocol === 'http:' && isAllowed ? null : 'must begin with https://';
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || isIn(LOOPBACK, host);
}

/** A name without a dot is one of this network's own: a container's. */
function isPrivate(host: string): boolean {
  return isIn(PRIVATE, host) || (isIP(host) === 0 && !host.includes('.'));
}

function isIn(list: BlockList, host: string): boolean {
  const version = isIP(host);
  return version !== 0 && list.check(host, version === 4 ? 'ipv4' : 'ipv6');
}
