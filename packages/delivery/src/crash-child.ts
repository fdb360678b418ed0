/** Runs a delivery in its own process until it kills itself at a fault point: `node crash-child.ts <plan as JSON>`. */
import type { DestinationDefinition, OutgoingEvent } from '@tributary/connector-kit'
import { setFaultHandler, silentLogger } from '@tributary/kernel'
import { createClickHouseEventStore, openRelational } from '@tributary/storage'
import type { DestinationEntry } from './ports.ts'
import { defaultDeliverySettings } from './settings.ts'
import { openDelivery } from './testing.ts'

export type CrashPlan = {
  postgresUrl: string
  eventStoreUrl: string
  folder: string
  /** The destinations, without filters, which JSON cannot represent. */
  entries: DestinationEntry[]
  /** Module and export name of the connector. */
  connector: { module: string; name: string }
  /** The process is killed when it reaches the point for the `count`-th time. */
  fault: { point: string; count: number }
}

const plan: CrashPlan = JSON.parse(process.argv[2] ?? '{}')
let left = plan.fault.count
const committing = Promise.withResolvers<void>()
setFaultHandler((point) => {
  if (point === 'delivery.before-commit') committing.resolve()
  if (point === plan.fault.point && --left === 0) process.kill(process.pid, 'SIGKILL')
})
const loaded: Record<string, DestinationDefinition> = await import(plan.connector.module)
const connector = loaded[plan.connector.name]
if (connector === undefined) throw new Error('No such connector')
/** A second commit needs work that the first has left, even on a slow machine. */
const leavesSome = plan.fault.point === 'delivery.before-commit' && plan.fault.count > 1
const isLate = ({ messageId }: OutgoingEvent): boolean => leavesSome && Number(messageId.slice('m-'.length)) >= 100
const { delivery } = openDelivery({
  folder: plan.folder,
  entries: new Map(plan.entries.map((entry) => [entry.id, { ...entry, filters: new Map() }])),
  db: openRelational({ url: plan.postgresUrl, logger: silentLogger }).db,
  eventStore: createClickHouseEventStore({ url: plan.eventStoreUrl, logger: silentLogger }),
  connector: {
    ...connector,
    deliver: async (events, context) => {
      if (events.some(isLate)) await committing.promise
      return await connector.deliver(events, context)
    },
  },
  settings: {
    attempts: { ...defaultDeliverySettings.attempts, rows: 20 },
    flushMs: 20,
    ...(leavesSome ? { stallMs: 60_000 } : {}),
  },
})
await delivery.start()
