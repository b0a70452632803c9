// What is thrown where a command cannot begin: its configuration or its words are wrong. Says what
// to do, which name was probably meant, and no secret.

/** Wrong configuration or usage: the command fails with this sentence and status 3. */
export class ConfigurationInvalid extends Error {
  override readonly name = 'ConfigurationInvalid';
}

/** ` (did you mean source?)`, or nothing where no name is near. */
export function didYouMean(wanted: string, names: readonly string[]): string {
  const [nearest] = names
    .map((name) => ({ name, steps: stepsBetween(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(
      ({ name, steps }) =>
        steps <= Math.max(1, Math.floor(Math.max(name.length, wanted.length) / 3)),
    )
    .sort((a, b) => a.steps - b.steps);
  return nearest === undefined ? '' : ` (did you mean ${nearest.name}?)`;
}

/**
 * Returns how many letters must be put in, left out, changed or swapped with the next to make `b`
 * of `a`.
 */
function stepsBetween(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const ways = [rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + same];
      row.push(Math.min(...ways, ...(swapped ? [rows[i - 2]![j - 2]! + 1] : [])));
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}
