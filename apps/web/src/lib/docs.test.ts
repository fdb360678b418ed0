import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { docsAddress } from './docs.ts'

const source = '?source=workspaces%2F1%2Fsources%2F2'

/** Returns the anchor of a heading, as the server creates it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

test.each([
  ['/workspaces/1', '', '/docs/getting-started'],
  ['/workspaces/1/sources', '', '/docs/concepts#source-and-write-key'],
  ['/workspaces/1/sources/2', '', `/docs/events${source}#live-events`],
  ['/workspaces/1/sources/2', '#overview', `/docs/events${source}`],
  ['/workspaces/1/sources/2', '#schema', `/docs/schemas${source}`],
  ['/workspaces/1/sources/2', '#violations', `/docs/schemas${source}#violations`],
  ['/workspaces/1/sources/2', '#refused', `/docs/events${source}#refused-requests`],
  ['/workspaces/1/sources/2', '#setup', `/docs/getting-started${source}#2-send-an-event`],
  ['/workspaces/1/sources/2', '#settings', `/docs/concepts${source}#source-and-write-key`],
  ['/workspaces/1/settings/personal-data', '', '/docs/mappings#data-of-the-user'],
  ['/workspaces/1/destinations/2', '', '/docs/destinations'],
  ['/workspaces/1/destinations/2', '#deliveries', '/docs/deliveries'],
  ['/workspaces/1/destinations/2', '#loads', '/docs/warehouses'],
  ['/workspaces/1/destinations/2', '#failures', '/docs/deliveries#failures'],
  ['/workspaces/1/destinations/2', '#mappings', '/docs/mappings'],
  ['/workspaces/1/destinations/2', '#replay', '/docs/deliveries#replays'],
  ['/workspaces/1/destinations/2', '#settings', '/docs/destinations'],
  ['/workspaces/1/connections', '', '/docs/concepts#destination-connection-and-mapping'],
  ['/workspaces/1/catalog-sources', '', '/docs/sources'],
  ['/workspaces/1/events', '', '/docs/events#the-explorer'],
  ['/workspaces/1/events/3', '', '/docs/events#status-of-an-event'],
  ['/workspaces/1/profiles', '', '/docs/profiles'],
  ['/workspaces/1/profiles/settings', '', '/docs/profiles#identity-settings'],
  ['/workspaces/1/profiles/settings', '#api', '/docs/profiles#profile-api'],
  ['/workspaces/1/syncs/tokens', '', '/docs/syncs#start-a-sync-by-api'],
  ['/workspaces/1/profiles/3', '', '/docs/profiles#traits'],
  ['/workspaces/1/profiles/3', '#identifiers', '/docs/profiles#identifiers'],
  ['/workspaces/1/profiles/3', '#history', '/docs/profiles#merges-and-splits'],
  ['/workspaces/1/settings/organization', '', '/docs/concepts#organization-and-workspace'],
  ['/workspaces/1/settings/organization/members', '', '/docs/members'],
  ['/workspaces/1/settings/account', '', '/docs/members#sessions'],
])('the screen %s%s leads to %s, an existing heading', (pathname, hash, address) => {
  expect(docsAddress({ pathname, hash })).toBe(address)
  const [, page = '', anchor] = /^\/docs\/([a-z-]+)(?:\?[^#]+)?(?:#(.+))?$/.exec(address) ?? []
  const text = readFileSync(new URL(`../../../../docs/${page}.md`, import.meta.url), 'utf8')
  const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))
  expect(anchors).toContain(anchor ?? anchors[0])
})

test("overview and settings of a destination link to its connector's page, and other tabs to their topics", () => {
  const at = (hash: string) =>
    docsAddress({ pathname: '/workspaces/1/destinations/2', hash }, 'catalogDestinations/postgresql')
  expect(['', '#settings', '#failures'].map(at)).toEqual([
    '/docs/destinations/postgresql',
    '/docs/destinations/postgresql',
    '/docs/deliveries#failures',
  ])
})

test('a new source or destination links to the page of its kind, and a screen that has no documentation links to none', () => {
  const at = (pathname: string) => docsAddress({ pathname, hash: '' })
  expect(at('/workspaces/1/catalog-sources/node/new')).toBe('/docs/sources/node')
  expect(at('/workspaces/1/catalog-destinations/s3/new')).toBe('/docs/destinations/s3')
  expect(at('/workspaces/1/settings/organization/billing')).toBeUndefined()
  expect(at('/auth/login')).toBeUndefined()
})
