// @vitest-environment happy-dom
import { beforeEach, expect, test, vi } from 'vitest'

const source = 'workspaces/w1/sources/s1'

/** Loads the module anew, as a page load does. */
const load = async () => {
  vi.resetModules()
  return import('./live-view.ts')
}

beforeEach(() => localStorage.clear())

test('expanded, density and the property of each source are restored when the page is loaded again', async () => {
  const before = await load()
  before.toggleExpanded()
  before.setDensity('compact')
  before.setProperty(source, 'total')
  before.setProperty('workspaces/w1/sources/s2', 'plan')
  before.setProperty('workspaces/w1/sources/s2', '')
  const { useLiveView } = await load()
  expect(useLiveView.getState()).toEqual({ expanded: true, density: 'compact', properties: { [source]: 'total' } })
})

test('the settings of the 200 most recently used sources are kept', async () => {
  const { setProperty, useLiveView } = await load()
  for (let index = 0; index < 205; index++) setProperty(`s-${index}`, 'total')
  const kept = Object.keys(useLiveView.getState().properties)
  expect([kept.length, kept[0], kept.at(-1)]).toEqual([200, 's-5', 's-204'])
})

test('without local storage, the settings last as long as the page', async () => {
  const refused = (): never => {
    throw new DOMException('denied', 'SecurityError')
  }
  vi.stubGlobal('localStorage', { getItem: refused, setItem: refused, removeItem: refused })
  const { toggleExpanded, useLiveView } = await load()
  toggleExpanded()
  expect(useLiveView.getState().expanded).toBe(true)
  vi.unstubAllGlobals()
})

test('a stored value of an unknown form, or of another version, is ignored', async () => {
  localStorage.setItem('tributary-live-view', 'no JSON')
  expect((await load()).useLiveView.getState()).toMatchObject({ expanded: false, density: 'comfortable' })
})
