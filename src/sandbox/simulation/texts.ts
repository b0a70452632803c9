// Free text as partners really send it: accents, emoji, quotes, markup, formulas, line breaks. All of it is made up and
// all of it must come through unchanged.

import { chance, drawFrom, drawInteger, type Random } from '../random.ts';

const DESCRIPTIONS = [
  'Commande en ligne',
  'Réabonnement mensuel – forfait été',
  'Paiement « livraison express »',
  'Dupont & Fils <SARL>',
  '=SUM(A1)',
  '+2250000000000',
  "L'épicerie d'à côté",
  'Facture\n2e relance',
  'Acompte 50 % "chambre double"',
  'Merci 🎉🙏🏾',
  'Cotisation;juillet,août\tseptembre',
  'Œuvres complètes, tome n° 3',
] as const;

const COUNTERPARTIES = [
  'Client démo',
  'Cliente n°',
  'Dépôt Été & Hiver',
  'Compte "test"',
  'Étal du marché <B>',
  "L'Atelier d'essai",
] as const;

const LINE_LABELS: Readonly<Record<string, string>> = {
  CASHIN_CREDIT: 'Encaissement',
  CASHIN_FEE: "Commission d'encaissement",
  CASHOUT_HOLD: 'Mise en réserve',
  CASHOUT_DEBIT: 'Transfert exécuté',
  CASHOUT_FEE: 'Commission de transfert',
  CASHOUT_RELEASE: 'Levée de réserve',
  REVERSAL_CREDIT: 'Annulation – crédit',
  REVERSAL_DEBIT: 'Annulation – débit',
};

const ADJUSTMENT_REASONS = [
  'Régularisation – écart opérateur',
  'Geste commercial "fidélité"',
  'Correction de saisie\nvoir dossier interne',
  'Frais de dossier & pénalités',
  "Régularisation d'été ☀️",
] as const;

export function drawDescription(random: Random): string | null {
  return chance(random, 0.4) ? null : drawFrom(random, DESCRIPTIONS);
}

/** A name that nobody bears, or null. */
export function drawCounterpartyName(random: Random): string | null {
  if (chance(random, 0.25)) return null;
  return `${drawFrom(random, COUNTERPARTIES)} ${drawInteger(random, { from: 1, to: 9999 })}`;
}

/** Never null: an adjustment without a reason would be a fault. */
export function drawAdjustmentReason(random: Random): string {
  return drawFrom(random, ADJUSTMENT_REASONS);
}

export function drawLineDescription(random: Random, kind: string): string | null {
  return chance(random, 0.5) ? null : (LINE_LABELS[kind] ?? null);
}

/** Free partner data (`metadata`), or null; `number` makes it differ from one operation to the next. */
export function drawMetadata(random: Random, number: number): Readonly<Record<string, unknown>> | null {
  switch (drawInteger(random, { from: 0, to: 4 })) {
    case 0:
      return { panier: number, note: drawFrom(random, DESCRIPTIONS) };
    case 1:
      return { canal: 'boutique', étage: null, articles: [{ code: `A-${number}`, quantité: 2 }] };
    case 2:
      return {};
    default:
      return null;
  }
}

/** The partner's own reference: `number` makes it unique within the merchant. */
export function drawExternalReference(random: Random, number: number): string | null {
  switch (drawInteger(random, { from: 0, to: 9 })) {
    case 0:
      return null;
    case 1:
      return `Facture n°${number} – été`;
    case 2:
      return `cmd/${number}?"x"&y=<${number}>`;
    default:
      return `CMD-${String(number).padStart(6, '0')}`;
  }
}
