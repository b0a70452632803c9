// What people call the kinds of ledger lines (docs/GLOSSARY.md), in both languages.

import { type EntryKind, isEntryKind } from '../domain/ledger-entry.ts';
import type { Language } from '../statements/statement.ts';

const NAMES: Readonly<Record<EntryKind, Readonly<Record<Language, string>>>> = {
  CASHIN_CREDIT: { fr: 'Encaissement', en: 'Cash-in' },
  CASHIN_FEE: { fr: 'Commission d’encaissement', en: 'Cash-in fee' },
  CASHOUT_HOLD: { fr: 'Blocage', en: 'Hold' },
  CASHOUT_DEBIT: { fr: 'Décaissement', en: 'Cash-out' },
  CASHOUT_FEE: { fr: 'Commission de décaissement', en: 'Cash-out fee' },
  CASHOUT_RELEASE: { fr: 'Déblocage', en: 'Release' },
  REVERSAL_CREDIT: { fr: 'Contre-passation au crédit', en: 'Reversal, credit' },
  REVERSAL_DEBIT: { fr: 'Contre-passation au débit', en: 'Reversal, debit' },
  ADJUSTMENT_CREDIT: { fr: 'Régularisation au crédit', en: 'Adjustment, credit' },
  ADJUSTMENT_DEBIT: { fr: 'Régularisation au débit', en: 'Adjustment, debit' },
};

/** A kind that the service's document does not know is named by itself. */
export function nameKind(kind: string, language: Language): string {
  return isEntryKind(kind) ? NAMES[kind][language] : kind;
}
