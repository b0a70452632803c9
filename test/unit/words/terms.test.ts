// One thing has one word, in every document. The French words, of which every French document is
// made, have no English in them.

import { describe, expect, test } from 'vitest';
import { LABELS, LINKED } from '../../../src/core/words/tree.ts';
import { englishIn } from '../../support/english-words.ts';

interface Said {
  readonly path: string;
  readonly text: string;
}

function* textsIn(value: unknown, path = ''): Generator<Said> {
  if (typeof value === 'string') yield { path, text: value };
  else
    for (const [key, inner] of Object.entries(value as object))
      yield* textsIn(inner, path === '' ? key : `${path}.${key}`);
}

const FRENCH = [...textsIn(LABELS.fr)];
const ENGLISH = [...textsIn(LABELS.en)];
/**
 * Whether a text is a code: names that are given to codes, and what the glossary sets beside each
 * other.
 */
const isCode = ({ path }: Said): boolean => /^annex\.terms\.\d+\.en$/.test(path);

test('both trees were seen, under the same keys, and no link to a term is left', () => {
  expect(FRENCH.length).toBeGreaterThan(800);
  expect(FRENCH.map(({ path }) => path).sort()).toEqual(ENGLISH.map(({ path }) => path).sort());
  expect([...FRENCH, ...ENGLISH].filter(({ text }) => text.includes('@'))).toEqual([]);
});

test('a statement of a year is worded by the same tree, and says month only where a month is meant', () => {
  const annual = { fr: [...textsIn(LINKED.fr.annual)], en: [...textsIn(LINKED.en.annual)] };
  expect([...annual.fr, ...annual.en].filter(({ text }) => text.includes('@'))).toEqual([]);
  // Attestations, mails, pages, findings with their catalogue, and the terms themselves are of
  // months; so is what the service reports, what is closed, and what leads from months to a year.
  const isOfYear = ({ path }: Said): boolean =>
    !/^(?:numbers|attestation|confirmation|papers|certificate|mail|findings|catalogue|audit|notChecked|refusals|terms|annualTerms|months|console|workbook\.(?:months|sheets|readMe))\b|\.service|annex\.(?:terms|monthsToYear|ofMonths|inBooks)|\.LATE$/.test(
      path,
    );
  const said = (texts: readonly Said[], word: RegExp) =>
    texts.filter((one) => isOfYear(one) && word.test(one.text));
  expect(said(annual.fr, /\bmois\b/i)).toEqual([]);
  expect(said(annual.en, /month/i)).toEqual([]);
  expect(said(FRENCH, /\bmois\b/i).length).toBeGreaterThan(40);
});

test('the French tree has no word of English', () => {
  const texts = FRENCH.filter((one) => !isCode(one)).map(({ path, text }) => ({
    path,
    text: text.replace(/\w+ (?=\{)/g, ' ').replace(/\{\w+|[<>{}]/g, ' '),
  }));
  expect(texts.filter(({ text }) => englishIn(text).length > 0)).toEqual([]);
  expect(englishIn('Non contrôlé : reports (reports.json is not there)')).toEqual([
    'is',
    'not',
    'there',
  ]);
});

describe('one thing, one word', () => {
  test.each([
    ['réussis', /about[ié]/i],
    ['prélevé', /factur(?!es?\b)/i],
    ['commissions', /\bfrais\b/i],
    ['écarts nommés', /différences? (?:nommée|de (?:solde|réservé))/i],
    ['écart de solde', /dérive/i],
    ['base', /assiette/i],
    ['n°', /séquence/i],
  ])('%s', (_, other) => {
    expect(FRENCH.filter(({ text }) => other.test(text) && !/conséquence/.test(text))).toEqual([]);
  });

  test.each([['audit.findings.severities', 'mail.findings.severity']])(
    '%s and %s are the same words',
    (one, other) => {
      const under = (path: string) =>
        FRENCH.filter((said) => said.path.startsWith(`${path}.`)).map(({ text }) => text);
      expect(under(one)).toEqual(under(other));
      expect(under(one).length).toBeGreaterThan(3);
    },
  );
});
