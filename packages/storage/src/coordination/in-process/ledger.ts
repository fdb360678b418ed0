/**
 * Counters and leases that expire. `now` is a monotonic clock in ms, so setting the machine's clock neither lengthens
 * nor shortens a lease. There is no other I/O.
 */
export type Ledger = {
  increment(key: string, by: number, ttlMs: number): number
  /** Returns the epoch of the tenure; 0 if another holder has the lease. */
  acquire(name: string, holder: string, ttlMs: number): number
  release(name: string, holder: string): void
  /** Removes expired counters and leases. This only saves memory, because expired ones never affect a result. */
  sweep(): void
  /** Returns the number of stored counters and leases, including expired ones that were not removed yet. */
  size(): number
}

export const createLedger = (now: () => number): Ledger => {
  const counters = new Map<string, { value: number; until: number }>()
  const leases = new Map<string, { holder: string; epoch: number; until: number }>()
  // All names share one counter of epochs, so that the epochs of a name rise even after its lease was removed.
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
