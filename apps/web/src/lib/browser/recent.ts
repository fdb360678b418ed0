import type { FoundObject } from '@tributary/contract'
import { useEffect } from 'react'
import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import { storagePrefix } from './storage-prefix.ts'

/** A recently opened object of a workspace, or a recently used entry of the command palette, by its ID. */
export type Recent = { id: string; object?: FoundObject }

const kept = 8

/** The last opened pages and commands in each workspace (a resource name), newest first; stored in this browser. */
export const useRecent = create<{ byWorkspace: Record<string, Recent[]> }>()(
  persist((): { byWorkspace: Record<string, Recent[]> } => ({ byWorkspace: {} }), {
    name: `${storagePrefix}-recent`,
    version: 1,
  }),
)

/** Puts an entry first in the list of a workspace. Drops the oldest entry if the list is full. */
export const remember = (workspace: string, recent: Recent): void => {
  useRecent.setState(({ byWorkspace }) => ({
    byWorkspace: {
      ...byWorkspace,
      [workspace]: [recent, ...(byWorkspace[workspace] ?? []).filter(({ id }) => id !== recent.id)].slice(0, kept),
    },
  }))
}

/** Removes an entry whose object no longer exists. */
export const forgetRecent = (workspace: string, id: string): void => {
  useRecent.setState(({ byWorkspace }) => ({
    byWorkspace: { ...byWorkspace, [workspace]: (byWorkspace[workspace] ?? []).filter((each) => each.id !== id) },
  }))
}

/** Removes the recent entries of all workspaces, also from the storage of this browser. */
export const clearRecent = (): void => {
  useRecent.setState({ byWorkspace: {} })
  useRecent.persist.clearStorage()
}

/** Remembers an object while its page is shown, with its current title. */
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
