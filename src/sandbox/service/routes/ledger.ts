// GET /ledger: the lines of the ledger, a page at a time. The document shows the resource and not its path or order.

import { readPage } from '../read-query.ts';
import { answerList, type Route } from '../route.ts';

export const ledger: Route = {
  method: 'GET',
  path: '/ledger',
  deed: 'READ',
  described: {
    operationId: 'listEntries',
    summary: 'Lines of the ledger',
    query: ['limit', 'offset'],
    answer: { status: 200, form: 'LedgerEntry', list: true },
    refusals: [400],
  },
  answer: ({ account, settings, query }) =>
    answerList(account.simulation.entries, {
      show: (entry) => entry,
      page: readPage(query),
      newestFirst: settings.ledgerOrder === 'descending',
      envelope: settings.listEnvelope,
    }),
};
