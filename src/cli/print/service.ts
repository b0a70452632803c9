// Prints the service's own report of a month beside the statement of it: what was compared, or why nothing was, and each
// figure that differs. Prints nothing where the service published nothing.

import type { ServiceComparison } from '../../statements/service-comparison.ts';
import type { Terminal } from '../terminal.ts';

const MOST_SHOWN = 10;

export function printService(terminal: Terminal, service: ServiceComparison | null): void {
  if (service === null) return;
  const { notCompared, compared, differences } = service;
  if (notCompared !== null) {
    terminal.out(`  the service's report was not compared: ${oneLine(notCompared)}\n`);
    return;
  }
  const outcome = differences.length === 0 ? 'all agree' : `${differences.length} differ`;
  terminal.out(`  the service's report: ${compared} figures compared, ${outcome}\n`);
  for (const { key, service: theirs, ours } of differences.slice(0, MOST_SHOWN)) {
    const difference = `${oneLine(key)} is ${oneLine(theirs ?? 'nothing')}, the statement ${oneLine(ours ?? 'nothing')}`;
    terminal.out(`  the service's report says ${difference}\n`);
  }
  if (differences.length > MOST_SHOWN) terminal.out(`  … ${differences.length - MOST_SHOWN} more figures differ\n`);
}

/** Texts of the service may hold what a terminal would obey. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ');
}
