// `pointage proposals`: what one operator wants and another must confirm, by the token in POINTAGE_TOKEN.

import { formatInstant } from '../../../core/domain/instant.ts';
import { printable } from '../../../core/domain/printable.ts';
import { columnsOf } from '../../../core/statements/tables/table.ts';
import { money } from '../../../core/words/finding.ts';
import { decisionsOf } from '../../compose/delivering.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { PERFORMERS } from '../../workflows/operators/operator-backend.ts';
import {
  confirmProposal,
  findProposal,
  listProposals,
  PERMISSION_OF_PROPOSAL,
  type Proposal,
  withdrawProposal,
} from '../../workflows/operators/proposals.ts';
import { asOperator } from '../stage/signing.ts';
import { type Act, defineSubject, inStore, type List } from './subject.ts';

const LIST: List<object, object, Proposal> = {
  does: 'proposals that wait for a second operator, oldest first',
  examples: ['list', 'list --format json'],
  limit: 50,
  queryOf: () => ({}),
  find: async (store, query) => ({ items: await listProposals(store, query) }),
  title: 'Proposals',
  none: 'No proposal waits.',
  table: [
    { head: 'proposal', cell: ({ id }) => id },
    { head: 'what', cell: ({ merchant, action, subject }) => `${action} ${printable(merchant)}\n${subject}` },
    { head: 'amount', align: 'right', cell: ({ amount, currency }) => `${money(amount)} ${currency ?? ''}` },
    { head: 'by', cell: ({ by, at }) => `${printable(by)}\n${formatInstant(at).slice(0, 16)}` },
    { head: 'why', wraps: 50, cell: ({ wish }) => printable(wish.reason ?? '') },
  ],
  columns: [
    ...columnsOf<Proposal>(['id', 'merchant', 'action', 'subject', 'amount', 'currency', 'by', 'at']),
    { key: 'reason', form: 'text', pick: ({ wish }) => wish.reason },
  ],
};

function ending(name: 'confirm' | 'withdraw', does: string): Act<Flags> {
  return {
    name,
    does,
    examples: [`${name} 5d0a7c0e-1f0b-4c59-8a5e-2d9a3c0f7a33`],
    define: (command) => command.argument('<proposal>', 'as the list has it'),
    run: async (stage, flags, id: string) => {
      const ended = await inStore(stage, flags, async (store, configuration) => {
        const waiting = /^[0-9a-f-]{36}$/.test(id) ? await findProposal(store, id) : null;
        const permission = waiting === null ? 'confirm' : PERMISSION_OF_PROPOSAL[waiting.action];
        const about = {
          action: `proposals ${name}`,
          merchant: waiting?.merchant ?? null,
          subject: waiting?.subject ?? id,
        };
        return asOperator(stage, { store, configuration, permission, ...about }, (operator) => {
          const wish = { id, operator, at: stage.clock() };
          if (name === 'withdraw') return withdrawProposal(store, wish);
          return confirmProposal(store, PERFORMERS, { ...wish, announce: decisionsOf(configuration) });
        });
      });
      const { action, merchant, subject } = ended;
      const done = name === 'confirm' ? 'Done' : 'Withdrawn';
      stage.terminal.out(`${done}: ${action} ${printable(merchant)} ${subject}.\n`);
    },
  };
}

export const defineProposals = defineSubject({
  name: 'proposals',
  list: LIST,
  acts: [
    ending('confirm', 'let take effect what another operator proposes'),
    ending('withdraw', 'end a proposal without effect'),
  ],
});
