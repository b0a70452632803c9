// Where a command's answer goes: to standard output, or into the file that was named, which is then said.

import { writeFileSync } from 'node:fs';
import { ConfigurationInvalid } from '../../config/configuration-invalid.ts';
import type { Terminal } from '../terminal.ts';

export interface Answer {
  /** In a sentence: `report`, `list`. */
  readonly noun: string;
  readonly text: string;
}

/** Throws ConfigurationInvalid where the file cannot be written. */
export async function putText(terminal: Terminal, file: string | undefined, { noun, text }: Answer): Promise<void> {
  if (file === undefined) terminal.out(text);
  else await putFile(terminal, { noun, file }, async () => writeFileSync(file, text));
}

/** As `putText`, by a writer of its own. */
export async function putFile(
  terminal: Terminal,
  { noun, file }: { readonly noun: string; readonly file: string },
  write: () => Promise<void>,
): Promise<void> {
  try {
    await write();
  } catch (cause) {
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause;
    throw new ConfigurationInvalid(`The ${noun} cannot be written to ${file}: ${cause.message}.`);
  }
  terminal.note(`The ${noun} is in ${file}.\n`);
}
