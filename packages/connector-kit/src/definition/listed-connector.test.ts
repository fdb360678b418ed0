import { silentLogger } from '@tributary/kernel'
import { expect, it } from 'vitest'
import { createLoadedConnectors } from './listed-connector.ts'

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
