// The letter to the payment service about one finding. It is whole and true for every kind, each
// amount has its currency, and no text acts.

import { describe, expect, test } from 'vitest';
import type { Finding } from '../../../src/core/domain/finding.ts';
import { declared, isKind } from '../../../src/core/kernel/checks/port/kinds.ts';
import { reconcileSample } from '../../../src/core/samples/read-sample.ts';
import { SAMPLES } from '../../../src/core/words/tree.ts';
import { type Letter, letterOf } from '../../../src/io/formats/text/letter.ts';

const write = (
  finding: Finding,
  {
    lines = [],
    counts,
    ...about
  }: Partial<Letter> & Pick<Letter['claims'][number], 'lines' | 'counts'> = {},
): string =>
  letterOf({
    claims: [
      {
        ...finding,
        counts: counts ?? (isKind(finding.kind) && declared(finding).counts === true),
        lines,
      },
    ],
    merchant: 'M001',
    name: 'Épicerie Exemple',
    currency: 'XOF',
    addressee: null,
    zone: 'Africa/Douala',
    at: Date.UTC(2026, 10, 26, 23, 30),
    language: 'fr',
    ...about,
  });

const found = (kind: keyof typeof SAMPLES): Finding =>
  reconcileSample(SAMPLES[kind].fires.join('\n')).findings.find((one) => one.kind === kind)!;

/**
 * Matches figures that are no amounts: numbers of lines, instants, days, references, counts with
 * their noun, basis points.
 */
const NO_AMOUNTS =
  /(?:commande|Order) 42|n° [\d\u202f]+|(?:[Ll]ines?|[Ss]equence|no\.) [\d,]+(?: to [\d,]+)?|\d\d\/\d\d\/\d{4}|\d{4}-\d\d(-\d\d)?|\d\d:\d\d(:\d\d)?|«[^»]*»|“[^”]*”|\S*[A-Za-z_#:-]\S*\d\S*|\d+ (minutes?|fois|times|points?|basis|heures?|hours?|notifications?|opérations?|operations?|cash-ins|demandes?|requests?|lists?)/g;

describe('of every kind of finding', () => {
  test.each(['fr', 'en'] as const)(
    'it is whole in %s, and no amount is without its currency',
    (language) => {
      let letters = 0;
      for (const { fires } of Object.values(SAMPLES))
        for (const finding of reconcileSample(fires.join('\n')).findings) {
          const text = write(finding, { language });
          letters += 1;
          expect(text, finding.kind).not.toMatch(
            /undefined|NaN|\[object|\{|\}|\bnull\b|[ \u00a0](?:;|,|\.)\s*\n/,
          );
          expect(text).toContain(language === 'fr' ? 'Objet : ' : 'Subject: ');
          if (declared(finding).counts === true || finding.kind === 'INPUT_REJECTED') continue;
          const bare = text.replace(/[\d\u202f,]+\u00a0XOF/g, '').replace(NO_AMOUNTS, '');
          expect(
            bare.match(/^.*(?<![\p{L}\d])\d{2,}(?![\p{L}\d]).*$/mu)?.[0],
            finding.kind,
          ).toBeUndefined();
        }
      expect(letters).toBeGreaterThan(Object.keys(SAMPLES).length);
    },
  );

  test('it asks for the entries that are proposed, with every amount, or for an answer where none is', () => {
    for (const { fires } of Object.values(SAMPLES))
      for (const finding of reconcileSample(fires.join('\n')).findings) {
        const text = write(finding);
        for (const { description, amount } of finding.proposal ?? []) {
          expect(text).toContain(`libellé « ${description} »`);
          expect(text).toContain(
            `${Number(amount).toLocaleString('fr').replaceAll(' ', '\u202f')}\u00a0XOF`,
          );
        }
        expect(text.includes('une erreur, comment elle sera corrigée'), finding.kind).toBe(
          finding.proposal === null,
        );
      }
  });
});

test('of a drift it reads as a person would write it', () => {
  const finding = found('BALANCE_DRIFT');
  const entry = {
    ...{
      id: 'e2',
      sequence: 2,
      direction: 'CREDIT',
      kind: 'CASHIN_CREDIT',
      amount: 500,
      currency: 'XOF',
    },
    ...{ balanceAfter: 1547, reservedAfter: 0, operationReference: 'GUI-CI-2', description: null },
    createdAt: Date.UTC(2026, 9, 1, 23, 30),
  };
  const addressee = {
    ...{ legalName: 'Monnaie Exemple CI SA', registration: null, taxNumber: null },
    address: ['Boulevard de l’Exemple 1', 'Abidjan'],
  };
  const lines = [
    { entry, isJudged: true },
    { entry: { ...entry, amount: 547 }, isJudged: false },
  ];
  expect(
    write(finding, { addressee, lines }).replace(/[\u00a0\u202f]/g, ' '),
  ).toBe(`À l’attention de :
Monnaie Exemple CI SA
Boulevard de l’Exemple 1
Abidjan

Le 27/11/2026

Objet : Écart de solde, marchand M001 (Épicerie Exemple), opération GUI-CI-2
Notre référence : ${finding.fingerprint}

Madame, Monsieur,

En contrôlant les livres de ce marchand, tels que votre service les donne, nous avons constaté ceci :

Après la ligne n° 2 (Encaissement, 500 XOF), le solde doit être de 1 500 XOF, mais 1 547 XOF est comptabilisé : écart de 47 XOF.
À tort dans le solde : 47 XOF.

Lignes du grand livre en cause (heure : Africa/Douala) :
- n° 2, 02/10/2026 00:30:00, Encaissement, 500 XOF ; ensuite solde 1 547 XOF, réservé 0 XOF
- n° 2, 02/10/2026 00:30:00, Encaissement, 547 XOF ; ensuite solde 1 547 XOF, réservé 0 XOF (autre contenu servi sous ce numéro)

Nous vous prions de passer l’écriture suivante, qui remettrait les comptes en ordre :
- Régularisation au débit, 47 XOF, opération GUI-CI-2, libellé « ${finding.proposal![0]!.description} »
Merci de reprendre le libellé tel quel : il nous permet de reconnaître la correction.

Veuillez agréer, Madame, Monsieur, nos salutations distinguées.

Nom, qualité, date, signature et cachet :

______________________________
`);
});

test('of a changed amount both have the currency, of a report its amounts and not its counts', () => {
  const report = found('REPORT_SUMMARY_MISMATCH');
  const said = (finding: Finding) => write(finding).replace(/[\u00a0\u202f]/g, ' ');
  expect(said(report)).toContain('énonce 1 600 XOF pour « totalAmount »');
  expect(said({ ...report, figures: { ...report.figures, name: 'paymentCount' } })).toContain(
    'énonce 1 600 pour',
  );
  const unknown = { ...report, kind: 'NEWER_KIND' as never, message: 'They call 07 12 34 56 78.' };
  expect(write(unknown, { counts: false })).toContain('\n\nThey call 07 •• •• •• 78.\n');
  expect(said(found('OPERATION_FIELD_CHANGED'))).toContain(': 0 XOF au lieu de 20 XOF.');
});

test('a text from outside stays on its line and turns nothing; an unknown currency is said', () => {
  const finding = { ...found('CREDIT_MISSING'), status: 'provisional' as const };
  const text = write(finding, { name: 'A\u001b[31m\nB\u202e', merchant: 'M\r1', currency: null });
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
  expect(text).toContain('marchand M\\u000d1 (A\\u001b[31m\\u000aB\\u202e), opération');
  expect(text).toContain('crédit de 1\u202f000\u00a0(monnaie inconnue)');
  expect(text).toContain('Une seconde lecture ne l’a pas encore confirmé.');
});

describe('of a statement', () => {
  const holder = {
    legalName: 'Épicerie Exemple SARL',
    registration: null,
    taxNumber: null,
    address: ['12, rue Inventée', 'Abidjan'],
  };
  const sent = (kind: keyof typeof SAMPLES, language: 'fr' | 'en' = 'fr') =>
    write(found(kind), { language, statement: { number: 'M001 · r1', others: 0, holder } });

  test('the holder of the wallet writes and signs, and no one speaks of “this merchant”', () => {
    const text = sent('CREDIT_DUPLICATED');
    expect(text).toMatch(
      /^De la part de :\nÉpicerie Exemple SARL\n12, rue Inventée\nAbidjan\n\nÀ l’attention de :/,
    );
    expect(text).toContain('En contrôlant les mouvements de notre portefeuille');
    expect(text).toContain('\nPour Épicerie Exemple SARL\nNom, qualité');
    expect(text).not.toContain('ce marchand');
    // Of one finding, who looks after it writes.
    expect(write(found('CREDIT_DUPLICATED'))).toContain('les livres de ce marchand');
    expect(write(found('CREDIT_DUPLICATED'))).not.toContain('De la part de');
  });

  test('where the service has posted too much, the merchant offers it back and asks not to be asked twice', () => {
    const text = sent('CREDIT_DUPLICATED');
    const { balance } = found('CREDIT_DUPLICATED').item!;
    const sum = Number(balance).toLocaleString('fr').replaceAll(' ', '\u202f');
    expect(text).toContain(`${sum}\u00a0XOF ont ainsi été portés en trop à notre portefeuille.`);
    expect(text).toContain('afin qu’elle ne nous soit pas réclamée une seconde fois.');
    expect(text).not.toContain('manquent');
    expect(sent('CREDIT_MISSING')).toMatch(/XOF manquent ainsi à notre portefeuille : nous/);
    expect(sent('CREDIT_MISSING')).not.toContain('en trop');
    expect(sent('CREDIT_DUPLICATED', 'en')).toContain('asked of us a second time');
  });
});
