import type { DataSource, Model } from '@tributary/contract'
import { expect, test } from 'vitest'
import { aModel } from '../../testing/syncs.ts'
import { newSyncPath } from './audience-syncs.tsx'

const audience = { name: 'workspaces/w/audiences/a', title: 'Loyal' }
const of = (name: string) => ({ name, title: 'Loyal', state: 'live' as const, as_of: null })
type Given = { models?: Model[]; dataSources?: DataSource[] }
const dataSource = (name: string, people: boolean) => ({ name, app: { people } }) as DataSource

test.each<[string, Given, string]>([
  [
    'the model of its members',
    {
      models: [
        { ...aModel(), name: 'workspaces/w/models/other' },
        { ...aModel(), audience: of(audience.name) },
      ],
    },
    '/workspaces/w/syncs/new?model=workspaces%2Fw1%2Fmodels%2Fm1',
  ],
  [
    'the editor of such a model while there is none, of another audience neither',
    {
      models: [{ ...aModel(), audience: of('workspaces/w/audiences/b') }],
      dataSources: [dataSource('workspaces/w/dataSources/d', false), dataSource('workspaces/w/dataSources/p', true)],
    },
    '/workspaces/w/dataSources/p/new-model?schema=audiences&table=a&title=Loyal',
  ],
  [
    'adding audiences as a data source where that was not done',
    { dataSources: [dataSource('workspaces/w/dataSources/d', false)] },
    '/workspaces/w/catalog-data-sources/profiles/new',
  ],
])('a new sync of an audience starts with %s', (_, { models = [], dataSources = [] }, path) => {
  expect(newSyncPath('workspaces/w', audience, { models, dataSources })).toBe(path)
})
