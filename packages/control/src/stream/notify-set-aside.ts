import type { ControlDeps } from '../deps.ts'
import { notifyPlatform } from '../notifications/notify-platform.ts'

/**
 * Notifies platform admins how many accepted requests were set aside because their processing failed. Does so at most
 * once a day.
 */
export const notifySetAside = (deps: Pick<ControlDeps, 'db' | 'clock' | 'live'>, requests: number): Promise<void> =>
  notifyPlatform(deps, {
    kind: 'requests_set_aside',
    title: requests === 1 ? 'A request could not be processed' : `${requests} requests could not be processed`,
    body: `${requests === 1 ? 'It was accepted and is' : 'They were accepted and are'} kept, but not stored. Run npm run set-aside on the server to see why.`,
    cause: 'set-aside',
  })
