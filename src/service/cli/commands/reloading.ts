// A service that goes on with another configuration without being started anew: at SIGHUP, and
// before each night where a list names its merchants. A configuration that cannot be used is
// logged, and the service stays as it is.

import { isDeepStrictEqual } from 'node:util';
import { type Instant, MINUTE } from '../../../core/domain/instant.ts';
import type { Configuration } from '../../config/check-configuration.ts';
import type { Flags } from '../../config/load-configuration.ts';
import { type Stage, stopRequested, wholeConfigurationOf } from '../stage/stage.ts';

/**
 * Milliseconds before a night at which the list of merchants is fetched again, because every worker
 * must know whom it will work on.
 */
const BEFORE_NIGHT = 10 * MINUTE;

export interface Turn {
  readonly configuration: Configuration;
  /** Resolves when the turn must end: to stop, or to begin another with a new configuration. */
  readonly left: Promise<void>;
  /**
   * Must be called when everything is open. A failure before that is blamed on the configuration.
   */
  readonly isUp: () => void;
}

/**
 * Works turn by turn, one for each configuration, until a signal stops the process. Throws what the
 * first turn throws, and what a turn throws that was up. A later turn that fails before it is up is
 * given up, and the configuration before it is used again.
 */
export async function workReloading(
  stage: Stage,
  flags: Flags,
  work: (turn: Turn) => Promise<void>,
): Promise<void> {
  let configuration = await wholeConfigurationOf(stage, flags);
  let before: Configuration | null = null;
  const changes = watchChanges(stage, flags);
  try {
    for (;;) {
      const next = changes.after(configuration);
      let wasUp = false;
      const isUp = (): void => {
        wasUp = true;
      };
      try {
        await work({ configuration, left: next.then(() => {}), isUp });
      } catch (failure) {
        if (wasUp || before === null) throw failure;
        stage.log({ event: 'configuration not taken', why: messageOf(failure) });
        [configuration, before] = [before, null];
        continue;
      }
      const changed = await next;
      if (changed === null) return;
      [configuration, before] = [changed, configuration];
    }
  } finally {
    changes.close();
  }
}

/**
 * Watches for what ends a turn. `after` resolves to another configuration, or to `null` when a
 * signal stops the process. A change that comes between two turns is kept for the next.
 */
function watchChanges(stage: Stage, flags: Flags) {
  let current: Configuration;
  let leave: ((next: Configuration) => void) | null = null;
  let kept: Configuration | null = null;
  let isAsked = false;
  const reload = async (why: string): Promise<void> => {
    try {
      const next = await wholeConfigurationOf(stage, flags);
      if (isDeepStrictEqual(next, current))
        return stage.log({ event: 'configuration unchanged', why });
      stage.log({
        event: 'configuration reloaded',
        why,
        merchants: Object.keys(next.merchants).length,
      });
      if (leave === null) kept = next;
      else leave(next);
      leave = null;
    } catch (failure) {
      stage.log({ event: 'configuration not reloaded', level: 'error', why: messageOf(failure) });
    }
  };
  const onHangUp = (): void => void reload('SIGHUP');
  process.on('SIGHUP', onHangUp);
  const stopped = stopRequested();
  let readFor: Instant | null = null;
  const clock = setInterval(async () => {
    if (current.merchantsFrom === undefined || isAsked) return;
    isAsked = true;
    const { nextInstants } = await import('../../compose/plans.ts');
    const { night } = nextInstants(current, stage.clock());
    if (night - stage.clock() <= BEFORE_NIGHT && readFor !== night) {
      readFor = night;
      await reload('a night is near');
    }
    isAsked = false;
  }, MINUTE / 2).unref();
  return {
    after(configuration: Configuration): Promise<Configuration | null> {
      current = configuration;
      return new Promise((resolve) => {
        void stopped.then(() => resolve(null));
        if (kept === null || isDeepStrictEqual(kept, configuration)) leave = resolve;
        else resolve(kept);
        kept = null;
      });
    },
    close(): void {
      clearInterval(clock);
      process.off('SIGHUP', onHangUp);
    },
  };
}

function messageOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
