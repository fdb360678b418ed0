import { type Handlers, networkOf } from '@tributary/http'
import type { Actor, Holders, Queue } from '@tributary/kernel'

/**
 * The fields of a call from which its holders are determined: the user, network, organization and method whose shares
 * of a queue the call uses.
 */
type PlacedCall = {
  actor: Actor | undefined
  client: { ip: string }
  signal: AbortSignal
  workspace?: { id: string; organizationId: string }
  organization?: { id: string }
}

/** Returns the holders whose shares a call uses: its user or network, its organization, and its method. */
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
 * Wraps the handlers of methods with a queue, so that each call runs in a slot of the queue when it is its caller's
 * turn. The types are correct, because groups and verbs are unchanged, and `inPlace` keeps each signature.
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
