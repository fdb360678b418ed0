import type { Relational } from '../../relational/open.ts'

/** A process as the other processes see it. */
export type Member = {
  id: string
  roles: readonly string[]
  /** The names of the groups of partitions that the process owns. */
  held: readonly string[]
}

export type Members = {
  /**
   * Announces this process and the groups that it owns. Resolves to all running processes, including this one, sorted
   * by ID.
   */
  beat(held: readonly string[]): Promise<Member[]>
  /** Withdraws the announcement of this process. */
  leave(): Promise<void>
}

const beatText = `
with here as (
  insert into processes (id, host, version, roles, held, seen_time)
  values ($1, $2, $3, $4, $5, clock_timestamp())
  on conflict (id) do update set held = excluded.held, seen_time = excluded.seen_time
), gone as (
  delete from processes where seen_time < clock_timestamp() - interval '1 day'
)
select id, roles, held from processes
where id <> $1 and seen_time > clock_timestamp() - $6 * interval '1 millisecond'`

/** A process with a role, and the time since its last announcement, ms. */
export type SeenMember = Member & { host: string; seenMs: number }

/** Deletes the processes of a role whose last announcement is older than `unseenMs`. */
export const forgetMembers = async (
  pool: Pick<Relational['pool'], 'query'>,
  role: string,
  unseenMs: number,
): Promise<void> => {
  await pool.query(
    `delete from processes where $2 = any(roles) and seen_time < clock_timestamp() - $1 * interval '1 millisecond'`,
    [unseenMs, role],
  )
}

/**
 * Returns the processes with a role whose last announcement is at most `withinMs` old. Processes that have left are not
 * included.
 */
export const seenMembers = async (
  pool: Pick<Relational['pool'], 'query'>,
  role: string,
  withinMs: number,
): Promise<SeenMember[]> => {
  const { rows } = await pool.query<Omit<SeenMember, 'seenMs'> & { seen_ms: string }>({
    name: 'coordination-seen',
    text: `select id, host, roles, held, extract(epoch from clock_timestamp() - seen_time) * 1000 as seen_ms from processes
      where $1 = any(roles) and seen_time > clock_timestamp() - $2 * interval '1 millisecond' order by id`,
    values: [role, withinMs],
  })
  return rows.map(({ seen_ms, ...member }) => ({ ...member, seenMs: Number(seen_ms) }))
}

/**
 * Creates the membership of a process that shares work with others: one row, which is valid for `ttlMs` after each
 * announcement.
 */
export const createMembers = (options: {
  pool: Pick<Relational['pool'], 'query'>
  id: string
  host: string
  version: string
  roles: readonly string[]
  ttlMs?: number
}): Members => {
  const { pool, id, host, version, roles, ttlMs = 6000 } = options
  return {
    async beat(held) {
      const { rows } = await pool.query<Member>({
        name: 'coordination-beat',
        text: beatText,
        values: [id, host, version, roles, held, ttlMs],
      })
      return [...rows, { id, roles, held }].sort((a, b) => (a.id < b.id ? -1 : 1))
    },
    async leave() {
      await pool.query('delete from processes where id = $1', [id])
    },
  }
}
