// The seed of this test run. It is fixed, so that a failure comes from a change and not from
// chance. TEST_SEED gives another seed, and TEST_SEED=random a new one each time. A test that uses
// the seed must name it in what fails.

export const TEST_SEED: string = seedFrom(process.env.TEST_SEED);

function seedFrom(wish: string | undefined): string {
  if (wish === undefined || wish === '') return 'pointage';
  return wish === 'random' ? String(Math.floor(Math.random() * 2 ** 31)) : wish;
}

/** The same seed as a number, for the property tests, which print it when they fail. */
export function numericSeed(): number {
  let hash = 0;
  for (const unit of TEST_SEED) hash = (Math.imul(hash, 31) + unit.charCodeAt(0)) | 0;
  return hash;
}
