// The ways by which things are told, looked at: the mail server, the targets of webhooks, the folder of deliveries. Sends
// and leaves nothing.

import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Configuration } from '../../config.ts';
import { probeMailServer } from '../../deliveries/probe-mail-server.ts';
import { probeTarget } from '../../deliveries/probe-target.ts';
import { broken, type Examination, good, idle, reasonOf, type Seen } from './examination.ts';

export function examineWaysOut(configuration: Configuration, patience: number): readonly Examination[] {
  const { mail, alerts, deliveries } = configuration;
  return [
    {
      what: 'mail server',
      todo: 'see that mail.url names its host, its port and its login rightly, and that this machine may reach it',
      examine: async () => {
        if (mail === undefined) return idle('not configured: no statement and no alert goes by mail');
        const done = await probeMailServer({ url: mail.url, patience });
        return good(`${new URL(mail.url).host}: ${done}`);
      },
    },
    {
      what: 'webhooks',
      todo: 'see that alerts.webhooks name hosts that there are',
      examine: () => examineWebhooks(alerts),
    },
    {
      what: 'delivery folder',
      todo: `make ${deliveries.folder} writable for the user that the worker runs as`,
      examine: async () => {
        if (deliveries.folder === undefined) return idle('not configured');
        await tryWriting(deliveries.folder);
        return good(`${deliveries.folder} can be written`);
      },
    },
  ];
}

async function examineWebhooks({ webhooks, allowPrivate }: Configuration['alerts']): Promise<Seen> {
  if (webhooks.length === 0) return idle('not configured');
  for (const { url } of webhooks) {
    const { host, protocol } = new URL(url);
    const todo = `give ${host} another address`;
    if (protocol !== 'https:' && !allowPrivate) return broken(`${host} is not asked over https`, todo);
    const found = await probeTarget(url).catch((failure: unknown) => reasonOf(failure));
    if (typeof found === 'string') return broken(`${host}: ${found}`, `see that ${host} is the right name`);
    if (found.inside.length > 0 && !allowPrivate) {
      return broken(`${host} is ${found.inside[0]}, which is no public address: nothing is sent there`, todo);
    }
  }
  return good(`${webhooks.length} target(s) have an address`);
}

/** Leaves the folder as it was, but there. */
async function tryWriting(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, `.pointage-${randomUUID()}`);
  try {
    await writeFile(file, '');
  } finally {
    await rm(file, { force: true });
  }
}
