// Whose document it is: the merchant is named by its name and reference, or by its reference alone,
// with the wallet where that is known.

import { expect, test } from 'vitest';
import { LABELS } from '../../../src/core/words/tree.ts';
import { merchantPairs, walletPairs } from '../../../src/io/formats/sentences/parties.ts';
import { sampleDocument } from '../../support/sample-statement.ts';

const { statement } = sampleDocument();
const labels = LABELS.fr;

test('a merchant without a known name is its reference, said once', () => {
  const { merchant } = statement;
  const nameless = {
    ...statement,
    merchant: { ...merchant, name: null, country: null, holder: null },
    issuer: null,
  };
  expect(merchantPairs({ statement: nameless, labels })).toEqual([
    ['Marchand', merchant.reference],
  ]);
  const [[, whole]] = merchantPairs({ statement, labels }) as [readonly [string, string]];
  expect(whole.split(' · ').slice(0, 2)).toEqual([merchant.name, merchant.reference]);
});

test('a wallet that is not known is not named', () => {
  const names = (walletId: string | null) =>
    walletPairs({ statement: { ...statement, walletId }, labels }).map(([name]) => name);
  expect(names('11111111-2222-4333-8444-555555555555')).toContain('Portefeuille');
  expect(names(null)).not.toContain('Portefeuille');
});
