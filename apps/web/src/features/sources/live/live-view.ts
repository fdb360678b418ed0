import { create } from 'zustand'
import { createJSONStorage, persist, type StateStorage } from 'zustand/middleware'
import { storagePrefix } from '../../../lib/browser/storage-prefix.ts'

export const densities = ['comfortable', 'compact'] as const
export type Density = (typeof densities)[number]

type LiveView = {
  /** Whether the table fills the window. */
  expanded: boolean
  density: Density
  /**
   * The property that each source shows in a column, by the resource name of the source. The last chosen one is at the
   * end.
   */
  properties: Readonly<Record<string, string>>
}

/** Maximum number of sources whose property is remembered. */
const maxSources = 200

/** Local storage if available; otherwise choices last as long as the page. */
const storage: StateStorage = {
  getItem: (name) => {
    try {
      return localStorage.getItem(name)
    } catch {
      return null
    }
  },
  setItem: (name, value) => {
    try {
      localStorage.setItem(name, value)
    } catch {
      // Browsers throw if the storage is forbidden or full.
    }
  },
  removeItem: () => undefined,
}

/** The user's view of live events, stored in the browser under its own name. */
export const useLiveView = create<LiveView>()(
  persist((): LiveView => ({ expanded: false, density: 'comfortable', properties: {} }), {
    name: `${storagePrefix}-live-view`,
    version: 1,
    storage: createJSONStorage(() => storage),
  }),
)

/** Switches between a table that fills the window and its normal height. */
export const toggleExpanded = (): void => {
  useLiveView.setState(({ expanded }) => ({ expanded: !expanded }))
}

/** Sets the density of the rows. */
export const setDensity = (density: Density): void => {
  useLiveView.setState({ density })
}

/** Selects the property of a source to show in a column; '' for none. */
export const setProperty = (source: string, property: string): void => {
  useLiveView.setState(({ properties }) => {
    const { [source]: _, ...others } = properties
    const kept = Object.entries(others).slice(1 - maxSources)
    return { properties: Object.fromEntries(property === '' ? kept : [...kept, [source, property]]) }
  })
}
