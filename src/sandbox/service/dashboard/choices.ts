// Names and bounds that the sandbox chooses where the dashboard's document is silent.
// `control/choices.json` explains the choices in words.

/**
 * Names of the query filters. The document gives only their meaning, and the convention for
 * `merchant_reference`.
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

/** The only algorithm with which tokens are signed and accepted. */
export const TOKEN_ALGORITHM = 'HS256';

/** "Message says the connection is impossible, check access or contact the administrator." */
export const LOGIN_FAILED =
  'Connexion impossible, vérifiez vos accès ou contactez l’administrateur';

export const LONGEST_ORDER_ID = 120;
/** Most characters of metadata as JSON. */
export const LARGEST_METADATA = 4_096;

/** "8 MB maximum each", in bytes. */
export const LARGEST_DOCUMENT = 8 * 1_024 * 1_024;
/** Most characters of a name, an address and similar texts. */
export const LONGEST_TEXT = 200;

export const LONGEST_REFERENCE = 64;

/** Length of a list of deliveries when `limit` is absent. */
export const USUAL_DELIVERIES = 50;
/** The highest `limit` of a list of deliveries. */
export const MOST_DELIVERIES = 500;

export const BANKS = [
  { code: 'FIC01', name: 'Banque Fictive de la Lagune' },
  { code: 'FIC02', name: 'Crédit Imaginaire' },
  { code: 'FIC03', name: 'Caisse de Nulle Part' },
] as const;
