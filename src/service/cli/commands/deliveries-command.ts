// `pointage deliveries`: what was announced to whom, or waits to be; show one, have it tried again, send what is due.

import type { Command } from 'commander';
import { DELIVERY_STATES } from '../../../core/domain/delivery/delivery.ts';
import { formatInstant, type Instant } from '../../../core/domain/instant.ts';
import { printable } from '../../../core/domain/printable.ts';
import { withStore } from '../../compose/open-configured.ts';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { deliverDue } from '../../workflows/deliveries/deliver-due.ts';
import {
  findDelivery,
  listKnownDeliveries,
  retryNamedDeliveries,
  type StoredDelivery,
} from '../../workflows/deliveries/manage-deliveries.ts';
import { configurationOf, instantOf, oneOf, type Stage, withCommonOptions } from '../command.ts';
import {
  checkListingFlags,
  countOf,
  type Listing,
  type ListingFlags,
  printListing,
  withListingOptions,
} from '../print/listing.ts';
import { paint } from '../terminal.ts';

const EXAMPLES = {
  list: ['list --state IN_DOUBT', 'list --merchant M001 --since 2026-11-01 --format json'],
  show: ['show 1f658be6'],
  retry: ['retry 1f658be6', 'retry --abandoned', 'retry --in-doubt         (a mail may then arrive twice)'],
  send: ['send                     (one pass by hand; a worker does it by itself)'],
} as const;

const STATES = `
States: PENDING to be sent · SENDING · SUCCESS · FAILED to be tried again · ABANDONED refused, or every attempt failed ·
        IN_DOUBT a mail that may have gone out: it is not sent again unless you say so`;

function examplesOf(...commands: readonly (keyof typeof EXAMPLES)[]): string {
  const lines = commands.flatMap((command) => EXAMPLES[command].map((example) => `\n  pointage deliveries ${example}`));
  return `\nExamples:${lines.join('')}`;
}

const FORMATS = ['text', 'json'] as const;

interface ListFlags extends Flags, ListingFlags {
  readonly state?: string;
  readonly merchant?: string;
  readonly since?: string;
  readonly limit: number;
}

interface RetryFlags extends Flags {
  readonly inDoubt?: true;
  readonly abandoned?: true;
}

export function defineDeliveries(command: Command, stage: Stage): void {
  command.addHelpText('after', `${STATES}\n${examplesOf('list', 'show', 'retry', 'send')}`);
  withListingOptions(withCommonOptions(command.command('list')))
    .description('deliveries, newest first')
    .option('--state <state>', DELIVERY_STATES.join(', '))
    .option('--merchant <reference>', 'about one merchant')
    .option('--since <instant>', 'written at or after it: 2026-11-01, or with a time and a zone')
    .option('--limit <count>', 'at most so many', countOf, 50)
    .addHelpText('after', `${STATES}\n${examplesOf('list')}`)
    .action((flags: ListFlags) => list(stage, flags));
  withCommonOptions(command.command('show'))
    .description('one delivery, with every attempt')
    .argument('<id>', 'its id, or the beginning of it')
    .option('--format <format>', 'text or json', 'text')
    .addHelpText('after', examplesOf('show'))
    .action((id: string, flags: Flags & { readonly format: string }) => show(stage, id, flags));
  withCommonOptions(command.command('retry'))
    .description('have deliveries tried again, with the whole ladder before them; earlier attempts are kept')
    .argument('[id...]', 'their ids, or the beginnings of them')
    .option('--in-doubt', 'every mail that may have gone out')
    .option('--abandoned', 'everything that was given up')
    .addHelpText('after', examplesOf('retry'))
    .action((ids: string[], flags: RetryFlags) => retry(stage, ids, flags));
  withCommonOptions(command.command('send'))
    .description('send what is due now, once')
    .addHelpText(
      'after',
      `${examplesOf('send')}\n\nExit status: 0 nothing failed · 2 something failed · 3 the command failed`,
    )
    .action((flags: Flags) => send(stage, flags));
}

async function list(stage: Stage, flags: ListFlags): Promise<void> {
  checkListingFlags(flags);
  const state = flags.state === undefined ? undefined : oneOf('--state', flags.state, DELIVERY_STATES);
  const since = flags.since === undefined ? undefined : instantOf(flags.since, 0);
  await withStore(await configurationOf(stage, flags), async (store) => {
    const { merchant, limit } = flags;
    const found = await listKnownDeliveries(store, { state, since, merchant, limit: limit + 1 });
    await printListing(stage, flags, listingOf(found, limit));
  });
}

const COLUMNS: readonly (keyof StoredDelivery)[] = [
  'id',
  'createdAt',
  'topic',
  'merchant',
  'announces',
  'channel',
  'target',
  'state',
  'attempts',
  'nextAttemptAt',
  'lastDetail',
];

function listingOf(found: readonly StoredDelivery[], limit: number): Listing<StoredDelivery> {
  return {
    title: 'Deliveries',
    rows: found.slice(0, limit),
    table: [
      { head: 'id', cell: ({ id }) => id.slice(0, 8) },
      { head: 'written', cell: ({ createdAt }) => formatInstant(createdAt).slice(0, 16) },
      { head: 'about', cell: ({ topic, merchant }) => `${topic}\n${printable(merchant ?? '')}` },
      { head: 'to', cell: ({ channel, target }) => `${printable(target)}\nby ${channel}` },
      { head: 'state', cell: ({ state }) => state },
      { head: 'attempts', align: 'right', cell: ({ attempts }) => String(attempts) },
      { head: 'last', wraps: 50, cell: ({ lastDetail }) => printable(lastDetail ?? '') },
    ],
    columns: COLUMNS.map((key) => ({
      key,
      kind: key === 'attempts' ? 'count' : 'text',
      of: (delivery) => formOf(delivery)[key],
    })),
    json: formOf,
    none: 'There are no such deliveries.',
    notes: found.length > limit ? [`There are more: --limit lists more than ${limit}.`] : [],
  };
}

async function show(stage: Stage, id: string, flags: Flags & { readonly format: string }): Promise<void> {
  const format = oneOf('--format', flags.format, FORMATS);
  await withStore(await configurationOf(stage, flags), async (store) => {
    const { content, history, ...delivery } = await findDelivery(store, id);
    if (format === 'json') {
      const attempts = history.map(({ startedAt, finishedAt, ...attempt }) => ({
        ...attempt,
        startedAt: formatInstant(startedAt),
        finishedAt: formatInstant(finishedAt),
      }));
      return printJson(stage, { ...formOf(delivery), content, history: attempts });
    }
    const { terminal } = stage;
    const about = [delivery.topic, delivery.merchant, delivery.announces].filter((part) => part !== null).join(' · ');
    terminal.out(`${paint(terminal, 'bold', delivery.state)} ${delivery.id}\n`);
    terminal.out(`  about     ${about}\n  to        ${delivery.channel} ${delivery.target}\n`);
    terminal.out(`  written   ${formatInstant(delivery.createdAt)}\n`);
    if (delivery.nextAttemptAt !== null) terminal.out(`  next      ${formatInstant(delivery.nextAttemptAt)}\n`);
    for (const { number, startedAt, outcome, detail } of history)
      terminal.out(`  attempt ${number} ${formatInstant(startedAt)} ${outcome}: ${detail}\n`);
  });
}

/** A contract with programs: fields are added, never renamed. */
function formOf({ createdAt, nextAttemptAt, ...delivery }: StoredDelivery) {
  const instant = (value: Instant | null) => (value === null ? null : formatInstant(value));
  return { ...delivery, createdAt: instant(createdAt), nextAttemptAt: instant(nextAttemptAt) };
}

function printJson(stage: Stage, value: unknown): void {
  stage.terminal.out(`${JSON.stringify(value, null, 2)}\n`);
}

async function retry(stage: Stage, ids: readonly string[], flags: RetryFlags): Promise<void> {
  const inDoubt = flags.inDoubt === true ? (['IN_DOUBT'] as const) : [];
  const abandoned = flags.abandoned === true ? (['ABANDONED'] as const) : [];
  const states = [...inDoubt, ...abandoned];
  if (ids.length === 0 && states.length === 0)
    throw new ConfigurationInvalid('Say which: ids, --in-doubt or --abandoned; pointage deliveries list shows them.');
  await withStore(await configurationOf(stage, flags), async (store) => {
    const count = await retryNamedDeliveries(store, { ids, states }, stage.clock());
    const said = count === 1 ? '1 delivery is' : `${count} deliveries are`;
    stage.terminal.out(`${said} PENDING again; a worker sends, or 'pointage deliveries send'.\n`);
  });
}

async function send(stage: Stage, flags: Flags): Promise<void> {
  const configuration = await configurationOf(stage, flags);
  // Loaded when they are needed: no other command should wait for a mail library.
  const { outboxOf } = await import('../../compose/outbox.ts');
  await withStore(configuration, async (store) => {
    const counts = await deliverDue(outboxOf(configuration, store, stage));
    const { SUCCESS, RETRY, REFUSED, IN_DOUBT } = counts;
    stage.terminal.out(`${SUCCESS} sent · ${RETRY} to be tried again · ${REFUSED} refused · ${IN_DOUBT} in doubt\n`);
    if (RETRY + REFUSED + IN_DOUBT > 0) stage.status = 2;
  });
}
