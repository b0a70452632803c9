// A command about one subject, such as `pointage findings`: a list of it, and what can be done with
// one. A subject declares columns, how rows are found and its acts; options, help, examples and the
// four forms of a list are the same for all.

import type { Command } from 'commander';
import { money } from '../../../core/words/finding.ts';
import { withStore } from '../../compose/open-configured.ts';
import type { Configuration } from '../../config/check-configuration.ts';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { type Filter, type Filters, readFilter } from '../../http/port/filters.ts';
import type { OperatorDesk } from '../../workflows/operators/operator-backend.ts';
import {
  checkListingFlags,
  type Listing,
  type ListingFlags,
  printListing,
  withListingOptions,
} from '../print/listing.ts';
import { asOperator, type Signed } from '../stage/signing.ts';
import { configurationOf, type Stage, withCommonOptions } from '../stage/stage.ts';

type Store = Parameters<Parameters<typeof withStore>[1]>[0];

interface Described {
  readonly does: string;
  /** As they are typed after `pointage` and the subject. */
  readonly examples: readonly string[];
  /** Text that the help shows before the examples. */
  readonly before?: string;
  /** Text that the help shows after the examples. */
  readonly after?: string;
  /** Adds arguments and options to those that every command has. */
  readonly define?: (command: Command) => Command;
}

/** A command that shows one item, or changes something. */
export interface Act<Given extends Flags = never> extends Described {
  readonly name: string;
  /** `true` for the act that is meant where the command line names none. */
  readonly isDefault?: true;
  readonly run: (stage: Stage, flags: Given, ...words: never[]) => Promise<void>;
}

export interface List<Given, Query, Row> extends Described, Omit<Listing<Row>, 'rows' | 'notes'> {
  readonly name?: string;
  /** How many are listed where `--limit` is left out; null: all, and there is no such option. */
  readonly limit: number | null;
  /** Each filter becomes an option of its name, with its description. */
  readonly filter?: Filters;
  /** Throws ConfigurationInvalid before a store is opened. */
  readonly queryOf: (flags: Given) => Query;
  readonly find: (
    opened: Opened,
    query: Query & { readonly limit: number },
    stage: Stage,
  ) => Promise<Found<Row>>;
}

interface Found<Row> {
  /**
   * The rows found, up to `limit`. It is one more than the rows that are listed, so that the list
   * knows whether there are more.
   */
  readonly items: readonly Row[];
  /** Absent: not known. */
  readonly total?: number;
  readonly notes?: readonly string[];
}

interface Subject<Given, Query, Row> {
  readonly name: string;
  readonly before?: string;
  readonly list?: List<Given, Query, Row>;
  readonly acts: readonly Act[];
}

export function defineSubject<Given, Query, Row>({
  name,
  before = '',
  list,
  acts,
}: Subject<Given, Query, Row>) {
  const all = [...(list === undefined ? [] : [actOf(list)]), ...acts];
  return (command: Command, stage: Stage): void => {
    command.addHelpText(
      'after',
      `${aside(before)}${examplesOf(
        name,
        all.flatMap(({ examples }) => examples),
      )}`,
    );
    for (const act of all) {
      const { isDefault = false } = act;
      defineAct(command.command(act.name, { isDefault }).description(act.does), stage, {
        name,
        act,
      });
    }
  };
}

/** A command that is one list, such as `pointage trail`. */
export function defineList<Given, Query, Row>(name: string, list: List<Given, Query, Row>) {
  return (command: Command, stage: Stage): void =>
    defineAct(command, stage, { name, act: actOf(list) });
}

function defineAct(
  command: Command,
  stage: Stage,
  { name, act }: { readonly name: string; readonly act: Act },
): void {
  const added = withCommonOptions(command);
  (act.define?.(added) ?? added)
    .addHelpText('after', `${aside(act.before)}${examplesOf(name, act.examples)}${act.after ?? ''}`)
    .action((...given: unknown[]) => {
      const [words, flags] = [given.slice(0, -2), given.at(-2)];
      return act.run(stage, flags as never, ...(words as never[]));
    });
}

function examplesOf(name: string, some: readonly string[]): string {
  return `\nExamples:${some.map((example) => `\n  pointage ${name} ${example}`).join('')}`;
}

function aside(text = ''): string {
  return text === '' ? '' : `${text}\n`;
}

/**
 * Returns the act that prints a list. It is called `list`, unless the list has a name of its own.
 */
export function actOf<Given, Query, Row>(list: List<Given, Query, Row>): Act {
  return {
    name: 'list',
    ...list,
    define: (command) => {
      const listing = withFilter(list.filter ?? {}, withListingOptions(command));
      const defined = list.define?.(listing) ?? listing;
      return list.limit === null
        ? defined
        : defined.option('--limit <count>', 'at most so many', limitOf, list.limit);
    },
    run: async (stage: Stage, flags: Flags & ListingFlags & { readonly limit: number }) => {
      checkListingFlags(flags);
      const { limit = Number.POSITIVE_INFINITY } = flags;
      const query = { ...list.queryOf(flags as Given), limit: limit + 1 };
      await inStore(stage, flags, async (opened) => {
        const { items, total, notes = [] } = await list.find(opened, query, stage);
        const more =
          total === undefined
            ? `There are more: --limit lists more than ${limit}.`
            : `${money(total - limit)} more: --limit ${total} lists them all.`;
        const said = items.length > limit ? [more, ...notes] : notes;
        await printListing(stage, flags, { ...list, rows: items.slice(0, limit), notes: said });
      });
    },
  };
}

export function withFilter(declared: Filters, command: Command): Command {
  const options = Object.entries(declared);
  return options.reduce(
    (known, [name, { description }]) => known.option(`--${name} <${name}>`, description),
    command,
  );
}

/**
 * Returns what the flags say of a declared filter. Throws ConfigurationInvalid with the first
 * mistake.
 */
export function filterIn<Of extends Filters>(declared: Of, flags: object): Filter<Of> {
  const given = Object.fromEntries(
    Object.entries(flags).filter(([name, value]) => name in declared && value !== undefined),
  );
  const refuse = ([mistake = '']: readonly string[]) =>
    new ConfigurationInvalid(`--${mistake}, not '${given[mistake.split(' ')[0]!]}'.`);
  return readFilter(declared, given, refuse);
}

function limitOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new ConfigurationInvalid(`--limit must be a whole number above 0, not '${text}'.`);
}

/** What `inStore` opens for a command. */
export interface Opened {
  /** Answers what people ask and decide, as over HTTP and in the console. */
  readonly desk: OperatorDesk;
  readonly store: Store;
  readonly configuration: Configuration;
}

export async function inStore<T>(
  stage: Stage,
  flags: Flags,
  use: (opened: Opened) => Promise<T>,
): Promise<T> {
  const configuration = await configurationOf(stage, flags);
  // Loaded when it is needed: the help of a command asks nothing.
  const { operatorDeskFor } = await import('../../compose/operating.ts');
  return withStore(configuration, (store) =>
    use({ store, configuration, desk: operatorDeskFor(configuration, store, stage) }),
  );
}

/**
 * Works in the store as the operator whose token is at hand. Throws and writes an entry of the
 * trail as `asOperator` does.
 */
export function inStoreAs<T>(
  stage: Stage,
  flags: Flags,
  deed: Omit<Signed, 'store' | 'configuration'>,
  act: (opened: Opened, by: string) => Promise<T>,
): Promise<T> {
  return inStore(stage, flags, (opened) =>
    asOperator(stage, { ...opened, ...deed }, ({ name }) => act(opened, name)),
  );
}
