// GET /operations: the operations, a page at a time, all or those of one status.

import { readPage, readStatus } from '../read-query.ts';
import { answerList, type Route } from '../route.ts';

export const operations: Route = {
  method: 'GET',
  path: '/operations',
  deed: 'READ',
  described: {
    operationId: 'listOperations',
    summary: 'Operations, all or those of one status',
    query: ['operationStatus', 'limit', 'offset'],
    answer: { status: 200, form: 'Operation', list: true },
    refusals: [400],
  },
  answer: ({ account, settings, query }) => {
    const page = readPage(query);
    const status = readStatus(query);
    const { lives } = account.simulation;
    return answerList(status === null ? lives : lives.filter(({ operation }) => operation.status === status), {
      show: ({ operation }) => operation,
      page,
      newestFirst: settings.operationOrder === 'newest-first',
      envelope: settings.listEnvelope,
    });
  },
};
