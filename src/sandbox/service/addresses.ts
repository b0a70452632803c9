// The addresses from which an account may be called. Both APIs keep the one list; an empty one allows any address.

import { isIP } from 'node:net';
import { uuidOf } from '../random.ts';

export interface AllowedAddress {
  readonly id: string;
  readonly address: string;
}

/** The part of an account that holds them. */
interface Fenced {
  readonly addresses: AllowedAddress[];
}

/** As a plan declares them. */
export function addressesOf(reference: string, declared: readonly string[] | null): AllowedAddress[] {
  return (declared ?? []).map((address) => ({ id: idOf(reference, address), address }));
}

export function allowsAddress({ addresses }: Fenced, caller: string): boolean {
  return addresses.length === 0 || addresses.some(({ address }) => address === plainAddress(caller));
}

/** Null for what is not an IP address. An address that is there already stays as it is. */
export function allowAddress(
  account: Fenced & { readonly plan: { readonly reference: string } },
  text: string,
): AllowedAddress | null {
  const address = plainAddress(text);
  if (isIP(address) === 0) return null;
  const known = account.addresses.find((one) => one.address === address);
  if (known !== undefined) return known;
  const added = { id: idOf(account.plan.reference, address), address };
  account.addresses.push(added);
  return added;
}

/** False when there is no address of that id. */
export function forbidAddress({ addresses }: Fenced, id: string): boolean {
  const place = addresses.findIndex((one) => one.id === id);
  if (place < 0) return false;
  addresses.splice(place, 1);
  return true;
}

/** A caller over IPv6 that has an IPv4 address is known by that. */
function plainAddress(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
}

function idOf(reference: string, address: string): string {
  return uuidOf(`${reference}/address/${address}`);
}
