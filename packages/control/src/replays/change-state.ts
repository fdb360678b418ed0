import { audit } from '@tributary/api-kit'
import { readDestination } from '@tributary/configuration'
import { type methods, type Replay, resourceNames } from '@tributary/contract'
import type { Call } from '@tributary/http'
import { conflict } from '@tributary/kernel'
import { setReplay } from '@tributary/replays'
import { clearReplayMarks } from '@tributary/storage'
import type { ControlDeps } from '../deps.ts'
import { showReplay } from './get.ts'
import { readReplay } from './read.ts'

type Verb = 'pause' | 'resume' | 'cancel'

/**
 * The next state of a replay, by its current state and the requested change. Null means that the change is refused
 * because the replay is over.
 */
const transitions = {
  running: { pause: 'paused', resume: 'running', cancel: 'cancelled' },
  paused: { pause: 'paused', resume: 'running', cancel: 'cancelled' },
  cancelled: { pause: null, resume: null, cancel: null },
  done: { pause: null, resume: null, cancel: null },
  failed: { pause: null, resume: null, cancel: null },
} as const

const words = { cancelled: 'was canceled', done: 'has sent all its events', failed: 'has failed' } as const

/**
 * Changes the state of a replay, and holds its lock meanwhile. So events in flight are counted before the change, and
 * nothing is sent after it. A request for the current state succeeds; a request after the end fails with 409.
 */
export const changeState = async (
  deps: Pick<ControlDeps, 'db' | 'eventStore' | 'clock'>,
  verb: Verb,
  call: Pick<Call<typeof methods.replays.pause>, 'actor' | 'workspace' | 'params' | 'signal'>,
): Promise<Replay> => {
  const { db, clock } = deps
  const { workspace, params } = call
  const destination = await readDestination(db, workspace.id, params.destination)
  const { id, create_time } = await readReplay(db, destination, params.replay)
  await db.transaction().execute(async (tx) => {
    const time = new Date(clock())
    const row = await tx
      .selectFrom('replays')
      .select(['state', 'sent_count'])
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirstOrThrow()
    const next = transitions[row.state][verb]
    if (next === null) {
      const state = row.state === 'running' || row.state === 'paused' ? 'done' : row.state
      throw conflict('REPLAY_ENDED', `The replay ${words[state]} already`)
    }
    const over = next === 'cancelled'
    await setReplay(tx, id, { state: next, ...(over ? { finish_time: time } : {}) })
    if (over) await clearReplayMarks(tx, id, create_time)
    await audit(tx, resourceNames.replay.format({ workspace: workspace.id, destination: destination.id, replay: id }), {
      sent_count: Number(row.sent_count),
    })
  })
  return await showReplay(deps, destination, id, call.signal)
}
