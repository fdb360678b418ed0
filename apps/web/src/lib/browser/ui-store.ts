import { create } from 'zustand'
import { persist } from 'zustand/middleware'
import { storagePrefix } from './storage-prefix.ts'
import { isWide, useIsWide } from './use-is-wide.ts'

export type Theme = 'system' | 'light' | 'dark'

type UiState = {
  /** The hints that the user has dismissed, by identifier. */
  flags: Record<string, { done: boolean }>
  theme: Theme
  /** Resource name of the workspace used last. */
  lastWorkspace: string | null
}

/**
 * The state of the user interface, stored in local storage under a name that ends in "ui". public/boot.js reads
 * `theme`.
 */
export const useUi = create<UiState>()(
  persist((): UiState => ({ flags: {}, theme: 'system', lastWorkspace: null }), {
    name: `${storagePrefix}-ui`,
    version: 1,
  }),
)

/** Stores in this browser that something was seen or dismissed. */
export const markDone = (id: string): void => {
  useUi.setState(({ flags }) => ({ flags: { ...flags, [id]: { done: true } } }))
}

/** True if `markDone` was called with this ID. */
export const isDone = (flags: UiState['flags'], id: string): boolean =>
  Object.hasOwn(flags, id) && flags[id]?.done === true

/** Removes all that `markDone` has stored. */
export const resetFlags = (): void => {
  useUi.setState({ flags: {} })
}

/** Chooses a theme and applies it immediately. */
export const setTheme = (theme: Theme): void => {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
  useUi.setState({ theme })
}

/** Whether the user has collapsed the sidebar, stored under a separate key; null before any choice. */
export const useSidebar = create<{ collapsed: boolean | null }>()(
  persist((): { collapsed: boolean | null } => ({ collapsed: null }), { name: `${storagePrefix}-sidebar-collapsed` }),
)

/** Returns whether the sidebar is collapsed: as the user chose or, without a choice, if the page needs the space. */
export const useIsSidebarCollapsed = (): boolean => {
  const wide = useIsWide()
  return useSidebar(({ collapsed }) => collapsed) ?? !wide
}

/** Collapses or expands the sidebar. The choice is stored. */
export const toggleSidebar = (): void => {
  useSidebar.setState(({ collapsed }) => ({ collapsed: !(collapsed ?? !isWide()) }))
}

const maskKey = 'mask_metric_values'

/** Whether the values of metrics are hidden from bystanders. The stored value is `true` or `false`. */
export const useMask = create<{ on: boolean }>()(
  persist((): { on: boolean } => ({ on: false }), {
    name: maskKey,
    storage: {
      getItem: (key) => ({ state: { on: localStorage.getItem(key) === 'true' } }),
      setItem: (key, { state }) => localStorage.setItem(key, String(state.on)),
      removeItem: (key) => localStorage.removeItem(key),
    },
  }),
)

/** Hides the values of metrics, or shows them again. */
export const toggleMask = (): void => {
  useMask.setState(({ on }) => ({ on: !on }))
}
