import { describe, expect, test } from 'vitest';
import { CATALOGUE, KINDS } from '../../src/core/kernel/checks/port/kinds.ts';
import { reconcileSample } from '../../src/core/samples/read-sample.ts';
import { SAMPLES } from '../../src/core/words/tree.ts';

const kinds = CATALOGUE.flatMap((section) => section.kinds);

describe('the catalogue', () => {
  test('has one page for every kind, and no page outside it', () => {
    expect(Object.keys(KINDS).sort()).toEqual([...kinds].sort());
    expect(Object.keys(SAMPLES)).toEqual(kinds);
  });

  describe.each(kinds)('%s', (kind) => {
    const fires = SAMPLES[kind].fires.join('\n');
    const quiet = SAMPLES[kind].quiet.join('\n');

    test('fires on its sample', () => {
      const found = reconcileSample(fires).findings.filter((finding) => finding.kind === kind);
      expect(found.length).toBe(1);
    });

    test('stays quiet on its other sample', () => {
      const { findings } = reconcileSample(quiet);
      expect(findings.map((finding) => finding.kind)).not.toContain(kind);
    });

    test('names a place, says a sentence, and points at a root that exists', () => {
      const { findings } = reconcileSample(fires);
      const fingerprints = findings.map((finding) => finding.fingerprint);
      expect(new Set(fingerprints).size).toBe(fingerprints.length);
      for (const finding of findings) {
        expect(finding.message).toMatch(/^[A-Z].*\.$/);
        expect(finding.evidence.length).toBeGreaterThan(0);
        if (finding.causedBy !== null) expect(fingerprints).toContain(finding.causedBy);
      }
    });
  });
});
