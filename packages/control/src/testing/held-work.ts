import { newId } from '@tributary/kernel'
import type { Harness } from './control-harness.ts'

/** Stores work that has blocked a thread twice and is held. Resolves to its ID. */
export const makeHeldWork = async (
  harness: Harness,
  workspaceId: string | null,
  { item = `call models.preview ${newId()}`, step = 'models.preview', thread = 'main' } = {},
): Promise<string> => {
  const id = newId()
  const time = new Date(harness.now())
  await harness.db
    .insertInto('held_work')
    .values({
      id,
      item,
      workspace_id: workspaceId,
      thread,
      step,
      blocks: [newId(), newId()],
      block_time: time,
      hold_time: time,
    })
    .execute()
  return id
}

/** Stores held work, and removes earlier releases, so that the work can be released now. */
export const makeReleasable = async (harness: Harness, workspaceId: string): Promise<string> => {
  await harness.db.deleteFrom('work_releases').execute()
  return makeHeldWork(harness, workspaceId)
}

let place = 0

/** Stores an accepted request whose processing has failed three times. Resolves to its ID. */
export const makeSetAsideRequest = async (harness: Harness, workspaceId: string, error: string): Promise<string> => {
  const id = newId()
  const time = new Date(harness.now())
  await harness.db
    .insertInto('set_aside_requests')
    .values({
      id,
      workspace_id: workspaceId,
      partition: 0,
      record: place++,
      incarnation: newId(),
      key: workspaceId,
      meta: '{}',
      body: Buffer.from('{}'),
      bytes: 2,
      failures: 3,
      error,
      receive_time: time,
      fail_time: time,
      set_aside_time: time,
    })
    .execute()
  return id
}
