import type { Delivery } from '@tributary/contract'

/**
 * Groups the attempts of one event by destination, in the order of the newest attempt. Each group begins with its
 * newest attempt.
 */
export const byDestination = (deliveries: readonly Delivery[]): { destination: string; attempts: Delivery[] }[] => {
  const groups = new Map<string, Delivery[]>()
  const newestFirst = [...deliveries].sort(
    (one, other) => Date.parse(other.time) - Date.parse(one.time) || other.attempt - one.attempt,
  )
  for (const delivery of newestFirst) {
    const attempts = groups.get(delivery.destination)
    if (attempts === undefined) groups.set(delivery.destination, [delivery])
    else attempts.push(delivery)
  }
  return [...groups].map(([destination, attempts]) => ({ destination, attempts }))
}
