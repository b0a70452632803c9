// A service that took operations of an account that it had never activated.

import { atOperation, defineFault } from '../fault.ts';

export const OPERATED_WHILE_BLOCKED = defineFault({
  name: 'OPERATED_WHILE_BLOCKED',
  says: 'the account is PENDING, and its operations were taken all the same',
  change: (books) => {
    const [first] = books.operations;
    if (first === undefined || books.merchant.status === 'PENDING') return null;
    return atOperation({ ...books, merchant: { ...books.merchant, status: 'PENDING' } }, first.reference);
  },
});
