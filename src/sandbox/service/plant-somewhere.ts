// Plants a fault wherever there is a place for it: in the first merchant's books that are sound so far, so that each fault that
// is asked for is alone in its books.

import type { Expected } from '../faults/fault.ts';
import type { AnyFault } from '../faults/register.ts';
import { type Account, bringUp, expectedOf } from './account.ts';
import { plantAny } from './plant.ts';
import type { Service } from './service.ts';

/** Throws RangeError when no sound books have a place for it. */
export function plantSomewhere(
  { accounts, now }: Pick<Service, 'accounts' | 'now'>,
  fault: AnyFault,
): { readonly reference: string; readonly expected: Expected } {
  for (const account of accounts) {
    bringUp(account, now);
    if (expectedOf(account).length > 0 || !tryToPlant(account, fault)) continue;
    return { reference: account.plan.reference, expected: account.planted.at(-1)! };
  }
  throw new RangeError(`no sound books offer a place for ${fault.name}`);
}

function tryToPlant(account: Account, fault: AnyFault): boolean {
  try {
    plantAny(account, fault);
    return true;
  } catch (failure) {
    if (failure instanceof RangeError) return false;
    throw failure;
  }
}
