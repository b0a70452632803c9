// The one place that asks what time it is. Everything else is given it.

import type { Instant } from '../core/domain/instant.ts';

export type Clock = () => Instant;

export const systemClock: Clock = () => Date.now();
