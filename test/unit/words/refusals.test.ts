// Why a row cannot be read, in words. For every reason, the English is the clause of the readers,
// and the French is French.

import { beforeAll, expect, test } from 'vitest';
import { reportFigures } from '../../../src/core/domain/figures.ts';
import type { Refused } from '../../../src/core/domain/refusal.ts';
import { ENGLISH, wordFinding } from '../../../src/core/words/finding.ts';
import { wordReason } from '../../../src/core/words/names.ts';
import { LABELS } from '../../../src/core/words/tree.ts';
import { wordingOf } from '../../../src/io/formats/port/wording.ts';
import { englishIn } from '../../support/english-words.ts';
import { everyRefusal } from '../../support/refused-rows.ts';

const { speech: FRENCH } = wordingOf('UTC', { labels: LABELS.fr, language: 'fr' });
const AT = { part: 'ledger', place: 'ledger.jsonl:17' };
let every: readonly Refused[] = [];

beforeAll(async () => {
  every = await everyRefusal();
});

test('every reason there is was given by a reader', () => {
  const codes = every.map(({ refusal }) => refusal.code);
  expect(
    Object.keys(LABELS.fr.refusals).filter(
      (code) => !codes.includes(code as (typeof codes)[number]),
    ),
  ).toEqual([]);
  const wanted = every.flatMap(({ refusal }) => ('wanted' in refusal ? [refusal.wanted] : []));
  const choices = ['FIELD_OTHER', 'NOT_JSON'] as const;
  const inWords = choices.flatMap((code) => {
    const list = LABELS.fr.refusals[code].split('{wanted, select,')[1]!.replaceAll('{of}', '');
    return [...list.matchAll(/ (\w+) \{(?!\{)/g)].map(([, choice]) => choice!);
  });
  expect(inWords.filter((choice) => choice !== 'other' && !wanted.includes(choice))).toEqual([]);
});

test('in English a finding says the clause of the reader, word for word', () => {
  for (const { reason, refusal } of every) {
    const figures = reportFigures({ ...AT, reason, refusal });
    expect(wordFinding(ENGLISH, 'INPUT_REJECTED', figures)).toBe(
      `The ledger row at ledger.jsonl:17 could not be read: ${figures.reason}.`,
    );
  }
});

test('in French no word of it is English, and nothing is quoted as technical', () => {
  for (const { reason, refusal } of every) {
    const said = wordFinding(FRENCH, 'INPUT_REJECTED', reportFigures({ ...AT, reason, refusal }));
    const file = wordReason(FRENCH, {
      why: reason,
      code: 'FILE_UNREADABLE',
      figures: { file: 'wallet.json', reason, refusal },
    });
    for (const text of [said, file]) {
      expect(englishIn(text), text).toEqual([]);
      expect(text).not.toMatch(/motif technique|[{}]/);
    }
  }
});

test('a reason that was kept alone is quoted as it is', () => {
  const figures = { ...AT, reason: 'amount is 12.5, not a whole number', refusal: null };
  expect(wordFinding(FRENCH, 'INPUT_REJECTED', figures)).toContain(
    'motif technique : « amount is 12.5, not a whole number »',
  );
});
