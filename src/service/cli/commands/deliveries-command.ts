// `pointage deliveries`: what was announced to whom, or waits to be; show one, have it tried again,
// send what is due.

import { formatInstant, formatKnown } from '../../../core/domain/instant.ts';
import { printable } from '../../../core/domain/printable.ts';
import { columnsOf } from '../../../core/statements/tables/table.ts';
import { withStore } from '../../compose/open-configured.ts';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { DELIVERY_FILTER, instantIn, SENT_FILTER } from '../../http/port/filters.ts';
import { deliverDue } from '../../workflows/deliveries/deliver-due.ts';
import {
  DELIVERY_KEYS,
  type DeliveryFilter,
  listRegister,
  type loadDelivery,
  retryNamedDeliveries,
  type StoredDelivery,
} from '../../workflows/deliveries/manage-deliveries.ts';
import { SPOKEN } from '../print/spoken.ts';
import { oneOf, type Stage, wholeConfigurationOf } from '../stage/stage.ts';
import { paint } from '../stage/terminal.ts';
import {
  type Act,
  actOf,
  defineSubject,
  filterIn,
  inStore,
  inStoreAs,
  type List,
} from './subject.ts';

const STATES = `
States: PENDING to be sent · SENDING · SUCCESS · FAILED to be tried again · ABANDONED refused, or every attempt failed ·
        IN_DOUBT a mail that may have gone out: it is not sent again unless you say so`;

const LIST: List<object, Omit<DeliveryFilter, 'limit'>, StoredDelivery> = {
  does: 'deliveries, newest first',
  examples: ['list --state IN_DOUBT', 'list --merchant M001 --since 2026-11-01 --format json'],
  before: STATES,
  limit: 50,
  filter: DELIVERY_FILTER,
  queryOf: (flags) => {
    const { since, ...same } = filterIn(DELIVERY_FILTER, flags);
    return { ...same, since: instantIn(since) };
  },
  find: ({ desk }, query) => desk.listDeliveries(query),
  title: 'Deliveries',
  none: 'There are no such deliveries.',
  table: [
    { head: 'id', cell: ({ id }) => id.slice(0, 8) },
    { head: 'written', cell: ({ createdAt }) => SPOKEN.minute(createdAt) },
    { head: 'about', cell: ({ topic, merchant }) => `${topic}\n${printable(merchant ?? '')}` },
    { head: 'to', cell: ({ channel, target }) => `${printable(target)}\nby ${channel}` },
    { head: 'state', cell: ({ state }) => state },
    { head: 'attempts', align: 'right', cell: ({ attempts }) => String(attempts) },
    { head: 'last', wraps: 50, cell: ({ lastDetail }) => printable(lastDetail ?? '') },
  ],
  columns: columnsOf(DELIVERY_KEYS),
  json: formOf,
};

type SentRow = Awaited<ReturnType<typeof listRegister>>[number];

const REGISTER: List<object, { readonly merchant?: string | undefined }, SentRow> = {
  name: 'register',
  does: 'every file of a statement that was sent or downloaded, newest first',
  examples: [
    'register --merchant M001 --period 2026-10',
    'register --format csv --out register.csv',
  ],
  limit: 200,
  filter: SENT_FILTER,
  queryOf: (flags) => filterIn(SENT_FILTER, flags),
  find: async ({ store }, query) => ({ items: await listRegister(store, query) }),
  title: 'Register',
  none: 'No such file has left.',
  table: [
    { head: 'at', cell: ({ at }) => SPOKEN.minute(at) },
    {
      head: 'file',
      cell: ({ fileName, sha256 }) => `${printable(fileName)}\n${sha256.slice(0, 32)}`,
    },
    {
      head: 'has',
      cell: ({ revision, deltaOf }) => (deltaOf === null ? 'all' : `r${deltaOf} to r${revision}`),
    },
    {
      head: 'to',
      cell: ({ way, to, askedBy }) => `${printable(to)}\nby ${printable(askedBy ?? way)}`,
    },
    { head: 'outcome', cell: ({ outcome }) => outcome },
  ],
  columns: columnsOf<SentRow>([
    ...([
      'at',
      'merchant',
      'period',
      'revision',
      'deltaOf',
      'format',
      'fileName',
      'sha256',
    ] as const),
    ...(['way', 'to', 'askedBy', 'outcome'] as const),
  ]),
};

/** A contract with programs: fields are added, never renamed. */
function formOf({ createdAt, nextAttemptAt, ...delivery }: StoredDelivery) {
  return {
    ...delivery,
    createdAt: formatInstant(createdAt),
    nextAttemptAt: formatKnown(nextAttemptAt),
  };
}

const SHOW: Act<Flags & { readonly format: string }> = {
  name: 'show',
  does: 'one delivery, with every attempt',
  examples: ['show 1f658be6'],
  define: (command) =>
    command
      .argument('<id>', 'its id, or the beginning of it')
      .option('--format <format>', 'text or json', 'text'),
  run: async (stage, flags, id: string) => {
    const format = oneOf('--format', flags.format, ['text', 'json']);
    await inStore(stage, flags, async ({ desk }) => {
      const delivery = await desk.findDelivery(id);
      if (format === 'json') printAsJson(stage, delivery);
      else printDelivery(stage, delivery);
    });
  },
};

type KnownDelivery = Awaited<ReturnType<typeof loadDelivery>>;

function printAsJson({ terminal }: Stage, { content, history, ...delivery }: KnownDelivery): void {
  const attempts = history.map(({ startedAt, finishedAt, ...attempt }) => ({
    ...attempt,
    startedAt: formatInstant(startedAt),
    finishedAt: formatInstant(finishedAt),
  }));
  terminal.out(`${JSON.stringify({ ...formOf(delivery), content, history: attempts }, null, 2)}\n`);
}

function printDelivery({ terminal }: Stage, delivery: KnownDelivery): void {
  const about = [delivery.topic, delivery.merchant, delivery.announces]
    .filter((part) => part !== null)
    .join(' · ');
  terminal.out(`${paint(terminal, 'bold', delivery.state)} ${delivery.id}\n`);
  terminal.out(`  about     ${about}\n  to        ${delivery.channel} ${delivery.target}\n`);
  terminal.out(`  written   ${formatInstant(delivery.createdAt)}\n`);
  if (delivery.nextAttemptAt !== null)
    terminal.out(`  next      ${formatInstant(delivery.nextAttemptAt)}\n`);
  for (const { number, startedAt, outcome, detail } of delivery.history)
    terminal.out(`  attempt ${number} ${formatInstant(startedAt)} ${outcome}: ${detail}\n`);
}

const RETRY: Act<Flags & { readonly inDoubt?: true; readonly abandoned?: true }> = {
  name: 'retry',
  does: 'have deliveries tried again, with the whole ladder before them; earlier attempts are kept',
  examples: [
    'retry 1f658be6',
    'retry --abandoned',
    'retry --in-doubt         (a mail may then arrive twice)',
  ],
  define: (command) =>
    command
      .argument('[id...]', 'their ids, or the beginnings of them')
      .option('--in-doubt', 'every mail that may have gone out')
      .option('--abandoned', 'everything that was given up'),
  run: async (stage, flags, ids: readonly string[]) => {
    const inDoubt = flags.inDoubt === true ? (['IN_DOUBT'] as const) : [];
    const abandoned = flags.abandoned === true ? (['ABANDONED'] as const) : [];
    const states = [...inDoubt, ...abandoned];
    if (ids.length === 0 && states.length === 0)
      throw new ConfigurationInvalid(
        'Say which: ids, --in-doubt or --abandoned; pointage deliveries list shows them.',
      );
    const about = {
      action: 'deliveries retry',
      merchant: null,
      subject: [...ids, ...states].join(' '),
    };
    const count = await inStoreAs(stage, flags, { permission: 'publish', ...about }, ({ store }) =>
      retryNamedDeliveries(store, { ids, states }, stage.clock()),
    );
    const which = count === 1 ? '1 delivery is' : `${count} deliveries are`;
    stage.terminal.out(`${which} PENDING again; a worker sends, or 'pointage deliveries send'.\n`);
  },
};

const SEND: Act<Flags> = {
  name: 'send',
  does: 'send what is due now, once',
  examples: ['send                     (one pass by hand; a worker does it by itself)'],
  after: '\n\nExit status: 0 nothing failed · 2 something failed · 3 the command failed',
  run: async (stage, flags) => {
    const configuration = await wholeConfigurationOf(stage, flags);
    // Loaded when they are needed: no other command should wait for a mail library.
    const { outboxOf } = await import('../../compose/outbox.ts');
    await withStore(configuration, async (store) => {
      const { SUCCESS, RETRY, REFUSED, IN_DOUBT } = await deliverDue(
        await outboxOf(configuration, store, stage),
      );
      stage.terminal.out(
        `${SUCCESS} sent · ${RETRY} to be tried again · ${REFUSED} refused · ${IN_DOUBT} in doubt\n`,
      );
      if (RETRY + REFUSED + IN_DOUBT > 0) stage.status = 2;
    });
  },
};

export const defineDeliveries = defineSubject({
  name: 'deliveries',
  before: STATES,
  list: LIST,
  acts: [actOf(REGISTER), SHOW, RETRY, SEND],
});
