import { parseInstant } from '../../src/core/domain/instant.ts';
import { openSource } from '../../src/io/sources/register.ts';
import type { HttpBooks } from '../support/http-books.ts';
import { settingsFor } from '../support/http-reader.ts';
import { type HttpService, startHttpService } from '../support/http-service.ts';
import { describeSource, type RawBooks } from './source-contract.ts';
import type { Raw } from './source-rows.ts';

const kinds = { holdsIllTypedRows: true, holdsRepeatedRows: true, isStateless: false };

describeSource('the direct API, oldest first', {
  publish: (books) => serve(books, 'ascending'),
  ...kinds,
});
describeSource('the direct API, newest first', {
  publish: (books) => serve(books, 'descending'),
  ...kinds,
});

async function serve(books: readonly RawBooks[], order: HttpService['order']) {
  const service = await startHttpService(
    Object.fromEntries(books.map((one) => [String(one.merchant.reference), served(one)])),
  );
  service.order = order;
  const { baseUrl, ...http } = settingsFor(service);
  return { source: await openSource(baseUrl, { http }), withdraw: () => service.close() };
}

/** Returns books as the service holds them, which sorts its lists itself. */
function served({ merchant, wallet, entries, operations }: RawBooks): HttpBooks {
  const instantOf = (operation: Raw): number => parseInstant(String(operation.createdAt)) ?? 0;
  return {
    profile: merchant,
    wallet,
    ledger: entries.toSorted((a, b) => Number(a.sequence) - Number(b.sequence)),
    operations: operations.toSorted((a, b) => instantOf(a) - instantOf(b)),
  };
}
