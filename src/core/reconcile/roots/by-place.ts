// Findings of one line, or of one operation, are of one fault; so are all that a line breaks that stands under another's
// number, where it stands and where it is missing.

import { standsAlone } from '../../checks/kinds/catalogue.ts';
import type { Links } from './links.ts';
import type { Material } from './material.ts';
import { driftThrough } from './places.ts';

export function linkByPlace(links: Links, { drafts }: Material): void {
  const lines = new Map<number, number>();
  const operations = new Map<string, number>();
  const join = <Key>(places: Map<Key, number>, place: Key | null, i: number): void => {
    const known = place === null ? undefined : places.get(place);
    if (known !== undefined) links.join(i, known);
    else if (place !== null) places.set(place, i);
  };
  drafts.forEach((draft, i) => {
    if (standsAlone(draft)) return;
    join(lines, draft.sequence, i);
    join(operations, draft.operationReference, i);
    // One disorder may show in both figures: the ends of its drift are its places too.
    for (const end of draft.undoneAt) join(lines, end, i);
  });
}

export function linkMisplaced(links: Links, { misplaced, places }: Material): void {
  for (const { operationReference, home, breaks } of misplaced) {
    const self = driftThrough(home, places);
    if (self === undefined) continue;
    const others = breaks.map((sequence) => driftThrough(sequence, places) ?? places.bySequence.get(sequence));
    if (operationReference !== null) others.push(places.byOperation.get(operationReference));
    for (const other of others) if (other !== undefined) links.join(other, self);
  }
}
