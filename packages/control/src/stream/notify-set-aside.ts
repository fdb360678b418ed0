import type { ControlDeps } from '../deps.ts'
import { notify } from '../notifications/notify.ts'

/** Tells platform admins how many accepted requests are set aside, since processing failed on them; at most once a day. */
export const notifySetAside = async (
  deps: Pick<ControlDeps, 'db' | 'clock' | 'live'>,
  requests: number,
): Promise<void> => {
  const now = deps.clock()
  const announce = await deps.db.transaction().execute(async (tx) => {
    const admins = await tx.selectFrom('users').select('id').where('is_admin', '=', true).execute()
    return await notify(
      tx,
      admins.map(({ id }) => id),
      {
        organizationId: null,
        kind: 'requests_set_aside',
        title: requests === 1 ? 'A request could not be processed' : `${requests} requests could not be processed`,
        body: 'They were accepted and are kept, but their events are not stored. Run npm run set-aside on the server to see why.',
        link: '',
        cause: `set-aside/${new Date(now).toISOString().slice(0, 10)}`,
        now,
      },
    )
  })
  announce(deps.live)
}
