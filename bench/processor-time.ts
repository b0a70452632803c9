// Processor time of whole families of processes, as Linux counts it: a server of PostgreSQL with
// all its sessions, those that have ended included. On other systems it is `null`.

import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second, whatever the clock of the kernel. */
const TICKS_A_SECOND = 100;

/**
 * Returns the user and system time, in seconds, of a process and of all its children, living or
 * ended; `null` where it is unknown.
 */
export function familyTime(pid: number): number | null {
  const own = countedOf(pid);
  if (own === null) return null;
  const children = childrenOf(pid).map((child) => countedOf(child)?.own ?? 0);
  return children.reduce((sum, ticks) => sum + ticks, own.own + own.ended) / TICKS_A_SECOND;
}

/** Returns the ticks of the process itself, and those of its children that have ended. */
function countedOf(pid: number): { readonly own: number; readonly ended: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name in brackets, which may hold anything.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    return { own: fields[11]! + fields[12]!, ended: fields[13]! + fields[14]! };
  } catch {
    return null;
  }
}

function childrenOf(pid: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => parentOf(candidate) === pid);
}

/** Returns the parent of a process; `null` where it is unknown. */
export function parentOf(pid: number): number | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null;
  }
}
