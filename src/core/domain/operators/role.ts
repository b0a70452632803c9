// Operators, their roles, and what each role may do. Refuses nothing by itself: the entrances must
// ask before they act.

/**
 * `read`: see runs, findings, merchants, audits. `investigate`: acknowledge findings, request
 * audits. `decide`: settle, accept, reopen. `publish`: release, send, close, hand out audit kits.
 * `confirm`: confirm what another operator proposed, given the permission for that act too.
 * `trail`: see who did what. `metrics`: read the figures of the process.
 */
export const PERMISSIONS = [
  'read',
  'investigate',
  'decide',
  'publish',
  'confirm',
  'trail',
  'metrics',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const ROLES = [
  'reader',
  'investigator',
  'decider',
  'publisher',
  'accountant',
  'auditor',
  'metrics',
] as const;
export type Role = (typeof ROLES)[number];

const GRANTS: Readonly<Record<Role, readonly Permission[]>> = {
  reader: ['read'],
  investigator: ['read', 'investigate'],
  decider: ['read', 'investigate', 'decide', 'confirm'],
  publisher: ['read', 'publish', 'confirm'],
  accountant: ['read'],
  auditor: ['read', 'trail'],
  metrics: ['metrics'],
};

export interface Operator {
  readonly name: string;
  readonly roles: readonly Role[];
  /** An accountant's only merchant; `null`: every merchant. */
  readonly merchant: string | null;
}

export function isPermitted({ roles }: Pick<Operator, 'roles'>, permission: Permission): boolean {
  return roles.some((role) => GRANTS[role].includes(permission));
}

/** Returns why the operator may not, in one sentence; `null` when the operator may. */
export function refusalOf(
  operator: Pick<Operator, 'name' | 'roles'>,
  permission: Permission,
): string | null {
  if (isPermitted(operator, permission)) return null;
  const roles = ROLES.filter((role) => role !== 'accountant' && GRANTS[role].includes(permission));
  return `${operator.name} has no role with the permission ${permission} (${roles.join(', ')}).`;
}

/**
 * True when an accountant has one merchant and no other role, and any other operator is not bound
 * to a merchant.
 */
export function isConsistent({ roles, merchant }: Pick<Operator, 'roles' | 'merchant'>): boolean {
  return roles.includes('accountant') ? merchant !== null && roles.length === 1 : merchant === null;
}

export const INCONSISTENT =
  'an accountant has one merchant and no other role, and no other role has a merchant';
