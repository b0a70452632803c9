// How findings are worded: every kind has words, made of figures as a stored report holds them.

import { describe, expect, test } from 'vitest';
import { reportFigures } from '../../../src/core/domain/figures.ts';
import { KINDS } from '../../../src/core/kernel/checks/port/kinds.ts';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';
import { ENGLISH, fill, money, wordFinding } from '../../../src/core/words/finding.ts';
import { LABELS, SAMPLES } from '../../../src/core/words/tree.ts';
import { wordingOf } from '../../../src/io/formats/port/wording.ts';

const { speech: FRENCH } = wordingOf('UTC', { labels: LABELS.fr, language: 'fr' });

test('a finding that went through JSON is worded again in the same words', () => {
  for (const { fires } of Object.values(SAMPLES)) {
    const stored = JSON.parse(
      JSON.stringify(reconcileSample(fires.join('\n')).findings),
    ) as ReturnType<typeof reconcileSample>['findings'];
    expect(stored.length).toBeGreaterThan(0);
    for (const { kind, figures, message } of stored) {
      expect(Object.keys(figures).length).toBeGreaterThan(0);
      expect(wordFinding(ENGLISH, kind, figures)).toBe(message);
      expect(message).not.toMatch(/undefined|NaN|\[object/);
    }
  }
});

test.each(['fr', 'en'] as const)(
  'every kind has a name, a message and an explanation in %s, and no other',
  (language) => {
    const { names, messages } = LABELS[language].findings;
    const { explanations } = LABELS[language].catalogue;
    const kinds = Object.keys(KINDS).sort();
    expect(Object.keys(names).sort()).toEqual(kinds);
    expect(Object.keys(messages)).toEqual(Object.keys(names));
    expect(Object.keys(explanations)).toEqual(Object.keys(names));
    for (const [kind, text] of Object.entries(explanations))
      expect(text, kind).toMatch(/^(?:\p{Lu}|`?[a-z]+).{40,}\.$/u);
    expect(new Set(Object.values(names)).size).toBe(kinds.length);
  },
);

test('every kind is worded whole in French, without a word of English or a code', () => {
  for (const { fires } of Object.values(SAMPLES)) {
    for (const { kind, figures } of reconcileSample(fires.join('\n')).findings) {
      const said = wordFinding(FRENCH, kind, figures);
      expect(said).toMatch(/^[A-ZÀÉ].*[.]$/);
      expect(said.replace(/«[^»]*»|\(identifiant [^)]*\)/g, ''), kind).not.toMatch(
        /\b(the|is|are|was|were|not|no|with|of|and|there|for|its?|has|in|by|at)\b|[A-Z]{4,}_|\b(CASHIN|CASHOUT|CREDIT|DEBIT|SUCCEEDED|FAILED|PENDING|CANCELLED|EXPIRED|REVERSED)\b|undefined|[{}<>]/,
      );
    }
  }
});

test('plurals, choices and lists are worded as each language does', () => {
  const missing = (last: string, undoneBy: readonly { sequence: string; difference: string }[]) =>
    [ENGLISH, FRENCH].map((speech) =>
      wordFinding(speech, 'LINES_MISSING', {
        first: '2',
        last,
        balance: '200',
        reserved: '0',
        undoneBy,
      }),
    );
  expect(missing('2', [])).toEqual([
    'Line 2 is missing, and with it a net 200 of balance.',
    'La ligne n° 2 manque, avec un effet net de 200 sur le solde.',
  ]);
  expect(missing('4', [{ sequence: '9', difference: '-1000' }])).toEqual([
    'Lines 2 to 4 are missing, and with them a net 200 of balance. It is undone by line 9 (−1 000).',
    'Les lignes n° 2 à 4 manquent, avec un effet net de 200 sur le solde. Annulé ensuite par la ligne n° 9 (−1\u202f000).',
  ]);
});

test('French says what became of an operation by verbs, numbers lines as tables do, and agrees with amounts', () => {
  const said = (held: string, status: string) =>
    wordFinding(FRENCH, 'HOLD_NOT_RELEASED', { reference: 'GUI-CO-1', status, held });
  expect(said('31360', 'FAILED')).toBe(
    'L’opération de décaissement GUI-CO-1 a échoué, mais 31\u202f360 restent bloqués pour elle.',
  );
  expect(said('1', 'EXPIRED')).toBe(
    'L’opération de décaissement GUI-CO-1 a expiré, mais 1 reste bloqué pour elle.',
  );
  const credit = { type: 'CASHIN', reference: 'GUI-CI-1', status: 'SUCCEEDED', due: '500' };
  expect(wordFinding(FRENCH, 'CREDIT_MISSING', credit)).toBe(
    'L’opération d’encaissement GUI-CI-1 a réussi, mais son crédit de 500 n’a jamais été inscrit.',
  );
  const id = { sequence: '2500', first: '1200', id: 'e1' };
  expect(wordFinding(FRENCH, 'ENTRY_ID_REUSED', id)).toBe(
    'La ligne n° 2\u202f500 porte l’identifiant de la ligne n° 1\u202f200 (e1).',
  );
  for (const message of Object.values(LABELS.fr.findings.messages))
    expect(message).not.toMatch(/est <statuses>|[Ll]igne \{/);
});

describe('a message', () => {
  test('keeps what values hold as it is, and a place without a value', () => {
    expect(fill('{a} {b} {c, number}', { a: "{b} <i> '{", c: '12' })).toBe("{b} <i> '{ {b} 12");
    expect(fill('100 % sûr', {})).toBe('100 % sûr');
  });

  test('counts as its language does, and is refused without a language', () => {
    const text = '{count, plural, one {# ligne} other {# lignes}}';
    expect(fill(text, { count: 0 }, FRENCH)).toBe('0 ligne');
    expect(fill(text, { count: 0 }, ENGLISH)).toBe('0 lignes');
    expect(fill(text, { count: '1234567' }, FRENCH)).toBe('1\u202f234\u202f567 lignes');
    expect(() => fill(text, { count: 1 })).toThrow('needs a language');
  });

  test('is wrong by its syntax alone', () => {
    expect(() => fill('{count, plural, one {x}}', { count: 1 }, FRENCH)).toThrow(SyntaxError);
  });
});

describe('figures in a report', () => {
  test('are exact beyond 2^53, at any depth, and hold no text that acts', () => {
    const figures = {
      sum: 2n ** 63n,
      at: 3,
      isMore: true,
      none: null,
      ends: [{ sequence: 7, name: 'a\u202eb' }],
    };
    expect(reportFigures(figures)).toEqual({
      sum: '9223372036854775808',
      at: '3',
      isMore: true,
      none: null,
      ends: [{ sequence: '7', name: 'a\\u202eb' }],
    });
  });

  test.each([
    [1234567, '1 234 567'],
    [-1000n, '−1 000'],
    ['-999', '−999'],
    ['0', '0'],
    ['9223372036854775808', '9 223 372 036 854 775 808'],
  ])('%s is written %s', (amount, written) => {
    expect(money(amount)).toBe(written);
  });
});

describe('a drift that later lines undo', () => {
  const books = `
    line 1 CASHIN_CREDIT 1000 1000/0 CI-1
    line 2 CASHIN_CREDIT 500 1547/0 CI-2
    line 3 CASHIN_CREDIT 500 2000/0 CI-3
    op CI-1 SUCCEEDED 1000
    op CI-2 SUCCEEDED 500
    op CI-3 SUCCEEDED 500`;

  test('names its other end, in figures and in words', () => {
    const [drift] = reconcileSample(books).findings;
    expect(drift).toMatchObject({
      kind: 'BALANCE_DRIFT',
      figures: { undoneBy: [{ sequence: '3', difference: '-47' }] },
    });
    expect(drift!.message).toMatch(/off by 47\. It is undone by line 3 \(−47\)\.$/);
  });
});
