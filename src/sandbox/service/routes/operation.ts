// GET /operations/{reference}: one operation in its envelope. The document shows the envelope and not the path.

import { notFound } from '../api-error.ts';
import { ok, type Route } from '../route.ts';

export const operation: Route = {
  method: 'GET',
  path: '/operations/:reference',
  deed: 'READ',
  described: {
    operationId: 'readOperation',
    summary: 'One operation',
    answer: { status: 200, form: 'OperationAnswer' },
    refusals: [404],
  },
  answer: ({ account, params }) => {
    const life = account.simulation.lives.find((candidate) => candidate.operation.reference === params.reference);
    if (life === undefined) throw notFound(`operation ${params.reference}`);
    return ok({ operation: life.operation });
  },
};
