import { createHash } from 'node:crypto'
import { type QueryExecutorProvider, sql } from 'kysely'
import type { Relational } from '../../relational/open.ts'
import type { Coordination } from '../port.ts'

type Pool = Pick<Relational['pool'], 'query'>

/** Expired counters that are deleted at a time. */
const sweptAtOnce = 10_000

// A counter is named by what people enter, such as an address. A hash has one length, and does not reveal the name.
const hashOf = (key: string): Buffer => createHash('sha256').update(key).digest()

/** Starts a counter again when it has expired by the clock of the database, the only one that counts. */
const incrementText = `
insert into coordination_counters as c (key_hash, value, expire_time)
values ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
on conflict (key_hash) do update set
  value = case when c.expire_time > clock_timestamp() then c.value else 0 end + excluded.value,
  expire_time = case when c.expire_time > clock_timestamp() then c.expire_time else excluded.expire_time end
returning value::text as value`

/** The row is kept when a lease is over, so that its epoch only rises. */
const acquireText = `
insert into coordination_leases as l (name, holder, epoch, expire_time)
values ($1, $2, 1, clock_timestamp() + $3 * interval '1 millisecond')
on conflict (name) do update set
  holder = excluded.holder,
  epoch = l.epoch + case when l.expire_time > clock_timestamp() then 0 else 1 end,
  expire_time = clock_timestamp() + $3 * interval '1 millisecond'
where l.holder = excluded.holder or l.expire_time <= clock_timestamp()
returning epoch::text as epoch`

/** Counters and leases in the relational store. They reject when it is away; whether a call had an effect is unknown then. */
export const createSharedLedger = (
  pool: Pool,
): Pick<Coordination, 'increment' | 'acquireLease' | 'releaseLease'> & {
  /** Takes away counters that are over. */
  sweep(): Promise<void>
} => ({
  async increment(key, by, ttlMs) {
    const { rows } = await pool.query<{ value: string }>({
      name: 'coordination-increment',
      text: incrementText,
      values: [hashOf(key), by, ttlMs],
    })
    return Number(rows[0]?.value)
  },
  async acquireLease(name, holder, ttlMs) {
    const { rows } = await pool.query<{ epoch: string }>({
      name: 'coordination-acquire',
      text: acquireText,
      values: [name, holder, ttlMs],
    })
    return rows[0] === undefined ? undefined : Number(rows[0].epoch)
  },
  async releaseLease(name, holder) {
    await pool.query('update coordination_leases set expire_time = clock_timestamp() where name = $1 and holder = $2', [
      name,
      holder,
    ])
  },
  async sweep() {
    await pool.query(
      `delete from coordination_counters where key_hash in (
        select key_hash from coordination_counters where expire_time < clock_timestamp()
        order by expire_time limit ${sweptAtOnce} for update skip locked)`,
    )
  },
})

/** Another holder has had the lease since: work under the epoch must not be done. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/**
 * Makes a transaction one of the tenure with this epoch: rejects with LeaseLost when another one has begun, and lets none begin until
 * the transaction has ended. What a holder that was paused for longer than its lease writes so is written before the next holder
 * begins, or never.
 */
export const requireLease = async (tx: QueryExecutorProvider, name: string, epoch: number): Promise<void> => {
  const { rows } = await sql<{ epoch: string }>`
    select epoch::text as epoch from coordination_leases where name = ${name} for share`.execute(tx)
  if (Number(rows[0]?.epoch ?? 0) !== epoch)
    throw new LeaseLost(`The lease ${name} is of the epoch ${rows[0]?.epoch ?? 0}, not ${epoch}`)
}
