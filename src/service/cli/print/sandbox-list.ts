// What can be asked of the simulated service by name, and what it has chosen where the documents are silent, as a table.

import type { Stage } from '../command.ts';
import { type TableColumn, tableText } from './table.ts';

type SandboxList = 'faults' | 'all faults' | 'misbehaviours' | 'choices';

interface Row {
  readonly name: string;
  readonly says: string;
}

/** The other columns of a list are named after what it lists. */
const HEADS: Readonly<Record<SandboxList, readonly [string, string]>> = {
  faults: ['--faults', 'what is done to the books'],
  'all faults': ['--faults', 'what is done to the books'],
  misbehaviours: ['--misbehaviours', 'what it does; a share is what part of them meets with it'],
  choices: ['where the document is silent', 'what was chosen'],
};

/** Loads the simulated service, which no other command should wait for. */
export async function printSandboxList({ terminal }: Stage, what: SandboxList): Promise<void> {
  const [name, says] = HEADS[what];
  const columns: readonly TableColumn<Row>[] = [
    { head: name, cell: (row) => row.name },
    { head: says, wraps: 90, cell: (row) => row.says },
  ];
  terminal.out(`${tableText(terminal, columns, await rowsOf(what))}\n`);
}

async function rowsOf(what: SandboxList): Promise<readonly Row[]> {
  if (what === 'faults' || what === 'all faults') {
    const { ALL_FAULTS, FAULTS_FROM_THE_START } = await import('../../../sandbox/faults/register.ts');
    return what === 'faults' ? FAULTS_FROM_THE_START : ALL_FAULTS;
  }
  if (what === 'misbehaviours') {
    const { MISBEHAVIOURS } = await import('../../../sandbox/service/misbehaviours.ts');
    return [...MISBEHAVIOURS].map(([name, { says, share }]) => ({
      name: share === null ? name : `${name}=${share}`,
      says,
    }));
  }
  const { CHOICES } = await import('../../../sandbox/service/choices.ts');
  const { DASHBOARD_CHOICES } = await import('../../../sandbox/service/dashboard/choices.ts');
  const dashboard = DASHBOARD_CHOICES.map((choice) => ({ ...choice, subject: `dashboard: ${choice.subject}` }));
  return [...CHOICES, ...dashboard].map(({ subject, chosen, source }) => {
    return { name: subject, says: `${chosen}\n(${source})` };
  });
}
