// Joins what people ask and decide with the settings that rule it: by when findings are due, what
// needs a second person, what is announced. Commands, the API and the console all answer from it.

import type { Store } from '../../io/storage/server/store.ts';
import type { Configuration } from '../config/check-configuration.ts';
import { partiesFor, zoneFor } from '../config/for-merchant.ts';
import { ENGINE } from '../engine.ts';
import { openOperators } from '../workflows/operators/known-operators.ts';
import {
  type OperatorDesk,
  type OperatorDeskTask,
  operatorDeskOf,
} from '../workflows/operators/operator-backend.ts';
import { decisionsOf, recipientsOf } from './delivering.ts';
import type { Runtime } from './open-configured.ts';

/** Returns the desk from which people's commands are answered. It needs no queue. */
export function operatorDeskFor(
  configuration: Configuration,
  store: Store,
  given: Pick<Runtime, 'clock' | 'log'>,
): OperatorDesk {
  return operatorDeskOf(operatorDeskTaskOf(configuration, store, given));
}

export function operatorDeskTaskOf(
  configuration: Configuration,
  store: Store,
  { clock, log }: Pick<Runtime, 'clock' | 'log'>,
): OperatorDeskTask {
  const { server, reports, desk, decisions, mail } = configuration;
  return {
    store,
    engine: ENGINE,
    clock,
    log,
    dueRules: desk.due,
    limits: decisions.secondPersonAbove,
    announce: decisionsOf(configuration),
    operatorNamed: openOperators({ configured: server.operators, store, clock }).standing,
    zoneFor: (merchant) => zoneFor(configuration, merchant),
    issuerFor: (merchant) => partiesFor(configuration, merchant).issuer,
    recipientsOf: (merchant) => (mail === undefined ? null : recipientsOf(configuration, merchant)),
    language: reports.language,
  };
}
