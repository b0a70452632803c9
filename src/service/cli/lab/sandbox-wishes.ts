// Reads what a command asks of the simulated service by name, faults and trouble, and prints the
// lists of these names. Refuses an unknown name in a sentence, with the one that was meant.

import type { Fates, GivenSettings } from '../../../sandbox/service/account/settings.ts';
import type { Sandbox } from '../../../sandbox/service/start-sandbox.ts';
import { ConfigurationInvalid, didYouMean } from '../../config/configuration-invalid.ts';
import { type TableColumn, tableText } from '../print/table.ts';
import type { Stage } from '../stage/stage.ts';

/** The word that lists the names which an option takes: `--faults list`. */
export const LIST = 'list';

interface Wished {
  readonly misbehaviours?: string;
  readonly fates: Fates;
  /** Whether notifications may go to private networks by plain HTTP. */
  readonly privateHttp: boolean;
}

/**
 * Returns the settings that `misbehaviours` asks for: `NAME` or `NAME=SHARE`, with commas between
 * them.
 */
export async function settingsWished({
  misbehaviours,
  fates,
  privateHttp,
}: Wished): Promise<GivenSettings> {
  const { MISBEHAVIOURS, settingsOfMisbehaviours } = await import(
    '../../../sandbox/service/account/settings.ts'
  );
  const wishes = wordsOf(misbehaviours);
  for (const wish of wishes)
    requireKnown('--misbehaviours', wish.split('=')[0]!, [...MISBEHAVIOURS.keys()]);
  try {
    const { misbehaviour, courier } = settingsOfMisbehaviours(wishes);
    return { misbehaviour, fates, courier: { ...courier, privateHttp } };
  } catch (failure) {
    if (failure instanceof RangeError)
      throw new ConfigurationInvalid(`--misbehaviours: ${failure.message}.`);
    throw failure;
  }
}

/**
 * Returns the names that `names` holds, with commas between them. Each must be a fault that a first
 * run finds.
 */
export async function faultsWished(names: string | undefined): Promise<readonly string[]> {
  const { FAULTS_FROM_THE_START } = await import('../../../sandbox/faults/register.ts');
  return namesWished(names, {
    option: '--faults',
    known: FAULTS_FROM_THE_START.map(({ name }) => name),
  });
}

/** Returns the names that `names` holds, with commas between them. Throws for an unknown name. */
export function namesWished(
  names: string | undefined,
  { option, known }: { readonly option: string; readonly known: readonly string[] },
): readonly string[] {
  const wished = wordsOf(names);
  for (const name of wished) requireKnown(option, name, known);
  return wished;
}

/** Plants the fault, and says in a sentence what was done. */
export function plantWished(sandbox: Sandbox, name: string): string {
  try {
    const { reference, expected } = sandbox.plantSomewhere(name);
    const { kind, sequence, operationReference, about } = expected;
    const place =
      sequence === null ? (operationReference ?? about ?? 'no line') : `line ${sequence}`;
    return `Planted ${name} at ${reference}: an audit should find ${kind} (${place}).\n`;
  } catch (failure) {
    if (!(failure instanceof RangeError)) throw failure;
    throw new ConfigurationInvalid(
      `--faults: ${failure.message}; give more --merchants, or another --seed.`,
    );
  }
}

function wordsOf(names: string | undefined): readonly string[] {
  return names === undefined ? [] : names.split(',').map((name) => name.trim());
}

function requireKnown(option: string, name: string, names: readonly string[]): void {
  if (names.includes(name)) return;
  const meant = didYouMean(name, names);
  throw new ConfigurationInvalid(
    `${option} knows no '${name}'${meant}: 'pointage lab sandbox ${option} list' names them.`,
  );
}

type SandboxList = 'faults' | 'all faults' | 'misbehaviours' | 'choices';

interface Row {
  readonly name: string;
  readonly says: string;
}

/** The heads of the two columns of each list. */
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
    const { ALL_FAULTS, FAULTS_FROM_THE_START } = await import(
      '../../../sandbox/faults/register.ts'
    );
    return what === 'faults' ? FAULTS_FROM_THE_START : ALL_FAULTS;
  }
  if (what === 'misbehaviours') {
    const { MISBEHAVIOURS } = await import('../../../sandbox/service/account/settings.ts');
    return [...MISBEHAVIOURS].map(([name, { says, share }]) => ({
      name: share === null ? name : `${name}=${share}`,
      says,
    }));
  }
  const { CHOICES, DASHBOARD_CHOICES } = await import(
    '../../../sandbox/service/control/choices.ts'
  );
  const dashboard = DASHBOARD_CHOICES.map((choice) => ({
    ...choice,
    subject: `dashboard: ${choice.subject}`,
  }));
  return [...CHOICES, ...dashboard].map(({ subject, chosen, source }) => {
    return { name: subject, says: `${chosen}\n(${source})` };
  });
}
