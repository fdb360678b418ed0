import type { Db } from '@tributary/api-kit'
import { type SyncDraft, syncDraft } from '@tributary/contract'
import { parseExactJson } from '@tributary/kernel'
import { type DraftOwner, readDraft } from '../../drafts.ts'

/** The fields of a draft that are stored. */
const stored = syncDraft.omit({ name: true, update_time: true })

const blank: ReturnType<typeof stored.parse> = {
  source: null,
  audience: null,
  catalog_destination: null,
  destination: null,
  target_object: null,
  sync_type: null,
  settings: {},
  errors: {},
  configuration_status: { previous: 'none', current: 'none' },
}

/** Reads the draft of a caller in a workspace. Returns a blank one if there is none. */
export const readSyncDraft = async (db: Db, owner: DraftOwner): Promise<SyncDraft> => {
  const row = await readDraft(db, 'sync_drafts', owner)
  return {
    name: `workspaces/${owner.workspace.id}/syncDraft`,
    ...(row === undefined ? blank : stored.parse(parseExactJson(row.draft))),
    update_time: row?.update_time.toISOString() ?? null,
  }
}

/**
 * Applies changes to a draft. Null resets a field to its initial value. If the status changes, the old one becomes the
 * previous status.
 */
export const changedDraft = (
  draft: SyncDraft,
  changes: Partial<Record<keyof typeof blank, unknown>>,
): ReturnType<typeof stored.parse> => {
  const { configuration_status, ...rest } = changes
  const reset = Object.entries(rest).map(([field, value]) => [field, value ?? blank[field as keyof typeof blank]])
  return stored.parse({
    ...draft,
    ...Object.fromEntries(reset),
    ...(configuration_status === undefined
      ? {}
      : {
          configuration_status: {
            previous: draft.configuration_status.current,
            current: configuration_status ?? blank.configuration_status.current,
          },
        }),
  })
}
