import type { FoundObject } from '@tributary/contract'
import { useEffect } from 'react'
import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import { storagePrefix } from './storage-prefix.ts'

/** Something that was opened or done: an object of a workspace, or an entry of the command palette by its id. */
export type Recent = { id: string; object?: FoundObject }

const kept = 8

/** The last opened pages and commands in each workspace (a resource name), newest first; stored in this browser. */
export const useRecent = create<{ byWorkspace: Record<string, Recent[]> }>()(
  persist((): { byWorkspace: Record<string, Recent[]> } => ({ byWorkspace: {} }), {
    name: `${storagePrefix}-recent`,
    version: 1,
  }),
)

/** Puts an entry first in the list of a workspace; the oldest one is dropped. */
export const remember = (workspace: string, recent: Recent): void => {
  useRecent.setState(({ byWorkspace }) => ({
    byWorkspace: {
      ...byWorkspace,
      [workspace]: [recent, ...(byWorkspace[workspace] ?? []).filter(({ id }) => id !== recent.id)].slice(0, kept),
    },
  }))
}

/** Forgets what is no longer there. */
export const forgetRecent = (workspace: string, id: string): void => {
  useRecent.setState(({ byWorkspace }) => ({
    byWorkspace: { ...byWorkspace, [workspace]: (byWorkspace[workspace] ?? []).filter((each) => each.id !== id) },
  }))
}

/** Forgets everything, in all workspaces, and leaves nothing of it in this browser. */
export const clearRecent = (): void => {
  useRecent.setState({ byWorkspace: {} })
  useRecent.persist.clearStorage()
}

/** Remembers an object whose page is shown, with its title as it is now. */
export const useVisited = (workspace: string, kind: FoundObject['kind'], object: Omit<FoundObject, 'kind'>): void => {
  const { name, title } = object
  const { display_name } = object.app
  const { app_icon } = object.app.extra
  useEffect(() => {
    remember(workspace, {
      id: name,
      object: { name, kind, title, app: { display_name, extra: { app_icon } } },
    })
  }, [workspace, kind, name, title, display_name, app_icon])
}
