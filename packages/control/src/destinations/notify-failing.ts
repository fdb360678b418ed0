import { type Announce, notifyEditors, type Tx } from '@tributary/api-kit'
import { resourceNames } from '@tributary/contract'
import { cutText } from '@tributary/kernel'
import { sql } from 'kysely'
import type { ControlDeps } from '../deps.ts'

const minute = 60_000
const dayMs = 24 * 60 * minute
/** How long deliveries must have failed before users are notified, ms. Shorter problems usually end without action. */
const waitingMs = 15 * minute

type Failing = {
  id: string
  title: string
  workspace_id: string
  organization_id: string
  dead: number
  waiting: number
  reason: string
}

/**
 * Finds enabled destinations with dead letters of the last day, or with waiting events whose attempts have failed for
 * 15 minutes.
 */
const findFailing = async ({ db }: Pick<ControlDeps, 'db'>, now: number): Promise<Failing[]> => {
  const { rows } = await sql<Failing>`
    select d.id, d.title, d.workspace_id, w.organization_id,
      coalesce(sum(p.event_count) filter (where p.state = 'dead'), 0)::int as dead,
      coalesce(sum(p.event_count) filter (where p.state = 'waiting'), 0)::int as waiting,
      (array_agg(p.last_reason order by p.next_time desc, p.id))[1] as reason
    from parked_deliveries p
    join destinations d on d.id = p.destination_id
    join workspaces w on w.id = d.workspace_id
    where d.delete_time is null and d.enabled
      and ((p.state = 'dead' and p.next_time > ${new Date(now - dayMs)})
        or (p.state = 'waiting' and p.attempts > 0 and p.first_time < ${new Date(now - waitingMs)}))
    group by d.id, w.id
    order by d.id`.execute(db)
  return rows
}

const events = (count: number): string => (count === 1 ? '1 event' : `${count.toLocaleString('en-US')} events`)

const bodyOf = ({ dead, waiting, reason }: Failing): string => {
  const parts = [
    ...(dead > 0 ? [`${events(dead)} could not be delivered`] : []),
    ...(waiting > 0 ? [`${events(waiting)} could not be delivered yet and will be retried`] : []),
  ]
  const last = reason.length > 300 ? `${cutText(reason, 299).toWellFormed()}…` : reason
  return `${parts.join('; ')}.${last === '' ? '' : ` Last reason: ${last}`}`
}

const notifyOfFailing = async (tx: Tx, failing: Failing, now: number): Promise<Announce> => {
  const name = resourceNames.destination.format({ workspace: failing.workspace_id, destination: failing.id })
  return await notifyEditors(tx, {
    organizationId: failing.organization_id,
    kind: 'delivery_failing',
    title: `Delivery to ${failing.title} is failing`,
    body: bodyOf(failing),
    link: `/${name}`,
    cause: `${name}/${new Date(now).toISOString().slice(0, 10)}`,
    now,
  })
}

/**
 * Notifies the administrators and collaborators of each enabled destination that is failing. A destination causes one
 * notification a day (UTC), however often and by however many processes this function is called.
 */
export const notifyFailingDestinations = async (deps: Pick<ControlDeps, 'db' | 'clock' | 'live'>): Promise<void> => {
  const now = deps.clock()
  for (const failing of await findFailing(deps, now)) {
    const announce = await deps.db.transaction().execute((tx) => notifyOfFailing(tx, failing, now))
    announce(deps.live)
  }
}
