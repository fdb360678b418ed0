import { silentLogger } from '@tributary/kernel'
import { expect, it } from 'vitest'
import { ConnectorUnavailable, createLoadedConnectors } from './listed-connector.ts'

it('a connector is loaded once, on first use, and a failing one does not affect others', async () => {
  const loads: string[] = []
  const failures: object[] = []
  const entry = (slug: string) => ({
    slug,
    load: async () => {
      loads.push(slug)
      if (slug === 'broken') throw new Error('no such module')
      return `definition of ${slug}`
    },
  })
  const logger = { ...silentLogger, error: (fields: object) => void failures.push(fields) }
  const connectors = createLoadedConnectors([entry('one'), entry('two'), entry('broken')], logger)
  expect(connectors.get('one')).toBeUndefined()
  await connectors.load(['one', 'broken', 'one', 'unknown'])
  await connectors.load(['one'])
  expect(loads).toEqual(['one', 'broken'])
  expect(['one', 'two', 'broken', 'unknown'].map(connectors.get)).toEqual([
    'definition of one',
    undefined,
    undefined,
    undefined,
  ])
  expect(failures).toMatchObject([{ connector: 'broken' }])
})

it('own connectors are found beside the list, forgotten when they are not used, and a failing search is not hidden', async () => {
  let isAway = false
  const find = async (slug: string) => {
    if (isAway) throw new Error('the store is away')
    return slug.startsWith('own-') ? { load: async () => `definition of ${slug}` } : undefined
  }
  const connectors = createLoadedConnectors([{ slug: 'one', load: async () => 'one' }], silentLogger, find)
  await connectors.load(['one', 'own-1', 'own-2', 'unknown'])
  expect(['one', 'own-1', 'own-2', 'unknown'].map(connectors.get)).toEqual([
    'one',
    'definition of own-1',
    'definition of own-2',
    undefined,
  ])
  connectors.keep(new Set(['own-2']))
  expect(['one', 'own-1', 'own-2'].map(connectors.get)).toEqual(['one', undefined, 'definition of own-2'])
  isAway = true
  await expect(connectors.load(['own-1'])).rejects.toThrow('the store is away')
  await connectors.load(['one', 'own-2'])
})

it('an own connector that the store fails to load is loaded later, and a broken one does not affect others', async () => {
  let failure: Error | undefined = new ConnectorUnavailable('the store is away')
  const load = async () => {
    if (failure !== undefined) throw failure
    return 'definition'
  }
  const connectors = createLoadedConnectors([], silentLogger, async () => ({ load }))
  await expect(connectors.load(['own-1'])).rejects.toThrow('the store is away')
  failure = new Error('of a later version')
  await connectors.load(['own-1'])
  expect(connectors.get('own-1')).toBeUndefined()
  failure = undefined
  await connectors.load(['own-1'])
  expect(connectors.get('own-1')).toBe('definition')
})
