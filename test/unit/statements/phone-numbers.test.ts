// Which texts hold a phone number, and what of it is left to see.

import { expect, test } from 'vitest';
import {
  maskAccountNumber,
  maskPhoneNumbers,
} from '../../../src/core/statements/mask-phone-numbers.ts';
import { handBooks } from '../../support/hand-books.ts';
import { stateBooks } from '../../support/month-of-books.ts';

test.each([
  ['+2250712345645', '+225 07 •• •• •• 45'],
  ['payé par +225 07 12 34 56 45 hier', 'payé par +225 07 •• •• •• 45 hier'],
  ['00225 07-12-34-56-45', '+225 07 •• •• •• 45'],
  ['2250712345645', '+225 07 •• •• •• 45'],
  ['+221 77 123 45 67', '+221 77 •• •• • 67'],
  ['77 123 45 67', '77 •• •• • 67'],
  ['tél. (0712345645)', 'tél. (07 •• •• •• 45)'],
  ['07 12 34 56 45 / 05.12.34.56.78', '07 •• •• •• 45 / 05 •• •• •• 78'],
  ['225 071 234 564', '+225 07 •• •• • 64'],
  ['70 12 34 56', '70 •• •• 56'],
  ['+33612345678', '+336 12 •• •• 78'],
])('%s is shown as %s', (text, shown) => {
  expect(maskPhoneNumbers(text)).toBe(shown);
});

test.each([
  'Commande en ligne',
  'CMD-000123',
  'Facture n°230 – été',
  '1 234 567 FCFA',
  'the balance must be 2 250 712 345, but 22 507 123 456 is recorded',
  '2026-10-01',
  '01/10/2026',
  'GUI-CI-W8Y7KT0006E',
  'A0712345645B',
  '',
])('%s stays as it is', (text) => {
  expect(maskPhoneNumbers(text)).toBe(text);
});

test.each([
  ['+2250712345645', '+225 07 •• •• •• 45'],
  ['90123456', '90 •• •• 56'],
  ['90 12 34 56', '90 •• •• 56'],
  ['compte 0712345645', 'compte 07 •• •• •• 45'],
  ['PV-12', 'PV-12'],
])('the account %s is shown as %s', (number, shown) => {
  expect(maskAccountNumber(number)).toBe(shown);
});

test('a statement masks labels and partner references by default', async () => {
  const books = handBooks(`
    10-05T10:00 CASHIN_CREDIT 500 GUI-CI-1 says=de_+2250712345645
    op GUI-CI-1 SUCCEEDED 500 created=10-05T09:58 completed=10-05T10:00 external=2250712345645`);
  const { lines, statement } = await stateBooks(books, { period: '2026-10' });
  expect(lines[0]).toMatchObject({
    label: 'de +225 07 •• •• •• 45',
    externalReference: '+225 07 •• •• •• 45',
  });
  expect(JSON.stringify([lines, statement])).not.toContain('12345645');
  const whole = await stateBooks(books, { period: '2026-10', month: { phoneNumbers: 'whole' } });
  expect(whole.lines[0]).toMatchObject({
    label: 'de +2250712345645',
    externalReference: '2250712345645',
  });
  // The choice is no reason for another revision.
  expect(whole.statement.integrity).toEqual(statement.integrity);
});
