// What the dashboard document does not show and the sandbox had to choose, in one place: names of query parameters, the
// statuses of refusals, the life of a token. Each is lawful under the document; none is claimed to be the service's own.

/** Names of the query filters; the document names only their meaning, and `merchant_reference` by its convention. */
export const QUERY = {
  merchant: 'merchant_reference',
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
export const LOGIN_FAILED = 'Connexion impossible, vérifiez vos accès ou contactez l’administrateur';

/** A filter that cannot be read, a body that is not JSON: the document shows 400 for other bad requests. */
export const BAD_REQUEST = 400;

/** A report that is not there, or has no file yet. */
export const REPORT_NOT_FOUND = 'Report not found';

/** The documents that a compliance file consists of, with labels of our own. */
export const REQUIRED_DOCUMENTS = [
  { key: 'rccm', label: 'Registre du commerce' },
  { key: 'dfe', label: 'Déclaration fiscale d’existence' },
  { key: 'rib', label: 'Relevé d’identité bancaire' },
  { key: 'managerId', label: 'Pièce d’identité du gérant' },
  { key: 'managerSelfie', label: 'Photo du gérant' },
  { key: 'statutes', label: 'Statuts' },
] as const;
