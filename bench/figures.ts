// The figures of a benchmark: one for each line of the table, each with its ratio to something else
// measured in the same run. Refuses single runs: a figure is the median of its rounds, and a ratio
// the median of the ratios within each round.

/** One run of one contender. */
export interface Sample {
  readonly seconds: number;
  /** User and system time of the process; null where it cannot be separated. */
  readonly cpuSeconds: number | null;
  readonly peakMegabytes: number | null;
}

export interface Ratio {
  /** What the figure is compared with: `ledger-cli`, `bare COPY`. */
  readonly to: string;
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export interface Figure {
  readonly part: string;
  readonly name: string;
  /** Lines of the ledger that each run went through; null where lines are not the measure. */
  readonly lines: number | null;
  readonly rounds: number;
  readonly seconds: number;
  readonly linesPerSecond: number | null;
  readonly cpuSeconds: number | null;
  readonly peakMegabytes: number | null;
  readonly ratio: Ratio | null;
  readonly note: string | null;
}

export function figureOf(
  named: {
    readonly part: string;
    readonly name: string;
    readonly lines: number | null;
    readonly ratio?: Ratio | null;
    readonly note?: string;
  },
  samples: readonly Sample[],
): Figure {
  const seconds = medianOf(samples.map((sample) => sample.seconds));
  return {
    part: named.part,
    name: named.name,
    lines: named.lines,
    rounds: samples.length,
    seconds,
    linesPerSecond: named.lines === null ? null : named.lines / seconds,
    cpuSeconds: medianOfKnown(samples.map((sample) => sample.cpuSeconds)),
    peakMegabytes: mostOfKnown(samples.map((sample) => sample.peakMegabytes)),
    ratio: named.ratio ?? null,
    note: named.note ?? null,
  };
}

/**
 * Returns `ours / theirs` round by round. Both must be "more is better" (lines a second), or both
 * "less is better" (seconds).
 */
export function ratioOf(
  to: string,
  pairs: readonly { readonly ours: number; readonly theirs: number }[],
): Ratio {
  const ratios = pairs.map(({ ours, theirs }) => ours / theirs);
  return { to, median: medianOf(ratios), least: Math.min(...ratios), most: Math.max(...ratios) };
}

/** Returns the median: of an even number of values the mean of the middle two, of none NaN. */
function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function known(values: readonly (number | null)[]): number[] {
  return values.filter((value) => value !== null);
}

function medianOfKnown(values: readonly (number | null)[]): number | null {
  return known(values).length === 0 ? null : medianOf(known(values));
}

/** Returns the highest value that is known, because a peak is the highest ever seen. */
function mostOfKnown(values: readonly (number | null)[]): number | null {
  return known(values).length === 0 ? null : Math.max(...known(values));
}
