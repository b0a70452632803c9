// A process of its own that sends what is due, for tests that kill it. Arguments: the URLs of the
// database and of the mail server.

import { openMailChannel } from '../../src/io/deliveries/mail.ts';
import { openStore } from '../../src/io/storage/server/open-store.ts';
import { deliverDue } from '../../src/service/workflows/deliveries/deliver-due.ts';
import { mailSettings, outboxTask } from './outbox.ts';

const [databaseUrl, mailUrl] = process.argv.slice(2) as [string, string];
const store = await openStore({ databaseUrl, dataDirectory: '' });
const channels = [openMailChannel(mailSettings(mailUrl, { deadline: 60_000 }))];
await deliverDue({ ...outboxTask(store, channels), clock: Date.now });
await store.close();
