import { type Logger, randomToken } from '@tributary/kernel'
import { openRelational, type Relational, type RelationalOptions } from '../../relational/open.ts'
import { createSharedLedger, LeaseLost } from './leases.ts'

/** The time in which one process has a lease, as shared with the threads of that process. */
export type TenureInfo = {
  /** The lease, and the epoch under which things are written. */
  name: string
  epoch: number
  /**
   * A BigInt64Array of two times until which no other process can have the lease. The first is on the monotonic clock
   * of the machine (ns), which is never set. The second is on its time of day (ms), since the monotonic clock stands
   * still while a machine is suspended.
   */
  until: SharedArrayBuffer
}

export type Tenure = TenureInfo & {
  /**
   * Releases the lease, so that another process need not wait until it expires. Nothing may be done under it any more.
   */
  release(): Promise<void>
}

/** The name of a lease, its holder, and the callback for its loss. */
export type LeaseOptions = {
  name: string
  /** The role that the lease gives, for people: `the main process`. */
  of: string
  /** Called once when the lease could not be renewed in time, a while before another process can have it. */
  onLost(why: string): void
}

export type LeaseTimes = {
  /** How long it lasts without being renewed, ms. */
  ttlMs?: number
  /** How long before its end a holder gives up, ms. */
  marginMs?: number
  /** How often it is renewed, ms. */
  renewMs?: number
}

/** The leases of a process, over two connections to PostgreSQL. */
export type Leases = {
  /** Which of these leases have no holder now. */
  free(names: readonly string[]): Promise<string[]>
  /**
   * Takes a lease and renews it, and ends the connections of earlier holders; undefined when another holder has it. It
   * counts from before each renewal was sent, by a clock that is never set, so it ends here before it does in the
   * database. A process that was paused learns of the loss only when it goes on. Its work until then has to be fenced
   * by the epoch.
   */
  take(lease: LeaseOptions): Promise<Tenure | undefined>
  /** Lets go of the connections; leases are released before. */
  close(): Promise<void>
}

export type TenureOptions = LeaseOptions &
  LeaseTimes & {
    /** As of `openRelational`. */
    url: string
    logger: Logger
    /** Called once when another process has the lease and this one waits for it. */
    onWaiting?: () => void
    /** Ends the waiting, which then rejects with the reason of the signal. */
    signal?: AbortSignal
    /** How often a waiting process tries to take the lease, ms. */
    lookMs?: number
  }

/** Whether a tenure still lasts for sure. Checked right before work that has no other fence. */
export const isInTenure = ({ until }: Pick<TenureInfo, 'until'>): boolean => {
  const ends = new BigInt64Array(until)
  return process.hrtime.bigint() < Atomics.load(ends, 0) && BigInt(Date.now()) < Atomics.load(ends, 1)
}

/** How long connections of the tenure before are waited for, and how often it is looked, ms. */
const endMs = 2000
const endLookMs = 10

/** The name of a tenure's connections; without an epoch the prefix of all names of a lease. */
export const connectionName = (lease: string, epoch: number | ''): string => `tributary ${lease}: ${epoch}`

/**
 * Options of a pool whose connections belong to one tenure. The next tenure ends them with their locks when it begins,
 * and no new ones are admitted. So a write through them takes effect before the next tenure begins, or never.
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

/** Connections of a paused process could hold locks as long as they are open, and write when it goes on. */
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
    // A backend may commit before it obeys: it has ended when it is not listed any more.
    if (rowCount === 0) return
    if (performance.now() - since > endMs)
      throw new Error(`Connections of ${of} before do not end. The start is to be tried again`)
    await pause(endLookMs)
  }
}

/** Renews a lease that is held, until it is released or could not be renewed in time. */
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
      // The renewal came too late, and began a tenure that has no user.
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
        // One that comes after the release would begin another tenure.
        await Promise.all(renewing)
        await deps
          .releaseLease()
          .catch((error: unknown) => logger.warn({ err: error }, 'The lease is not released; it ends by itself'))
      }
      Atomics.store(new BigInt64Array(until), 0, 0n)
    },
  }
}

/** The epoch of the current holder of a lease; undefined while there is none. */
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

/** Which of some leases have no holder now. */
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

/** Leases in PostgreSQL, which is connected to with the first call. */
export const openLeases = ({ url, logger, ...given }: { url: string; logger: Logger } & LeaseTimes): Leases => {
  const times = { ttlMs: given.ttlMs ?? 6000, marginMs: given.marginMs ?? 750, renewMs: given.renewMs ?? 1500 }
  const holder = randomToken(12)
  // Two, so that one that the network has lost is not waited for.
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
        // Another epoch is another tenure, which has no user in this process.
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
 * Waits until this process has a lease, and keeps it as `Leases` do. PostgreSQL being away while it waits is waited for, too.
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
        // The first attempt rejects while the database is away.
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
