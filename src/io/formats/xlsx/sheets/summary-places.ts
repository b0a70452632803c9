// Where the figures of the Synthèse stand, for the formulas of other sheets.

/** Cells of one side, named by what they hold. */
export type SidePlaces = Readonly<
  Record<'recorded' | 'crossing' | 'carried' | 'named' | 'remainder' | 'recomputed', string>
>;

export interface ReconciliationPlaces {
  readonly balance: SidePlaces;
  readonly reserved: SidePlaces;
  /** Collections as operations state them, and as the ledger has them. */
  readonly operations: string;
  readonly lines: string;
  readonly collectionDifference: string;
}

export interface SummaryPlaces {
  readonly opening: string;
  readonly openingReserved: string;
  readonly closing: string;
  readonly closingReserved: string;
  readonly available: string;
  readonly entryCount: string;
  /** Σ effects over the kinds. */
  readonly kindsBalance: string;
  readonly kindsReserved: string;
  readonly kindsCount: string;
  readonly reconciliation: ReconciliationPlaces;
}
