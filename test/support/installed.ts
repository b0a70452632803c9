// The foreign programs by which tests read documents. Where one is not installed, its tests are
// skipped; with `POINTAGE_READERS=required` they fail (`.ci/run` installs them all and then says
// so).

import { spawnSync } from 'node:child_process';

/**
 * Whether these programs are installed. Throws when one is not and `POINTAGE_READERS` is
 * `required`.
 */
export function areInstalled(...programs: readonly string[]): boolean {
  const missing = programs.filter((program) => spawnSync('which', [program]).status !== 0);
  return isThereOrNotRequired(missing.length === 0, missing.join(', '));
}

export function isThereOrNotRequired(isThere: boolean, what: string): boolean {
  if (!isThere && process.env.POINTAGE_READERS === 'required')
    throw new Error(`not installed: ${what}`);
  return isThere;
}
