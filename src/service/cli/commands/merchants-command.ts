// `pointage merchants`: whose books are mirrored, and who is retired.

import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { formatInstant, type Instant } from '../../../core/domain/instant.ts';
import { printable } from '../../../core/domain/printable.ts';
import type { ListColumn } from '../../../io/formats/list-column.ts';
import { withStore } from '../../compose/open-configured.ts';
import type { Flags } from '../../config/load-configuration.ts';
import {
  type ListedMerchant,
  listMerchants,
  restoreMerchant,
  retireMerchant,
} from '../../workflows/operators/manage-merchants.ts';
import { configurationOf, type Stage, withCommonOptions } from '../command.ts';
import {
  checkListingFlags,
  countOf,
  type Listing,
  type ListingFlags,
  printListing,
  withListingOptions,
} from '../print/listing.ts';

const RETIRED = `
A retired merchant is left out where audit, statement and publish go over all merchants of the mirror; by name it can still be
asked for, and its books stay. A run and a night cover whom the source names: take it out of the source's list as well.`;

const EXAMPLES = {
  list: ['list', 'list --limit 10000 --format xlsx --out merchants.xlsx'],
  retire: ['retire M001 --reason "closed its account, ticket 4412"'],
  restore: ['restore M001'],
} as const;

function examplesOf(...commands: readonly (keyof typeof EXAMPLES)[]): string {
  const lines = commands.flatMap((command) => EXAMPLES[command].map((example) => `\n  pointage merchants ${example}`));
  return `\nExamples:${lines.join('')}`;
}

interface ListFlags extends Flags, ListingFlags {
  readonly limit: number;
}

export function defineMerchants(command: Command, stage: Stage): void {
  command.addHelpText('after', `${RETIRED}\n${examplesOf('list', 'retire', 'restore')}`);
  withListingOptions(withCommonOptions(command.command('list')))
    .description('merchants of the mirror, by reference')
    .option('--limit <count>', 'at most so many', countOf, 200)
    .addHelpText('after', examplesOf('list'))
    .action((flags: ListFlags) => list(stage, flags));
  withCommonOptions(command.command('retire'))
    .description('leave a merchant out where all of the mirror are meant; its books stay')
    .argument('<merchant>', 'reference of the merchant')
    .requiredOption('--reason <text>', 'why; kept beside it')
    .option('--by <name>', 'who decides (default: the user of this session)')
    .addHelpText('after', `${RETIRED}\n${examplesOf('retire')}`)
    .action(async (merchant: string, { reason, by, ...flags }: Flags & { reason: string; by?: string }) => {
      const retirement = { at: stage.clock(), by: by ?? userInfo().username, reason };
      await withStore(await configurationOf(stage, flags), (store) => retireMerchant(store, merchant, retirement));
      stage.terminal.out(`${printable(merchant)} is retired.\n`);
    });
  withCommonOptions(command.command('restore'))
    .description('take a retired merchant back')
    .argument('<merchant>', 'reference of the merchant')
    .addHelpText('after', examplesOf('restore'))
    .action(async (merchant: string, flags: Flags) => {
      await withStore(await configurationOf(stage, flags), (store) => restoreMerchant(store, merchant));
      stage.terminal.out(`${printable(merchant)} is no longer retired.\n`);
    });
}

async function list(stage: Stage, flags: ListFlags): Promise<void> {
  checkListingFlags(flags);
  await withStore(await configurationOf(stage, flags), async (store) => {
    const { total, items } = await listMerchants(store, flags.limit);
    const left = total - items.length;
    const notes = left > 0 ? [`${left} more: --limit ${total} lists them all.`] : [];
    await printListing(stage, flags, { ...LISTING, rows: items, notes });
  });
}

const LISTING: Omit<Listing<ListedMerchant>, 'rows' | 'notes'> = {
  title: 'Merchants',
  none: 'The mirror holds no merchant yet.',
  table: [
    { head: 'merchant', cell: ({ reference, name }) => `${printable(reference)}\n${printable(name ?? '')}` },
    { head: 'country', cell: ({ country }) => country ?? '' },
    { head: 'verdict', cell: ({ verdict }) => verdict ?? 'not judged' },
    { head: 'open', align: 'right', cell: ({ openFindings }) => String(openFindings) },
    { head: 'known up to', cell: ({ watermark }) => instantOf(watermark)?.slice(0, 16) ?? '' },
    { head: 'retired', wraps: 40, cell: ({ retired }) => (retired === null ? '' : saidRetired(retired)) },
  ],
  columns: columns(),
};

function saidRetired({ at, by, reason }: NonNullable<ListedMerchant['retired']>): string {
  return `${formatInstant(at).slice(0, 10)} by ${printable(by)}: ${printable(reason)}`;
}

/** Keys are a contract with programs: they are added, never renamed. */
function columns(): readonly ListColumn<ListedMerchant>[] {
  return [
    { key: 'merchant', kind: 'text', of: ({ reference }) => reference },
    { key: 'name', kind: 'text', of: ({ name }) => name },
    { key: 'country', kind: 'text', of: ({ country }) => country },
    { key: 'status', kind: 'text', of: ({ status }) => status },
    { key: 'verdict', kind: 'text', of: ({ verdict }) => verdict },
    { key: 'openFindings', kind: 'count', of: ({ openFindings }) => openFindings },
    { key: 'lastRun', kind: 'serial', of: ({ lastRun }) => lastRun },
    { key: 'lastRunAt', kind: 'text', of: ({ lastRunAt }) => instantOf(lastRunAt) },
    { key: 'watermark', kind: 'text', of: ({ watermark }) => instantOf(watermark) },
    { key: 'retiredAt', kind: 'text', of: ({ retired }) => instantOf(retired?.at ?? null) },
    { key: 'retiredBy', kind: 'text', of: ({ retired }) => retired?.by ?? null },
    { key: 'retiredReason', kind: 'text', of: ({ retired }) => retired?.reason ?? null },
  ];
}

function instantOf(at: Instant | null): string | null {
  return at === null ? null : formatInstant(at);
}
