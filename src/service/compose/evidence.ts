// Joins what the evidence log needs: the store, the settings of the configuration, and the file
// that keeps the last signed checkpoint.

import { readFile, rename, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Store } from '../../io/storage/server/store.ts';
import type { Configuration } from '../config/check-configuration.ts';
import { journalFor, partiesFor, zoneFor } from '../config/for-merchant.ts';
import { ENGINE } from '../engine.ts';
import type { KitSettings } from '../workflows/audit-kit/hold-kit.ts';
import type { EvidenceTask, LastSigned } from '../workflows/evidence/record-evidence.ts';
import type { MerchantPlace } from '../workflows/month/open-month.ts';
import { judgingOf, type Runtime } from './open-configured.ts';

export function evidenceOf(
  { databaseUrl, dataDirectory, evidence: { origin, key, lastSigned } }: Configuration,
  store: Store,
  { clock, log }: Pick<Runtime, 'clock' | 'log'>,
): EvidenceTask {
  const beside = databaseUrl === undefined ? `${resolve(dataDirectory)}.checkpoint` : null;
  const file = lastSigned ?? beside;
  return {
    store,
    settings: { key: key ?? null, origin: origin ?? null },
    lastSigned: file === null ? null : checkpointFile(file, log),
    engine: ENGINE,
    clock,
    log,
  };
}

/**
 * Keeps the last signed checkpoint in `file`. A failure to read or write the file is logged and
 * stops nothing, because the checkpoints in the database are compared in any case.
 */
function checkpointFile(file: string, log: Runtime['log']): LastSigned {
  const unusable = (failure: NodeJS.ErrnoException): null => {
    log({ event: 'checkpoint file not usable', file, failure });
    return null;
  };
  // Write beside the file and rename, so that it is never half written when the process ends.
  const write = async (note: string): Promise<void> => {
    await writeFile(`${file}.new`, note);
    await rename(`${file}.new`, file);
  };
  return {
    load: () =>
      readFile(file, 'utf8').catch((failure: NodeJS.ErrnoException) =>
        failure.code === 'ENOENT' ? null : unusable(failure),
      ),
    save: async (note) => void (await write(note).catch(unusable)),
  };
}

/** Returns, for each merchant, the settings that an audit kit records. */
export function kitSettingsOf(
  configuration: Configuration,
): (merchant: MerchantPlace) => KitSettings {
  return (merchant) => {
    const { asOf: _, ...judging } = judgingOf(configuration, merchant.reference, {
      asOf: 0,
      stateless: false,
    });
    return {
      zone: zoneFor(configuration, merchant).name,
      judging,
      journal: journalFor(configuration, merchant.reference),
      parties: partiesFor(configuration, merchant),
      phoneNumbers: configuration.reports.phoneNumbers,
    };
  };
}
