// Runs contenders turn by turn, A B A B, so that whatever else the machine does falls on all of
// them alike.

import type { Sample } from './figures.ts';

export interface Contender {
  readonly name: string;
  readonly run: () => Promise<Sample>;
}

/** Runs the contenders, and returns the samples of each, in the order of the rounds. */
export async function runRounds<C extends Contender>(
  contenders: readonly C[],
  rounds: number,
  note: (text: string) => void,
): Promise<ReadonlyMap<C, readonly Sample[]>> {
  const samples = new Map(contenders.map((contender) => [contender, [] as Sample[]]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const contender of contenders) {
      const sample = await contender.run();
      samples.get(contender)!.push(sample);
      note(`  ${round}/${rounds} ${contender.name}: ${sample.seconds.toFixed(2)} s\n`);
    }
  }
  return samples;
}
