import { systemOwner } from '@tributary/storage'
import type { DeliveryRecord } from '../log/record.ts'
import { changedBy, type KeyOrder, orderKey } from './key-order.ts'
import type { ParkingContext } from './parking-context.ts'

/** Maximum number of keys per query. */
const keysAtOnce = 500
/** Maximum number of characters of the keys per query. */
const charactersAtOnce = 32 * 1024

type Wanted = { record: DeliveryRecord; indexes: readonly number[] }
type Found = { source_id: string; object: string; key: string; latest: string }

/**
 * Looks up in the delivery log which of these changes have a later change that was delivered, so that they are not sent
 * when they are taken. Changes without an order cost nothing. Resolves to a function to call once they are taken.
 * Rejects while the delivery log cannot be written or read.
 */
export type LaterDeliveries = (wanted: readonly Wanted[]) => Promise<() => void>

const sizesOf = (keys: readonly string[]): string[][] => {
  const groups: string[][] = []
  let characters = 0
  for (const key of keys) {
    const last = groups.at(-1)
    if (last === undefined || last.length >= keysAtOnce || characters + key.length > charactersAtOnce) {
      groups.push([key])
      characters = key.length
      continue
    }
    last.push(key)
    characters += key.length
  }
  return groups
}

/** Looks up later deliveries of one destination. */
export const createLaterDeliveries = (
  id: string,
  { attempts, eventStore }: Pick<ParkingContext, 'attempts' | 'eventStore'>,
  order: KeyOrder,
): LaterDeliveries => {
  const ask = async (workspace: string, since: number, keys: readonly string[]): Promise<Found[]> => {
    const found: Found[] = []
    for (const some of sizesOf(keys))
      found.push(
        ...(await eventStore.query<Found>(
          `select source_id, object, key, toString(max(version)) as latest from deliveries
           where workspace_id = {workspace:String} and destination_id = {destination:String} and version > 0
             and time >= fromUnixTimestamp64Milli({since:Int64}) and status = 'delivered' and key in {keys:Array(String)}
           group by source_id, object, key`,
          { workspace, destination: id, since, keys: some },
          { owner: systemOwner },
        )),
      )
    return found
  }

  return async (wanted) => {
    const ofProducers = wanted.filter(({ record }) => record.reference.meta.producer !== undefined)
    const [first] = ofProducers
    if (first === undefined) return () => {}
    const look = order.beginLook()
    try {
      const keys = new Set<string>()
      for (const { record, indexes } of ofProducers)
        for (const index of indexes) {
          const changed = changedBy(record, index)
          if (changed !== undefined) keys.add(changed.key)
        }
      // Once drained, the delivery log has everything that was delivered so far.
      if (!(await attempts.drain())) throw new Error('The delivery log cannot be written yet')
      const since = ofProducers.reduce((earliest, { record }) => Math.min(earliest, record.reference.time), Infinity)
      for (const { source_id, object, key, latest } of await ask(first.record.reference.meta.workspaceId, since, [
        ...keys,
      ]))
        look.learn(orderKey(source_id, object, key), Number(latest))
    } catch (error) {
      look.end()
      throw error
    }
    return look.end
  }
}
