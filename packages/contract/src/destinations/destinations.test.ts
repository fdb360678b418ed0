import { expect, test } from 'vitest'
import { methods } from '../index.ts'
import { destinationApp } from './destinations.ts'

test('DST-07: a destination without an app name is refused with "Required"', () => {
  const { error } = methods.destinations.create.request.safeParse({ title: 'Receiver', app: { name: '' } })
  expect(error?.issues.map(({ path, message }) => [path.join('.'), message])).toEqual([['app.name', 'Required']])
})

test('an app without lists of people and abilities, from a server of an earlier version, is accepted', () => {
  const app = {
    name: 'workspaces/w/destinations/d/app',
    catalog_app: 'catalogDestinations/webhook',
    title: 'Webhook',
    display_name: 'Webhook',
    docs_url: '',
    instance_count: 1,
    extra: { app_icon: '' },
    settings: [],
  }
  expect(destinationApp.parse(app)).toEqual({ ...app, people_lists: null, abilities: [] })
})
