// Names that the document does not know, noted to be named beside the verdict: the first few in their order, whatever the
// order they came in.

import { quoted } from '../domain/printable.ts';
import type { Reason } from '../domain/snapshot.ts';

const MOST_NAMES = 8;
const LONGEST = 40;

export function noteStrange(names: Set<string>, name: string): void {
  names.add(name.slice(0, LONGEST));
  if (names.size > MOST_NAMES) names.delete([...names].sort().at(-1)!);
}

export function saidStrange(names: ReadonlySet<string>): Reason {
  const shown = [...names].sort().map(quoted).join(', ');
  return { why: `the document does not know ${shown}`, code: 'NAMES_UNKNOWN', figures: { names: shown } };
}
