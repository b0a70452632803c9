// The pages that another room adds beside the routes of operators, and what it is given for them.

import type { Instant } from '../../../core/domain/instant.ts';
import type { Server } from './api.ts';
import type { OperatorApi } from './operator-api.ts';
import type { OperatorGuard } from './operators.ts';

export interface DeskOptions extends OperatorGuard {
  readonly api: OperatorApi;
  readonly clock: () => Instant;
  readonly log: (event: object) => void;
}

export type AddDesk = (room: Server, options: DeskOptions) => void;
