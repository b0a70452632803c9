// Which files of a revision a target is sent. Added up, they are the newest revision, whatever
// became of earlier mails.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  choosePortion,
  type Portion,
  type SentFile,
} from '../../../src/core/domain/delivery/choose-files.ts';
import { assertProperty } from '../../support/assert-property.ts';

type Brought = Parameters<typeof choosePortion>[1]['brought'][number];

const CAMT = { of: 'camt', name: 'camt-delta' };
const JOURNAL = { of: 'journal', name: null };

const fileOf = (format: string, revision: number): SentFile => {
  const name = `${format} ${revision}`;
  return { format, revision, fileName: name, sha256: name };
};
/** Returns the files of so many revisions. The first has no delta, nor have those in `bare`. */
const issued = (revisions: number, bare: readonly number[] = []): readonly SentFile[] =>
  Array.from({ length: revisions }, (_, i) => i + 1).flatMap((revision) => [
    ...['camt', 'journal'].map((format) => fileOf(format, revision)),
    ...(revision === 1 || bare.includes(revision) ? [] : [fileOf('camt-delta', revision)]),
  ]);
const got = (
  at: number,
  isCertain: boolean,
  ...files: readonly [format: string, revision: number][]
) => files.map(([format, revision]): Brought => ({ ...fileOf(format, revision), at, isCertain }));
const said = (portion: Portion | null) => [
  portion?.how,
  portion?.files.map(({ fileName }) => fileName).join(', '),
  portion?.after && `${portion.after.revision} at ${portion.after.at}`,
];
const choose = (
  revision: number,
  brought: readonly (readonly Brought[])[],
  bare: readonly number[] = [],
) =>
  said(choosePortion(CAMT, { revision, issued: issued(revision, bare), brought: brought.flat() }));

describe('a place is sent', () => {
  test('the whole where it was brought nothing, of this format', () => {
    expect(choose(1, [])).toEqual(['first', 'camt 1', null]);
    expect(choose(3, [got(5, true, ['pdf', 1], ['journal', 2])])).toEqual([
      'first',
      'camt 3',
      null,
    ]);
  });

  test('the delta where it holds the revision before, and each that it lacks', () => {
    const first = got(5, true, ['camt', 1]);
    expect(choose(2, [first])).toEqual(['delta', 'camt-delta 2', '1 at 5']);
    expect(choose(3, [first])).toEqual(['delta', 'camt-delta 2, camt-delta 3', '1 at 5']);
    expect(choose(3, [got(6, true, ['camt-delta', 2]), first])).toEqual([
      'delta',
      'camt-delta 3',
      '2 at 6',
    ]);
  });

  test('the whole in the place of everything where what it holds is not sure', () => {
    expect(choose(2, [got(5, false, ['camt', 1])])).toEqual(['replaces', 'camt 2', '1 at 5']);
    const [first, second] = [got(5, true, ['camt', 1]), got(6, false, ['camt-delta', 2])];
    expect(choose(3, [first, second])).toEqual(['replaces', 'camt 3', '2 at 6']);
    expect(choose(3, [second, got(7, true, ['camt', 2])])).toEqual([
      'delta',
      'camt-delta 3',
      '2 at 7',
    ]);
  });

  test('the whole also where a delta is missing, a form has none, or it holds the revision', () => {
    expect(choose(3, [got(5, true, ['camt', 1])], [2])).toEqual(['replaces', 'camt 3', '1 at 5']);
    const month = { revision: 2, issued: issued(2), brought: got(5, true, ['journal', 1]) };
    expect(said(choosePortion(JOURNAL, month))).toEqual(['replaces', 'journal 2', '1 at 5']);
    expect(choose(2, [got(6, true, ['camt-delta', 2])])).toEqual(['replaces', 'camt 2', '2 at 6']);
  });

  test('again what may have arrived, as it was, whatever would be chosen by now', () => {
    const first = got(5, true, ['camt', 1]);
    const again = (brought: readonly Brought[], ...files: readonly SentFile[]) =>
      said(choosePortion(CAMT, { revision: 3, issued: issued(3), brought, again: files }));
    expect(again(first, fileOf('camt', 3))).toEqual(['replaces', 'camt 3', '1 at 5']);
    expect(again([], fileOf('camt', 3))).toEqual(['first', 'camt 3', null]);
    const [second, third] = [fileOf('camt-delta', 2), fileOf('camt-delta', 3)];
    expect(again(first, second, third)).toEqual(['delta', 'camt-delta 2, camt-delta 3', '1 at 5']);
    expect(again(first, fileOf('journal', 3))).toEqual([undefined, undefined, undefined]);
  });

  test('nothing of a format that the revision has no file of', () => {
    const month = { revision: 1, issued: issued(1), brought: [] };
    expect(choosePortion({ of: 'sage', name: 'sage-delta' }, month)).toBeNull();
  });
});

/**
 * Returns what counts as a program does that imports each file once, and starts anew where a file
 * replaces everything.
 */
function importing() {
  const known = new Set<string>();
  let holds = 0;
  return ({ how, files }: Portion): number => {
    if (how === 'replaces') known.clear();
    if (how === 'replaces') holds = 0;
    for (const { format, revision, sha256 } of files) {
      if (known.has(sha256)) continue;
      expect(holds, `${how}: ${format} ${revision} on ${holds}`).toBe(
        format === 'camt' ? 0 : revision - 1,
      );
      known.add(sha256);
      holds = revision;
    }
    return holds;
  };
}

test('what arrived adds up to the newest revision, each file counted once', () => {
  const step = fc.record({
    issues: fc.boolean(),
    became: fc.constantFrom('arrived', 'lost', 'in doubt and there', 'in doubt and lost'),
  });
  assertProperty(
    fc.property(
      fc.array(step, { maxLength: 9 }),
      fc.uniqueArray(fc.integer({ min: 2, max: 9 })),
      (steps, bare) => {
        const brought: Brought[] = [];
        const take = importing();
        let revision = 1;
        for (const [at, { issues, became }] of steps.entries()) {
          if (issues) revision += 1;
          const portion = choosePortion(CAMT, {
            revision,
            issued: issued(revision, bare),
            brought,
          })!;
          if (became.endsWith('there') || became === 'arrived')
            expect(take(portion)).toBe(revision);
          const isCertain = became === 'arrived';
          if (became !== 'lost')
            brought.push(...portion.files.map((file) => ({ ...file, at, isCertain })));
        }
      },
    ),
    { runs: 2_000 },
  );
});
