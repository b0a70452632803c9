// Examines the ways by which things are announced: the mail server, the targets of webhooks, the folder of deliveries. Sends
// and leaves nothing.

import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findInsideAddress } from '../../../io/deliveries/webhook/probe-target.ts';
import type { Configuration } from '../../config/check-configuration.ts';
import { findMailProblem } from '../outbox.ts';
import { broken, type Examination, good, idle, reasonOf, type Seen } from './examination.ts';

export function examineWaysOut(configuration: Configuration, patience: number): readonly Examination[] {
  const { mail, alerts, deliveries } = configuration;
  return [
    {
      what: 'mail server',
      todo: MAIL_TODO,
      examine: async () => {
        if (mail === undefined) return idle('not configured: no statement and no alert goes by mail');
        const problem = await findMailProblem({ ...configuration, mail: { ...mail, deadline: patience } });
        const { host, username } = new URL(mail.url);
        if (problem !== null) return broken(problem, MAIL_TODO);
        return good(`${host}: ${username === '' ? 'connected' : 'connected and logged in'}`);
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

const MAIL_TODO =
  'see that mail.url names its host, its port and its login rightly, and that this machine may reach it';

async function examineWebhooks({ webhooks, allowPrivate }: Configuration['alerts']): Promise<Seen> {
  if (webhooks.length === 0) return idle('not configured');
  for (const { url } of webhooks) {
    const { host } = new URL(url);
    let inside: string | null;
    try {
      inside = await findInsideAddress(url);
    } catch (failure) {
      return broken(`${host}: ${reasonOf(failure)}`, `see that ${host} is the right name`);
    }
    if (inside !== null && !allowPrivate) {
      const says = `${host} is ${inside}, which is no public address: nothing is sent there`;
      return broken(says, `give ${host} another address`);
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
