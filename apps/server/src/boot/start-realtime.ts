import { type Control, maskLiveMessage } from '@tributary/control'
import { networkOf } from '@tributary/http'
import { createRealtime } from '@tributary/realtime'
import { missedTopic } from '@tributary/storage'
import type { Config } from '../config/config.ts'
import { createClientIp } from '../http/client-ip.ts'
import { realtimeCredentials } from '../secrets/realtime-credentials.ts'
import type { Stores } from './open-stores.ts'

/** Topic for the ID of a user whose sessions or memberships have changed; every process receives it. */
export const accessTopic = 'access.changed'

/**
 * Opens the live channels if this process has the role for them. A user who loses access immediately stops receiving
 * messages.
 */
export const startRealtime = (
  config: Config,
  stack: AsyncDisposableStack,
  { logger, metrics, hub, secretKey }: Stores,
  control: Control,
  clientIp: ReturnType<typeof createClientIp>,
) => {
  const realtime = config.roles.has('realtime')
    ? createRealtime({
        ...realtimeCredentials(secretKey),
        authorize: (token, channel) => control.channelAccess(token, channel),
        maskData: maskLiveMessage,
        networkOf: (request) => networkOf(clientIp(request)),
        async authenticate(token) {
          const found = await control.authenticate(token)
          // An API key is not a user, so it does not receive messages for users.
          if (!('actor' in found) || found.actor.key !== undefined) return undefined
          return { id: found.actor.userId, info: { email: found.actor.email } }
        },
        proveUser: control.isInboxToken,
        coordination: hub.coordination,
        logger,
        metrics,
      })
    : undefined
  // A user who loses access stops receiving live events immediately. Clients with valid sessions reconnect
  // automatically.
  const stopHearing = hub.coordination.subscribe(accessTopic, (userId) => {
    control.refreshSessions()
    if (typeof userId === 'string') realtime?.reconnectUser(userId)
  })
  stack.defer(stopHearing)
  // Messages were missed, which may include a change of access.
  const stopMissing = hub.coordination.subscribe(missedTopic, () => {
    control.refreshSessions()
    realtime?.reconnectAll()
  })
  stack.defer(stopMissing)
  return realtime
}
