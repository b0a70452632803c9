// The commands about operators: who they are, what they did and looked at, and what one of them
// wants and another must confirm.

import { type Command, InvalidArgumentError } from 'commander';
import { DAY, formatInstant, type Instant } from '../../../core/domain/instant.ts';
import { INCONSISTENT, isConsistent, ROLES } from '../../../core/domain/operators/role.ts';
import { printable } from '../../../core/domain/printable.ts';
import { shownTerms } from '../../../core/domain/settlement.ts';
import { columnsOf, figureOf } from '../../../core/statements/tables/table.ts';
import { money } from '../../../core/words/finding.ts';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { instantIn, TRAIL_FILTER } from '../../http/port/filters.ts';
import {
  createOperator,
  listKnownOperators,
  removeOperator,
} from '../../workflows/operators/known-operators.ts';
import { PERMISSION_OF_PROPOSAL, type Proposal } from '../../workflows/operators/proposals.ts';
import { requireMerchant } from '../../workflows/operators/runs-and-merchants.ts';
import {
  TRAIL_COLUMNS,
  type TrailEntry,
  type TrailQuery,
} from '../../workflows/operators/trail.ts';
import { termsText } from '../print/report.ts';
import { SPOKEN } from '../print/spoken.ts';
import { asOperator } from '../stage/signing.ts';
import { instantOf, oneOf } from '../stage/stage.ts';
import { type Act, defineList, defineSubject, filterIn, inStore, type List } from './subject.ts';

const ABOUT = `
Roles: ${ROLES.join(', ')} (docs/OPERATORS.md). Over HTTP the token is a bearer token, in the console it opens a
session, and commands that decide take it from POINTAGE_TOKEN. Only the owner of the database adds operators.`;

type Listed = Awaited<ReturnType<typeof listKnownOperators>>[number] & { readonly state: string };

const LIST: List<object, object, Listed> = {
  does: 'operators, those in force first',
  examples: ['list', 'list --format json'],
  limit: 200,
  queryOf: () => ({}),
  find: async ({ store, configuration: { server } }, { limit }, { clock }) => {
    const found = await listKnownOperators(store, server.operators, limit);
    const names = new Set(server.operators.map(({ name }) => name));
    return { items: found.map((one) => ({ ...one, state: stateOf(one, names, clock()) })) };
  },
  title: 'Operators',
  none: 'There is no operator yet: pointage operator add NAME --role decider.',
  table: [
    { head: 'operator', cell: ({ name }) => printable(name) },
    {
      head: 'roles',
      wraps: 40,
      cell: ({ roles, merchant }) =>
        `${roles.join(', ')}${merchant === null ? '' : ` of ${printable(merchant)}`}`,
    },
    { head: 'from', cell: ({ from }) => from },
    { head: 'state', cell: ({ state }) => state },
    { head: 'until', cell: ({ expiresAt }) => SPOKEN.day(expiresAt) },
    { head: 'last used', cell: ({ usedOn }) => usedOn ?? '' },
  ],
  // Keys are a contract with programs: they are added, never renamed.
  columns: [
    ...columnsOf<Listed>(['name']),
    { key: 'roles', form: 'text', pick: ({ roles }) => roles.join(' ') },
    ...columnsOf<Listed>(['merchant', 'from', 'state', 'expiresAt', 'usedOn', 'revokedAt']),
  ],
};

/**
 * Returns the operator's state in words. `names` holds the names of the configuration's operators.
 */
function stateOf(one: Omit<Listed, 'state'>, names: ReadonlySet<string>, now: Instant): string {
  const { revokedAt, expiresAt } = one;
  if (revokedAt !== null) return 'revoked';
  if (one.from === 'store' && names.has(one.name)) return 'replaced by the configuration';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'in force';
}

interface AddFlags extends Flags {
  readonly role: readonly string[];
  readonly merchant?: string;
  readonly expires?: string;
}

const ADD: Act<AddFlags> = {
  name: 'add',
  does: 'give a person or a program roles, and print its token, once',
  examples: [
    'add awa --role decider publisher --expires 90d',
    'add comptable --role accountant --merchant M001',
  ],
  before: ABOUT,
  define: (command) =>
    command
      .argument('<name>', 'who decides, as the trail and the history have it', nameOf)
      .requiredOption('--role <role...>', 'what the operator may do')
      .option('--merchant <reference>', "an accountant's only merchant")
      .option(
        '--expires <when>',
        'the day on which it ends, or after so many days: 2027-01-01, 90d',
      ),
  run: async (stage, { role, merchant = null, expires, ...flags }, name: string) => {
    const addedAt = stage.clock();
    const roles = [...new Set(role)].map((one) => oneOf('--role', one, ROLES));
    const operator = { name, roles, merchant, addedAt, expiresAt: endOf(expires, addedAt) };
    if (!isConsistent(operator))
      throw new ConfigurationInvalid(`--role and --merchant: ${INCONSISTENT}.`);
    const token = await inStore(stage, flags, async ({ store, configuration: { server } }) => {
      if (merchant !== null) await requireMerchant(store, merchant);
      return createOperator(store, server.operators, operator);
    });
    const until = operator.expiresAt === null ? '' : ` until ${formatInstant(operator.expiresAt)}`;
    stage.terminal.note(
      `${printable(name)} is ${roles.join(', ')}${until}. The token is shown this once:\n`,
    );
    stage.terminal.out(`${token}\n`);
  },
};

function nameOf(text: string): string {
  if (/^[^\p{C}\s](?:[^\p{C}]{0,98}[^\p{C}\s])?$/u.test(text)) return text;
  throw new InvalidArgumentError('It must be a name of at most 100 characters.');
}

/** Returns when the operator's token expires; `null`: never. */
function endOf(text: string | undefined, now: Instant): Instant | null {
  if (text === undefined) return null;
  const days = /^([1-9]\d{0,3})d$/.exec(text)?.[1];
  const end = days === undefined ? instantOf(text, now) : now + Number(days) * DAY;
  if (end > now) return end;
  throw new ConfigurationInvalid(`--expires must be to come, not '${text}'.`);
}

const REVOKE: Act<Flags> = {
  name: 'revoke',
  does: 'refuse the token of an operator from now on, in open sessions too',
  examples: ['revoke awa'],
  define: (command: Command) => command.argument('<name>', 'as the list has it'),
  run: async (stage, flags, name: string) => {
    const at = stage.clock();
    await inStore(stage, flags, ({ store, configuration: { server } }) =>
      removeOperator(store, server.operators, { name, at }),
    );
    stage.terminal.out(`${printable(name)} is revoked.\n`);
  },
};

export const defineOperator = defineSubject({
  name: 'operator',
  before: ABOUT,
  list: LIST,
  acts: [ADD, REVOKE],
});

const TRAIL: List<object, Omit<TrailQuery, 'limit'>, TrailEntry> = {
  does: 'what operators did and looked at, newest first',
  examples: [
    '--operator awa --since 2026-11-01',
    '--merchant M001 --limit 100000 --format csv --out trail.csv',
  ],
  limit: 50,
  filter: TRAIL_FILTER,
  queryOf: (flags) => {
    const { since, ...same } = filterIn(TRAIL_FILTER, flags);
    return { ...same, from: instantIn(since) };
  },
  find: async ({ desk, store }, query) => {
    if (query.merchant !== undefined) await requireMerchant(store, query.merchant);
    return { items: await desk.listTrail(query) };
  },
  title: 'Trail',
  none: 'There are no such entries.',
  table: [
    { head: 'at', cell: ({ at }) => SPOKEN.second(at) },
    { head: 'operator', cell: ({ operator, via }) => `${printable(operator)}\nby ${via}` },
    {
      head: 'what',
      wraps: 60,
      cell: ({ action, subject }) => `${printable(action)}\n${printable(subject ?? '')}`,
    },
    { head: 'merchant', cell: ({ merchant }) => printable(merchant ?? '') },
    { head: 'status', align: 'right', cell: ({ status }) => String(status) },
  ],
  columns: TRAIL_COLUMNS,
};

export const defineTrail = defineList('trail', TRAIL);

const WAITING: List<object, object, Proposal> = {
  does: 'proposals that wait for a second operator, oldest first',
  examples: ['list', 'list --format json'],
  limit: 50,
  queryOf: () => ({}),
  find: async ({ desk }, query) => ({ items: await desk.listProposals(query) }),
  title: 'Proposals',
  none: 'No proposal waits.',
  table: [
    { head: 'proposal', cell: ({ id }) => id },
    {
      head: 'what',
      cell: ({ merchant, action, subject }) => `${action} ${printable(merchant)}\n${subject}`,
    },
    {
      head: 'amount',
      align: 'right',
      cell: ({ amount, currency }) => `${money(amount)} ${currency ?? ''}`,
    },
    { head: 'by', cell: ({ by, at }) => `${printable(by)}\n${SPOKEN.minute(at)}` },
    {
      head: 'why',
      wraps: 50,
      cell: ({ wish }) =>
        [printable(wish.reason ?? ''), termsText(wish.terms)].filter(Boolean).join('\n'),
    },
  ],
  columns: [
    ...columnsOf<Proposal>([
      'id',
      'merchant',
      'action',
      'subject',
      'amount',
      'currency',
      'by',
      'at',
    ]),
    { key: 'reason', form: 'text', pick: ({ wish }) => wish.reason },
    { key: 'limit', form: 'amount', pick: ({ wish }) => figureOf(wish.terms?.limit) },
    { key: 'until', form: 'text', pick: ({ wish }) => wish.terms?.until ?? null },
    {
      key: 'lines',
      form: 'text',
      pick: ({ wish }) => shownTerms(wish.terms)?.lines.join(' ') ?? null,
    },
  ],
};

function ending(name: 'confirm' | 'withdraw', does: string): Act<Flags> {
  return {
    name,
    does,
    examples: [`${name} 5d0a7c0e-1f0b-4c59-8a5e-2d9a3c0f7a33`],
    define: (command) => command.argument('<proposal>', 'as the list has it'),
    run: async (stage, flags, id: string) => {
      const ended = await inStore(stage, flags, async (opened) => {
        const { desk } = opened;
        const waiting = /^[0-9a-f-]{36}$/.test(id) ? await desk.findProposal(id) : null;
        const permission = waiting === null ? 'confirm' : PERMISSION_OF_PROPOSAL[waiting.action];
        const { merchant, subject } = waiting ?? { merchant: null, subject: id };
        const about = { action: `proposals ${name}`, merchant, subject };
        const end = name === 'confirm' ? desk.confirmProposal : desk.withdrawProposal;
        return asOperator(stage, { ...opened, permission, ...about }, (operator) =>
          end(id, operator),
        );
      });
      const { action, merchant, subject } = ended;
      const done = name === 'confirm' ? 'Done' : 'Withdrawn';
      stage.terminal.out(`${done}: ${action} ${printable(merchant)} ${subject}.\n`);
    },
  };
}

export const defineProposals = defineSubject({
  name: 'proposals',
  list: WAITING,
  acts: [
    ending('confirm', 'let take effect what another operator proposes'),
    ending('withdraw', 'end a proposal without effect'),
  ],
});
