// What is asked of the simulated service by name, from the words of a command: faults and trouble. Refuses what is no name in a
// sentence, with the one that was meant.

import type { Fates, GivenSettings } from '../../sandbox/service/settings.ts';
import type { Sandbox } from '../../sandbox/service/start-sandbox.ts';
import { ConfigurationInvalid } from '../config/configuration-invalid.ts';
import { didYouMean } from '../config/near-name.ts';

/** What lists the names, where an option takes names. */
export const LIST = 'list';

interface Wished {
  readonly misbehaviours?: string;
  readonly fates: Fates;
  /** Its notifications may go to private networks by plain HTTP. */
  readonly privateHttp: boolean;
}

/** `NAME` or `NAME=SHARE`, with commas between them. */
export async function settingsWished({ misbehaviours, fates, privateHttp }: Wished): Promise<GivenSettings> {
  const { MISBEHAVIOURS, settingsOfMisbehaviours } = await import('../../sandbox/service/misbehaviours.ts');
  const wishes = wordsOf(misbehaviours);
  for (const wish of wishes) requireKnown('--misbehaviours', wish.split('=')[0]!, [...MISBEHAVIOURS.keys()]);
  try {
    const { misbehaviour, courier } = settingsOfMisbehaviours(wishes);
    return { misbehaviour, fates, courier: { ...courier, privateHttp } };
  } catch (failure) {
    if (failure instanceof RangeError) throw new ConfigurationInvalid(`--misbehaviours: ${failure.message}.`);
    throw failure;
  }
}

/** Names with commas between them, of faults that show to somebody who begins to read. */
export async function faultsWished(names: string | undefined): Promise<readonly string[]> {
  const { FAULTS_FROM_THE_START } = await import('../../sandbox/faults/register.ts');
  return namesWished(names, { option: '--faults', known: FAULTS_FROM_THE_START.map(({ name }) => name) });
}

/** Names with commas between them, each of which is known. */
export function namesWished(
  names: string | undefined,
  { option, known }: { readonly option: string; readonly known: readonly string[] },
): readonly string[] {
  const wished = wordsOf(names);
  for (const name of wished) requireKnown(option, name, known);
  return wished;
}

/** Says what was done, in a sentence. */
export function plantWished(sandbox: Sandbox, name: string): string {
  try {
    const { reference, expected } = sandbox.plantSomewhere(name);
    const { kind, sequence, operationReference, about } = expected;
    const place = sequence === null ? (operationReference ?? about ?? 'no line') : `line ${sequence}`;
    return `Planted ${name} at ${reference}: an audit should find ${kind} (${place}).\n`;
  } catch (failure) {
    if (!(failure instanceof RangeError)) throw failure;
    throw new ConfigurationInvalid(`--faults: ${failure.message}; give more --merchants, or another --seed.`);
  }
}

function wordsOf(names: string | undefined): readonly string[] {
  return names === undefined ? [] : names.split(',').map((name) => name.trim());
}

function requireKnown(option: string, name: string, names: readonly string[]): void {
  if (names.includes(name)) return;
  const meant = didYouMean(name, names);
  throw new ConfigurationInvalid(`${option} knows no '${name}'${meant}: 'pointage sandbox ${option} list' names them.`);
}
