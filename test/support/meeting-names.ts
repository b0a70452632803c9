// Texts that become equal once something folds them: in case, in Unicode's forms, in punctuation,
// at a width, as a name of Windows.

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { JournalEntry } from '../../src/core/statements/journal.ts';
import type { StatementDocument } from '../../src/io/formats/port/format.ts';
import { sampleDocument } from './sample-statement.ts';

/** Texts that each name another merchant, and that many a program takes for the same. */
export const MEETING = [
  'shop.ci',
  'shop_ci',
  'shop ci',
  'shop:ci',
  'shop~ci',
  'shop-ci',
  'shop/ci',
  'SHOP_CI',
  'Shop_Ci',
  'shop_ci.',
  'shop_ci ',
  'SHOPCI',
  'CAFÉ',
  'CAFE\u0301',
  'CAFE',
  'café',
  'STRASSE',
  'STRAßE',
  'CON',
  'con',
  'NUL',
  'COM1',
  'COM¹',
  'محل',
  'شركة',
  'MARCHAND_COOPERATIVE_DES_PRODUCTEURS_DE_CACAO_A',
  'MARCHAND_COOPERATIVE_DES_PRODUCTEURS_DE_CACAO_B',
  `${'X'.repeat(120)}1`,
  `${'X'.repeat(120)}2`,
  'é'.repeat(90),
  'e\u0301'.repeat(90),
] as const;

/** Words that contain what some target loses, folds or cuts. */
const texts = fc.oneof(
  fc.constantFrom(...MEETING),
  fc.stringMatching(/^[A-Za-z0-9_.:~ /-]{1,40}$/),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }),
);

const FOLDS: readonly ((text: string) => string)[] = [
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
  (text) => text.normalize('NFC'),
  (text) => text.normalize('NFD'),
  (text) => text.normalize('NFKC'),
  (text) => text.replace(/\P{L}/gu, '_'),
  (text) => text.replace(/[^\w-]/g, '_'),
  (text) => text.replace(/[^A-Za-z0-9]/g, ''),
  (text) => text.replaceAll('_', '-'),
  (text) => text.slice(0, 13),
  (text) => text.slice(-13),
  (text) => `${text}.`,
  (text) => ` ${text} `,
  (text) => `${text}${'x'.repeat(100)}`,
];

/** Two texts that differ, of which the second is often what a fold makes of the first. */
export const meetingPairs: fc.Arbitrary<readonly [string, string]> = fc
  .tuple(texts, fc.oneof(texts, fc.constantFrom(...FOLDS)))
  .map(([one, other]) => [one, typeof other === 'string' ? other : other(one)] as const)
  .filter(([one, other]) => one !== other && one !== '' && other !== '');

/**
 * Returns the name that a disk takes this one for: it folds capitals and Unicode's forms, and drops
 * what Windows leaves out at the end.
 */
export function onDisk(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .toUpperCase()
    .normalize('NFD')
    .replace(/[. ]+$/, '');
}

/**
 * Returns a small month of a merchant without a wallet. Its pieces, auxiliary accounts, operations
 * and lines have the names of `texts` in turn.
 */
export function documentOf(
  reference: string,
  texts: readonly string[],
  count = 12,
): StatementDocument {
  const { statement, lines, operations } = sampleDocument({ lines: count });
  const contentHash = createHash('sha256').update(reference).digest('hex');
  const integrity = { ...statement.integrity, contentHash, shortHash: contentHash.slice(0, 12) };
  const called = (entry: JournalEntry, text: string): JournalEntry => {
    const auxiliary = { number: text, label: 'tiers' };
    const rows = entry.rows.map((row) => (row.role === 'wallet' ? row : { ...row, auxiliary }));
    return { ...entry, piece: text, number: `${entry.number}-${text}`, rows };
  };
  return {
    statement: {
      ...statement,
      walletId: null,
      merchant: { ...statement.merchant, reference, holder: null },
      integrity,
    },
    operations,
    lines: async function* () {
      let place = 0;
      for await (const batch of lines())
        yield batch.map((line) => {
          const text = texts[place++ % texts.length]!;
          const entry = line.entry === null ? null : called(line.entry, text);
          return { ...line, id: text, operationReference: text, sequence: 1, entry };
        });
    },
  };
}
