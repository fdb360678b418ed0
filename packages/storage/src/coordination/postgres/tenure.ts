import { type Logger, randomToken } from '@tributary/kernel'
import { openRelational, type Relational, type RelationalOptions } from '../../relational/open.ts'
import { createSharedLedger, LeaseLost } from './leases.ts'

/** The time in which a process has a lease. The process shares it with its threads. */
export type TenureInfo = {
  /** The name of the lease. */
  name: string
  /** The epoch of the tenure, under which the process writes. */
  epoch: number
  /**
   * A BigInt64Array with two times until which no other process can have the lease. The first is on the machine's
   * monotonic clock (ns), which is never set. The second is on its time of day (ms), since the monotonic clock stands
   * still while a machine is suspended.
   */
  until: SharedArrayBuffer
}

export type Tenure = TenureInfo & {
  /**
   * Releases the lease, so that another process need not wait until it expires. Work under the lease must have ended.
   */
  release(): Promise<void>
}

/** The name of a lease, its holder, and the callback for its loss. */
export type LeaseOptions = {
  name: string
  /** The role that the lease gives, in words for people, such as `the main process`. */
  of: string
  /** Called once if the lease could not be renewed in time, a while before another process can have it. */
  onLost(why: string): void
}

export type LeaseTimes = {
  /** How long a lease lasts after its last renewal, ms. */
  ttlMs?: number
  /** How long before the end of a lease its holder gives up, ms. */
  marginMs?: number
  /** Interval between two renewals, ms. */
  renewMs?: number
}

/** The leases of a process, over two connections to PostgreSQL. */
export type Leases = {
  /** Returns those of the named leases that have no holder now. */
  free(names: readonly string[]): Promise<string[]>
  /**
   * Takes a lease, renews it from now on, and ends the connections of earlier holders; undefined if another holder has
   * the lease. Each renewal extends the tenure from the time before the renewal was sent, on a clock that is never set.
   * So the tenure ends in this process before the lease ends in the database. A paused process learns of the loss only
   * when it continues, so its work must be fenced by the epoch.
   */
  take(lease: LeaseOptions): Promise<Tenure | undefined>
  /** Closes the connections. Release the leases first. */
  close(): Promise<void>
}

export type TenureOptions = LeaseOptions &
  LeaseTimes & {
    /** The address of PostgreSQL, as in `openRelational`. */
    url: string
    logger: Logger
    /** Called once if another process has the lease and this process waits for it. */
    onWaiting?: () => void
    /** Ends the wait, which then rejects with the reason of the signal. */
    signal?: AbortSignal
    /** Interval between two attempts of a waiting process to take the lease, ms. */
    lookMs?: number
  }

/** Whether a tenure certainly lasts. Check this directly before work that has no other fence. */
export const isInTenure = ({ until }: Pick<TenureInfo, 'until'>): boolean => {
  const ends = new BigInt64Array(until)
  return process.hrtime.bigint() < Atomics.load(ends, 0) && BigInt(Date.now()) < Atomics.load(ends, 1)
}

/** Maximum wait for the end of the connections of earlier tenures, ms. */
const endMs = 2000
/** Interval between two checks of these connections, ms. */
const endLookMs = 10

/**
 * Returns the name of a tenure's connections. Without an epoch, returns the common prefix for all tenures of the lease.
 */
export const connectionName = (lease: string, epoch: number | ''): string => `tributary ${lease}: ${epoch}`

/**
 * Returns options of a pool whose connections belong to one tenure. When the next tenure begins, it ends these
 * connections with their locks, and no new ones are admitted. So a write over them takes effect before the next tenure
 * begins, or never.
 */
export const connectionsOf = ({
  name,
  epoch,
}: Pick<TenureInfo, 'name' | 'epoch'>): Required<Pick<RelationalOptions, 'applicationName' | 'admit'>> => ({
  applicationName: connectionName(name, epoch),
  async admit(client) {
    const { rows } = await client.query<{ epoch: string }>(
      'select epoch::text from coordination_leases where name = $1',
      [name],
    )
    if (Number(rows[0]?.epoch) !== epoch) throw new LeaseLost(`Another process has the lease ${name}`)
  },
})

const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end, { once: true })
  })

/**
 * Ends the connections of earlier tenures. The connections of a paused process could keep their locks, and write when
 * the process continues.
 */
const endPredecessors = async (
  { pool }: Pick<Relational, 'pool'>,
  { name, of }: LeaseOptions,
  mine: number,
): Promise<void> => {
  const since = performance.now()
  for (;;) {
    const { rowCount } = await pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and starts_with(application_name, $1) and application_name <> $2`,
      [connectionName(name, ''), connectionName(name, mine)],
    )
    // A backend may commit before it obeys, so it has ended only when it is no longer listed.
    if (rowCount === 0) return
    if (performance.now() - since > endMs)
      throw new Error(`Connections of ${of} before do not end. The start is to be tried again`)
    await pause(endLookMs)
  }
}

/** Renews a held lease until it is released or could not be renewed in time. */
const keep = (
  { name, of, onLost }: LeaseOptions,
  { ttlMs, renewMs }: Required<LeaseTimes>,
  deps: {
    epoch: number
    until: SharedArrayBuffer
    logger: Logger
    acquire(held: number): Promise<number | undefined>
    releaseLease(): Promise<void>
  },
): Tenure => {
  const { epoch, until, logger } = deps
  let isOver = false
  const renewing = new Set<Promise<void>>()
  const end = (): void => {
    isOver = true
    for (const timer of timers) clearInterval(timer)
  }
  const lose = (why: string): void => {
    if (isOver) return
    end()
    onLost(why)
  }
  const renew = async (): Promise<void> => {
    try {
      const renewed = await deps.acquire(epoch)
      if (isOver || renewed === epoch) return
      // The renewal came too late and began another tenure, which no code uses.
      if (renewed !== undefined) await deps.releaseLease()
      lose(`Another process may be ${of} by now: the lease was not renewed in time`)
    } catch (error) {
      if (!isOver) logger.warn({ err: error, lease: name }, 'A lease could not be renewed; it is tried again')
    }
  }
  const timers = [
    setInterval(() => {
      if (renewing.size >= 2) return
      const renewal = renew().finally(() => renewing.delete(renewal))
      renewing.add(renewal)
    }, renewMs),
    setInterval(() => {
      if (!isInTenure({ until }))
        lose(`PostgreSQL has not confirmed for ${ttlMs / 1000} seconds that this process is ${of}`)
    }, 100),
  ]
  return {
    name,
    epoch,
    until,
    async release() {
      if (!isOver) {
        end()
        // A renewal after the release would begin another tenure.
        await Promise.all(renewing)
        await deps
          .releaseLease()
          .catch((error: unknown) => logger.warn({ err: error }, 'The lease is not released; it ends by itself'))
      }
      Atomics.store(new BigInt64Array(until), 0, 0n)
    },
  }
}

/** Returns the epoch of a lease's current holder; undefined if it has none. */
export const leaseEpoch = async (
  { pool }: { pool: Pick<Relational['pool'], 'query'> },
  name: string,
): Promise<number | undefined> => {
  const { rows } = await pool.query<{ epoch: string }>(
    'select epoch::text as epoch from coordination_leases where name = $1 and expire_time > clock_timestamp()',
    [name],
  )
  return rows[0] && Number(rows[0].epoch)
}

/** Returns those of the named leases that have no holder now. */
export const freeLeases = async (
  { pool }: { pool: Pick<Relational['pool'], 'query'> },
  names: readonly string[],
): Promise<string[]> => {
  const { rows } = await pool.query<{ name: string }>(
    'select name from coordination_leases where name = any($1) and expire_time > clock_timestamp()',
    [names],
  )
  const held = new Set(rows.map(({ name }) => name))
  return names.filter((name) => !held.has(name))
}

/** Creates the leases of a process in PostgreSQL. The first call connects. */
export const openLeases = ({ url, logger, ...given }: { url: string; logger: Logger } & LeaseTimes): Leases => {
  const times = { ttlMs: given.ttlMs ?? 6000, marginMs: given.marginMs ?? 750, renewMs: given.renewMs ?? 1500 }
  const holder = randomToken(12)
  // There are two connections, so that no call waits for a connection that the network has dropped.
  const relational = openRelational({
    url,
    logger,
    maxConnections: 2,
    statementMs: 2000,
    applicationName: 'tributary lease',
  })
  const { pool } = relational
  const ledger = createSharedLedger(pool)

  return {
    free: (names) => freeLeases({ pool }, names),
    async take(lease) {
      const { name } = lease
      const until = new SharedArrayBuffer(16)
      const clock = new BigInt64Array(until)
      const acquire = async (held?: number): Promise<number | undefined> => {
        const asked = process.hrtime.bigint()
        const askedAt = Date.now()
        const epoch = await ledger.acquireLease(name, holder, times.ttlMs)
        const lastsMs = times.ttlMs - times.marginMs
        const end = asked + BigInt(lastsMs) * 1_000_000n
        // A different epoch belongs to another tenure, which no code of this process uses.
        if (epoch !== undefined && (held ?? epoch) === epoch && end > Atomics.load(clock, 0)) {
          Atomics.store(clock, 1, BigInt(askedAt + lastsMs))
          Atomics.store(clock, 0, end)
        }
        return epoch
      }
      const epoch = await acquire()
      if (epoch === undefined) return undefined
      const releaseLease = () => ledger.releaseLease(name, holder)
      try {
        await endPredecessors(relational, lease, epoch)
      } catch (error) {
        await releaseLease().catch(() => {})
        throw error
      }
      return keep(lease, times, { epoch, until, logger, acquire, releaseLease })
    },
    close: () => relational.close(),
  }
}

/**
 * Waits until this process has a lease, and then renews it as `Leases.take` does. If PostgreSQL becomes unavailable
 * during the wait, the wait continues. Rejects if the first attempt fails.
 */
export const takeTenure = async (options: TenureOptions): Promise<Tenure> => {
  const { logger, signal, lookMs = 250 } = options
  const leases = openLeases(options)
  let isWaiting = false

  const wait = async (): Promise<Tenure> => {
    let isAway = false
    for (;;) {
      signal?.throwIfAborted()
      try {
        const isFree = (await leases.free([options.name])).length > 0
        const tenure = isFree ? await leases.take(options) : undefined
        if (tenure !== undefined) return tenure
        isAway = false
        if (!isWaiting) options.onWaiting?.()
        isWaiting = true
      } catch (error) {
        // The first attempt rejects if the database is unavailable.
        if (!isWaiting) throw error
        if (!isAway)
          logger.warn({ err: error }, 'the database does not answer which process is active; this process asks again')
        isAway = true
      }
      await pause(lookMs, signal)
    }
  }

  try {
    const tenure = await wait()
    return {
      ...tenure,
      async release() {
        await tenure.release()
        await leases.close()
      },
    }
  } catch (error) {
    await leases.close()
    throw error
  }
}
