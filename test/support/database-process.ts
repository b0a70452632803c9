// A second process for tests. It opens the store that its first argument names (a data directory,
// or a postgres:// address), does what the second argument says, reports on standard output, and
// leaves when its standard input ends.

import { once } from 'node:events';
import { withMerchantLock } from '../../src/io/storage/merchants/merchant-lock.ts';
import { openStore } from '../../src/io/storage/server/open-store.ts';

const [address = '', task = 'open', merchant = ''] = process.argv.slice(2);
const isUrl = address.startsWith('postgres:');
const store = await openStore({
  databaseUrl: isUrl ? address : null,
  dataDirectory: isUrl ? '' : address,
});

if (task === 'lock') {
  const outcome = await withMerchantLock(store, merchant, async () => waitAs('locked'));
  if (!outcome.acquired) process.stdout.write('not acquired\n');
} else {
  await waitAs('open');
}
await store.close();
process.stdout.write('closed\n');

async function waitAs(state: string): Promise<void> {
  process.stdout.write(`${state}\n`);
  process.stdin.resume();
  await once(process.stdin, 'end');
}
