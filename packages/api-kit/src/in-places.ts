import { type Handlers, networkOf } from '@tributary/http'
import type { Actor, Holders, Queue } from '@tributary/kernel'

/** What of a call says in whose shares it is. */
type PlacedCall = {
  actor: Actor | undefined
  client: { ip: string }
  signal: AbortSignal
  workspace?: { id: string; organizationId: string }
  organization?: { id: string }
}

/** In whose shares a call is: those of its user or network, of its organization, and of its method. */
const holdersOfCall = ({ actor, client, workspace, organization }: PlacedCall, work: string): Holders => {
  const organizationId = workspace?.organizationId ?? organization?.id
  return {
    work,
    ...(actor === undefined ? { network: networkOf(client.ip) } : { user: actor.userId }),
    ...(organizationId === undefined ? {} : { organization: organizationId }),
  }
}

const inPlace =
  <Call extends PlacedCall, Result>(method: string, queue: Queue, run: (call: Call) => Promise<Result>) =>
  (call: Call): Promise<Result> =>
    queue.run(holdersOfCall(call, method), call.signal, () => run(call))

/**
 * The same handlers, of which those that a queue is named for run in a place of it, when it is their caller's turn. Sound because the
 * groups and verbs stay, and `inPlace` keeps each one's signature.
 */
export const inPlaces = (handlers: Handlers, queues: ReadonlyMap<string, Queue>): Handlers => {
  const all: Record<string, Record<string, unknown>> = {}
  for (const [group, verbs] of Object.entries(handlers)) {
    const placed: Record<string, unknown> = {}
    for (const [verb, run] of Object.entries(verbs)) {
      const method = `${group}.${verb}`
      const queue = queues.get(method)
      placed[verb] = queue === undefined ? run : inPlace(method, queue, run)
    }
    all[group] = placed
  }
  return all as typeof all & Handlers
}
