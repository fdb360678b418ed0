/**
 * Counters and leases with their expiry. Pure but for `now`, a monotonic clock in milliseconds: changes of the
 * machine's date neither lengthen nor shorten a lease.
 */
export type Ledger = {
  increment(key: string, by: number, ttlMs: number): number
  /** The epoch of the tenure, or 0 when another holder has the lease. */
  acquire(name: string, holder: string, ttlMs: number): number
  release(name: string, holder: string): void
  /** Removes expired counters and leases. Only saves memory: answers are right without it. */
  sweep(): void
  /** Counters and leases held, expired ones not yet swept included. */
  size(): number
}

export const createLedger = (now: () => number): Ledger => {
  const counters = new Map<string, { value: number; until: number }>()
  const leases = new Map<string, { holder: string; epoch: number; until: number }>()
  // One for all names: it rises also where a lease was forgotten.
  let epochs = 0
  return {
    increment(key, by, ttlMs) {
      const time = now()
      const counter = counters.get(key)
      if (counter !== undefined && counter.until > time) {
        counter.value += by
        return counter.value
      }
      counters.set(key, { value: by, until: time + ttlMs })
      return by
    },
    acquire(name, holder, ttlMs) {
      const time = now()
      const lease = leases.get(name)
      const isHeld = lease !== undefined && lease.until > time
      if (isHeld && lease.holder !== holder) return 0
      if (!isHeld) epochs++
      const epoch = isHeld ? lease.epoch : epochs
      leases.set(name, { holder, epoch, until: time + ttlMs })
      return epoch
    },
    release(name, holder) {
      if (leases.get(name)?.holder === holder) leases.delete(name)
    },
    sweep() {
      const time = now()
      for (const entries of [counters, leases]) {
        for (const [key, { until }] of entries) if (until <= time) entries.delete(key)
      }
    },
    size: () => counters.size + leases.size,
  }
}
