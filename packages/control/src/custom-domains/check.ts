import type { Tx } from '@tributary/api-kit'
import type { CustomDomainState } from '@tributary/contract'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'
import { type CustomDomainRow, challengeOf, targetOf } from './domains.ts'

const minuteMs = 60_000

/** Time between two lookups of a domain, ms: while its records are missing (`pending`), and after they were found. */
export const checkEveryMs = { pending: 5 * minuteMs, found: 60 * minuteMs } as const

/** Maximum number of domains that one call checks, one after the other. */
const atOnce = 20

type Deps = Pick<ControlDeps, 'db' | 'clock' | 'customDomains' | 'publicUrl'>

/** Whether the DNS has each record of a domain; or `unknown`, the reason why the DNS did not answer. */
type Look = { cname: boolean; txt: boolean } | { unknown: string }

const withoutDot = (name: string): string => name.toLowerCase().replace(/\.$/, '')

const look = async (deps: Deps, row: CustomDomainRow): Promise<Look> => {
  const { dns } = deps.customDomains
  const challenge = challengeOf(row)
  const [cname, txt] = await Promise.all([dns.cname(row.domain), dns.txt(challenge.name)])
  if ('unknown' in cname) return cname
  if ('unknown' in txt) return txt
  return {
    cname: cname.records.some((name) => withoutDot(name) === withoutDot(targetOf(deps))),
    txt: txt.records.includes(challenge.value),
  }
}

const problemOf = (found: { cname: boolean; txt: boolean }): string => {
  const missing = [...(found.cname ? [] : ['CNAME']), ...(found.txt ? [] : ['TXT'])]
  if (missing.length === 0) return ''
  return `The ${missing.join(' and ')} ${missing.length === 1 ? 'record was' : 'records were'} not found`
}

const nextState = (state: CustomDomainState, { cname, txt }: { cname: boolean; txt: boolean }): CustomDomainState => {
  if (cname && txt) return 'active'
  return state === 'pending' ? 'pending' : 'failing'
}

/** Whether an error says that the domain belongs to another workspace. */
const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'constraint' in error && error.constraint === 'custom_domains_served'

/**
 * Looks up the records of a domain and stores the result; `record` records the new state in the same transaction. While
 * the DNS does not respond, the domain is unchanged. Returns `taken`, and changes nothing, if another workspace has the
 * domain.
 */
export const checkCustomDomain = async (
  deps: Deps,
  row: CustomDomainRow,
  record: (tx: Tx, row: CustomDomainRow) => Promise<void>,
): Promise<'checked' | 'taken'> => {
  const found = await look(deps, row)
  const check_time = new Date(deps.clock())
  try {
    await deps.db.transaction().execute(async (tx) => {
      const known = await tx
        .selectFrom('custom_domains')
        .select('state')
        .where('id', '=', row.id)
        .forUpdate()
        .executeTakeFirst()
      if (known === undefined) return
      const set =
        'unknown' in found
          ? { problem: `The DNS could not be asked (${found.unknown}). It is asked again automatically` }
          : {
              state: nextState(known.state, found),
              cname_found: found.cname,
              txt_found: found.txt,
              problem: problemOf(found),
            }
      const changed = await tx
        .updateTable('custom_domains')
        .set({ ...set, check_time })
        .where('id', '=', row.id)
        .returningAll()
        .executeTakeFirstOrThrow()
      await record(tx, changed)
    })
    return 'checked'
  } catch (error) {
    if (!isTaken(error)) throw error
    await deps.db
      .updateTable('custom_domains')
      .set({ problem: 'Another workspace uses this domain', check_time })
      .where('id', '=', row.id)
      .execute()
    return 'taken'
  }
}

/** Looks for the DNS records of the domains that are due for a check. Call it each minute. */
export const checkCustomDomains = async (deps: Deps): Promise<void> => {
  const now = deps.clock()
  const due = await deps.db
    .selectFrom('custom_domains')
    .selectAll()
    .where(({ eb, or, and }) =>
      or([
        eb('check_time', 'is', null),
        and([eb('state', '<>', 'active'), eb('check_time', '<=', new Date(now - checkEveryMs.pending))]),
        eb('check_time', '<=', new Date(now - checkEveryMs.found)),
      ]),
    )
    .orderBy(sql`check_time asc nulls first`)
    .limit(atOnce)
    .execute()
  for (const row of due) await checkCustomDomain(deps, row, async () => {})
}
