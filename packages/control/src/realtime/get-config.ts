import type { methods } from '@tributary/contract'
import type { Handler } from '@tributary/http'
import type { ControlDeps } from '../deps.ts'

/** Returns the application key with which a browser connects to the realtime gateway. */
export const getRealtimeConfig =
  ({ realtimeKey }: Pick<ControlDeps, 'realtimeKey'>): Handler<typeof methods.realtime.getConfig> =>
  async () => ({ key: realtimeKey })
