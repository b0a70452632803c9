// Where each figure of a statement's summary stands in the French workbook, for tests that look it up.

import type { StatementSummary } from '../../src/core/statements/summary.ts';
import { type CellContent, cellBeside, type Sheets } from './sheet-cells.ts';

/** `closingBalance`, `byOperator.ORANGE.amount`: the path of each figure, and the figure; null is an empty cell. */
export function figuresOf(summary: StatementSummary): ReadonlyMap<string, unknown> {
  const figures = new Map<string, unknown>();
  const walk = (value: unknown, path: string): void => {
    if (path === 'verdict') return;
    if (Array.isArray(value)) {
      for (const row of value) {
        const { operator, country, day, ...figured } = row;
        walk(figured, `${path}.${operator ?? country ?? day}`);
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) walk(inner, path === '' ? key : `${path}.${key}`);
    } else if (path.startsWith('findings.') && value === 0)
      return; // Only what there is has a row.
    else if (path !== 'currency' && path !== 'population') figures.set(path, value ?? undefined);
  };
  walk(summary, '');
  return figures;
}

/** Row of the Synthèse (below a heading) and column, by path. */
const ON_SUMMARY: Readonly<Record<string, readonly [below: string, label: string, column: string]>> = {
  totalAmount: ['Encaissements réussis (opérations GUI-…)', 'Montant brut', 'D'],
  paymentCount: ['Encaissements réussis (opérations GUI-…)', 'Nombre', 'C'],
  totalFees: ['Encaissements réussis (opérations GUI-…)', 'Commissions', 'D'],
  collected: ['Portefeuille', '+ Encaissements', 'E'],
  disbursed: ['Portefeuille', '− Décaissements', 'E'],
  fees: ['Portefeuille', '− Commissions', 'E'],
  reversals: ['Portefeuille', '± Contre-passations', 'E'],
  adjustments: ['Portefeuille', '± Régularisations', 'E'],
  otherMovements: ['Portefeuille', '± Autres mouvements', 'E'],
  openingBalance: ['Portefeuille', 'Ouverture', 'E'],
  openingReserved: ['Portefeuille', 'Ouverture', 'F'],
  closingBalance: ['Portefeuille', 'Clôture', 'E'],
  closingReserved: ['Portefeuille', 'Clôture', 'F'],
  availableAtClose: ['Portefeuille', 'Disponible à la clôture', 'E'],
  'recorded.balance': ['Du comptabilisé au dû', 'Comptabilisé par le service', 'E'],
  'recorded.reserved': ['Du comptabilisé au dû', 'Comptabilisé par le service', 'F'],
  'recorded.available': ['Du comptabilisé au dû', 'Comptabilisé par le service', 'G'],
  'due.balance': ['Du comptabilisé au dû', 'Dû', 'E'],
  'due.reserved': ['Du comptabilisé au dû', 'Dû', 'F'],
  'due.available': ['Du comptabilisé au dû', 'Dû', 'G'],
  'control.openingPlusMovementsMinusClosing': [
    'Portefeuille',
    'Écart de contrôle (ouverture + mouvements − clôture)',
    'E',
  ],
  'control.recordedMinusRecomputed': ['Portefeuille', 'Comptabilisé − recalculé', 'E'],
  'control.reservedRecordedMinusRecomputed': ['Portefeuille', 'Comptabilisé − recalculé', 'F'],
  'byStatus.OPEN': ['Opérations créées dans le mois, par état à l’arrêté', 'En cours', 'C'],
  'byStatus.SUCCEEDED': ['Opérations créées dans le mois, par état à l’arrêté', 'Réussies', 'C'],
  'byStatus.FAILED': ['Opérations créées dans le mois, par état à l’arrêté', 'Échouées', 'C'],
  'byStatus.EXPIRED': ['Opérations créées dans le mois, par état à l’arrêté', 'Expirées', 'C'],
  'byStatus.CANCELLED': ['Opérations créées dans le mois, par état à l’arrêté', 'Annulées', 'C'],
  'byStatus.REVERSED': ['Opérations créées dans le mois, par état à l’arrêté', 'Contre-passées', 'C'],
  'findings.critical': ['Constats confirmés du mois', 'Critique', 'C'],
  'findings.error': ['Constats confirmés du mois', 'Erreur', 'C'],
  'findings.warning': ['Constats confirmés du mois', 'Avertissement', 'C'],
  'findings.info': ['Constats confirmés du mois', 'Information', 'C'],
  'findings.total': ['Constats confirmés du mois', 'Total', 'C'],
  'findings.settled': ['Constats confirmés du mois', 'Régularisés', 'C'],
  'findings.accepted': ['Constats confirmés du mois', 'Acceptés', 'C'],
  'findings.roots': ['Constats confirmés du mois', 'dont constats racines', 'C'],
  entryCount: ['Repères', 'Lignes du mois', 'C'],
  firstSequence: ['Repères', 'Premier numéro', 'C'],
  lastSequence: ['Repères', 'Dernier numéro', 'C'],
  revision: ['Repères', 'Révision', 'C'],
  chainHead: ['Repères', 'Tête de chaîne', 'B'],
};

const TABLES = {
  byOperator: {
    sheet: 'Par opérateur',
    below: 'Encaissements réussis par opérateur',
    columns: { count: 'B', amount: 'C', fees: 'D' },
  },
  byCountry: {
    sheet: 'Par opérateur',
    below: 'Encaissements réussis par pays',
    columns: { count: 'B', amount: 'C', fees: 'D' },
  },
  byDay: { sheet: 'Par jour', below: 'Total', columns: { count: 'P', amount: 'Q', fees: 'R' } },
} as const;

/** The cell in which the figure of that path stands; undefined when it is empty, or when nobody knows where it stands. */
export function summaryCell(sheets: Sheets, path: string): CellContent | undefined {
  const place = ON_SUMMARY[path];
  if (place !== undefined) {
    const [below, label, column] = place;
    const isYear = String(sheets.get('Synthèse')?.get('A1')).startsWith('Relevé annuel');
    const said = (text: string): string =>
      isYear ? text.replace('dans le mois', 'dans l’année').replace('du mois', 'de l’année') : text;
    return cellBeside(sheets, { sheet: 'Synthèse', below: said(below), label: said(label), column });
  }
  const [table, name, figure] = path.split('.');
  const { sheet, below, columns } = TABLES[table as keyof typeof TABLES];
  const label = table === 'byDay' ? Date.parse(`${name}T00:00:00Z`) / 86_400_000 + 25_569 : name!;
  return cellBeside(sheets, { sheet, below, label, column: columns[figure as keyof typeof columns] });
}
