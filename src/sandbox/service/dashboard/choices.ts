// Names and bounds that the sandbox chooses where the dashboard's document is silent.
// `control/choices.json` has its choices in words.

/**
 * Names of the query filters; the document names only their meaning, and `merchant_reference` by
 * its convention.
 */
export const QUERY = {
  merchant: 'merchant_reference',
  payment: 'payment_reference',
  from: 'startDate',
  until: 'endDate',
  text: 'search',
  status: 'status',
  operator: 'operator',
  country: 'country',
} as const;

/** The one algorithm that tokens are signed with and accepted in. */
export const TOKEN_ALGORITHM = 'HS256';

/** "Message says the connection is impossible, check access or contact the administrator." */
export const LOGIN_FAILED =
  'Connexion impossible, vérifiez vos accès ou contactez l’administrateur';

export const LONGEST_ORDER_ID = 120;
/** Characters of its JSON. */
export const LARGEST_METADATA = 4_096;

/** "8 MB maximum each", in bytes. */
export const LARGEST_DOCUMENT = 8 * 1_024 * 1_024;
/** Characters of a name, an address and the like. */
export const LONGEST_TEXT = 200;

export const LONGEST_REFERENCE = 64;

/** Deliveries that a list has, unless `limit` says otherwise, and at most. */
export const USUAL_DELIVERIES = 50;
export const MOST_DELIVERIES = 500;

export const BANKS = [
  { code: 'FIC01', name: 'Banque Fictive de la Lagune' },
  { code: 'FIC02', name: 'Crédit Imaginaire' },
  { code: 'FIC03', name: 'Caisse de Nulle Part' },
] as const;
