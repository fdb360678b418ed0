import { type Logger, randomToken } from '@tributary/kernel'
import { openRelational, type Relational, type RelationalOptions } from '../../relational/open.ts'
import { createSharedLedger, LeaseLost } from './leases.ts'

/** The time in which one process has a lease, as the threads of that process know it. */
export type TenureInfo = {
  /** The lease, and the epoch under which things are written. */
  name: string
  epoch: number
  /**
   * A BigInt64Array of two numbers: until when nobody else can have it, by the monotonic clock of the machine (ns), which nobody sets, and by
   * its time of day (ms), since the other one stands still while a machine is suspended.
   */
  until: SharedArrayBuffer
}

export type Tenure = TenureInfo & {
  /** Lets go of it, so that another process need not wait until it is over. Nothing may be done under it any more. */
  release(): Promise<void>
}

/** What a lease is, and who is told of it. */
export type LeaseOptions = {
  name: string
  /** What has it, for people: `the main process`. */
  of: string
  /** Told once, a while before it can be another's, when it could not be renewed in time. */
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
  /** Which of these leases nobody has now. */
  free(names: readonly string[]): Promise<string[]>
  /**
   * Takes a lease and keeps it, and ends what earlier holders have open; undefined when somebody else has it. It counts from before each renewal was sent,
   * by a clock that nobody sets, so it ends here before it does in the database. A process that was paused learns of it when it goes on: what it does
   * until then has to be fenced by the epoch.
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
    /** Told once, when another process has it: it is waited for. */
    onWaiting?: () => void
    /** Ends the waiting, which then rejects with the reason of the signal. */
    signal?: AbortSignal
    /** How often who waits looks, ms. */
    lookMs?: number
  }

/** Whether a tenure still lasts, for sure: asked right before what has no other fence. */
export const isInTenure = ({ until }: Pick<TenureInfo, 'until'>): boolean => {
  const ends = new BigInt64Array(until)
  return process.hrtime.bigint() < Atomics.load(ends, 0) && BigInt(Date.now()) < Atomics.load(ends, 1)
}

/** How long connections of the tenure before are waited for, and how often it is looked, ms. */
const endMs = 2000
const endLookMs = 10

/** What connections of a tenure are named, and how all names of a lease begin. */
export const connectionName = (lease: string, epoch: number | ''): string => `tributary ${lease}: ${epoch}`

/**
 * How a pool is opened whose connections are of one tenure. The next one ends them when it begins, with what they have locked, and none is
 * made anew: whatever is written through them is there before the next tenure begins, or never.
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

/** What a process that was paused has open could hold locks for as long as it is, and write when it goes on. */
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
    // One that is asked to end may commit what it is about to: it has ended when it is not listed any more.
    if (rowCount === 0) return
    if (performance.now() - since > endMs)
      throw new Error(`Connections of ${of} before do not end. The start is to be tried again`)
    await pause(endLookMs)
  }
}

/** A lease that is held: renews it until it is let go of, or could not be renewed in time. */
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
      // It came too late, and began a tenure that nobody uses.
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

/** The epoch of whoever has a lease now; undefined while nobody has it. */
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

/** Which of some leases nobody has now. */
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

/** Opens the way to leases. PostgreSQL is asked with the first of them. */
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
        // Another epoch is another tenure, of which nobody here knows.
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
        // Who has not seen the database yet is told that it is not there.
        if (!isWaiting) throw error
        if (!isAway) logger.warn({ err: error }, 'The database cannot be asked who is active; it is asked again')
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
