// Finds the cell of each figure of a statement's summary in the French workbook.

import type { StatementSummary } from '../../src/core/statements/summary.ts';
import { type CellContent, cellBeside, type Sheets } from './sheet-cells.ts';

/**
 * Returns each figure by its path, such as `closingBalance` or `byOperator.ORANGE.amount`; `null`
 * is an empty cell.
 */
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
      for (const [key, inner] of Object.entries(value))
        walk(inner, path === '' ? key : `${path}.${key}`);
    } else if (path.startsWith('findings.') && value === 0)
      return; // Only what there is has a row.
    else if (path !== 'currency' && path !== 'population') figures.set(path, value ?? undefined);
  };
  walk(summary, '');
  return figures;
}

const OPERATIONS = 'Encaissements réussis dans le mois, d’après les opérations du portefeuille';
const LINES = 'Mouvements du mois, d’après les lignes du grand livre';
const PERPETUAL = 'Totaux perpétuels, depuis la première ligne du grand livre';
const STATES = 'Opérations créées dans le mois, d’après leur état à l’arrêté';
const FINDINGS = 'Constats confirmés du mois';

/** The row of the sheet Synthèse (by its label, below a heading) and the column, by path. */
const ON_SUMMARY: Readonly<
  Record<string, readonly [below: string, label: string, column: string]>
> = {
  totalAmount: [OPERATIONS, 'Montant brut', 'B'],
  paymentCount: [OPERATIONS, 'Encaissements', 'B'],
  totalFees: [OPERATIONS, 'Commissions', 'B'],
  collected: [LINES, 'Encaissé (brut)', 'B'],
  disbursed: [LINES, 'Décaissé', 'B'],
  fees: [LINES, 'Commissions', 'B'],
  reversals: [LINES, 'Contre-passations', 'B'],
  adjustments: [LINES, 'Régularisations', 'B'],
  otherMovements: [LINES, 'Autres mouvements', 'B'],
  openingBalance: ['Mouvement', 'À l’ouverture (somme des lignes)', 'D'],
  openingReserved: ['Mouvement', 'À l’ouverture (somme des lignes)', 'E'],
  closingBalance: ['Mouvement', 'À la clôture (somme des lignes)', 'D'],
  closingReserved: ['Mouvement', 'À la clôture (somme des lignes)', 'E'],
  availableAtClose: [LINES, 'Disponible à la clôture', 'B'],
  'recorded.balance': ['Du comptabilisé au dû', 'Comptabilisé par le service', 'B'],
  'recorded.reserved': ['Du comptabilisé au dû', 'Comptabilisé par le service', 'C'],
  'recorded.available': ['Du comptabilisé au dû', 'Comptabilisé par le service', 'D'],
  'due.balance': ['Du comptabilisé au dû', 'Dû', 'B'],
  'due.reserved': ['Du comptabilisé au dû', 'Dû', 'C'],
  'due.available': ['Du comptabilisé au dû', 'Dû', 'D'],
  'control.openingPlusMovementsMinusClosing': [LINES, 'Écart de contrôle', 'B'],
  'control.recordedMinusRecomputed': ['Soldes à l’arrêté', 'Comptabilisé − recalculé', 'B'],
  'control.reservedRecordedMinusRecomputed': ['Soldes à l’arrêté', 'Comptabilisé − recalculé', 'C'],
  'byStatus.OPEN': [STATES, 'En cours', 'B'],
  'byStatus.SUCCEEDED': [STATES, 'Réussies', 'B'],
  'byStatus.FAILED': [STATES, 'Échouées', 'B'],
  'byStatus.EXPIRED': [STATES, 'Expirées', 'B'],
  'byStatus.CANCELLED': [STATES, 'Annulées', 'B'],
  'byStatus.REVERSED': [STATES, 'Contre-passées', 'B'],
  'findings.critical': [FINDINGS, 'Critique', 'B'],
  'findings.error': [FINDINGS, 'Erreur', 'B'],
  'findings.warning': [FINDINGS, 'Avertissement', 'B'],
  'findings.info': [FINDINGS, 'Information', 'B'],
  'findings.total': [FINDINGS, 'Constats', 'B'],
  'findings.settled': [FINDINGS, 'Régularisés', 'B'],
  'findings.accepted': [FINDINGS, 'Acceptés', 'B'],
  'findings.roots': [FINDINGS, 'dont racines', 'B'],
  entryCount: [LINES, 'Lignes', 'B'],
  'perpetual.creditCount': [PERPETUAL, 'Lignes au crédit', 'B'],
  'perpetual.credits': [PERPETUAL, 'Crédits', 'B'],
  'perpetual.debitCount': [PERPETUAL, 'Lignes au débit', 'B'],
  'perpetual.debits': [PERPETUAL, 'Débits', 'B'],
  firstSequence: [LINES, 'Premier numéro', 'B'],
  lastSequence: [LINES, 'Dernier numéro', 'B'],
  revision: ['Repères', 'Révision', 'B'],
  chainHead: ['Repères', 'Tête de chaîne (SHA-256)', 'B'],
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

/** Returns the cell with the figure of that path; `undefined` when it is empty or unknown. */
export function summaryCell(sheets: Sheets, path: string): CellContent | undefined {
  const place = ON_SUMMARY[path];
  if (place !== undefined) {
    const [below, label, column] = place;
    const isYear = String(sheets.get('Synthèse')?.get('A1')).startsWith('Relevé annuel');
    const said = (text: string): string =>
      isYear ? text.replace('dans le mois', 'dans l’année').replace('du mois', 'de l’année') : text;
    return cellBeside(sheets, {
      sheet: 'Synthèse',
      below: said(below),
      label: said(label),
      column,
    });
  }
  const [table, name, figure] = path.split('.');
  const { sheet, below, columns } = TABLES[table as keyof typeof TABLES];
  const label = table === 'byDay' ? Date.parse(`${name}T00:00:00Z`) / 86_400_000 + 25_569 : name!;
  return cellBeside(sheets, {
    sheet,
    below,
    label,
    column: columns[figure as keyof typeof columns],
  });
}
