// October of two merchants, issued: the sound one goes out; the broken one, with a credit inscribed
// twice, is held. With a mail server, and the backend that operators are answered from. Issued in
// some formats alone, because no test opens the others.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Operator } from '../../src/core/domain/operators/role.ts';
import { openMailChannel } from '../../src/io/deliveries/mail.ts';
import { FORMATS } from '../../src/io/formats/register.ts';
import { FAULTS } from '../../src/sandbox/faults/register.ts';
import { seedRandom } from '../../src/sandbox/model/random.ts';
import { announcementsOf } from '../../src/service/compose/delivering.ts';
import { loadConfiguration } from '../../src/service/config/load-configuration.ts';
import { openConsole } from '../../src/service/console/open-console.ts';
import { deliverDue } from '../../src/service/workflows/deliveries/deliver-due.ts';
import { publishStatement } from '../../src/service/workflows/month/publish-statement.ts';
import { sessionsOf } from '../../src/service/workflows/operators/known-operators.ts';
import { type MailServer, startMailServer } from './mail-server.ts';
import { entranceTo, type OperatorEntrance } from './operator-books.ts';
import { mailSettings, NOW, outboxTask } from './outbox.ts';
import { openReportBooks, publishTask, type ReportBooks } from './report-books.ts';
import { startTestServer, type TestServer } from './report-server.ts';

export const SOUND = 'KIOSQUE';
export const BROKEN = 'PAPETERIE';
export const ACCOUNTANT = 'compta@example.com';

export interface MonthBooks {
  readonly books: ReportBooks;
  readonly mail: MailServer;
  readonly entrance: OperatorEntrance;
  /** A server with the routes of operators, and the console. */
  readonly server: TestServer;
  /** The time that the backend takes for now. A test may set it. */
  readonly clock: { now: number };
  /** Sends the deliveries that are due. */
  send(): Promise<void>;
  close(): Promise<void>;
}

export async function openMonthBooks(
  others: readonly (Operator & { readonly token: string })[] = [],
  secondPersonAbove: Readonly<Record<string, number>> = {},
): Promise<MonthBooks> {
  const fault = FAULTS.find(({ name }) => name === 'CREDIT_DUPLICATED')!;
  const books = await openReportBooks([SOUND, BROKEN], (sound, merchant) =>
    merchant === BROKEN ? fault.plant(sound, seedRandom('held'))!.books : sound,
  );
  const mail = await startMailServer();
  const scratch = mkdtempSync(join(tmpdir(), 'pointage-months-'));
  const config = join(scratch, 'settings.json');
  const accountants = [{ email: ACCOUNTANT }];
  const sender = { url: mail.url, from: 'pointage@example.com', deadline: 5_000 };
  writeFileSync(
    config,
    JSON.stringify({
      mail: sender,
      merchants: { [SOUND]: { accountants }, [BROKEN]: { accountants } },
    }),
  );
  const loaded = await loadConfiguration({ config, databaseUrl: books.databaseUrl }, {});
  const configuration = { ...loaded, decisions: { secondPersonAbove } };
  const announcements = announcementsOf(configuration);
  const formats = FORMATS.filter(({ name }) => ['json', 'csv', 'pdf'].includes(name));
  for (const merchant of [SOUND, BROKEN])
    await publishStatement(publishTask(books.store, { announcements, formats }), merchant);
  const clock = { now: NOW };
  const entrance = entranceTo(
    { configuration, store: books.store },
    () => clock.now,
    undefined,
    others,
  );
  const { operators, findOperator, backend } = entrance;
  const sessions = sessionsOf(books.store, { operators, clock: () => clock.now });
  const pages = openConsole({ sessions, provider: null, language: 'fr', publicUrl: null });
  const server = await startTestServer(books.store, {
    server: { backend, findOperator, pages, clock: () => clock.now },
  });
  return {
    books,
    mail,
    entrance,
    server,
    clock,
    send: async () => {
      const task = outboxTask(books.store, [openMailChannel(mailSettings(mail.url))]);
      task.now = clock.now;
      await deliverDue({ ...task, formats: ['pdf'] });
    },
    close: async () => {
      await server.close();
      await mail.close();
      await books.close();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}
